//! Conditions on rows, in our own small language: what faces hand down to pruning and reading.

use std::collections::BTreeSet;

/// A condition on a row. Columns are named by dotted path; a comparison with null is never true, as in SQL.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// Holds for every row.
    True,
    /// All hold; an empty list holds.
    And(Vec<Predicate>),
    /// One holds; an empty list does not.
    Or(Vec<Predicate>),
    /// The inner one is false (and not unknown).
    Not(Box<Predicate>),
    /// A column compared with a value.
    Compare {
        /// The column.
        column: String,
        /// How.
        op: CompareOp,
        /// With what.
        value: Literal,
    },
    /// A column equals one of several values.
    In {
        /// The column.
        column: String,
        /// The values.
        values: Vec<Literal>,
    },
    /// A column is null.
    IsNull(String),
    /// A column is not null.
    IsNotNull(String),
}

impl Predicate {
    /// `column op value`.
    pub fn compare(column: impl Into<String>, op: CompareOp, value: impl Into<Literal>) -> Self {
        Self::Compare {
            column: column.into(),
            op,
            value: value.into(),
        }
    }

    /// `column = value`.
    pub fn eq(column: impl Into<String>, value: impl Into<Literal>) -> Self {
        Self::compare(column, CompareOp::Eq, value)
    }

    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, one) | (one, Self::True) => one,
            (Self::And(mut all), one) => {
                all.push(one);
                Self::And(all)
            }
            (one, other) => Self::And(vec![one, other]),
        }
    }

    /// All columns it looks at, sorted.
    pub fn columns(&self) -> BTreeSet<&str> {
        let mut columns = BTreeSet::new();
        self.collect_columns(&mut columns);
        columns
    }

    fn collect_columns<'a>(&'a self, columns: &mut BTreeSet<&'a str>) {
        match self {
            Self::True => {}
            Self::And(parts) | Self::Or(parts) => {
                for part in parts {
                    part.collect_columns(columns);
                }
            }
            Self::Not(part) => part.collect_columns(columns),
            Self::Compare { column, .. }
            | Self::In { column, .. }
            | Self::IsNull(column)
            | Self::IsNotNull(column) => {
                columns.insert(column);
            }
        }
    }
}

/// How a column is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Not equal.
    NotEq,
    /// Less.
    Lt,
    /// Less or equal.
    LtEq,
    /// Greater.
    Gt,
    /// Greater or equal.
    GtEq,
}

impl CompareOp {
    /// The operator that is true exactly where this one is false (nulls aside).
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Eq => Self::NotEq,
            Self::NotEq => Self::Eq,
            Self::Lt => Self::GtEq,
            Self::LtEq => Self::Gt,
            Self::Gt => Self::LtEq,
            Self::GtEq => Self::Lt,
        }
    }

    /// The operator with both sides exchanged.
    #[must_use]
    pub fn swap(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::LtEq => Self::GtEq,
            Self::Gt => Self::Lt,
            Self::GtEq => Self::LtEq,
            same => same,
        }
    }

    /// The operator in SQL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::NotEq => "<>",
            Self::Lt => "<",
            Self::LtEq => "<=",
            Self::Gt => ">",
            Self::GtEq => ">=",
        }
    }
}

/// A value in a [`Predicate`].
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Null.
    Null,
    /// A truth value.
    Boolean(bool),
    /// An integer of any width.
    Int64(i64),
    /// A floating-point number of any width.
    Float64(f64),
    /// A text.
    Utf8(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// Days since 1970-01-01.
    Date32(i32),
    /// Microseconds since 1970-01-01T00:00:00Z.
    TimestampMicros(i64),
    /// `value / 10^scale`.
    Decimal128 {
        /// The unscaled value.
        value: i128,
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: i8,
    },
}

impl From<i64> for Literal {
    fn from(value: i64) -> Self {
        Self::Int64(value)
    }
}

impl From<&str> for Literal {
    fn from(value: &str) -> Self {
        Self::Utf8(value.to_owned())
    }
}

impl From<String> for Literal {
    fn from(value: String) -> Self {
        Self::Utf8(value)
    }
}

impl From<bool> for Literal {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<f64> for Literal {
    fn from(value: f64) -> Self {
        Self::Float64(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_collected_from_all_branches() {
        let predicate = Predicate::eq("b", 1).and(Predicate::Not(Box::new(Predicate::Or(vec![
            Predicate::IsNull("a".into()),
            Predicate::In {
                column: "c".into(),
                values: vec![],
            },
            Predicate::True,
        ]))));
        assert_eq!(
            predicate.columns().into_iter().collect::<Vec<_>>(),
            ["a", "b", "c"]
        );
    }

    #[test]
    fn negate_and_swap_are_their_own_inverse() {
        use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        for op in [Eq, NotEq, Lt, LtEq, Gt, GtEq] {
            assert_eq!(op.negate().negate(), op);
            assert_eq!(op.swap().swap(), op);
        }
    }
}
