//! What a commit says about itself.

use oxlake_model::{CommitMetadata, OperationType};
use oxlake_write::WriteOperation;

use crate::fixture::{Fixture, rows, spec};

/// Partition, then (inserts, updates, deletes, writes) of each file.
fn counts(metadata: &CommitMetadata) -> Vec<(String, [i64; 4])> {
    let of = |partition: &str, stat: &oxlake_model::WriteStat| {
        let numbers = [
            stat.num_inserts,
            stat.num_update_writes,
            stat.num_deletes,
            stat.num_writes,
        ];
        (partition.to_owned(), numbers.map(Option::unwrap))
    };
    metadata
        .write_stats()
        .map(|(partition, stat)| of(partition, stat))
        .collect()
}

fn named(rows: &[(&str, [i64; 4])]) -> Vec<(String, [i64; 4])> {
    rows.iter()
        .map(|(name, numbers)| ((*name).to_owned(), *numbers))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_operation_counts_its_rows_and_names_itself() {
    let table = Fixture::new(spec()).await;
    let (time, stats) = table
        .write(
            WriteOperation::Insert,
            &[],
            vec![rows(&[
                ("a", "sf", 1, "a1"),
                ("b", "sf", 1, "b1"),
                ("c", "la", 1, "c1"),
            ])],
        )
        .await;
    assert_eq!(
        (stats.inserted_count, stats.updated_count, stats.file_count),
        (3, 0, 2)
    );
    let (insert, inflight) = table.commit_files(&time).await;
    assert_eq!(insert.operation_type, Some(OperationType::Insert));
    assert_eq!(
        counts(&insert),
        named(&[("la", [1, 0, 0, 1]), ("sf", [2, 0, 0, 2])])
    );
    let profile = CommitMetadata::decode(&inflight).unwrap();
    assert_eq!(profile.operation_type, Some(OperationType::Insert));
    let (_, stat) = profile.write_stats().next().unwrap();
    assert_eq!(
        (stat.file_id.as_deref(), stat.prev_commit.as_deref()),
        (Some(""), Some("null"))
    );

    let (time, stats) = table
        .write(
            WriteOperation::Upsert,
            &[],
            vec![rows(&[
                ("a", "sf", 2, "a2"),
                ("b", "sf", 0, "late"),
                ("d", "sf", 1, "d1"),
            ])],
        )
        .await;
    assert_eq!(
        (stats.inserted_count, stats.updated_count),
        (1, 1),
        "a late row updates nothing"
    );
    let (upsert, inflight) = table.commit_files(&time).await;
    assert_eq!(counts(&upsert), named(&[("sf", [1, 1, 0, 3])]));
    let (_, stat) = upsert.write_stats().next().unwrap();
    assert!(stat.prev_base_file.is_some());
    let profile = CommitMetadata::decode(&inflight).unwrap();
    let numbers: Vec<_> = profile
        .write_stats()
        .map(|(_, stat)| (stat.num_inserts.unwrap(), stat.num_update_writes.unwrap()))
        .collect();
    assert_eq!(numbers, [(1, 0), (0, 2)]);

    let (time, _) = table
        .write(
            WriteOperation::BulkInsert,
            &[],
            vec![rows(&[("e", "ny", 1, "e1")])],
        )
        .await;
    let (bulk, inflight) = table.commit_files(&time).await;
    assert_eq!(bulk.operation_type, Some(OperationType::BulkInsert));
    assert!(inflight.is_empty(), "bulk insert has no profile");

    let keys = rows(&[("a", "sf", 0, ""), ("zz", "sf", 0, "")])
        .project(&[1, 0])
        .unwrap();
    let (time, stats) = table.write(WriteOperation::Delete, &[], vec![keys]).await;
    assert_eq!((stats.deleted_count, stats.file_count), (1, 1));
    let (delete, _) = table.commit_files(&time).await;
    assert_eq!(delete.operation_type, Some(OperationType::Delete));
    assert_eq!(counts(&delete), named(&[("sf", [0, 0, 1, 2])]));
    assert_eq!(table.notes().await, ["b1", "c1", "d1", "e1"]);
    assert!(
        table
            .files()
            .await
            .iter()
            .all(|path| !path.contains("/.temp/"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_of_absent_keys_makes_an_empty_commit() {
    let table = Fixture::new(spec()).await;
    table.upsert(rows(&[("a", "sf", 1, "a1")])).await;
    let (time, stats) = table
        .write(
            WriteOperation::Delete,
            &[],
            vec![rows(&[("x", "ny", 1, "")])],
        )
        .await;
    assert_eq!(stats.file_count, 0);
    let (metadata, _) = table.commit_files(&time).await;
    assert!(metadata.partition_to_write_stats.is_empty());
    assert_eq!(table.notes().await, ["a1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_of_a_new_table_has_the_names_of_spark() {
    let table = Fixture::new(spec()).await;
    let (time, _) = table
        .write(
            WriteOperation::Insert,
            &[],
            vec![rows(&[("a", "sf", 1, "a1")])],
        )
        .await;
    let (metadata, _) = table.commit_files(&time).await;
    let schema = oxlake_avro::Schema::parse(metadata.schema().unwrap()).unwrap();
    assert!(
        schema.json().contains(r#""name":"t_record""#),
        "{}",
        schema.json()
    );
    assert!(
        schema.json().contains(r#""namespace":"hoodie.t""#),
        "{}",
        schema.json()
    );
    let names: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(names, ["id", "city", "ts", "note"]);
    let stored = schema.json().to_owned();
    table.upsert(rows(&[("a", "sf", 2, "a2")])).await;
    let latest = table.meta.table_schema().await.unwrap();
    assert_eq!(latest.avro.json(), stored, "later writes keep the text");
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_and_options_add_to_the_extra_metadata() {
    let table = Fixture::new(spec()).await;
    let (time, _) = table
        .write(
            WriteOperation::Insert,
            &[("_source", "stream-7")],
            vec![rows(&[("a", "sf", 1, "a1")])],
        )
        .await;
    let (metadata, _) = table.commit_files(&time).await;
    assert_eq!(
        metadata.extra_metadata.get("_source").map(String::as_str),
        Some("stream-7")
    );
}
