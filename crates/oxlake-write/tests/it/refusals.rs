//! What is refused leaves nothing behind.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use futures::stream;
use oxlake_config::{TableSpec, WriteOptions};
use oxlake_model::ErrorKind;
use oxlake_write::{Error, WriteClient, WriteOperation};

use crate::fixture::{Fixture, rows, spec};

#[tokio::test(flavor = "multi_thread")]
async fn input_that_does_not_fit_is_refused_before_anything_is_written() {
    let table = Fixture::new(spec()).await;
    table.upsert(rows(&[("a", "sf", 1, "a")])).await;
    let before = table.files().await;
    let good = rows(&[("b", "sf", 1, "b")]);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    let with = |name: &str, column: &ArrayRef| {
        let mut columns: Vec<(String, ArrayRef)> = good
            .schema()
            .fields()
            .iter()
            .zip(good.columns())
            .filter(|(field, _)| field.name() != name)
            .map(|(field, column)| (field.name().clone(), Arc::clone(column)))
            .collect();
        columns.push((name.to_owned(), Arc::clone(column)));
        RecordBatch::try_from_iter(columns).unwrap()
    };
    let null: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>]));
    for (batch, column) in [
        (with("more", &text), "more"),
        (with("ts", &text), "ts"),
        (good.project(&[1, 2, 3]).unwrap(), "id"),
        (with("id", &null), "id"),
    ] {
        // The bad batch comes after good ones.
        let input = vec![good.clone(), batch];
        let failure = table
            .try_write(WriteOperation::Upsert, &[], input)
            .await
            .unwrap_err();
        assert!(
            failure.to_string().contains(&format!("'{column}'")),
            "{failure}"
        );
        assert!(!failure.kind().is_retryable());
        assert_eq!(table.files().await, before, "{column}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_that_fails_leaves_nothing() {
    let table = Fixture::new(spec()).await;
    let before = table.files().await;
    let mut client = WriteClient::open(table.meta.clone(), WriteOptions::default()).unwrap();
    let input = vec![Ok(rows(&[("a", "sf", 1, "a")])), Err("the line is dead")];
    let failure = client
        .write(WriteOperation::Insert, stream::iter(input))
        .await
        .unwrap_err();
    assert!(
        matches!(failure, Error::Input { row_count: 1, .. }),
        "{failure:?}"
    );
    assert_eq!(table.files().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_first_write_has_no_schema() {
    let table = Fixture::new(spec()).await;
    let failure = table
        .try_write(WriteOperation::Insert, &[], vec![])
        .await
        .unwrap_err();
    assert!(matches!(failure, Error::NoSchema), "{failure:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn column_names_that_some_engine_cannot_take_are_refused() {
    let table = Fixture::new(TableSpec::new("t").record_key_fields(["id"])).await;
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    for name in ["a.b", "a b", "1a", "ID"] {
        let batch =
            RecordBatch::try_from_iter([("id", Arc::clone(&text)), (name, Arc::clone(&text))]);
        let input = vec![batch.unwrap()];
        let failure = table
            .try_write(WriteOperation::Insert, &[], input)
            .await
            .unwrap_err();
        assert!(
            failure.to_string().contains(&format!("'{name}'")),
            "{failure}"
        );
        assert_eq!(failure.kind(), ErrorKind::Invalid);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_with_a_metadata_table_is_refused_by_name() {
    let table = Fixture::new(spec()).await;
    let mut client = WriteClient::open(table.meta.clone(), WriteOptions::default()).unwrap();
    // Another engine builds a metadata table while this client is open.
    let path = ".hoodie/hoodie.properties";
    let text = table.meta.storage().read(path).await.unwrap();
    let mut text = String::from_utf8(text.to_vec()).unwrap();
    text.push_str("hoodie.table.metadata.partitions=files\n");
    table
        .meta
        .storage()
        .overwrite(path, text.into())
        .await
        .unwrap();
    let input = stream::iter([Ok::<_, std::io::Error>(rows(&[("a", "sf", 1, "a")]))]);
    let failure = client
        .write(WriteOperation::Upsert, input)
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), ErrorKind::Unsupported);
    assert!(failure.to_string().contains("metadata"), "{failure}");
}
