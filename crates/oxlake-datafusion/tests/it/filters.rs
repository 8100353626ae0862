//! A condition pushed into the scan keeps the same rows as one that DataFusion evaluates.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::datasource::MemTable;
use datafusion::prelude::{Expr, ident, lit};
use oxlake_datafusion::Session;
use oxlake_scan::QueryKind;
use oxlake_testkit::{Fixture, rows};

use crate::{explain, row_count, session, sql, table};

/// The table as `pushed`, and a copy of its rows in memory as `copied`.
async fn with_copy(fixture: &Fixture) -> Session {
    let session = session();
    session
        .register("pushed", table(fixture, QueryKind::Snapshot).await.unwrap())
        .unwrap();
    let all: Vec<RecordBatch> = sql(&session, "select * from pushed").await;
    let schema = all.first().unwrap().schema();
    let copy = MemTable::try_new(schema, vec![all]).unwrap();
    session
        .context()
        .register_table("copied", Arc::new(copy))
        .unwrap();
    session
}

/// The rows of both for which a condition holds are the same.
async fn check(session: &Session, condition: &Expr) {
    let ask = async |name: &str| {
        let frame = session.context().table(name).await.unwrap();
        let batches = frame
            .filter(condition.clone())
            .unwrap()
            .collect()
            .await
            .unwrap();
        rows::sorted(rows::encode(&batches).unwrap())
    };
    assert_eq!(
        ask("pushed").await,
        ask("copied").await,
        "where {condition}"
    );
}

#[tokio::test]
async fn pushed_conditions_keep_the_same_rows() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let session = with_copy(&fixture).await;
    for condition in [
        "id = 1",
        "id <> 1",
        "id > 1 and price <= 10",
        "not (id > 1 and price <= 10)",
        "city = 'sf' or price > 5",
        "city in ('sf', 'nyc') and id not in (1, 2)",
        "city is null or name is not null",
        "price between 1 and 3",
        "price not between 1 and 3",
        "id = 1 or name like '%b%'",
        "_hoodie_record_key = '1'",
        "city = 'nowhere'",
        "ts >= 10 and ts < 20 and length(name) = 1",
    ] {
        let schema = session
            .context()
            .table("pushed")
            .await
            .unwrap()
            .schema()
            .clone()
            .strip_qualifiers();
        check(
            &session,
            &session
                .context()
                .parse_sql_expr(condition, &schema)
                .unwrap(),
        )
        .await;
    }
}

#[tokio::test]
async fn every_type_can_be_filtered() {
    let fixture = Fixture::open("v9_types_cow").unwrap();
    let session = with_copy(&fixture).await;
    let schema = session
        .context()
        .table("pushed")
        .await
        .unwrap()
        .schema()
        .as_arrow()
        .clone();
    let mut checked = 0;
    for field in schema
        .fields()
        .iter()
        .filter(|field| !field.data_type().is_nested())
    {
        let values = session.context().table("copied").await.unwrap();
        let values = values
            .select(vec![ident(field.name())])
            .unwrap()
            .collect()
            .await
            .unwrap();
        let mut conditions = vec![
            ident(field.name()).is_null(),
            ident(field.name()).is_not_null(),
        ];
        for batch in values.iter().filter(|batch| batch.num_rows() > 0) {
            for row in 0..batch.num_rows() {
                let value = ScalarValue::try_from_array(batch.column(0), row).unwrap();
                if value.is_null() {
                    continue;
                }
                let (column, value) = (ident(field.name()), lit(value));
                conditions.extend([
                    column.clone().eq(value.clone()),
                    column.clone().not_eq(value.clone()),
                    column.clone().lt(value.clone()),
                    column.clone().gt_eq(value.clone()),
                    Expr::Not(Box::new(column.clone().gt(value.clone()))),
                    column.clone().in_list(vec![value.clone()], true),
                    column.clone().lt_eq(value).or(column.is_null()),
                ]);
            }
        }
        for condition in &conditions {
            check(&session, condition).await;
        }
        checked += conditions.len();
    }
    assert!(checked > 200, "only {checked} conditions were checked");
}

#[tokio::test]
async fn partitions_are_pruned_and_the_plan_says_so() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let session = session();
    session
        .register("t", table(&fixture, QueryKind::Snapshot).await.unwrap())
        .unwrap();
    let plan = explain(&session, "select id from t where city = 'sf'").await;
    assert!(
        plan.contains("predicate=city = 'sf', partitions=1, pruned="),
        "{plan}"
    );
    assert!(
        !plan.contains("FilterExec"),
        "an exact filter is not evaluated twice:\n{plan}"
    );
    let none = sql(&session, "select id from t where city = 'nowhere'").await;
    assert_eq!(row_count(&none), 0);
}
