//! Tables made, written and read through the façade.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use oxlake::prelude::*;
use oxlake::{Env, ErrorKind};

fn rows(rows: &[(&str, &str, i64)]) -> RecordBatch {
    let ids: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.0)).collect::<StringArray>());
    let cities: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.1)).collect::<StringArray>());
    let times: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.2)).collect::<Int64Array>());
    RecordBatch::try_from_iter([("id", ids), ("city", cities), ("ts", times)]).unwrap()
}

fn spec() -> TableSpec {
    TableSpec::new("trips")
        .record_key_fields(["id"])
        .ordering_fields(["ts"])
        .partition_fields(["city"])
}

/// `(id, ts)` of all rows, sorted.
fn ids(batches: &[RecordBatch]) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for batch in batches {
        let ids = batch.column_by_name("id").unwrap().as_string::<i32>();
        let times = batch
            .column_by_name("ts")
            .unwrap()
            .as_primitive::<Int64Type>();
        found
            .extend((0..batch.num_rows()).map(|row| (ids.value(row).to_owned(), times.value(row))));
    }
    found.sort();
    found
}

fn pairs(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    expected
        .iter()
        .map(|(id, ts)| ((*id).to_owned(), *ts))
        .collect()
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn url(&self) -> String {
        self.0.path().join("trips").display().to_string()
    }
}

#[tokio::test]
async fn each_operation_does_what_it_says() {
    let home = Home::new();
    let table = Table::at(&home.url())
        .with_env(Env::simulated(1))
        .create(spec())
        .await
        .unwrap();
    let first = table
        .insert(rows(&[("a", "oslo", 1), ("b", "rome", 1)]))
        .await
        .unwrap();
    let second = table
        .upsert(rows(&[("b", "rome", 2), ("c", "rome", 2)]))
        .await
        .unwrap();
    assert_eq!(
        (second.stats.inserted_count, second.stats.updated_count),
        (1, 1)
    );
    let third = table
        .delete(rows(&[("a", "oslo", 0), ("x", "oslo", 0)]))
        .await
        .unwrap();
    assert_eq!(third.stats.deleted_count, 1);
    table
        .bulk_insert(vec![rows(&[("d", "oslo", 3)]), rows(&[("e", "rome", 3)])])
        .await
        .unwrap();

    let now = table
        .query(Query::snapshot())
        .await
        .unwrap()
        .collect()
        .await
        .unwrap();
    assert_eq!(ids(&now), pairs(&[("b", 2), ("c", 2), ("d", 3), ("e", 3)]));
    let then = table
        .query(Query::as_of(first.instant))
        .await
        .unwrap()
        .collect()
        .await
        .unwrap();
    assert_eq!(ids(&then), pairs(&[("a", 1), ("b", 1)]));
    let changed = Query::incremental(Some(first.completed), Some(second.completed));
    let changed = table.query(changed).await.unwrap().collect().await.unwrap();
    assert_eq!(ids(&changed), pairs(&[("b", 2), ("c", 2)]));

    assert_eq!(table.timeline().await.unwrap().completed_commits().len(), 4);
    assert_eq!(
        ids(&table.filter("ts >= 3 and city <> 'oslo'").await.unwrap()),
        pairs(&[("e", 3)])
    );
}

#[tokio::test]
async fn a_failing_stream_leaves_the_table_as_it_was() {
    let home = Home::new();
    let table = Table::create(&home.url(), spec()).await.unwrap();
    table.upsert(rows(&[("a", "oslo", 1)])).await.unwrap();
    let broken = futures::stream::iter([
        Ok(rows(&[("b", "oslo", 1)])),
        Err(std::io::Error::other("the cable was pulled")),
    ]);
    let error = table.upsert(Input::stream(broken)).await.unwrap_err();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(current) = cause {
        text += &current.to_string();
        cause = current.source();
    }
    assert!(text.contains("the cable was pulled"), "{text}");
    table.upsert(rows(&[("c", "oslo", 1)])).await.unwrap();
    let now = table
        .query(Query::snapshot())
        .await
        .unwrap()
        .collect()
        .await
        .unwrap();
    assert_eq!(ids(&now), pairs(&[("a", 1), ("c", 1)]));
}

#[tokio::test]
async fn opening_and_creating_tell_what_is_there() {
    let home = Home::new();
    let missing = Table::open(&home.url()).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound, "{missing}");
    Table::open_or_create(&home.url(), spec()).await.unwrap();
    let again = Table::create(&home.url(), spec()).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::AlreadyExists, "{again}");
    let opened = Table::open_or_create(&home.url(), TableSpec::new("other"))
        .await
        .unwrap();
    assert_eq!(opened.name(), "trips");
    let unread = opened.schema().await.unwrap_err();
    assert_eq!(unread.kind(), ErrorKind::Invalid, "{unread}");
    assert_eq!(opened.columns().await.unwrap(), None);
    opened.upsert(rows(&[("a", "oslo", 1)])).await.unwrap();
    assert_eq!(opened.columns().await.unwrap().unwrap().fields().len(), 3);
}
