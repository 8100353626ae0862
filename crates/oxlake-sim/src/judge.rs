//! What a table must hold, and how everything stored is looked at.

use std::collections::{BTreeMap, BTreeSet};

use futures::TryStreamExt;
use oxlake_model::metadata::RollbackMetadata;
use oxlake_model::{
    Action, BaseFileName, CommitMetadata, ErrorKind, Instant, InstantFileName, InstantTime, State,
    TableVersion, TimelineLayout,
};
use oxlake_scan::{Query, QueryKind, plan_scan};
use oxlake_table::MetaClient;
use oxlake_testkit::model::{Merge, Model};

use crate::rows::to_rows;
use crate::{Answer, Process, SimRow, Step, World};

/// Follows the table with the reference model.
#[derive(Debug, Clone)]
pub struct Judge {
    model: Model<String>,
    exists: bool,
    version: TableVersion,
}

impl Judge {
    /// The judge of a table that does not exist yet and merges by event time.
    pub fn new(version: TableVersion) -> Self {
        Self {
            model: Model::new(Merge::EventTime),
            exists: false,
            version,
        }
    }

    /// The rows that the table must hold now.
    pub fn row_count(&self) -> usize {
        self.model.snapshot().len()
    }

    /// Whether a crashed process may have done `step`, by what the timeline says, and whether that agrees with what
    /// the process was told. A commit is done if and only if its completed file exists.
    pub async fn settle(&mut self, process: &Process, step: &Step, answer: &Answer, crashed: bool) {
        let meta = match MetaClient::open(process.storage.clone(), process.env.clone()).await {
            Ok(meta) => meta,
            Err(failure) => {
                assert_eq!(failure.kind(), ErrorKind::NotFound, "{failure}");
                assert!(!self.exists, "the table has gone");
                assert!(
                    !matches!(answer, Answer::Created),
                    "a table that was acknowledged is missing"
                );
                return;
            }
        };
        self.exists = true;
        let timeline = meta.timeline_store().load_active().await.unwrap();
        let known: BTreeSet<&str> = self.model.commit_times().collect();
        let commits: Vec<&Instant> = timeline.completed().filter(|it| it.is_write()).collect();
        let is_known = |commit: &&&Instant| known.contains(commit.requested.as_str());
        assert_eq!(
            commits.iter().filter(is_known).count(),
            known.len(),
            "a commit has disappeared"
        );
        let fresh: Vec<&&Instant> = commits.iter().filter(|it| !is_known(it)).collect();
        assert!(fresh.len() <= 1, "one write made {fresh:?}");
        let fresh = fresh
            .first()
            .map(|it| (it.requested.clone(), it.completed.clone().unwrap()));
        match answer {
            Answer::Committed {
                instant,
                completion,
            } => {
                let (requested, completed) = fresh.as_ref().expect("an acknowledged commit");
                assert_eq!(requested, instant, "an acknowledged commit");
                // In layout 1 the storage says it, which may not have answered.
                if self.version.completion_time_in_name() {
                    assert_eq!(completed, completion, "an acknowledged commit");
                }
            }
            Answer::Failed(reason) if !crashed => {
                assert_eq!(fresh, None, "a failed write: {reason}");
            }
            _ => {}
        }
        if let Some((requested, completed)) = fresh {
            // What incremental queries of this version go by.
            let completed = if self.version.completion_time_in_name() {
                completed
            } else {
                requested.clone()
            };
            let change = step.change().expect("only a write makes a commit");
            self.model
                .commit(requested.to_string(), completed.to_string(), change)
                .unwrap();
        }
    }

    /// Compares the snapshot with the model, and every time travel and incremental answer with `history`.
    pub async fn check_reads(&self, process: &Process, history: bool) {
        if !self.exists {
            return;
        }
        let meta = MetaClient::open(process.storage.clone(), process.env.clone())
            .await
            .unwrap();
        self.compare(&meta, QueryKind::Snapshot, self.model.snapshot())
            .await;
        if !history {
            return;
        }
        for requested in self.model.commit_times() {
            let time = InstantTime::parse(requested).unwrap();
            self.compare(
                &meta,
                QueryKind::TimeTravel(time),
                self.model.as_of(requested),
            )
            .await;
            let completed = self.model.completion_time(requested).unwrap();
            let time = Some(InstantTime::parse(completed).unwrap());
            let after = QueryKind::Incremental {
                from: time.clone(),
                to: None,
            };
            self.compare(&meta, after, &self.model.incremental(Some(completed), None))
                .await;
            let until = QueryKind::Incremental {
                from: None,
                to: time,
            };
            self.compare(&meta, until, &self.model.incremental(None, Some(completed)))
                .await;
        }
    }

    async fn compare(
        &self,
        meta: &MetaClient,
        kind: QueryKind,
        expected: &BTreeMap<(String, String), SimRow>,
    ) {
        let query = Query {
            kind: kind.clone(),
            ..Query::default()
        };
        let plan = match plan_scan(meta, &query).await {
            Ok(plan) => plan,
            // A table that nothing was ever written to has no schema.
            Err(_) if self.model.commit_times().next().is_none() => return,
            Err(failure) => panic!("{kind:?}: {failure}"),
        };
        let batches: Vec<_> = plan.stream().try_collect().await.unwrap();
        let mut rows: Vec<SimRow> = batches.iter().flat_map(to_rows).collect();
        rows.sort_by(|a, b| (&a.partition, &a.key).cmp(&(&b.partition, &b.key)));
        let expected: Vec<SimRow> = expected.values().cloned().collect();
        assert_eq!(rows, expected, "{kind:?}");
    }

