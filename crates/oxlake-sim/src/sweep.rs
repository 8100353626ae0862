//! A fault at every request in turn.
//!
//! A crash before request *k* and one after request *k - 1* leave the same storage; a lost reply followed by a crash is a
//! crash after the request. So two kinds of crash cover three, and a state of the storage that was judged once need not
//! be judged again: what a new process does depends on the storage and its own number only.

use std::collections::BTreeSet;

use oxlake_storage::testing::{Fault, FaultKind};
use oxlake_write::WriteOperation;

use crate::{Answer, Judge, Process, Step, Table, World, row};

/// Counts of a sweep, so that a test can see that it looked at something.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Requests of the step without a fault.
    pub request_count: u64,
    /// Runs of the step with a fault.
    pub run_count: u64,
    /// Different states of the storage after a crash.
    pub state_count: u64,
    /// Different states of the storage after a crash of the recovery.
    pub recovery_state_count: u64,
}

/// A table at some point of its life.
#[derive(Debug)]
pub struct Scene {
    /// Its storage.
    pub world: World,
    /// What it must hold.
    pub judge: Judge,
    /// Its kind.
    pub table: Table,
}

impl Scene {
    /// No table yet.
    pub fn new(table: Table) -> Self {
        Self {
            world: World::new(),
            judge: Judge::new(table.version),
            table,
        }
    }

    /// A copy to try something on.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            world: self.world.fork(),
            judge: self.judge.clone(),
            table: self.table.clone(),
        }
    }

    /// Does a step without faults.
    pub async fn play(&mut self, step: &Step) -> Process {
        let process = self.world.start_process();
        let answer = step.run(&self.table, &process).await;
        assert!(
            matches!(answer, Answer::Created | Answer::Committed { .. }),
            "{answer:?}"
        );
        self.judge.settle(&process, step, &answer, false).await;
        process
    }

    /// Does a step with a fault and settles what became of it. `None` when the step has no such request.
    async fn play_faulty(&mut self, step: &Step, fault: Fault) -> Option<Process> {
        let process = self.world.start_process();
        process.faults.arm(fault);
        let answer = step.run(&self.table, &process).await;
        if !process.faults.struck() {
            return None;
        }
        let crashed = process.faults.crashed();
        process.faults.restart();
        process.faults.disarm();
        self.judge.settle(&process, step, &answer, crashed).await;
        Some(process)
    }

    /// A reader that comes before anything is repaired, then the next write, then a look at everything.
    async fn go_on(mut self, note: &str) {
        let reader = self.world.start_process();
        self.judge.check_reads(&reader, false).await;
        self.judge.check_storage(&self.world, &reader).await;
        self.play(&Step::Create).await;
        let process = self.play(&probe(note)).await;
        self.judge.check_reads(&process, true).await;
        self.judge.check_storage(&self.world, &process).await;
        self.judge.check_tidy(&self.world, &process).await;
    }
}

/// A write that every table can take: one new row and the same row again.
fn probe(note: &str) -> Step {
    let rows = vec![row("probe", note, 1, note), row("sf", "k1", 1_000, note)];
    Step::Write(WriteOperation::Upsert, rows)
}

/// Plays `step` on copies of `scene` with every kind of fault at every request, and judges each.
pub async fn every_fault(scene: &Scene, step: &Step) -> Report {
    let mut report = Report::default();
    let mut judged = BTreeSet::new();
    for call in 0.. {
        let mut struck = false;
        for kind in FaultKind::ALL {
            let mut copy = scene.fork();
            let Some(process) = copy.play_faulty(step, Fault { call, kind }).await else {
                continue;
            };
            struck = true;
            report.run_count += 1;
            let is_crash = matches!(kind, FaultKind::CrashBefore | FaultKind::CrashAfter);
            if is_crash && !judged.insert(copy.world.fingerprint().await) {
                continue;
            }
            with_trace(&process, copy.go_on("probe")).await;
        }
        if !struck {
            report.request_count = call;
            break;
        }
    }
    report.state_count = judged.len() as u64;
    report
}

/// Crashes `step` everywhere, and then crashes the next write, which recovers, everywhere too.
pub async fn crash_while_recovering(scene: &Scene, step: &Step) -> Report {
    let mut report = Report::default();
    let (mut crashed, mut judged) = (BTreeSet::new(), BTreeSet::new());
    for call in 0.. {
        let mut copy = scene.fork();
        let fault = Fault {
            call,
            kind: FaultKind::CrashAfter,
        };
        if copy.play_faulty(step, fault).await.is_none() {
            report.request_count = call;
            break;
        }
        report.run_count += 1;
        if crashed.insert(copy.world.fingerprint().await) {
            crash_next_write(&copy, &mut judged).await;
        }
    }
    report.state_count = crashed.len() as u64;
    report.recovery_state_count = judged.len() as u64;
    report
}

async fn crash_next_write(scene: &Scene, judged: &mut BTreeSet<u64>) {
    for call in 0.. {
        let mut copy = scene.fork();
        let fault = Fault {
            call,
            kind: FaultKind::CrashAfter,
        };
        let Some(process) = copy.play_faulty(&probe("first"), fault).await else {
            break;
        };
        if judged.insert(copy.world.fingerprint().await) {
            with_trace(&process, copy.go_on("second")).await;
        }
    }
}

/// Runs the judgement; when it fails, the requests of the faulty process are printed first.
async fn with_trace(process: &Process, judgement: impl Future<Output = ()>) {
    struct Printer(String);
    impl Drop for Printer {
        #[allow(clippy::print_stderr, reason = "only when a test fails")]
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("{}", self.0);
            }
        }
    }
    let _printer = Printer(process.faults.trace());
    judgement.await;
}
