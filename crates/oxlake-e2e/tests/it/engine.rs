//! The client itself, on tables the JVM wrote: what it answers today is what it answered when they were made.

use oxlake_testkit::rows::{difference, of_stored, without_meta_columns};
use oxlake_testkit::{Fixture, JvmOracle, JvmWrite, QueryKind};
use serde_json::json;

#[test]
fn the_engine_still_answers_what_is_stored() {
    let table = Fixture::open("v9_overwrites_cow").unwrap();
    let stored = table
        .queries()
        .iter()
        .rfind(|q| q["kind"] == "snapshot")
        .unwrap();
    let stored = of_stored(stored);

    let mut jvm = JvmOracle::shared().unwrap();
    let now = jvm.query(table.path(), &QueryKind::Snapshot, true).unwrap();
    assert_eq!(difference(&now.rows, &stored), None);

    let (count, _) = jvm.hash(table.path(), &QueryKind::Snapshot).unwrap();
    assert_eq!(count, stored.len() as u64);
}

#[test]
fn the_engine_writes_to_a_table() {
    let table = Fixture::open("v9_overwrites_cow").unwrap();
    let mut jvm = JvmOracle::shared().unwrap();
    let row = json!({"id": 99, "name": "new", "price": 1.5, "ts": 99, "city": "sf"});
    let write = JvmWrite {
        operation: "upsert",
        rows: vec![row.clone()],
        conf: vec![("hoodie.metadata.enable", "false")],
        ..JvmWrite::default()
    };
    jvm.write(table.path(), &write).unwrap();
    let now = jvm
        .query(table.path(), &QueryKind::Snapshot, false)
        .unwrap();
    assert!(without_meta_columns(&now.rows).contains(&row));
}

#[test]
fn a_refusal_carries_the_root_cause() {
    let folder = tempfile::tempdir().unwrap();
    let mut jvm = JvmOracle::shared().unwrap();
    let error = jvm
        .query(folder.path(), &QueryKind::Snapshot, false)
        .unwrap_err();
    assert!(error.to_string().contains("refused `query`"), "{error}");
}
