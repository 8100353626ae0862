//! The writes of an incremental query's range and what they did, from the active timeline and the history.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{FutureExt, StreamExt, TryStreamExt};
use oxlake_model::{CommitMetadata, Instant, InstantContent};
use oxlake_plan::{InstantRange, InstantsInRange, instants_in_range};
use oxlake_table::{MetaClient, TableSnapshot};
use oxlake_timeline::{ArchiveQuery, ArchivedInstant};

use crate::{Error, Result};

/// The writes of the range with what they did, in the order of the range.
///
/// # Errors
/// [`Error::HollowCommit`]; damaged metadata; those of storage.
pub(crate) async fn load(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    range: &InstantRange,
) -> Result<(InstantsInRange, Vec<Arc<CommitMetadata>>)> {
    let active = snapshot.timeline.instants().iter().cloned();
    let found = instants_in_range(
        snapshot.config.version(),
        active.chain(archived_instants(table, snapshot, range).await?),
        snapshot.pending_writes().cloned(),
        range,
    );
    if let Some(pending) = &found.first_hollow {
        return Err(Error::HollowCommit {
            pending: pending.requested.clone(),
        });
    }
    let archived = archived_metadata(table, snapshot, &found.instants).await?;
    // Boxed here: as part of a stream's type the borrow of each instant would keep callers from being `Send`.
    let reads = found
        .instants
        .iter()
        .map(|instant| metadata(table, instant, archived.get(instant)).boxed());
    let commits = futures::stream::iter(reads.collect::<Vec<_>>())
        .buffered(table.env().limits.io_concurrency.max(1))
        .try_collect()
        .await?;
    Ok((found, commits))
}

/// Archived instants that may lie in the range.
///
/// All of them were requested before the first active one, so in layout 1 a range that begins after it has
/// none. In layout 2 a slow writer may have completed late and be archived all the same; looking costs two
/// small requests when there is no history.
async fn archived_instants(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    range: &InstantRange,
) -> Result<Vec<Instant>> {
    let by_completion = snapshot.config.version().completion_time_in_name();
    let begins_active = match (snapshot.timeline.start(), &range.after) {
        (Some(start), Some(after)) => start <= after,
        _ => false,
    };
    if begins_active && !by_completion {
        return Ok(Vec::new());
    }
    let history = table
        .timeline_store()
        .load_archived_where(&ArchiveQuery::times())
        .await?;
    Ok(history
        .instants
        .into_iter()
        .map(|archived| archived.instant)
        .collect())
}

/// What the archived ones of these instants did.
async fn archived_metadata(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    instants: &[Instant],
) -> Result<BTreeMap<Instant, ArchivedInstant>> {
    let is_archived = |instant: &&Instant| snapshot.timeline.find(&instant.requested).is_none();
    let times = || {
        instants
            .iter()
            .filter(is_archived)
            .map(|instant| instant.requested.clone())
    };
    let query = ArchiveQuery {
        from: times().min(),
        to: times().max(),
        metadata: true,
        plan: false,
    };
    if query.from.is_none() {
        return Ok(BTreeMap::new());
    }
    let history = table.timeline_store().load_archived_where(&query).await?;
    Ok(history
        .instants
        .into_iter()
        .map(|entry| (entry.instant.clone(), entry))
        .collect())
}

async fn metadata(
    table: &MetaClient,
    instant: &Instant,
    archived: Option<&ArchivedInstant>,
) -> Result<Arc<CommitMetadata>> {
    let Some(entry) = archived else {
        return Ok(table.timeline_store().commit_metadata(instant).await?);
    };
    match entry.content()? {
        InstantContent::Commit(metadata) => Ok(Arc::new(metadata)),
        _ => Ok(Arc::default()),
    }
}
