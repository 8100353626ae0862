//! Random writes against the reference model: snapshot, time travel and incremental answers.

use std::collections::BTreeMap;

use oxlake_model::TableVersion;
use oxlake_sim::sweep::Scene;
use oxlake_sim::{SimRow, Step, Table, row};
use oxlake_write::WriteOperation;
use proptest::prelude::*;

/// A write whose inserts are made of new keys when it is played.
#[derive(Debug, Clone)]
struct Write {
    operation: WriteOperation,
    rows: Vec<(u8, u8, i64)>,
}

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let rows = prop::collection::vec((0u8..3, 0u8..8, 0i64..6), 0..6);
    let write = (prop::sample::select(WriteOperation::ALL.to_vec()), rows)
        .prop_map(|(operation, rows)| Write { operation, rows });
    prop::collection::vec(write, 1..7)
}

fn tables() -> impl Strategy<Value = Table> {
    let index = prop::sample::select(vec!["SIMPLE", "BLOOM"]);
    let limit = prop::sample::select(vec!["0", "104857600"]);
    let file = prop::sample::select(vec!["2000", "125829120"]);
    let memory = prop::sample::select(vec![0u64, 64 << 20]);
    let version = prop::sample::select(TableVersion::ALL.to_vec());
    let parts = (index, limit, file, memory, version);
    parts.prop_map(|(index, limit, file, memory_bytes, version)| Table {
        version,
        options: vec![
            ("hoodie.index.type", index),
            ("hoodie.parquet.small.file.limit", limit),
            ("hoodie.parquet.max.file.size", file),
        ],
        memory_bytes,
    })
}

/// The rows of a write. Insert does not look for keys, so each of its rows gets a key that was never used.
fn rows_of(write: &Write, number: usize) -> Vec<SimRow> {
    let note = format!("w{number}");
    let is_insert = matches!(
        write.operation,
        WriteOperation::Insert | WriteOperation::BulkInsert
    );
    let rows = write.rows.iter().enumerate().map(|(at, (city, key, ts))| {
        let key = if is_insert {
            format!("n{number}-{at}")
        } else {
            format!("k{key}")
        };
        row(&format!("c{city}"), &key, *ts, &note)
    });
    if write.operation != WriteOperation::Upsert {
        // A key is deleted or inserted once.
        let by_key: BTreeMap<_, _> = rows
            .map(|row| ((row.partition.clone(), row.key.clone()), row))
            .collect();
        return by_key.into_values().collect();
    }
    rows.collect()
}

async fn play(table: Table, writes: &[Write]) {
    let mut scene = Scene::new(table);
    scene.play(&Step::Create).await;
    // The schema comes with the first write; a delete would have none.
    let first = vec![row("c0", "k0", 1, "first")];
    let mut process = scene
        .play(&Step::Write(WriteOperation::Upsert, first))
        .await;
    for (number, write) in writes.iter().enumerate() {
        let step = Step::Write(write.operation, rows_of(write, number));
        process = scene.play(&step).await;
    }
    scene.judge.check_reads(&process, true).await;
    scene.judge.check_storage(&scene.world, &process).await;
    scene.judge.check_tidy(&scene.world, &process).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn random_writes_agree_with_the_model(table in tables(), writes in writes()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(play(table, &writes));
    }
}
