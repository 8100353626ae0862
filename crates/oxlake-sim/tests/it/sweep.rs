//! A fault at every storage request of every operation.

use oxlake_model::TableVersion;
use oxlake_sim::Table;
use oxlake_sim::sweep::{Report, crash_while_recovering, every_fault};

use crate::script::{before, steps};

async fn sweep(name: &str) -> Report {
    sweep_table(name, Table::default()).await
}

async fn sweep_table(name: &str, table: Table) -> Report {
    let (scene, step) = before(name, table).await;
    let report = every_fault(&scene, &step).await;
    assert_eq!(report.run_count, 4 * report.request_count);
    report
}

async fn sweep_recovery(name: &str) -> Report {
    let (scene, step) = before(name, Table::default()).await;
    crash_while_recovering(&scene, &step).await
}

#[tokio::test]
async fn create_survives_every_fault() {
    let report = sweep("create").await;
    assert!(report.request_count >= 2, "{report:?}");
}

#[tokio::test]
async fn the_first_insert_survives_every_fault() {
    let report = sweep("insert").await;
    assert!(
        report.request_count >= 15 && report.state_count >= 10,
        "{report:?}"
    );
}

#[tokio::test]
async fn upsert_survives_every_fault() {
    let report = sweep("upsert").await;
    assert!(
        report.request_count >= 20 && report.state_count >= 10,
        "{report:?}"
    );
}

#[tokio::test]
async fn insert_into_a_small_file_survives_every_fault() {
    sweep("insert small").await;
}

#[tokio::test]
async fn bulk_insert_survives_every_fault() {
    sweep("bulk insert").await;
}

#[tokio::test]
async fn delete_survives_every_fault() {
    let report = sweep("delete").await;
    assert!(
        report.request_count >= 15 && report.state_count >= 8,
        "{report:?}"
    );
}

/// The same steps on tables of the older versions, whose timeline files have other names and content.
async fn every_step_of_version(version: TableVersion) {
    for (name, _) in steps() {
        let report = sweep_table(name, Table::of_version(version)).await;
        let least = if name == "create" { 2 } else { 15 };
        assert!(report.request_count >= least, "{name}: {report:?}");
    }
    let (scene, step) = before("upsert", Table::of_version(version)).await;
    let report = crash_while_recovering(&scene, &step).await;
    assert!(
        report.recovery_state_count > 2 * report.state_count,
        "{report:?}"
    );
}

#[tokio::test]
async fn every_step_on_a_version_8_table_survives_every_fault() {
    every_step_of_version(TableVersion::V8).await;
}

#[tokio::test]
async fn every_step_on_a_version_6_table_survives_every_fault() {
    every_step_of_version(TableVersion::V6).await;
}

/// The other index, no small files, rollbacks by listing, and all rows through temporary files.
#[tokio::test]
async fn upsert_with_other_options_survives_every_fault() {
    let options = vec![
        ("hoodie.index.type", "BLOOM"),
        ("hoodie.parquet.small.file.limit", "0"),
        ("hoodie.rollback.using.markers", "false"),
    ];
    let table = Table {
        options,
        memory_bytes: 0,
        ..Table::default()
    };
    let (scene, step) = before("upsert", table).await;
    let report = every_fault(&scene, &step).await;
    assert!(report.request_count >= 20, "{report:?}");
}

/// The rollback of each failed write is crashed at every request of its own, and the next writer goes on.
#[tokio::test]
async fn rollback_survives_a_crash_at_every_request() {
    let report = sweep_recovery("upsert").await;
    assert!(
        report.recovery_state_count > 2 * report.state_count,
        "{report:?}"
    );
}

#[tokio::test]
async fn rollback_of_the_first_write_survives_a_crash_at_every_request() {
    sweep_recovery("insert").await;
}
