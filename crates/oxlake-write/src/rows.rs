//! Rows described, not held: pieces in memory and parts of files, in order.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use tempfile::TempDir;

use crate::{Error, Result};

/// Rows of one group, in order. Cheap to cut; reading is what costs.
#[derive(Debug, Default, Clone)]
pub(crate) struct Rows {
    pieces: VecDeque<Piece>,
    row_count: u64,
    bytes: u64,
}

#[derive(Debug, Clone)]
enum Piece {
    Memory(RecordBatch),
    File {
        file: Arc<SpillFile>,
        skip: u64,
        take: u64,
    },
}

/// A file of one run of rows; deleted when nobody reads it any more.
#[derive(Debug)]
pub(crate) struct SpillFile {
    path: PathBuf,
    _folder: Arc<TempDir>,
}

impl Drop for SpillFile {
    fn drop(&mut self) {
        // The folder is removed as a whole later; a file that stays until then does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Rows of a file are written in batches of this many, so that reading one batch takes little memory.
pub(crate) const FILE_BATCH_ROWS: usize = 8192;

impl Rows {
    /// Adds rows in memory that take `bytes`.
    pub(crate) fn push_batch(&mut self, batch: RecordBatch, bytes: u64) {
        self.row_count += batch.num_rows() as u64;
        self.bytes += bytes;
        self.pieces.push_back(Piece::Memory(batch));
    }

    /// Adds all rows of a file, which took `bytes` in memory.
    pub(crate) fn push_file(&mut self, file: SpillFile, row_count: u64, bytes: u64) {
        self.row_count += row_count;
        self.bytes += bytes;
        self.pieces.push_back(Piece::File {
            file: Arc::new(file),
            skip: 0,
            take: row_count,
        });
    }

    /// Number of rows.
    pub(crate) fn row_count(&self) -> u64 {
        self.row_count
    }

    /// About how many bytes the rows take in memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Cuts off the first `count` rows.
    pub(crate) fn split_front(&mut self, count: u64) -> Self {
        let mut front = Self::default();
        while front.row_count < count {
            let Some(mut piece) = self.pieces.pop_front() else {
                break;
            };
            let wanted = count - front.row_count;
            if piece.row_count() > wanted {
                let head = piece.split_front(wanted);
                self.pieces.push_front(piece);
                piece = head;
            }
            front.row_count += piece.row_count();
            front.pieces.push_back(piece);
        }
        front.bytes = share(self.bytes, front.row_count, self.row_count);
        self.bytes -= front.bytes;
        self.row_count -= front.row_count;
        front
    }

    /// Reads the rows, batch by batch.
    pub(crate) fn into_batches(self) -> Batches {
        Batches {
            pieces: self.pieces,
            open: None,
        }
    }
}

impl Piece {
    fn row_count(&self) -> u64 {
        match self {
            Self::Memory(batch) => batch.num_rows() as u64,
            Self::File { take, .. } => *take,
        }
    }

    fn split_front(&mut self, count: u64) -> Self {
        match self {
            Self::Memory(batch) => {
                let at = usize::try_from(count)
                    .unwrap_or(usize::MAX)
                    .min(batch.num_rows());
                let head = batch.slice(0, at);
                *batch = batch.slice(at, batch.num_rows() - at);
                Self::Memory(head)
            }
            Self::File { file, skip, take } => {
                let head = Self::File {
                    file: Arc::clone(file),
                    skip: *skip,
                    take: count,
                };
                *skip += count;
                *take -= count;
                head
            }
        }
    }
}

/// The batches of [`Rows`].
#[derive(Debug)]
pub(crate) struct Batches {
    pieces: VecDeque<Piece>,
    open: Option<OpenFile>,
}

struct OpenFile {
    reader: FileReader<BufReader<File>>,
    skip: u64,
    take: u64,
    file: Arc<SpillFile>,
}

impl std::fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenFile")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(open) = &mut self.open {
                match open.next() {
                    Some(batch) => return Some(batch),
                    None => self.open = None,
                }
            }
            match self.pieces.pop_front()? {
                Piece::Memory(batch) => return Some(Ok(batch)),
                Piece::File { file, skip, take } => match OpenFile::open(file, skip, take) {
                    Ok(open) => self.open = Some(open),
                    Err(failure) => return Some(Err(failure)),
                },
            }
        }
    }
}

impl OpenFile {
    fn open(file: Arc<SpillFile>, skip: u64, take: u64) -> Result<Self> {
        let source = File::open(&file.path).map_err(|source| spill_error(&file.path, source))?;
        let mut reader = FileReader::try_new(BufReader::new(source), None)?;
        // All batches but the last one of a file have the same number of rows.
        let whole = skip / FILE_BATCH_ROWS as u64;
        reader.set_index(usize::try_from(whole).unwrap_or(usize::MAX))?;
        Ok(Self {
            reader,
            skip: skip % FILE_BATCH_ROWS as u64,
            take,
            file,
        })
    }

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.take == 0 {
            return None;
        }
        let batch = match self.reader.next()? {
            Ok(batch) => batch,
            Err(failure) => return Some(Err(failure.into())),
        };
        let skip = usize::try_from(std::mem::take(&mut self.skip)).unwrap_or(usize::MAX);
        let rest = batch.num_rows().saturating_sub(skip);
        let count = usize::try_from(self.take).unwrap_or(usize::MAX).min(rest);
        self.take -= count as u64;
        Some(Ok(batch.slice(skip, count)))
    }
}

fn share(bytes: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(bytes) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(bytes).min(bytes)
}

impl SpillFile {
    /// Writes `batches` into a new file of `folder`; also answers its length.
    pub(crate) fn write(
        folder: Arc<TempDir>,
        name: &str,
        schema: &SchemaRef,
        batches: &[RecordBatch],
    ) -> Result<(Self, u64)> {
        let path = folder.path().join(name);
        let failed = |source| spill_error(&path, source);
        let target = BufWriter::new(File::create_new(&path).map_err(failed)?);
        let mut writer = FileWriter::try_new(target, schema)?;
        for batch in recut(batches) {
            writer.write(&concat_batches(schema, &batch)?)?;
        }
        writer.finish()?;
        drop(writer);
        let length = std::fs::metadata(&path).map_err(failed)?.len();
        Ok((
            Self {
                path,
                _folder: folder,
            },
            length,
        ))
    }
}

/// The same rows in groups of [`FILE_BATCH_ROWS`], the last one with the rest.
fn recut(batches: &[RecordBatch]) -> Vec<Vec<RecordBatch>> {
    let (mut groups, mut group, mut rows) = (Vec::new(), Vec::new(), 0);
    for batch in batches {
        let mut at = 0;
        while at < batch.num_rows() {
            let count = (FILE_BATCH_ROWS - rows).min(batch.num_rows() - at);
            group.push(batch.slice(at, count));
            (rows, at) = (rows + count, at + count);
            if rows == FILE_BATCH_ROWS {
                groups.push(std::mem::take(&mut group));
                rows = 0;
            }
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

pub(crate) fn spill_error(path: &Path, source: std::io::Error) -> Error {
    Error::Spill {
        path: path.to_owned(),
        source,
    }
}
