//! Reading the key column of base files and comparing it with the keys looked for.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Field, Schema};
use futures::{StreamExt, TryStreamExt, stream};
use oxlake_file_group::{BaseFileFooter, BaseFileReader, ReadOptions};
use oxlake_model::{BaseFile, columns};

use crate::key_table::KeyTable;
use crate::{Error, IndexInput, Match, Result, Tags};

/// Looks into every file that `candidate` does not rule out by its footer; files are read side by side.
///
/// Without `candidate` no footer is asked.
pub(crate) async fn tag(input: &IndexInput<'_>, candidate: Option<Candidate>) -> Result<Tags> {
    let table = KeyTable::try_new(input.keys)?;
    let searches: Vec<_> = (0..)
        .zip(input.files)
        .map(|(at, file)| search(input, at, file, &table, candidate))
        .collect();
    let limit = input.env.limits.io_concurrency.max(1);
    let mut files = stream::iter(searches).buffer_unordered(limit);
    let mut matches = BTreeSet::new();
    let mut files_read = 0;
    while let Some(found) = files.try_next().await? {
        let Some((file, firsts)) = found else {
            continue;
        };
        files_read += 1;
        for (batch, row) in firsts
            .into_iter()
            .flat_map(|first| table.occurrences(first))
        {
            let position = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
            matches.insert(Match {
                file,
                batch: position(batch),
                row: position(row),
            });
        }
    }
    Ok(Tags::new(matches, files_read))
}

/// Whether a file may hold one of the keys, by its footer alone.
pub(crate) type Candidate = fn(&KeyTable<'_>, &BaseFileFooter) -> bool;

/// The file's position and what it holds; `None` when the file is ruled out.
async fn search(
    input: &IndexInput<'_>,
    at: usize,
    file: &BaseFile,
    table: &KeyTable<'_>,
    candidate: Option<Candidate>,
) -> Result<Option<(usize, BTreeSet<(u32, u32)>)>> {
    let path = file.path();
    let failed = |source| Error::BaseFile {
        path: path.clone(),
        source: Box::new(source),
    };
    let mut opened = None;
    if let Some(candidate) = candidate {
        let footer = if let Some(footer) = input.footers.get(&path) {
            footer
        } else {
            let reader = BaseFileReader::open(input.storage, file)
                .await
                .map_err(failed)?;
            let footer = Arc::new(reader.footer().map_err(failed)?);
            input.footers.put(&path, Arc::clone(&footer));
            opened = Some(reader);
            footer
        };
        if !candidate(table, &footer) {
            return Ok(None);
        }
    }
    let reader = match opened {
        Some(reader) => reader,
        None => BaseFileReader::open(input.storage, file)
            .await
            .map_err(failed)?,
    };
    Ok(Some((at, found_in(table, &reader).await?)))
}

/// First occurrences of the keys that a file holds.
async fn found_in(table: &KeyTable<'_>, reader: &BaseFileReader) -> Result<BTreeSet<(u32, u32)>> {
    let path = reader.path();
    let failed = |source| Error::BaseFile {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let key = Field::new(columns::RECORD_KEY, DataType::Utf8, true);
    let options = ReadOptions::new(Arc::new(Schema::new(vec![key])));
    let mut batches = reader.read(&options).map_err(failed)?;
    let mut found = BTreeSet::new();
    let mut row = 0;
    while let Some(batch) = batches.try_next().await.map_err(failed)? {
        let keys = batch
            .columns()
            .first()
            .and_then(|column| column.as_string_opt::<i32>());
        let keys = keys.ok_or_else(|| Error::Internal {
            path: path.to_owned(),
        })?;
        for key in keys {
            let key = key.ok_or_else(|| Error::NoKey {
                path: path.to_owned(),
                row,
            })?;
            found.extend(table.find(key));
            row += 1;
        }
        debug_assert_eq!(keys.len(), batch.num_rows());
    }
    Ok(found)
}
