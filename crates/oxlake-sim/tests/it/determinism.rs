//! The same run sends the same requests.

use oxlake_sim::sweep::Scene;
use oxlake_sim::{Process, Table};

use crate::script::steps;

async fn run() -> (Vec<u64>, u64, String) {
    let mut scene = Scene::new(Table::default());
    let mut hashes = Vec::new();
    let mut last: Option<Process> = None;
    for (_, step) in steps() {
        let process = scene.play(&step).await;
        hashes.push(process.trace_hash());
        last = Some(process);
    }
    (
        hashes,
        scene.world.fingerprint().await,
        last.unwrap().faults.trace(),
    )
}

#[tokio::test]
async fn two_runs_send_the_same_requests_and_store_the_same_bytes() {
    let (first, second) = (run().await, run().await);
    assert_eq!(first.2, second.2);
    assert_eq!(first.0, second.0);
    assert_eq!(first.1, second.1, "stored bytes");
}
