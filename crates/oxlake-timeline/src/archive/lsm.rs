//! The history of layout 2: an LSM tree of Parquet files, named by numbered manifests (spec 01 §5).
//!
//! Only the manifest says which files count: files merged into others stay on storage for a while.

mod manifest;
mod rows;

use futures::{StreamExt, TryStreamExt, stream};
use manifest::Manifest;

use super::{ArchiveQuery, ArchivedInstant, ArchivedTimeline};
use crate::{Error, Result, TimelineStore};

/// How often to start again when files vanish, which means that the history moved on.
const ATTEMPTS: u32 = 3;

/// Reads the files of the current manifest that can hold instants of the query.
pub(crate) async fn load(store: &TimelineStore, query: &ArchiveQuery) -> Result<ArchivedTimeline> {
    let mut gone = String::new();
    for _ in 0..ATTEMPTS {
        match load_once(store, query).await? {
            Loaded::All(timeline) => return Ok(timeline),
            Loaded::Gone(path) => gone = path,
        }
    }
    Err(Error::HistoryMoves {
        path: gone,
        attempts: ATTEMPTS,
    })
}

enum Loaded {
    All(ArchivedTimeline),
    /// This file is named, but no longer there.
    Gone(String),
}

async fn load_once(store: &TimelineStore, query: &ArchiveQuery) -> Result<Loaded> {
    let manifest = match Manifest::load(store).await {
        Err(Error::Storage(error)) if error.is_not_found() => {
            return Ok(Loaded::Gone(store.archive_folder().to_owned()));
        }
        manifest => manifest?,
    };
    let names_are_ranges = store.initial_version.is_some_and(|version| version >= 8);
    let files = manifest.files.into_iter();
    let files = files.filter(|file| !names_are_ranges || file.may_hold(query));
    let reads = files.map(|file| async move {
        let path = format!("{}/{}", store.archive_folder(), file.file_name);
        match rows::read(store, &path, file.file_len, query).await {
            Err(Error::Storage(error)) if error.is_not_found() => Ok(Err(path)),
            read => read.map(Ok),
        }
    });
    let mut reads = stream::iter(reads).buffered(store.env.limits.io_concurrency.max(1));
    let mut instants: Vec<ArchivedInstant> = Vec::new();
    while let Some(read) = reads.try_next().await? {
        match read {
            Ok(rows) => instants.extend(rows),
            Err(path) => return Ok(Loaded::Gone(path)),
        }
    }
    Ok(Loaded::All(ArchivedTimeline::from_parts(instants)))
}
