//! The slices of an incremental query: the newest file, inside the range, of every file group that a write of
//! the range touched (spec 04 §6.3, §6.4).
//!
//! ```text
//! commit 1 writes a1 b1 │ commit 2 writes a2 │ commit 3 replaces b, writes c3 │ commit 4 writes a4
//!                       └──────────────── range (1, 3] ──────────────────────┘
//!                         read a2 and c3, rows of commits 2 and 3
//! ```
//!
//! When a file of the range has been cleaned and the range reaches the newest commit, the newest snapshot with
//! the same condition on the commit time gives the same rows, as the reference does. When it does not, later
//! commits hide changes of the range, and the query is refused instead of answered in part.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use oxlake_model::{
    BaseFile, BaseFileName, CommitMetadata, FileGroupId, FileSlice, Instant, InstantTime,
    ListedFile, LogFileName, PartitionPath, WriteStat,
};
use oxlake_plan::{InstantRange, InstantsInRange, first_readable, holes};
use oxlake_table::{FileLister, MetaClient, TableSnapshot};

use crate::partition_filter::PartitionFilter;
use crate::snapshot_scan::{self, base_files_only};
use crate::{Error, Result, range_commits};

/// What an incremental query reads.
pub(crate) struct IncrementalSlices {
    pub(crate) slices: Vec<FileSlice>,
    pub(crate) commit_times: BTreeSet<String>,
    pub(crate) last: Option<InstantTime>,
    pub(crate) partition_count: usize,
    pub(crate) pruned_count: usize,
    pub(crate) full_scan_reason: Option<String>,
    pub(crate) met_unknown: bool,
}

/// Plans an incremental query.
///
/// # Errors
/// [`Error::HollowCommit`], [`Error::RangeCleaned`], and [`Error::Unsupported`] for log files.
pub(crate) async fn plan(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    filter: &PartitionFilter,
    range: &InstantRange,
) -> Result<IncrementalSlices> {
    let (found, commits) = range_commits::load(table, snapshot, range).await?;
    let touched = touched_files(&commits, filter)?;
    let mut answer = IncrementalSlices {
        slices: Vec::new(),
        commit_times: found.commit_times(),
        last: found
            .instants
            .last()
            .map(|instant| instant.requested.clone()),
        partition_count: touched.partitions.len(),
        pruned_count: touched.pruned.len(),
        full_scan_reason: None,
        met_unknown: false,
    };
    match existing_files(table, touched).await? {
        Existing::All(slices) => answer.slices = slices,
        Existing::Missing(path) if found.reaches_latest => {
            let listed = snapshot_scan::list(table, snapshot, filter).await?;
            answer.slices = base_files_only(listed.view.latest_slices())?;
            answer.partition_count = listed.partition_count;
            answer.pruned_count = listed.pruned_count;
            answer.met_unknown = listed.met_unknown;
            answer.full_scan_reason = Some(format!("file {path} of the range has been cleaned"));
        }
        Existing::Missing(path) => {
            return Err(range_cleaned(table, snapshot, filter, &found, path).await?);
        }
    }
    Ok(answer)
}

/// The newest file of each file group, as the writes of a range name them.
struct Touched {
    files: BTreeMap<FileGroupId, BaseFileName>,
    partitions: BTreeSet<PartitionPath>,
    pruned: BTreeSet<PartitionPath>,
}

fn touched_files(commits: &[Arc<CommitMetadata>], filter: &PartitionFilter) -> Result<Touched> {
    let mut touched = Touched {
        files: BTreeMap::new(),
        partitions: BTreeSet::new(),
        pruned: BTreeSet::new(),
    };
    let mut replaced = BTreeSet::new();
    for commit in commits {
        for (partition, stat) in commit.write_stats() {
            let partition = PartitionPath::from(partition);
            if filter.may_match(&partition) {
                add_file(&mut touched, partition, stat)?;
            } else {
                touched.pruned.insert(partition);
            }
        }
        replaced.extend(commit.replaced_file_groups());
    }
    touched.files.retain(|group, _| !replaced.contains(group));
    touched.partitions = touched
        .files
        .keys()
        .map(|group| group.partition.clone())
        .collect();
    Ok(touched)
}

/// Later writes of the range overrule earlier ones.
fn add_file(touched: &mut Touched, partition: PartitionPath, stat: &WriteStat) -> Result<()> {
    let Some(path) = &stat.path else {
        return Ok(());
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    if LogFileName::parse(name).is_some_and(|log| !log.is_cdc()) {
        return Err(Error::log_files(path));
    }
    if let Some(file) = BaseFileName::parse(name) {
        let group = FileGroupId::new(partition, file.file_id.clone());
        touched.files.insert(group, file);
    }
    Ok(())
}

/// Whether the files of a range are all there.
enum Existing {
    All(Vec<FileSlice>),
    Missing(String),
}

/// Lists the partitions concerned: it says which files exist and how long they are.
async fn existing_files(table: &MetaClient, touched: Touched) -> Result<Existing> {
    let lister = table.lister();
    let listed: BTreeMap<PartitionPath, Vec<ListedFile>> =
        futures::stream::iter(touched.partitions)
            .map(|partition| async {
                let files = lister.files(&partition).await?;
                Ok::<_, Error>((partition, files))
            })
            .buffered(table.env().limits.io_concurrency.max(1))
            .try_collect()
            .await?;
    let mut slices = Vec::with_capacity(touched.files.len());
    for (group, name) in touched.files {
        let text = name.print();
        let files = listed.get(&group.partition);
        let Some(file) = files.into_iter().flatten().find(|file| file.name == text) else {
            return Ok(Existing::Missing(group.partition.join(&text)));
        };
        let mut slice = FileSlice::new(&group, name.instant.clone());
        slice.base_file = Some(BaseFile {
            partition: group.partition,
            name,
            size_bytes: file.size_bytes,
        });
        slices.push(slice);
    }
    Ok(Existing::All(slices))
}

/// Names the first end of the range, in the times of the range, that can be answered.
async fn range_cleaned(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    filter: &PartitionFilter,
    found: &InstantsInRange,
    path: String,
) -> Result<Error> {
    let by_completion = snapshot.config.version().completion_time_in_name();
    let time_of = |instant: &Instant| match &instant.completed {
        Some(completed) if by_completion => completed.clone(),
        _ => instant.requested.clone(),
    };
    // There are writes in the range, else no file could be missing, and one behind it.
    let until = found.instants.last();
    let newest = snapshot.timeline.commits_by_completion().last().copied();
    let (Some(until), Some(newest)) = (until, newest) else {
        return Err(Error::NoCommitTimes);
    };
    let listed = snapshot_scan::list(table, snapshot, filter).await?;
    let cleans = snapshot_scan::cleans_after(table, snapshot, &until.requested).await?;
    let holes = holes(&cleans, &listed.view, &|partition| {
        filter.may_match(partition)
    });
    let earliest = first_readable(&until.requested, &holes)
        .and_then(|time| snapshot.timeline.find(&time).map(time_of))
        .unwrap_or_else(|| time_of(newest));
    Ok(Error::RangeCleaned {
        path,
        until: time_of(until),
        earliest,
    })
}
