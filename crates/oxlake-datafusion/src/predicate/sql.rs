//! A [`Predicate`] as SQL, for explained plans.

use std::fmt;

use oxlake_model::{Literal, Predicate};

/// Shows a predicate as the condition it stands for.
pub(crate) struct Sql<'a>(pub(crate) &'a Predicate);

impl fmt::Display for Sql<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Predicate::True => f.write_str("true"),
            Predicate::And(parts) => joined(f, parts, " AND ", "true"),
            Predicate::Or(parts) => joined(f, parts, " OR ", "false"),
            Predicate::Not(part) => write!(f, "NOT ({})", Sql(part)),
            Predicate::Compare { column, op, value } => {
                write!(f, "{column} {} {}", op.as_str(), Value(value))
            }
            Predicate::In { column, values } => {
                let values: Vec<String> = values
                    .iter()
                    .map(|value| Value(value).to_string())
                    .collect();
                write!(f, "{column} IN ({})", values.join(", "))
            }
            Predicate::IsNull(column) => write!(f, "{column} IS NULL"),
            Predicate::IsNotNull(column) => write!(f, "{column} IS NOT NULL"),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Predicate], word: &str, none: &str) -> fmt::Result {
    if parts.is_empty() {
        return f.write_str(none);
    }
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(word)?;
        }
        match part {
            Predicate::And(_) | Predicate::Or(_) => write!(f, "({})", Sql(part))?,
            _ => write!(f, "{}", Sql(part))?,
        }
    }
    Ok(())
}

struct Value<'a>(&'a Literal);

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Literal::Null => f.write_str("NULL"),
            Literal::Boolean(value) => write!(f, "{value}"),
            Literal::Int64(value) => write!(f, "{value}"),
            Literal::Float64(value) => write!(f, "{value:?}"),
            Literal::Utf8(value) => write!(f, "'{}'", value.replace('\'', "''")),
            Literal::Binary(value) => {
                f.write_str("x'")?;
                value.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("'")
            }
            Literal::Date32(days) => {
                let day = arrow::temporal_conversions::date32_to_datetime(*days);
                match day {
                    Some(day) => write!(f, "date '{}'", day.format("%Y-%m-%d")),
                    None => write!(f, "date {days}"),
                }
            }
            Literal::TimestampMicros(micros) => {
                let time = arrow::temporal_conversions::timestamp_us_to_datetime(*micros);
                match time {
                    Some(time) => write!(f, "timestamp '{}'", time.format("%Y-%m-%d %H:%M:%S%.f")),
                    None => write!(f, "timestamp {micros}"),
                }
            }
            Literal::Decimal128 { value, scale, .. } => write!(f, "{value}e-{scale}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_read_as_sql() {
        let predicate = Predicate::eq("a", "it's").and(Predicate::Or(vec![
            Predicate::eq("day", Literal::Date32(2)),
            Predicate::Not(Box::new(Predicate::In {
                column: "b".into(),
                values: vec![Literal::Int64(1), Literal::Float64(2.0)],
            })),
            Predicate::IsNull("c".into()),
        ]));
        assert_eq!(
            Sql(&predicate).to_string(),
            "a = 'it''s' AND (day = date '1970-01-03' OR NOT (b IN (1, 2.0)) OR c IS NULL)"
        );
    }
}
