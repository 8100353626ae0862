use arrow::datatypes::{Field, TimeUnit};
use datafusion::common::DFSchema;
use datafusion::prelude::{SessionContext, col, lit};

use super::*;

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("id", DataType::Int32, false),
        Field::new("name", DataType::Utf8, true),
        Field::new("price", DataType::Float64, true),
        Field::new("day", DataType::Date32, true),
        Field::new(
            "at",
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            true,
        ),
        Field::new("done", DataType::Boolean, true),
        Field::new("amount", DataType::Decimal128(10, 2), true),
    ])
}

/// The predicate for SQL text, after the same coercion and folding a query's filter gets.
fn of_sql(text: &str) -> Option<Predicate> {
    let context = SessionContext::new();
    let schema = schema();
    let df_schema = DFSchema::try_from(schema.clone()).unwrap();
    let expr = crate::filter::parse(&context, text, &df_schema).unwrap();
    translate(&expr, &schema)
}

#[test]
fn comparisons_take_the_type_of_the_column() {
    assert_eq!(
        of_sql("id > 5"),
        Some(Predicate::compare("id", CompareOp::Gt, 5))
    );
    assert_eq!(
        of_sql("5 > id"),
        Some(Predicate::compare("id", CompareOp::Lt, 5))
    );
    assert_eq!(
        of_sql("name <> 'x'"),
        Some(Predicate::compare("name", CompareOp::NotEq, "x"))
    );
    assert_eq!(
        of_sql("price <= 2"),
        Some(Predicate::compare("price", CompareOp::LtEq, 2.0))
    );
    assert_eq!(
        of_sql("day = '1970-01-03'"),
        Some(Predicate::eq("day", Literal::Date32(2)))
    );
    assert_eq!(
        of_sql("at >= '1970-01-01T00:00:01Z'"),
        Some(Predicate::compare(
            "at",
            CompareOp::GtEq,
            Literal::TimestampMicros(1_000_000)
        ))
    );
    assert_eq!(
        of_sql("amount = 1.5"),
        Some(Predicate::eq(
            "amount",
            Literal::Decimal128 {
                value: 150,
                precision: 10,
                scale: 2
            }
        ))
    );
}

#[test]
fn connectives_lists_and_nulls_are_kept() {
    let id = |op, value: i64| Predicate::compare("id", op, value);
    assert_eq!(
        of_sql("id = 1 or not (name is null and done)"),
        Some(Predicate::Or(vec![
            id(CompareOp::Eq, 1),
            Predicate::Or(vec![
                Predicate::IsNotNull("name".into()),
                Predicate::Not(Box::new(Predicate::eq("done", true))),
            ]),
        ]))
    );
    let list = Predicate::In {
        column: "id".into(),
        values: [1, 2, 3, 4].map(Literal::Int64).to_vec(),
    };
    assert_eq!(of_sql("id in (1, 2, 3, 4)"), Some(list.clone()));
    assert_eq!(
        of_sql("id not in (1, 2, 3, 4)"),
        Some(Predicate::Not(Box::new(list)))
    );
    let between = col("id").between(lit(1), lit(3));
    assert_eq!(
        translate(&between, &schema()),
        Some(id(CompareOp::GtEq, 1).and(id(CompareOp::LtEq, 3)))
    );
}

#[test]
fn what_has_no_equal_is_left_to_the_engine() {
    for text in [
        "length(name) > 3",
        "id = price",
        "name like 'a%'",
        "id + 1 = 2",
        "cast(name as int) = 1",
    ] {
        assert_eq!(of_sql(text), None, "{text}");
    }
    let not_a_number = col("price").eq(lit(f64::NAN));
    assert_eq!(translate(&not_a_number, &schema()), None);
    assert_eq!(translate(&col("missing").eq(lit(1)), &schema()), None);
    assert_eq!(
        translate(&col("id").eq(lit(1i64)), &schema()),
        None,
        "another width needs a cast"
    );
}
