//! The short life of a table that the sweeps go through.

use oxlake_sim::sweep::Scene;
use oxlake_sim::{Step, Table, row};
use oxlake_write::WriteOperation;

/// Create, insert into two partitions, upsert (update, late row, new row, new partition), insert into small files, bulk
/// insert, delete (one key that is there, one that is not).
pub(crate) fn steps() -> Vec<(&'static str, Step)> {
    let write = |operation, rows| Step::Write(operation, rows);
    vec![
        ("create", Step::Create),
        (
            "insert",
            write(
                WriteOperation::Insert,
                vec![
                    row("sf", "k1", 5, "a"),
                    row("sf", "k2", 5, "a"),
                    row("la", "k3", 5, "a"),
                ],
            ),
        ),
        (
            "upsert",
            write(
                WriteOperation::Upsert,
                vec![
                    row("sf", "k1", 6, "b"),
                    row("sf", "k2", 4, "late"),
                    row("sf", "k4", 6, "b"),
                    row("ny", "k5", 6, "b"),
                ],
            ),
        ),
        (
            "insert small",
            write(WriteOperation::Insert, vec![row("la", "k6", 7, "c")]),
        ),
        (
            "bulk insert",
            write(
                WriteOperation::BulkInsert,
                vec![row("sf", "k7", 8, "d"), row("ny", "k8", 8, "d")],
            ),
        ),
        (
            "delete",
            write(
                WriteOperation::Delete,
                vec![
                    row("sf", "k1", 0, ""),
                    row("la", "k3", 0, ""),
                    row("la", "k9", 0, ""),
                ],
            ),
        ),
    ]
}

/// The table just before the step of this name, and the step.
pub(crate) async fn before(name: &str, table: Table) -> (Scene, Step) {
    let mut scene = Scene::new(table);
    for (step_name, step) in steps() {
        if step_name == name {
            return (scene, step);
        }
        scene.play(&step).await;
    }
    panic!("no step {name}")
}
