//! Which partitions can hold a row that matches a predicate, decided from their paths alone.
//!
//! The answer is conservative: a partition is dropped only when no row in it can make the predicate
//! true. What a path says about a column is a [`PartitionValue`]; a value that cannot be read from the
//! path with certainty (a timestamp key generator, the default partition that stands for null *and* for
//! empty text, a path with another number of levels than the table has fields) is
//! [`PartitionValue::Unknown`] and never drops anything.

use std::cmp::Ordering;

use oxlake_model::{CompareOp, Literal, Predicate};

/// What a partition path says about one column of its rows.
#[derive(Debug, Clone, PartialEq)]
pub enum PartitionValue {
    /// Every row of the partition has null here.
    Null,
    /// Every row of the partition has this value.
    Known(Literal),
    /// Every row has this text here, or one that begins with it and a slash: the path goes on below.
    Begins(String),
    /// The path does not tell.
    Unknown,
}

/// True when a row of a partition with these values can make `predicate` true.
///
/// `value_of` answers for a column name; columns that are not partition columns are
/// [`PartitionValue::Unknown`]. Three-valued logic as in SQL: a row passes only when the predicate is
/// true, so "always false" and "always null" both drop the partition.
pub fn partition_may_match(
    predicate: &Predicate,
    value_of: &dyn Fn(&str) -> PartitionValue,
) -> bool {
    outcomes(predicate, value_of).can_be_true
}

/// The results a predicate can have over the rows of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Outcomes {
    can_be_true: bool,
    can_be_false: bool,
    can_be_null: bool,
}

impl Outcomes {
    const TRUE: Self = Self::only(Some(true));
    const FALSE: Self = Self::only(Some(false));
    const NULL: Self = Self::only(None);
    const ANY: Self = Self {
        can_be_true: true,
        can_be_false: true,
        can_be_null: true,
    };
    const NOT_NULL: Self = Self {
        can_be_true: true,
        can_be_false: true,
        can_be_null: false,
    };

    const fn only(outcome: Option<bool>) -> Self {
        Self {
            can_be_true: matches!(outcome, Some(true)),
            can_be_false: matches!(outcome, Some(false)),
            can_be_null: outcome.is_none(),
        }
    }

    fn of(value: bool) -> Self {
        Self::only(Some(value))
    }

    fn not(self) -> Self {
        Self {
            can_be_true: self.can_be_false,
            can_be_false: self.can_be_true,
            can_be_null: self.can_be_null,
        }
    }

    /// Possible results of `a AND b`, as if the operands were independent (so a superset of the truth).
    fn and(self, other: Self) -> Self {
        let not_false = |o: Self| o.can_be_true || o.can_be_null;
        Self {
            can_be_true: self.can_be_true && other.can_be_true,
            can_be_false: self.can_be_false || other.can_be_false,
            can_be_null: (self.can_be_null && not_false(other))
                || (other.can_be_null && not_false(self)),
        }
    }

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

fn outcomes(predicate: &Predicate, value_of: &dyn Fn(&str) -> PartitionValue) -> Outcomes {
    match predicate {
        Predicate::True => Outcomes::TRUE,
        Predicate::And(parts) => parts.iter().fold(Outcomes::TRUE, |all, part| {
            all.and(outcomes(part, value_of))
        }),
        Predicate::Or(parts) => parts.iter().fold(Outcomes::FALSE, |all, part| {
            all.or(outcomes(part, value_of))
        }),
        Predicate::Not(part) => outcomes(part, value_of).not(),
        Predicate::Compare { column, op, value } => compare(&value_of(column), *op, value),
        Predicate::In { column, values } => {
            let stored = value_of(column);
            values.iter().fold(Outcomes::FALSE, |all, value| {
                all.or(compare(&stored, CompareOp::Eq, value))
            })
        }
        Predicate::IsNull(column) => is_null(&value_of(column)),
        Predicate::IsNotNull(column) => is_null(&value_of(column)).not(),
    }
}

fn is_null(stored: &PartitionValue) -> Outcomes {
    match stored {
        PartitionValue::Null => Outcomes::TRUE,
        PartitionValue::Known(_) | PartitionValue::Begins(_) => Outcomes::FALSE,
        PartitionValue::Unknown => Outcomes::NOT_NULL,
    }
}

fn compare(stored: &PartitionValue, op: CompareOp, wanted: &Literal) -> Outcomes {
    match (stored, wanted) {
        (_, Literal::Null) | (PartitionValue::Null, _) => Outcomes::NULL,
        (PartitionValue::Unknown, _) => Outcomes::ANY,
        (PartitionValue::Begins(text), Literal::Utf8(wanted)) => begins(text, op, wanted),
        (PartitionValue::Begins(_), _) => Outcomes::NOT_NULL,
        (PartitionValue::Known(stored), wanted) => match order(stored, wanted) {
            None => Outcomes::ANY,
            Some(order) => Outcomes::of(holds(op, order)),
        },
    }
}

/// Only equality is decided: the order of texts that share a beginning is that of what follows.
fn begins(text: &str, op: CompareOp, wanted: &str) -> Outcomes {
    let possible = wanted
        .strip_prefix(text)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match op {
        CompareOp::Eq if !possible => Outcomes::FALSE,
        CompareOp::NotEq if !possible => Outcomes::TRUE,
        _ => Outcomes::NOT_NULL,
    }
}

fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::NotEq => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::LtEq => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::GtEq => order.is_ge(),
    }
}

