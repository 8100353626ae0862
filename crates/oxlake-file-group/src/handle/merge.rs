//! Incoming records into the next version of a base file.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanBufferBuilder, RecordBatch, StringArray, StringBuilder,
    UInt32Array, new_empty_array,
};
use arrow::compute::{interleave, take};
use futures::TryStreamExt;
use oxlake_merge::OrderingValues;
use oxlake_model::{BaseFile, META_COLUMNS, columns};
use oxlake_table::IoType;

use super::context::HandleContext;
use super::create::record_keys;
use super::incoming::{At, Chunk, IncomingRecords};
use super::output::OutputFile;
use super::stamp::Stamp;
use super::status::{Counts, WriteStatus};
use crate::base::{BaseFileReader, BatchStream, ReadOptions};
use crate::error::{Error, Result};

const APPEND_ROWS: usize = 8_192;

/// Writes the next version of a base file: every stored row is kept, replaced or removed (copy on write).
///
/// * A stored row whose key is incoming: the winner by the table's merge rule. Every copy of the key in
///   the file is treated so. An incoming delete that wins removes it.
/// * Other stored rows keep their commit time and sequence number.
/// * Incoming rows whose key is not stored are appended in their order; such deletes are dropped.
///
/// The file is written even when no row is left: the older version would otherwise come back to light. The
/// JVM does the same (golden tables `v9_overwrites_cow`, `v6_upgrade_0_cow`).
#[derive(Debug)]
pub struct MergeHandle {
    context: HandleContext,
    task_id: u32,
    base: BaseFile,
}

impl MergeHandle {
    /// A handle for the latest base file of a group. No two handles of one write may have the same
    /// `task_id`.
    pub fn new(context: &HandleContext, task_id: u32, base: BaseFile) -> Self {
        Self {
            context: context.clone(),
            task_id,
            base,
        }
    }

    /// Merges, and completes the new file.
    ///
    /// # Errors
    ///
    /// Those of reading the old file, before the new one is begun where they show in its footer; those of
    /// storage. On error nothing is visible.
    pub async fn run(self, incoming: IncomingRecords) -> Result<WriteStatus> {
        let mut merge = Merge::begin(&self, incoming)?;
        let file_name = merge.name();
        let mut stored = stored_rows(&self.context, &self.base, &file_name).await?;
        let name = OutputFile::name(&self.context, self.task_id, self.base.name.file_id.clone());
        let mut file =
            OutputFile::open(&self.context, &self.base.partition, name, IoType::Merge).await?;
        match merge.write(&mut stored, &mut file).await {
            Ok(()) => {
                file.close(&self.context, Some(&self.base), merge.counts)
                    .await
            }
            Err(error) => {
                // The first error is the one to report; what abort leaves behind has its marker.
                let _ = file.writer.abort().await;
                Err(error)
            }
        }
    }
}

/// All rows of a base file in the schema of this write, under the name of the new file.
pub(super) async fn stored_rows(
    context: &HandleContext,
    base: &BaseFile,
    file_name: &str,
) -> Result<BatchStream> {
    let reader = BaseFileReader::open(&context.storage, base).await?;
    let options = ReadOptions::new(Arc::clone(context.schema.arrow()))
        .with_constant(columns::FILE_NAME, Some(file_name.to_owned()));
    reader.read(&options)
}

/// A merge under way.
struct Merge<'a> {
    handle: &'a MergeHandle,
    incoming: IncomingRecords,
    /// Incoming records whose key is stored, a bit for each row of each chunk.
    matched: Vec<BooleanBufferBuilder>,
    stamp: Stamp,
    counts: Counts,
    written: u64,
}

/// What becomes of the rows of one stored batch.
struct Outcome {
    /// For each row of the output: source (0 the stored batch, n the chunk n-1) and row.
    picks: Vec<(usize, usize)>,
    /// Whether anything was replaced or removed.
    changed: bool,
}