    /// Looks at the whole storage: the timeline is legal and no file of a completed commit is missing.
    pub async fn check_storage(&self, world: &World, process: &Process) {
        let files = world.files().await;
        let instants = instants(self.version.layout(), &files);
        check_timeline(&instants);
        for (commit, path) in committed_files(process, &instants).await {
            assert!(
                files.contains(&path),
                "{path} of commit {commit} is missing"
            );
        }
    }

    /// After a write that went well nothing of a failed one may be left.
    pub async fn check_tidy(&self, world: &World, process: &Process) {
        let files = world.files().await;
        let instants = instants(self.version.layout(), &files);
        let pending = pending_instants(&instants);
        assert_eq!(pending, [], "pending instants");
        let markers: Vec<&String> = files.iter().filter(|it| it.contains("/.temp/")).collect();
        assert!(markers.is_empty(), "markers {markers:?}");
        let named: BTreeSet<String> = committed_files(process, &instants)
            .await
            .into_iter()
            .map(|(_, path)| path)
            .collect();
        let orphans: Vec<&String> = files
            .iter()
            .filter(|path| !path.starts_with(".hoodie/"))
            .filter(|path| BaseFileName::parse(path.rsplit('/').next().unwrap()).is_some())
            .filter(|path| !named.contains(*path))
            .collect();
        assert!(orphans.is_empty(), "orphans {orphans:?}");
        check_rollbacks(process, &instants).await;
    }
}

/// The folder of the timeline, where layout 1 has other things too.
fn timeline_folder(layout: TimelineLayout) -> &'static str {
    match layout {
        TimelineLayout::V1 => ".hoodie/",
        TimelineLayout::V2 => ".hoodie/timeline/",
    }
}

fn instants(layout: TimelineLayout, files: &[String]) -> Vec<Instant> {
    let folder = timeline_folder(layout);
    let names = files.iter().filter_map(|path| path.strip_prefix(folder));
    let names = names.filter(|name| !name.contains('/') && *name != "hoodie.properties");
    let parse = |name: &str| {
        InstantFileName::parse(layout, name)
            .unwrap_or_else(|| panic!("{name} is no name of an instant"))
    };
    names.map(parse).collect()
}

fn pending_instants(all: &[Instant]) -> Vec<Instant> {
    let is_completed = |it: &Instant| {
        all.iter()
            .any(|other| other.is_completed() && other.requested == it.requested)
    };
    all.iter().filter(|it| !is_completed(it)).cloned().collect()
}

/// Every state is preceded by the ones before it, nothing completes twice, and times grow.
fn check_timeline(instants: &[Instant]) {
    let mut by_time: BTreeMap<&InstantTime, Vec<&Instant>> = BTreeMap::new();
    for instant in instants {
        by_time.entry(&instant.requested).or_default().push(instant);
    }
    let mut completions = BTreeSet::new();
    for (time, states) in &by_time {
        let count = |state| states.iter().filter(|it| it.state == state).count();
        let counts = State::ALL.map(count);
        assert!(
            matches!(counts, [1, 0 | 1, 0] | [1, 1, 1]),
            "{time}: {states:?}"
        );
        // Only names of layout 2 say so.
        if let Some(completed) = states.iter().find_map(|it| it.completed.clone()) {
            assert!(completed > **time, "{time} completed at {completed}");
            assert!(
                completions.insert(completed.clone()),
                "two completions at {completed}"
            );
        }
    }
}

/// Commit and path of every file that a completed commit wrote.
async fn committed_files(process: &Process, instants: &[Instant]) -> Vec<(InstantTime, String)> {
    let mut named = Vec::new();
    for instant in instants {
        if !instant.is_completed() || !instant.is_write() {
            continue;
        }
        let bytes = read(process, instant).await;
        let metadata = CommitMetadata::decode(&bytes).unwrap();
        for (_, stat) in metadata.write_stats() {
            named.extend(
                stat.path
                    .clone()
                    .map(|path| (instant.requested.clone(), path)),
            );
        }
    }
    named
}

/// A failed write is recorded as rolled back once.
async fn check_rollbacks(process: &Process, instants: &[Instant]) {
    let mut targets = BTreeSet::new();
    for instant in instants {
        if instant.is_completed() && instant.action == Action::Rollback {
            let metadata = RollbackMetadata::decode(&read(process, instant).await).unwrap();
            for target in metadata.commits_rollback {
                assert!(
                    targets.insert(target.clone()),
                    "{target} was rolled back twice"
                );
            }
        }
    }
}

async fn read(process: &Process, instant: &Instant) -> bytes::Bytes {
    let (storage, env) = (process.storage.clone(), process.env.clone());
    let meta = MetaClient::open(storage, env).await.unwrap();
    meta.timeline_store().read(instant).await.unwrap()
}