/// The order of two literals of the same type, or `None` when nothing may be concluded: different
/// types, NaN, and zeros (engines disagree on whether -0.0 equals 0.0).
fn order(stored: &Literal, wanted: &Literal) -> Option<Ordering> {
    match (stored, wanted) {
        (Literal::Boolean(a), Literal::Boolean(b)) => Some(a.cmp(b)),
        (Literal::Int64(a), Literal::Int64(b))
        | (Literal::TimestampMicros(a), Literal::TimestampMicros(b)) => Some(a.cmp(b)),
        (Literal::Float64(a), Literal::Float64(b)) => {
            if *a == 0.0 && *b == 0.0 {
                return None;
            }
            a.partial_cmp(b)
        }
        (Literal::Utf8(a), Literal::Utf8(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Literal::Date32(a), Literal::Date32(b)) => Some(a.cmp(b)),
        (
            Literal::Decimal128 {
                value: a, scale: s, ..
            },
            Literal::Decimal128 {
                value: b, scale: t, ..
            },
        ) if s == t => Some(a.cmp(b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn eq(column: &str, value: i64) -> Predicate {
        Predicate::Compare {
            column: column.into(),
            op: CompareOp::Eq,
            value: Literal::Int64(value),
        }
    }

    fn one(name: &'static str, value: PartitionValue) -> impl Fn(&str) -> PartitionValue {
        move |column| {
            if column == name {
                value.clone()
            } else {
                PartitionValue::Unknown
            }
        }
    }

    #[test]
    fn other_columns_never_drop_a_partition() {
        let values = one("p", PartitionValue::Known(Literal::Int64(1)));
        assert!(partition_may_match(&eq("q", 7), &values));
        assert!(!partition_may_match(
            &Predicate::And(vec![eq("q", 7), eq("p", 2)]),
            &values
        ));
        assert!(partition_may_match(
            &Predicate::Or(vec![eq("q", 7), eq("p", 2)]),
            &values
        ));
    }

    #[test]
    fn null_partition_matches_only_is_null() {
        let values = one("p", PartitionValue::Null);
        assert!(!partition_may_match(&eq("p", 1), &values));
        assert!(!partition_may_match(
            &Predicate::Not(Box::new(eq("p", 1))),
            &values
        ));
        assert!(partition_may_match(&Predicate::IsNull("p".into()), &values));
        assert!(!partition_may_match(
            &Predicate::IsNotNull("p".into()),
            &values
        ));
    }

    #[test]
    fn different_types_are_not_compared() {
        let values = one("p", PartitionValue::Known(Literal::Utf8("1".into())));
        assert!(partition_may_match(&eq("p", 2), &values));
    }

    #[test]
    fn the_beginning_of_a_text_decides_equality_only() {
        let values = one("p", PartitionValue::Begins("a".into()));
        let matches =
            |op, text: &str| partition_may_match(&Predicate::compare("p", op, text), &values);
        assert!(matches(CompareOp::Eq, "a"));
        assert!(matches(CompareOp::Eq, "a/b"));
        assert!(!matches(CompareOp::Eq, "ab"));
        assert!(!matches(CompareOp::Eq, "b"));
        assert!(matches(CompareOp::NotEq, "b"));
        assert!(matches(CompareOp::Gt, "b"), "not decided");
        assert!(!partition_may_match(
            &Predicate::IsNull("p".into()),
            &values
        ));
    }

    fn predicates() -> impl Strategy<Value = Predicate> {
        let column = prop_oneof![Just("p".to_owned()), Just("x".to_owned())];
        let value = prop_oneof![3 => (0i64..4).prop_map(Literal::Int64), 1 => Just(Literal::Null)];
        let op = prop_oneof![
            Just(CompareOp::Eq),
            Just(CompareOp::NotEq),
            Just(CompareOp::Lt),
            Just(CompareOp::LtEq),
            Just(CompareOp::Gt),
            Just(CompareOp::GtEq)
        ];
        let leaf = prop_oneof![
            (column.clone(), op, value.clone())
                .prop_map(|(column, op, value)| Predicate::Compare { column, op, value }),
            (column.clone(), prop::collection::vec(value, 0..3))
                .prop_map(|(column, values)| Predicate::In { column, values }),
            column.clone().prop_map(Predicate::IsNull),
            column.prop_map(Predicate::IsNotNull),
            Just(Predicate::True),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::And),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::Or),
                inner.prop_map(|p| Predicate::Not(Box::new(p))),
            ]
        })
    }

    /// SQL evaluation over one row: the judge.
    fn evaluate(predicate: &Predicate, row: &dyn Fn(&str) -> Option<i64>) -> Option<bool> {
        let compare = |stored: Option<i64>, op: CompareOp, wanted: &Literal| match (stored, wanted)
        {
            (Some(a), Literal::Int64(b)) => Some(holds(op, a.cmp(b))),
            _ => None,
        };
        let or = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        match predicate {
            Predicate::True => Some(true),
            Predicate::And(parts) => parts
                .iter()
                .map(|p| evaluate(p, row).map(|b| !b))
                .fold(Some(false), or)
                .map(|b| !b),
            Predicate::Or(parts) => parts.iter().map(|p| evaluate(p, row)).fold(Some(false), or),
            Predicate::Not(part) => evaluate(part, row).map(|b| !b),
            Predicate::Compare { column, op, value } => compare(row(column), *op, value),
            Predicate::In { column, values } => values
                .iter()
                .map(|v| compare(row(column), CompareOp::Eq, v))
                .fold(Some(false), or),
            Predicate::IsNull(column) => Some(row(column).is_none()),
            Predicate::IsNotNull(column) => Some(row(column).is_some()),
        }
    }

    proptest! {
        /// A dropped partition holds no matching row, whatever the other columns hold.
        #[test]
        fn dropping_is_conservative(
            predicate in predicates(),
            partition in prop::option::of(0i64..4),
            others in prop::collection::vec(prop::option::of(0i64..4), 1..6),
            unknown in any::<bool>(),
        ) {
            let stored = match partition {
                _ if unknown => PartitionValue::Unknown,
                None => PartitionValue::Null,
                Some(v) => PartitionValue::Known(Literal::Int64(v)),
            };
            let values = one("p", stored);
            let matching = others.iter().any(|other| {
                let row = |column: &str| if column == "p" { partition } else { *other };
                evaluate(&predicate, &row) == Some(true)
            });
            prop_assert!(partition_may_match(&predicate, &values) || !matching);
        }
    }
}