impl<'a> Merge<'a> {
    fn begin(handle: &'a MergeHandle, incoming: IncomingRecords) -> Result<Self> {
        let matched = incoming.chunks.iter().map(|chunk| {
            let mut bits = BooleanBufferBuilder::new(chunk.keys.len());
            bits.append_n(chunk.keys.len(), false);
            bits
        });
        let context = &handle.context;
        let file_id = handle.base.name.file_id.clone();
        let file_name = OutputFile::name(context, handle.task_id, file_id).print();
        if handle.base.name.instant == context.instant {
            let detail = format!("file '{file_name}' would replace a file of its own instant");
            return Err(Error::internal(detail));
        }
        let partition = handle.base.partition.as_str();
        Ok(Self {
            matched: matched.collect(),
            stamp: Stamp::new(context, handle.task_id, partition, &file_name),
            incoming,
            handle,
            counts: Counts::default(),
            written: 0,
        })
    }

    fn name(&self) -> String {
        let file_id = self.handle.base.name.file_id.clone();
        OutputFile::name(&self.handle.context, self.handle.task_id, file_id).print()
    }

    async fn write(&mut self, stored: &mut BatchStream, file: &mut OutputFile) -> Result<()> {
        while let Some(batch) = stored.try_next().await? {
            if let Some(merged) = self.merge(&batch)? {
                self.written += merged.num_rows() as u64;
                file.writer.write(&merged).await?;
            }
        }
        for chunk in 0..self.incoming.chunks.len() {
            for rows in self.new_rows(chunk).chunks(APPEND_ROWS) {
                let appended = self.appended(chunk, rows)?;
                self.written += appended.num_rows() as u64;
                self.counts.inserts += appended.num_rows() as u64;
                file.writer.write(&appended).await?;
            }
        }
        Ok(())
    }

    /// The rows that take the place of a stored batch; `None` when all are removed.
    fn merge(&mut self, batch: &RecordBatch) -> Result<Option<RecordBatch>> {
        let outcome = self.decide(batch)?;
        if !outcome.changed {
            return Ok(Some(batch.clone()));
        }
        if outcome.picks.is_empty() {
            return Ok(None);
        }
        let [times, seqnos] = self.new_meta(batch, &outcome.picks)?;
        let rows = outcome.picks.len();
        let mut merged = Vec::with_capacity(batch.num_columns());
        for (index, stored) in batch.columns().iter().enumerate() {
            merged.push(match index {
                0 => Arc::clone(&times),
                1 => Arc::clone(&seqnos),
                2 => self.keys(stored, &outcome.picks)?,
                // Partition and file name are the same in all rows.
                3 | 4 => stored.slice(0, rows),
                _ => self.data(index - META_COLUMNS.len(), stored, &outcome.picks)?,
            });
        }
        RecordBatch::try_new(batch.schema(), merged)
            .map(Some)
            .map_err(|error| Error::internal(format!("merging a batch: {error}")))
    }

    fn decide(&mut self, batch: &RecordBatch) -> Result<Outcome> {
        let keys = record_keys(batch)
            .filter(|keys| keys.null_count() == 0)
            .ok_or_else(|| Error::Value {
                path: self.handle.base.path(),
                column: columns::RECORD_KEY.to_owned(),
                detail: "null record keys: the table was written without meta fields".to_owned(),
            })?;
        let mut outcome = Outcome {
            picks: Vec::with_capacity(keys.len()),
            changed: false,
        };
        let mut ordering: Option<OrderingValues> = None;
        for row in 0..keys.len() {
            let Some(at) = self.incoming.find(keys.value(row)) else {
                outcome.picks.push((0, row));
                continue;
            };
            let (source, incoming_row) = (at.chunk as usize, at.row as usize);
            if let Some(bits) = self.matched.get_mut(source) {
                bits.set_bit(incoming_row, true);
            }
            let merger = &self.handle.context.merger;
            let stored = match &ordering {
                Some(stored) => stored,
                None => ordering.insert(merger.ordering(batch)?),
            };
            let chunk = self.chunk(at)?;
            let is_delete = chunk.is_delete(incoming_row);
            let wins = chunk.ordering.as_ref().is_none_or(|incoming| {
                merger.wins((stored, row), (incoming, incoming_row), is_delete)
            });
            if !wins {
                outcome.picks.push((0, row));
            } else if is_delete {
                outcome.changed = true;
                self.counts.deletes += 1;
            } else {
                outcome.picks.push((source + 1, incoming_row));
                outcome.changed = true;
                self.counts.updates += 1;
            }
        }
        Ok(outcome)
    }

