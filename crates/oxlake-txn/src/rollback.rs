//! Taking back failed writes (spec 04 §2).
//!
//! ```text
//! plan       <rb>.rollback.requested   names the target and every file to delete
//! begin      <rb>.rollback.inflight
//! check      the target is still pending, or gone already
//! delete     data files, then the target's inflight and requested files
//! complete   <rb>_<C>.rollback         names what was deleted
//! tidy       the target's marker folder and heartbeat
//! ```
//!
//! Every step can be repeated: a file that is missing counts as deleted, and a crash leaves a pending rollback that
//! the next writer resumes under the same instant, so that one failed write is recorded as rolled back once.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, TryStreamExt};
use oxlake_model::metadata::{
    InstantContent, InstantInfo, RollbackMetadata, RollbackPartitionMetadata, RollbackPlan,
};
use oxlake_model::{Action, ErrorKind, Instant, InstantTime, State, Timeline, TimelineLayout};
use oxlake_plan::{PlannedFile, RollbackEvidence, files_of_plan, plan_rollback};
use oxlake_table::{FileLister, MarkerStore, MetaClient};

use crate::create_once::{Creation, create_once};
use crate::failed_writes::remedy_for;
use crate::{Error, InstantGenerator, Result, failed_writes, heartbeat};

/// Rolls back on behalf of one writer.
#[derive(Debug)]
pub struct Rollback<'a> {
    meta: &'a MetaClient,
    generator: &'a InstantGenerator,
    uses_markers: bool,
}

/// One rollback to carry out: `rollback` is pending with `plan` on the timeline.
#[derive(Debug)]
struct Planned {
    rollback: Instant,
    target: Instant,
    plan: RollbackPlan,
    /// Planned by this call: nothing was deleted for it yet.
    is_fresh: bool,
}

impl<'a> Rollback<'a> {
    /// Rollbacks on the table of `meta`, with times from `generator`.
    pub fn new(meta: &'a MetaClient, generator: &'a InstantGenerator) -> Self {
        Self {
            meta,
            generator,
            uses_markers: true,
        }
    }

    /// Finds the files of a failed write by its markers, or always by listing (`hoodie.rollback.using.markers`).
    #[must_use]
    pub fn using_markers(self, uses_markers: bool) -> Self {
        Self {
            uses_markers,
            ..self
        }
    }

    /// Rolls back every failed write on `timeline`, newest first, and finishes the rollbacks that a crash left
    /// behind. Answers the timeline as it is afterwards; without anything to do no storage is touched.
    ///
    /// # Errors
    /// [`Error::PendingUnsupported`] for pending work that a writer must not pass over, [`Error::WriterAlive`] when
    /// a failed write turns out to be running, [`Error::TargetCompleted`] when a pending rollback names a completed
    /// instant, [`Error::ForeignFile`] when a plan names a file of another; errors of the storage, after which calling again goes on where this call stopped.
    pub async fn failed_writes(&self, timeline: Timeline) -> Result<Timeline> {
        let failed = failed_writes(&timeline)?;
        if failed.writes.is_empty() && failed.rollbacks.is_empty() {
            return Ok(timeline);
        }
        for target in &failed.writes {
            self.refuse_clustering(target).await?;
            heartbeat::refuse_if_alive(self.meta, &target.requested).await?;
        }
        let mut resumable = self.resumable(&failed.rollbacks).await?;
        let mut targets: BTreeMap<InstantTime, Option<Instant>> = BTreeMap::new();
        targets.extend(resumable.keys().map(|target| (target.clone(), None)));
        targets.extend(
            failed
                .writes
                .into_iter()
                .map(|it| (it.requested.clone(), Some(it))),
        );
        let mut timeline = timeline;
        for (time, target) in targets.into_iter().rev() {
            let planned = match (resumable.remove(&time), target) {
                (Some(planned), _) => planned,
                (None, Some(target)) => self.plan(&target, &timeline).await?,
                (None, None) => continue,
            };
            self.execute(planned).await?;
            timeline = self.meta.timeline_store().load_active().await?;
        }
        Ok(timeline)
    }

    /// A pending clustering of layout 1 has the name of a failed replace commit and is none.
    async fn refuse_clustering(&self, target: &Instant) -> Result<()> {
        let store = self.meta.timeline_store();
        if target.action != Action::ReplaceCommit || store.layout() != TimelineLayout::V1 {
            return Ok(());
        }
        let requested = Instant {
            state: State::Requested,
            ..target.clone()
        };
        match store.content(&requested).await {
            Ok(InstantContent::RequestedReplace(plan)) if plan.is_clustering() => {
                Err(Error::PendingUnsupported {
                    instant: target.clone(),
                    remedy: remedy_for(Action::Clustering),
                })
            }
            Err(failure) if failure.kind() != ErrorKind::NotFound => Err(failure.into()),
            _ => Ok(()),
        }
    }

