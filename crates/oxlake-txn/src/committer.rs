//! Making a write visible (spec 04 §1.14, copy-on-write without a metadata table).

use oxlake_model::{Action, CommitMetadata, Instant, InstantTime, State, Timeline};
use oxlake_plan::{Event, next_transition, reconcile_markers};
use oxlake_table::{Marker, MarkerStore, MetaClient};

use crate::create_once::{Creation, create_once};
use crate::rollback::target_of;
use crate::{CommitOutcome, CommitStats, Error, InstantGenerator, Result};

/// Completes the instants of one writer.
#[derive(Debug)]
pub struct Committer<'a> {
    meta: &'a MetaClient,
    generator: &'a InstantGenerator,
}

impl<'a> Committer<'a> {
    /// A committer for the table of `meta`, with the generator that gave the writer its instants.
    pub fn new(meta: &'a MetaClient, generator: &'a InstantGenerator) -> Self {
        Self { meta, generator }
    }

    /// Completes the inflight `instant` with `metadata`, in this order: the timeline is read again and the instant
    /// must still be ours and pending; a completion time is taken; files that have a marker and are not in
    /// `metadata` are deleted; the completed file is created once; the markers go.
    ///
    /// # Errors
    /// [`Error::Fenced`] when another writer has rolled the instant back or begun to; the errors of the storage up to
    /// the creation of the completed file. Whatever happens from then on is told by the outcome.
    pub async fn commit(
        &self,
        instant: &Instant,
        metadata: &CommitMetadata,
    ) -> Result<CommitOutcome> {
        let timeline = self.meta.timeline_store().load_active().await?;
        if let Some(with) = self.stands_in_the_way(instant, &timeline).await? {
            return Ok(CommitOutcome::Conflict {
                instant: instant.requested.clone(),
                with,
            });
        }
        let completion = self.generator.next(&timeline)?;
        let markers = MarkerStore::new(self.meta.storage().clone(), instant.requested.clone());
        self.delete_strays(&markers, metadata).await?;
        let outcome = self.publish(instant, completion, metadata).await?;
        if outcome.is_committed()
            && let Err(failure) = markers.delete_all().await
        {
            // The next writer removes them.
            tracing::warn!(%instant, error = %failure, "the markers of a completed commit stay");
        }
        Ok(outcome)
    }

    /// The other completion of the instant, if there is one.
    async fn stands_in_the_way(
        &self,
        instant: &Instant,
        timeline: &Timeline,
    ) -> Result<Option<Instant>> {
        let fenced = |missing| Error::Fenced {
            instant: instant.requested.clone(),
            missing,
        };
        let found = timeline
            .find(&instant.requested)
            .ok_or_else(|| fenced("requested"))?;
        match found.state {
            State::Completed => return Ok(Some(found.clone())),
            State::Requested => return Err(fenced("inflight")),
            State::Inflight => {}
        }
        let pending = timeline.pending();
        for rollback in pending
            .instants()
            .iter()
            .filter(|it| it.action == Action::Rollback)
        {
            if target_of(self.meta, rollback).await?.as_ref() == Some(&instant.requested) {
                return Err(fenced("data"));
            }
        }
        Ok(None)
    }

    async fn delete_strays(&self, markers: &MarkerStore, metadata: &CommitMetadata) -> Result<()> {
        let marked = markers.list().await?;
        let marked = marked.iter().map(Marker::data_path);
        let strays = reconcile_markers(marked, metadata);
        self.meta.storage().delete_many(strays).await?;
        Ok(())
    }

    async fn publish(
        &self,
        instant: &Instant,
        completion: InstantTime,
        metadata: &CommitMetadata,
    ) -> Result<CommitOutcome> {
        debug_assert!(next_transition(instant.action, instant.state, Event::Complete).is_ok());
        let sync = self.meta.env().ids.sync_marker();
        let version = self.meta.config().version();
        let bytes = metadata
            .encode(version, sync)
            .map_err(|source| Error::Encode {
                what: "commit metadata",
                source,
            })?;
        let requested = instant.requested.clone();
        let completed = Instant::completed(requested.clone(), instant.action, completion.clone());
        match create_once(self.meta.timeline_store(), &completed, bytes.into()).await {
            Creation::Ours => Ok(CommitOutcome::Committed {
                completion: self.seen_completion(&completed, completion).await,
                instant: requested,
                stats: CommitStats::from_metadata(metadata),
            }),
            Creation::Foreign => Ok(CommitOutcome::Conflict {
                instant: requested,
                with: completed,
            }),
            Creation::Refused(failure) => Err(failure.into()),
            Creation::Unknown(failure) => Ok(CommitOutcome::Unknown {
                instant: requested,
                completion,
                reason: failure.to_string(),
            }),
        }
    }

    /// When readers say that the commit completed: the time in the name, or in layout 1 when its file was modified.
    /// The commit stands whatever the storage answers now, so without an answer it is our own time.
    async fn seen_completion(&self, completed: &Instant, ours: InstantTime) -> InstantTime {
        if self.meta.config().version().completion_time_in_name() {
            return ours;
        }
        match self.meta.timeline_store().modified(completed).await {
            Ok(Some(modified)) => modified,
            Ok(None) | Err(_) => ours,
        }
    }
}