    fn chunk(&self, at: At) -> Result<&Chunk> {
        self.incoming
            .chunks
            .get(at.chunk as usize)
            .ok_or_else(|| Error::internal("an incoming record without its chunk"))
    }

    /// Commit times and sequence numbers: those of stored rows are kept.
    fn new_meta(&mut self, batch: &RecordBatch, picks: &[(usize, usize)]) -> Result<[ArrayRef; 2]> {
        let stored = |index: usize| {
            let column = batch
                .columns()
                .get(index)
                .and_then(|c| c.as_string_opt::<i32>());
            column.ok_or_else(|| Error::internal("meta columns that are not texts"))
        };
        let (old_times, old_seqnos): (&StringArray, &StringArray) = (stored(0)?, stored(1)?);
        let mut times = StringBuilder::with_capacity(picks.len(), picks.len() * 17);
        let mut seqnos = StringBuilder::with_capacity(picks.len(), picks.len() * 28);
        for (index, (source, row)) in (self.written..).zip(picks) {
            if *source == 0 {
                times.append_option(text_at(old_times, *row));
                seqnos.append_option(text_at(old_seqnos, *row));
            } else {
                times.append_value(self.stamp.instant());
                seqnos.append_value(self.stamp.seqno(index));
            }
        }
        Ok([Arc::new(times.finish()), Arc::new(seqnos.finish())])
    }

    fn keys(&self, stored: &ArrayRef, picks: &[(usize, usize)]) -> Result<ArrayRef> {
        let keys = self
            .incoming
            .chunks
            .iter()
            .map(|chunk| &chunk.keys as &dyn Array);
        let sources: Vec<&dyn Array> = std::iter::once(&**stored as &dyn Array)
            .chain(keys)
            .collect();
        interleaved(&sources, picks)
    }

    /// A data column of the output, from the stored batch and the chunks.
    fn data(&self, index: usize, stored: &ArrayRef, picks: &[(usize, usize)]) -> Result<ArrayRef> {
        // Chunks of bare deletes are never picked; an empty column keeps their number.
        let nothing = new_empty_array(stored.data_type());
        let chunks = self.incoming.chunks.iter().map(|chunk| {
            let column = chunk
                .columns
                .as_ref()
                .and_then(|columns| columns.get(index));
            column.unwrap_or(&nothing).as_ref()
        });
        let sources: Vec<&dyn Array> = std::iter::once(&**stored as &dyn Array)
            .chain(chunks)
            .collect();
        interleaved(&sources, picks)
    }

    /// The rows of a chunk that are new to the file.
    fn new_rows(&self, chunk: usize) -> Vec<u32> {
        let (Some(rows), Some(matched)) =
            (self.incoming.chunks.get(chunk), self.matched.get(chunk))
        else {
            return Vec::new();
        };
        (0..rows.keys.len())
            .filter(|row| !matched.get_bit(*row) && !rows.is_delete(*row))
            .filter_map(|row| u32::try_from(row).ok())
            .collect()
    }

    fn appended(&mut self, chunk: usize, rows: &[u32]) -> Result<RecordBatch> {
        let chunk = self
            .incoming
            .chunks
            .get(chunk)
            .ok_or_else(|| Error::internal("new rows without their chunk"))?;
        let indices = UInt32Array::from(rows.to_vec());
        let taken = |column: &dyn Array| {
            take(column, &indices, None)
                .map_err(|error| Error::internal(format!("taking new rows: {error}")))
        };
        let keys = taken(&chunk.keys)?;
        let mut all: Vec<ArrayRef> = self
            .stamp
            .new_rows(keys.as_string::<i32>(), self.written)
            .into();
        for column in chunk.columns.iter().flatten() {
            all.push(taken(column)?);
        }
        RecordBatch::try_new(Arc::clone(self.handle.context.schema.arrow()), all)
            .map_err(|error| Error::internal(format!("appending new rows: {error}")))
    }
}

fn text_at(texts: &StringArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row))
}

fn interleaved(sources: &[&dyn Array], picks: &[(usize, usize)]) -> Result<ArrayRef> {
    interleave(sources, picks).map_err(|error| Error::internal(format!("merging rows: {error}")))
}
