//! Both engines give the same answers about a table.

use arrow::array::RecordBatch;
use futures::TryStreamExt;
use oxlake::prelude::*;
use oxlake_testkit::JvmOracle;
use oxlake_testkit::rows::{TableHash, difference, encode};
use serde_json::Value;

use crate::table::TestTable;

/// Compares timeline, snapshot (rows and hash), time travel to each commit, and incremental reads from each commit.
pub(crate) async fn agree(table: &TestTable, jvm: &mut JvmOracle) {
    let commits = timelines_agree(table, jvm).await;
    snapshots_agree(table, jvm).await;
    let opened = table.open().await;
    let by_completion = opened.config().version().completion_time_in_name();
    for (requested, completed) in &commits {
        let ours = QueryKind::TimeTravel(requested.parse().unwrap());
        let theirs = oxlake_testkit::QueryKind::TimeTravel(requested.clone());
        rows_agree(table, jvm, ours, &theirs).await;

        // Version 6 orders changes by requested time.
        let position = if by_completion { completed } else { requested };
        let ours = QueryKind::Incremental {
            from: Some(position.parse().unwrap()),
            to: None,
        };
        let theirs = oxlake_testkit::QueryKind::Incremental {
            from: Some(position.clone()),
            to: None,
        };
        // The JVM answers an error, not an empty table, when nothing completed after the start.
        if commits.last().is_some_and(|(_, last)| last != completed) {
            rows_agree(table, jvm, ours, &theirs).await;
        }
    }
    let everything = QueryKind::Incremental {
        from: None,
        to: None,
    };
    let from_start = oxlake_testkit::QueryKind::Incremental {
        from: None,
        to: None,
    };
    rows_agree(table, jvm, everything, &from_start).await;
}

/// The snapshot only: rows with their meta columns, and the hash of the table.
pub(crate) async fn snapshots_agree(table: &TestTable, jvm: &mut JvmOracle) {
    let theirs = oxlake_testkit::QueryKind::Snapshot;
    let batches = rows_agree(table, jvm, QueryKind::Snapshot, &theirs).await;
    let ours = TableHash::of(&batches).unwrap();
    let (count, hash) = jvm.hash(table.path(), &theirs).unwrap();
    assert_eq!(
        (ours.count, ours.hex()),
        (count, hash),
        "{}: hash of the table",
        table.name()
    );
}

async fn rows_agree(
    table: &TestTable,
    jvm: &mut JvmOracle,
    kind: QueryKind,
    same: &oxlake_testkit::QueryKind,
) -> Vec<RecordBatch> {
    let batches = query(table, kind).await;
    let theirs = jvm.query(table.path(), same, true).unwrap();
    if let Some(text) = difference(&encode(&batches).unwrap(), &theirs.rows) {
        panic!("{}: {same:?}\n{text}", table.name());
    }
    batches
}

pub(crate) async fn query(table: &TestTable, kind: QueryKind) -> Vec<RecordBatch> {
    let table = table.open().await;
    let rows = table.query(Query::new(kind)).await.unwrap();
    rows.batches.try_collect().await.unwrap()
}

/// Both engines list the same instants; gives requested and completion times of the completed commits.
pub(crate) async fn timelines_agree(
    table: &TestTable,
    jvm: &mut JvmOracle,
) -> Vec<(String, String)> {
    let theirs = jvm.describe("timeline", table.path()).unwrap();
    let theirs: Vec<String> = theirs["active"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            let text = |key: &str| i[key].as_str().unwrap_or("-").to_owned();
            let state = text("state").to_lowercase();
            [text("requested"), text("completion"), text("action"), state].join(" ")
        })
        .collect();
    let timeline = table.open().await.timeline().await.unwrap();
    let ours: Vec<String> = timeline
        .instants()
        .iter()
        .map(|i| {
            let completed = i
                .completed
                .as_ref()
                .map_or("-".to_owned(), ToString::to_string);
            let state = i.state.to_string().to_lowercase();
            format!("{} {completed} {} {state}", i.requested, i.action)
        })
        .collect();
    assert_eq!(ours, theirs, "{}: timeline", table.name());

    let is_commit = |line: &&String| line.ends_with(" commit completed");
    let times = |line: &String| {
        let mut words = line.split(' ').map(str::to_owned);
        (words.next().unwrap(), words.next().unwrap())
    };
    ours.iter().filter(is_commit).map(times).collect()
}

/// Rows that the table must hold, without meta columns.
pub(crate) async fn holds(table: &TestTable, expected: &[Value]) {
    let rows = encode(&query(table, QueryKind::Snapshot).await).unwrap();
    let rows = oxlake_testkit::rows::without_meta_columns(&rows);
    if let Some(text) = difference(&rows, expected) {
        panic!("{}: (theirs is what was written)\n{text}", table.name());
    }
}
