//! The archive of layout 1: log files of Avro entries, one entry a timeline file (spec 01 §6).

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use oxlake_avro::{Schema, container};
use oxlake_log::{Block, BlockKind, avro_records, read_blocks};
use oxlake_model::metadata::ArchivedEntry;
use oxlake_model::{Action, State};

use super::{ArchiveQuery, ArchivedInstant, ArchivedTimeline};
use crate::{Error, Result, TimelineStore};

const FILE_PREFIX: &str = ".commits_.archive.";
/// Names the files that were being merged when a writer died.
const MERGE_PLAN: &str = "mergeArchivePlan";

/// Reads all files of the archive; a missing folder is an empty archive.
pub(crate) async fn load(store: &TimelineStore, query: &ArchiveQuery) -> Result<ArchivedTimeline> {
    let listed = store.storage.list_dir(store.archive_folder()).await?;
    let paths = listed
        .files
        .into_iter()
        .filter(|file| is_archive(file.name()));
    let reads = paths.map(|file| read_file(store, query, file.path));
    let files: Vec<Vec<ArchivedInstant>> = stream::iter(reads)
        .buffered(store.env.limits.io_concurrency.max(1))
        .try_collect()
        .await?;
    Ok(ArchivedTimeline::from_parts(files.into_iter().flatten()))
}

fn is_archive(name: &str) -> bool {
    let number = name.strip_prefix(FILE_PREFIX);
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

async fn read_file(
    store: &TimelineStore,
    query: &ArchiveQuery,
    path: String,
) -> Result<Vec<ArchivedInstant>> {
    let bytes = match store.storage.read(&path).await {
        // Merged into another file after it was listed.
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        read => read?,
    };
    match decode(&path, &bytes, query) {
        Err(error) if is_unfinished_merge(store, &path).await? => {
            tracing::warn!(%path, %error, "left out an archive file whose writer died; its parts are still there");
            Ok(Vec::new())
        }
        decoded => decoded,
    }
}

/// Whether the file is the result of a merge that did not finish.
async fn is_unfinished_merge(store: &TimelineStore, path: &str) -> Result<bool> {
    let plan = format!("{}/{MERGE_PLAN}", store.archive_folder());
    let bytes = match store.storage.read(&plan).await {
        Err(error) if error.is_not_found() => return Ok(false),
        read => read?,
    };
    let plan = container::read(&bytes).map_err(|error| Error::damaged(&plan, error))?;
    let merged = plan
        .records
        .iter()
        .find_map(|plan| plan.opt_str("mergedArchiveFileName"));
    Ok(merged.is_some_and(|merged| file_name(merged) == file_name(path)))
}

fn file_name(path: &str) -> &str {
    oxlake_model::metadata::file_name_of(path)
}

/// The entries of one file. A corrupt block at the end is what a writer that died leaves; it is left out.
pub(crate) fn decode(
    path: &str,
    file: &[u8],
    query: &ArchiveQuery,
) -> Result<Vec<ArchivedInstant>> {
    let log_error = |source| Error::ArchiveLog {
        path: path.to_owned(),
        source,
    };
    let mut schemas = Schemas::default();
    let mut instants = Vec::new();
    for block in read_blocks(file).map_err(log_error)? {
        match block.kind {
            BlockKind::AvroData => {
                let content = block.content_in(file).unwrap_or_default();
                let schema = schemas.of(path, &block)?;
                for record in avro_records(content).map_err(log_error)? {
                    instants.extend(decode_entry(path, schema, record, query)?);
                }
            }
            BlockKind::Corrupt => {
                tracing::warn!(
                    path,
                    offset = block.offset,
                    "left out a corrupt block of the archive"
                );
            }
            kind => {
                return Err(Error::damaged(
                    path,
                    format!("a block of kind {kind:?} does not belong there"),
                ));
            }
        }
    }
    Ok(instants)
}

fn decode_entry(
    path: &str,
    schema: &Schema,
    record: &[u8],
    query: &ArchiveQuery,
) -> Result<Option<ArchivedInstant>> {
    let entry_error = |source| Error::ArchiveEntry {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let entry = ArchivedEntry::decode(schema, record).map_err(entry_error)?;
    let Some(entry) = entry.filter(|entry| query.contains(&entry.instant.requested)) else {
        return Ok(None);
    };
    let state = entry.instant.state;
    let wanted = match state {
        State::Completed => query.metadata,
        State::Inflight => query.plan && inflight_is_plan(entry.instant.action),
        State::Requested => query.plan && requested_is_plan(entry.instant.action),
    };
    let bytes = if wanted {
        entry.content.encode_datum().map_err(entry_error)?
    } else {
        None
    };
    let bytes = bytes.map(Bytes::from);
    let (metadata, plan) = match state {
        State::Completed => (bytes, None),
        State::Requested | State::Inflight => (None, bytes),
    };
    Ok(Some(ArchivedInstant {
        instant: entry.instant,
        metadata,
        plan,
    }))
}

/// As in the history of layout 2 (spec 01 §5.1): the requested file is the plan of every action that has one, …
fn requested_is_plan(action: Action) -> bool {
    matches!(
        action,
        Action::Clean
            | Action::Compaction
            | Action::LogCompaction
            | Action::ReplaceCommit
            | Action::Clustering
    )
}

/// … and the inflight file where it is not empty and comes after it.
fn inflight_is_plan(action: Action) -> bool {
    matches!(
        action,
        Action::Clean | Action::ReplaceCommit | Action::Clustering
    )
}

/// The schema text is repeated in every block, and long.
#[derive(Default)]
struct Schemas(BTreeMap<String, Schema>);

impl Schemas {
    fn of(&mut self, path: &str, block: &Block) -> Result<&Schema> {
        let text = block.schema().ok_or_else(|| {
            Error::damaged(path, format!("the block at {} has no schema", block.offset))
        })?;
        if !self.0.contains_key(text) {
            let schema = Schema::parse(text).map_err(|error| Error::damaged(path, error))?;
            self.0.insert(text.to_owned(), schema);
        }
        self.0
            .get(text)
            .ok_or_else(|| Error::damaged(path, "a schema got lost"))
    }
}
