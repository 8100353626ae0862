//! The table that `oxlake demo` leaves: a week of real flight events, upserted as they became known.

use std::path::{Path, PathBuf};
use std::process::Command;

use oxlake::prelude::*;
use oxlake_testkit::JvmOracle;
use oxlake_testkit::rows::{TableHash, encode};

use crate::agree::{query, snapshots_agree, timelines_agree};
use crate::table::{TestTable, accepted};

/// The program beside this test's own folder. `cargo test --workspace` builds it; a build from within a test would
/// give build scripts another environment, and they would rebuild half of the dependencies.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("oxlake");
    assert!(
        program.exists(),
        "the program is not built: cargo build -p oxlake-cli"
    );
    program
}

fn run_demo(folder: &Path) {
    let done = Command::new(program())
        .args(["demo", "--dir"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[tokio::test]
async fn the_table_of_the_demo_is_read_alike_and_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flights");
    run_demo(&path);
    let table = TestTable::made_by_others(folder, path);

    let mut jvm = JvmOracle::shared().unwrap();
    let commits = timelines_agree(&table, &mut jvm).await;
    assert!(
        commits.len() >= 24,
        "some dozens of upserts: {}",
        commits.len()
    );
    snapshots_agree(&table, &mut jvm).await;
    // Every flight of the week ends as landed or cancelled.
    let rows = encode(&query(&table, QueryKind::Snapshot).await).unwrap();
    assert!(
        rows.iter()
            .all(|r| r["status"] == "landed" || r["status"] == "cancelled")
    );

    let (requested, completed) = commits[commits.len() / 2].clone();
    for (ours, theirs) in [
        (
            QueryKind::TimeTravel(requested.parse().unwrap()),
            oxlake_testkit::QueryKind::TimeTravel(requested),
        ),
        (
            QueryKind::Incremental {
                from: Some(completed.parse().unwrap()),
                to: None,
            },
            oxlake_testkit::QueryKind::Incremental {
                from: Some(completed),
                to: None,
            },
        ),
    ] {
        let hash = TableHash::of(&query(&table, ours).await).unwrap();
        assert_eq!(
            (hash.count, hash.hex()),
            jvm.hash(table.path(), &theirs).unwrap(),
            "{theirs:?}"
        );
    }
    accepted(&table, &mut jvm);
}
