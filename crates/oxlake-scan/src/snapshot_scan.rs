//! The slices of a state: the newest one, or that as of an instant.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxlake_model::metadata::{CleanMetadata, CleanPartitionMetadata, CleanerPlan, InstantContent};
use oxlake_model::{Action, FileSlice, FileSystemView, Instant, InstantTime, PartitionPath};
use oxlake_plan::{first_readable, holes, retained_since};
use oxlake_table::{FileLister, MetaClient, TableSnapshot};
use oxlake_timeline::ArchiveQuery;

use crate::partition_filter::PartitionFilter;
use crate::watching_lister::WatchingLister;
use crate::{Error, Result};

/// The partitions that can hold a matching row, and how many others were met.
pub(crate) struct ListedPartitions {
    pub(crate) view: FileSystemView,
    pub(crate) partition_count: usize,
    pub(crate) pruned_count: usize,
    pub(crate) met_unknown: bool,
}

/// Lists the table as far as the filter goes.
pub(crate) async fn list(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    filter: &PartitionFilter,
) -> Result<ListedPartitions> {
    let lister = WatchingLister::new(table.lister(), &snapshot.timeline);
    let pruned_folders = AtomicUsize::new(0);
    let wanted = |folder: &str| {
        let wanted = filter.may_descend(folder);
        if !wanted {
            pruned_folders.fetch_add(1, Ordering::Relaxed);
        }
        wanted
    };
    let met = lister.partitions(&wanted).await?;
    let met_count = met.len();
    let partitions: Vec<PartitionPath> = met
        .into_iter()
        .filter(|partition| filter.may_match(partition))
        .collect();
    let view = table.load_view_with(snapshot, &lister, &partitions).await?;
    Ok(ListedPartitions {
        view,
        partition_count: partitions.len(),
        pruned_count: pruned_folders.into_inner() + met_count - partitions.len(),
        met_unknown: lister.met_unknown(),
    })
}

/// The slices as of a requested time.
///
/// # Errors
/// [`Error::Cleaned`] when files of that state are gone.
pub(crate) async fn slices_at(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    filter: &PartitionFilter,
    view: &FileSystemView,
    at: &InstantTime,
) -> Result<Vec<FileSlice>> {
    let Some(first) = first_write(table, snapshot, at).await? else {
        return Ok(Vec::new());
    };
    debug_assert!(first <= *at);
    let cleans = cleans_after(table, snapshot, at).await?;
    let savepointed = snapshot
        .timeline
        .completed()
        .any(|instant| instant.action == Action::Savepoint && instant.requested == *at);
    // Files of a savepoint outlive the cleaner's promise; whether all are there is checked below.
    if !savepointed
        && let Some(since) = retained_since(&cleans)
        && *at < since
    {
        return Err(cleaned(at, since));
    }
    let holes = holes(&cleans, view, &|partition| filter.may_match(partition));
    match first_readable(at, &holes) {
        Some(earliest) => Err(cleaned(at, earliest)),
        None => Ok(view.latest_slices_at(at)),
    }
}

fn cleaned(asked: &InstantTime, earliest: InstantTime) -> Error {
    Error::Cleaned {
        asked: asked.clone(),
        earliest,
    }
}

/// The oldest write, when it is not later than `at`: before it the table is empty.
async fn first_write(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    at: &InstantTime,
) -> Result<Option<InstantTime>> {
    if let Some(first) = snapshot.timeline.first_commit()
        && first.requested <= *at
    {
        return Ok(Some(first.requested.clone()));
    }
    let query = ArchiveQuery {
        to: Some(at.clone()),
        ..ArchiveQuery::times()
    };
    let history = table.timeline_store().load_archived_where(&query).await?;
    let mut archived = history
        .instants
        .into_iter()
        .map(|archived| archived.instant);
    let first = archived.find(|instant| instant.is_completed() && instant.is_write());
    Ok(first.map(|instant| instant.requested))
}

/// What the cleans after `at` removed, or, as far as they have not finished, what they are removing. A clean
/// before it kept what `at` needs.
///
/// The timeline is listed again: a clean that took a file from under our listing of files began before that, so
/// it is there now.
pub(crate) async fn cleans_after(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    at: &InstantTime,
) -> Result<Vec<CleanMetadata>> {
    let store = table.timeline_store();
    let mut cleans = Vec::new();
    for instant in store.load_active().await?.instants() {
        if instant.action == Action::Clean && instant.requested > *at {
            cleans.extend(clean_of(table, instant).await?);
        }
    }
    if snapshot.timeline.start().is_some_and(|start| start <= at) {
        return Ok(cleans);
    }
    let query = ArchiveQuery {
        from: Some(at.clone()),
        metadata: true,
        ..ArchiveQuery::times()
    };
    for archived in store.load_archived_where(&query).await?.instants {
        if archived.instant.action == Action::Clean
            && let InstantContent::Clean(clean) = archived.content()?
        {
            cleans.push(clean);
        }
    }
    Ok(cleans)
}

/// What one clean did, or plans to do.
async fn clean_of(table: &MetaClient, instant: &Instant) -> Result<Option<CleanMetadata>> {
    let store = table.timeline_store();
    if instant.is_completed() {
        return Ok(match store.content(instant).await? {
            InstantContent::Clean(clean) => Some(clean),
            _ => None,
        });
    }
    let requested = Instant::requested(instant.requested.clone(), Action::Clean);
    Ok(match store.content(&requested).await? {
        InstantContent::CleanerPlan(plan) => Some(as_if_done(instant, plan)),
        _ => None,
    })
}

/// A plan as if all its files were gone; those that are still listed do no harm. Since when the table is whole
/// is not taken from a plan: nothing may have been deleted yet.
fn as_if_done(instant: &Instant, plan: CleanerPlan) -> CleanMetadata {
    let named = plan.files_to_be_deleted_per_partition.into_iter().flatten();
    let with_path = plan
        .file_paths_to_be_deleted_per_partition
        .into_iter()
        .flatten();
    let with_path = with_path.map(|(partition, files)| {
        let files = files
            .into_iter()
            .filter_map(|file| file.file_path)
            .collect();
        (partition, files)
    });
    let mut partitions: BTreeMap<String, CleanPartitionMetadata> = BTreeMap::new();
    for (partition, files) in named.chain(with_path) {
        let deleted: Vec<String> = files;
        partitions
            .entry(partition)
            .or_default()
            .success_delete_files
            .extend(deleted);
    }
    CleanMetadata {
        start_clean_time: instant.requested.as_str().to_owned(),
        last_completed_commit_timestamp: plan.last_completed_commit_timestamp,
        partition_metadata: partitions,
        ..CleanMetadata::default()
    }
}

/// Refuses slices with log files; files with change data are no part of a state and are dropped.
pub(crate) fn base_files_only(slices: Vec<FileSlice>) -> Result<Vec<FileSlice>> {
    for slice in &slices {
        if let Some(log) = slice.data_log_files().next() {
            return Err(Error::log_files(&log.path()));
        }
    }
    let with_base = slices.into_iter().filter(|slice| slice.base_file.is_some());
    Ok(with_base
        .map(|mut slice| {
            slice.log_files.clear();
            slice
        })
        .collect())
}
