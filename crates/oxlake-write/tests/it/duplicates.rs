//! Keys that are there twice, in the input or in the table.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use oxlake_write::{Error, WriteOperation};

use crate::fixture::{Fixture, rows, spec};

#[tokio::test(flavor = "multi_thread")]
async fn an_upsert_keeps_the_newest_row_of_a_key_in_its_input() {
    let table = Fixture::new(spec()).await;
    let batch = |ts, note| rows(&[("k", "sf", ts, note)]);
    let input = vec![batch(1, "first"), batch(3, "newest"), batch(2, "late")];
    let (_, stats) = table.write(WriteOperation::Upsert, &[], input).await;
    assert_eq!(stats.inserted_count, 1);
    assert_eq!(table.notes().await, ["newest"]);
}

/// Both kinds of index find every copy of a key that plain inserts have put into the table.
#[tokio::test(flavor = "multi_thread")]
async fn an_upsert_and_a_delete_reach_every_copy_of_a_key() {
    for index in ["SIMPLE", "BLOOM"] {
        let options = [
            ("hoodie.index.type", index),
            ("hoodie.parquet.small.file.limit", "0"),
        ];
        let table = Fixture::new(spec()).await;
        for note in ["one", "two"] {
            let batch = rows(&[("k", "sf", 1, note), ("k2", "sf", 1, "other")]);
            table
                .write(WriteOperation::Insert, &options, vec![batch])
                .await;
        }
        assert_eq!(table.notes().await, ["one", "two", "other", "other"]);
        let update = rows(&[("k", "sf", 2, "new")]);
        let (_, stats) = table
            .write(WriteOperation::Upsert, &options, vec![update])
            .await;
        assert_eq!(
            (stats.updated_count, stats.inserted_count, stats.file_count),
            (2, 0, 2)
        );
        assert_eq!(table.notes().await, ["new", "new", "other", "other"]);
        let keys = rows(&[("k", "sf", 0, "")]);
        let (_, stats) = table
            .write(WriteOperation::Delete, &options, vec![keys])
            .await;
        assert_eq!(stats.deleted_count, 2);
        assert_eq!(table.notes().await, ["other", "other"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_policies_of_insert_for_known_keys() {
    let known = || vec![rows(&[("k", "sf", 5, "again"), ("n", "sf", 1, "new")])];
    for (policy, expected) in [
        ("none", ["again", "first", "new"].as_slice()),
        ("drop", &["first", "new"]),
    ] {
        let table = Fixture::new(spec()).await;
        table.upsert(rows(&[("k", "sf", 1, "first")])).await;
        let options = [("hoodie.datasource.insert.dup.policy", policy)];
        table.write(WriteOperation::Insert, &options, known()).await;
        let mut notes = table.notes().await;
        notes.sort();
        assert_eq!(notes, expected, "{policy}");
    }
    let table = Fixture::new(spec()).await;
    table.upsert(rows(&[("k", "sf", 1, "first")])).await;
    let before = table.files().await;
    let options = [("hoodie.datasource.insert.dup.policy", "fail")];
    let failure = table
        .try_write(WriteOperation::Insert, &options, known())
        .await
        .unwrap_err();
    assert!(
        matches!(&failure, Error::DuplicateKey { key, .. } if key == "k"),
        "{failure:?}"
    );
    assert_eq!(table.files().await, before, "nothing is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_insert_into_a_small_file_keeps_or_merges_known_keys() {
    for (allow, expected) in [("true", ["a", "b", "c"].as_slice()), ("false", &["b", "c"])] {
        let table = Fixture::new(spec()).await;
        table.upsert(rows(&[("k", "sf", 1, "a")])).await;
        let options = [("hoodie.merge.allow.duplicate.on.inserts", allow)];
        let batch = rows(&[("k", "sf", 2, "b"), ("n", "sf", 1, "c")]);
        let (_, stats) = table
            .write(WriteOperation::Insert, &options, vec![batch])
            .await;
        assert_eq!(stats.file_count, 1, "into the same file group");
        assert_eq!(table.notes().await, expected, "{allow}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_say_they_are_deleted_delete_and_are_not_stored() {
    let table = Fixture::new(spec()).await;
    let marked = |batch: RecordBatch, deleted: Vec<bool>| {
        let mut columns: Vec<(String, ArrayRef, bool)> = batch
            .schema()
            .fields()
            .iter()
            .zip(batch.columns())
            .map(|(field, column)| (field.name().clone(), Arc::clone(column), true))
            .collect();
        let flags: ArrayRef = Arc::new(BooleanArray::from(deleted));
        columns.push(("_hoodie_is_deleted".to_owned(), flags, true));
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    };
    let first = marked(
        rows(&[("a", "sf", 1, "a"), ("b", "sf", 1, "b")]),
        vec![false, true],
    );
    table.write(WriteOperation::Insert, &[], vec![first]).await;
    assert_eq!(table.notes().await, ["a"]);
    let second = marked(
        rows(&[
            ("a", "sf", 2, "a"),
            ("c", "sf", 2, "c"),
            ("d", "la", 2, "d"),
        ]),
        vec![true, false, true],
    );
    let (_, stats) = table.write(WriteOperation::Upsert, &[], vec![second]).await;
    assert_eq!((stats.deleted_count, stats.inserted_count), (1, 1));
    assert_eq!(table.notes().await, ["c"]);
}