    /// The pending rollbacks by target. A requested plan that does not decode is deleted: nothing was done by it yet.
    /// An inflight one is left alone, as the reference does, and its target is planned anew.
    async fn resumable(&self, rollbacks: &[Instant]) -> Result<BTreeMap<InstantTime, Planned>> {
        let mut resumable = BTreeMap::new();
        for rollback in rollbacks {
            let plan = read_plan(self.meta, rollback).await?;
            match plan.and_then(|plan| Some((target_of_plan(&plan)?, plan))) {
                Some((target, plan)) => {
                    let rollback = rollback.clone();
                    resumable.insert(
                        target.requested.clone(),
                        Planned {
                            rollback,
                            target,
                            plan,
                            is_fresh: false,
                        },
                    );
                }
                None if rollback.state == State::Requested => {
                    tracing::warn!(instant = %rollback, "deleting a rollback plan that does not decode");
                    self.meta.timeline_store().delete(rollback).await?;
                }
                None => {
                    tracing::warn!(instant = %rollback, "passing over a rollback whose plan does not decode");
                }
            }
        }
        Ok(resumable)
    }

    async fn plan(&self, target: &Instant, timeline: &Timeline) -> Result<Planned> {
        let evidence = self.evidence(target).await?;
        let storage = self.meta.storage();
        let plan = plan_rollback(target, &evidence, |path| storage.file_uri(path));
        files_of_plan(&plan, &target.requested)?;
        let rollback = Instant::requested(self.generator.next(timeline)?, Action::Rollback);
        let bytes = plan
            .encode_avro(self.meta.env().ids.sync_marker())
            .map_err(|source| Error::Encode {
                what: "rollback plan",
                source,
            })?;
        self.meta
            .timeline_store()
            .create(&rollback, bytes.into())
            .await?;
        Ok(Planned {
            rollback,
            target: target.clone(),
            plan,
            is_fresh: true,
        })
    }

    /// The files of `target`: by its markers; without markers by listing, unless it was never begun.
    async fn evidence(&self, target: &Instant) -> Result<RollbackEvidence> {
        if !self.uses_markers {
            return self.listed_files().await;
        }
        let markers = MarkerStore::new(self.meta.storage().clone(), target.requested.clone());
        let marked: BTreeSet<_> = markers
            .list()
            .await?
            .into_iter()
            .map(|marker| (marker.partition, marker.file_name))
            .collect();
        if !marked.is_empty() || target.state == State::Requested {
            return Ok(RollbackEvidence::Markers(marked));
        }
        self.listed_files().await
    }

    async fn listed_files(&self) -> Result<RollbackEvidence> {
        let lister = &self.meta.lister();
        let partitions = lister.partitions(&|_| true).await?;
        let listing = futures::stream::iter(partitions)
            .map(|partition| async move {
                let files = lister.files(&partition).await?;
                Ok::<_, oxlake_table::Error>((
                    partition,
                    files.into_iter().map(|file| file.name).collect(),
                ))
            })
            .buffered(self.meta.env().limits.io_concurrency.max(1))
            .try_collect()
            .await?;
        Ok(RollbackEvidence::Listing(listing))
    }

    async fn execute(&self, planned: Planned) -> Result<()> {
        let Planned {
            rollback,
            target,
            plan,
            is_fresh,
        } = planned;
        let store = self.meta.timeline_store();
        let files = files_of_plan(&plan, &target.requested)?;
        let started_ms = self.meta.env().clock.now_ms();
        self.begin(&rollback).await?;
        let timeline = store.load_active().await?;
        if timeline.is_completed(&target.requested) {
            if is_fresh {
                self.withdraw(&rollback).await?;
            }
            return Err(Error::TargetCompleted {
                rollback: rollback.requested,
                target: target.requested,
            });
        }
        let paths = files.iter().map(|file| file.path.clone()).collect();
        self.meta.storage().delete_many(paths).await?;
        for state in [State::Inflight, State::Requested] {
            store
                .delete(&Instant {
                    state,
                    ..target.clone()
                })
                .await?;
        }
        let elapsed_ms = self.meta.env().clock.now_ms() - started_ms;
        let metadata = rollback_metadata(&rollback, &target, files, elapsed_ms);
        self.complete(&rollback, &timeline, &metadata).await?;
        MarkerStore::new(self.meta.storage().clone(), target.requested.clone())
            .delete_all()
            .await?;
        heartbeat::delete(self.meta, &target.requested).await?;
        tracing::info!(instant = %rollback, target = %target, "rolled back a failed write");
        Ok(())
    }

