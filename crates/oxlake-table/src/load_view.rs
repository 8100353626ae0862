//! From a snapshot and a listing to the view of file groups and slices.

use std::collections::BTreeMap;

use futures::{StreamExt, TryStreamExt};
use oxlake_config::TableConfig;
use oxlake_model::{
    BaseFileExtension, FileSystemView, InstantTime, ListedFile, LogFileName, PartitionPath,
    Timeline, ViewInput,
};
use oxlake_timeline::ArchiveQuery;

use crate::{Error, FileLister, MetaClient, Result, TableSnapshot};

/// Builds the view of some partitions.
pub(crate) async fn load(
    client: &MetaClient,
    snapshot: &TableSnapshot,
    lister: &dyn FileLister,
    partitions: &[PartitionPath],
) -> Result<FileSystemView> {
    let files: BTreeMap<PartitionPath, Vec<ListedFile>> =
        futures::stream::iter(partitions.iter().cloned())
            .map(|partition| async move {
                let files = lister.files(&partition).await?;
                Ok::<_, Error>((partition, files))
            })
            .buffered(client.env().limits.io_concurrency.max(1))
            .try_collect()
            .await?;
    let archived_completions = if needs_history(&snapshot.timeline, &files) {
        archived_completions(client).await?
    } else {
        BTreeMap::new()
    };
    Ok(FileSystemView::build(&ViewInput {
        files,
        timeline: &snapshot.timeline,
        version: client.config().version(),
        base_format: base_format(client.config()),
        pending_compactions: (*snapshot.pending_compactions).clone(),
        replaced: (*snapshot.replaced).clone(),
        archived_completions,
    }))
}

/// The one format of base files, or none when the table mixes them.
fn base_format(config: &TableConfig) -> Option<BaseFileExtension> {
    (!config.multiple_base_file_formats()).then(|| config.base_file_format())
}

/// Which slice a log file belongs to depends on when its delta commit completed, and the active timeline does
/// not say that of archived ones. In layout 1 the log's name says it all.
fn needs_history(timeline: &Timeline, files: &BTreeMap<PartitionPath, Vec<ListedFile>>) -> bool {
    files
        .values()
        .flatten()
        .filter_map(|file| LogFileName::parse(&file.name))
        .any(|log| timeline.find(&log.instant).is_none())
}

async fn archived_completions(client: &MetaClient) -> Result<BTreeMap<InstantTime, InstantTime>> {
    if !client.config().version().log_named_by_own_instant() {
        return Ok(BTreeMap::new());
    }
    let history = client
        .timeline_store()
        .load_archived_where(&ArchiveQuery::times())
        .await?;
    Ok(history.completion_times())
}