    /// Takes a rollback that has deleted nothing off the timeline again.
    async fn withdraw(&self, rollback: &Instant) -> Result<()> {
        for state in [State::Inflight, State::Requested] {
            self.meta
                .timeline_store()
                .delete(&Instant {
                    state,
                    ..rollback.clone()
                })
                .await?;
        }
        Ok(())
    }

    /// Creates the inflight file; it exists already when a rollback is resumed.
    async fn begin(&self, rollback: &Instant) -> Result<()> {
        let inflight = Instant {
            state: State::Inflight,
            ..rollback.clone()
        };
        match self
            .meta
            .timeline_store()
            .create(&inflight, bytes::Bytes::new())
            .await
        {
            Err(failure) if failure.kind() != ErrorKind::AlreadyExists => Err(failure.into()),
            _ => Ok(()),
        }
    }

    async fn complete(
        &self,
        rollback: &Instant,
        timeline: &Timeline,
        metadata: &RollbackMetadata,
    ) -> Result<()> {
        let completion = self.generator.next(timeline)?;
        let instant = Instant::completed(rollback.requested.clone(), Action::Rollback, completion);
        if timeline.is_completed(&rollback.requested) {
            return Err(Error::CompletedElsewhere { instant });
        }
        let bytes = metadata
            .encode_avro(self.meta.env().ids.sync_marker())
            .map_err(|source| Error::Encode {
                what: "rollback metadata",
                source,
            })?;
        match create_once(self.meta.timeline_store(), &instant, bytes.into()).await {
            Creation::Ours => Ok(()),
            Creation::Foreign => Err(Error::CompletedElsewhere { instant }),
            Creation::Refused(source) => Err(source.into()),
            Creation::Unknown(source) => Err(Error::Unknown { instant, source }),
        }
    }
}

/// Requested time of the instant that a pending rollback takes back; `None` if its plan does not decode.
pub(crate) async fn target_of(
    meta: &MetaClient,
    rollback: &Instant,
) -> Result<Option<InstantTime>> {
    let plan = read_plan(meta, rollback).await?;
    Ok(plan
        .and_then(|plan| target_of_plan(&plan))
        .map(|target| target.requested))
}

async fn read_plan(meta: &MetaClient, rollback: &Instant) -> Result<Option<RollbackPlan>> {
    let requested = Instant {
        state: State::Requested,
        ..rollback.clone()
    };
    match meta.timeline_store().read(&requested).await {
        Ok(bytes) => Ok(RollbackPlan::decode(&bytes).ok()),
        Err(failure) if failure.kind() == ErrorKind::NotFound => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

fn target_of_plan(plan: &RollbackPlan) -> Option<Instant> {
    let info = plan.instant_to_rollback.as_ref()?;
    let time = InstantTime::parse(&info.commit_time).ok()?;
    Some(Instant::inflight(time, Action::parse(&info.action)?))
}

fn rollback_metadata(
    rollback: &Instant,
    target: &Instant,
    files: Vec<PlannedFile>,
    elapsed_ms: i64,
) -> RollbackMetadata {
    let total = i32::try_from(files.len()).unwrap_or(i32::MAX);
    let mut partitions: BTreeMap<String, RollbackPartitionMetadata> = BTreeMap::new();
    for file in files {
        let partition = file.partition.into_string();
        let entry =
            partitions
                .entry(partition.clone())
                .or_insert_with(|| RollbackPartitionMetadata {
                    partition_path: partition,
                    rollback_log_files: Some(BTreeMap::new()),
                    log_files_from_failed_commit: Some(BTreeMap::new()),
                    ..RollbackPartitionMetadata::default()
                });
        entry.success_delete_files.push(file.stored);
    }
    RollbackMetadata {
        start_rollback_time: rollback.requested.to_string(),
        time_taken_in_millis: elapsed_ms,
        total_files_deleted: total,
        commits_rollback: vec![target.requested.to_string()],
        partition_metadata: partitions,
        version: Some(1),
        instants_rollback: vec![InstantInfo {
            commit_time: target.requested.to_string(),
            action: target.action.as_str().to_owned(),
        }],
    }
}
