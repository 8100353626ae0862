//! Rows grouped by a key, in memory as long as they fit and in local files beyond that.
//!
//! Appending keeps the order of the rows of a key. When the buffered rows outgrow the budget, the largest groups are
//! written to files (Arrow IPC) in a folder that goes away with the map. What is taken out is a description of rows,
//! not the rows: it can be cut by number and read piece by piece, by several tasks at once.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use tempfile::TempDir;

use crate::{Error, Result};

/// Groups of rows with one budget.
#[derive(Debug)]
pub(crate) struct SpillMap<K> {
    schema: SchemaRef,
    budget_bytes: u64,
    buffered_bytes: u64,
    spilled_bytes: u64,
    parent: Option<PathBuf>,
    folder: Option<Arc<TempDir>>,
    file_count: u64,
    groups: BTreeMap<K, Group>,
}

#[derive(Debug, Default)]
struct Group {
    rows: Rows,
    buffer: Vec<RecordBatch>,
    buffered_bytes: u64,
}

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
struct SpillFile {
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
const FILE_BATCH_ROWS: usize = 8192;

impl<K: Ord + Clone> SpillMap<K> {
    /// An empty map for rows of `schema` that buffers `budget_bytes` and spills below `parent`, or below the system's
    /// folder for temporary files.
    pub(crate) fn new(schema: SchemaRef, budget_bytes: u64, parent: Option<PathBuf>) -> Self {
        Self {
            schema,
            budget_bytes,
            buffered_bytes: 0,
            spilled_bytes: 0,
            parent,
            folder: None,
            file_count: 0,
            groups: BTreeMap::new(),
        }
    }

    /// Adds rows to the group of `key`, after those added before.
    pub(crate) fn append(&mut self, key: &K, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let bytes = batch_bytes(&batch);
        let group = match self.groups.get_mut(key) {
            Some(group) => group,
            None => self.groups.entry(key.clone()).or_default(),
        };
        group.rows.row_count += batch.num_rows() as u64;
        group.rows.bytes += bytes;
        group.buffered_bytes += bytes;
        group.buffer.push(batch);
        self.buffered_bytes += bytes;
        if self.buffered_bytes > self.budget_bytes {
            self.spill_until(self.budget_bytes / 2)?;
        }
        Ok(())
    }

    /// The keys, sorted.
    pub(crate) fn keys(&self) -> Vec<K> {
        self.groups.keys().cloned().collect()
    }

    /// Takes the rows of `key` out; nothing when there is no such group.
    pub(crate) fn take(&mut self, key: &K) -> Rows {
        let Some(mut group) = self.groups.remove(key) else {
            return Rows::default();
        };
        self.buffered_bytes -= group.buffered_bytes;
        group
            .rows
            .pieces
            .extend(group.buffer.into_iter().map(Piece::Memory));
        group.rows
    }

    /// Bytes written to files so far.
    pub(crate) fn spilled_bytes(&self) -> u64 {
        self.spilled_bytes
    }

    /// Writes the largest buffers to files until at most `target_bytes` are buffered.
    fn spill_until(&mut self, target_bytes: u64) -> Result<()> {
        let mut by_size: Vec<(u64, K)> = self
            .groups
            .iter()
            .filter(|(_, group)| group.buffered_bytes > 0)
            .map(|(key, group)| (group.buffered_bytes, key.clone()))
            .collect();
        by_size.sort_by(|(left, left_key), (right, right_key)| {
            right.cmp(left).then_with(|| left_key.cmp(right_key))
        });
        for (_, key) in by_size {
            if self.buffered_bytes <= target_bytes {
                break;
            }
            self.spill(&key)?;
        }
        Ok(())
    }

    fn spill(&mut self, key: &K) -> Result<()> {
        let path = self.next_path()?;
        let Some(group) = self.groups.get_mut(key) else {
            return Ok(());
        };
        let buffer = std::mem::take(&mut group.buffer);
        let take = buffer.iter().map(|batch| batch.num_rows() as u64).sum();
        let written = write_file(&path.path, &self.schema, &buffer)?;
        group.rows.pieces.push_back(Piece::File {
            file: Arc::new(path),
            skip: 0,
            take,
        });
        self.buffered_bytes -= std::mem::take(&mut group.buffered_bytes);
        self.spilled_bytes += written;
        Ok(())
    }

    fn next_path(&mut self) -> Result<SpillFile> {
        let folder = if let Some(folder) = &self.folder {
            Arc::clone(folder)
        } else {
            let folder = Arc::new(new_folder(self.parent.as_ref())?);
            Arc::clone(self.folder.insert(folder))
        };
        self.file_count += 1;
        let path = folder.path().join(format!("{}.arrow", self.file_count));
        Ok(SpillFile {
            path,
            _folder: folder,
        })
    }
}

impl Rows {
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

/// Bytes of the rows of `batch`, not of the buffers it may share with others.
pub(crate) fn batch_bytes(batch: &RecordBatch) -> u64 {
    let bytes_of = |column: &Arc<dyn Array>| {
        column
            .to_data()
            .get_slice_memory_size()
            .unwrap_or_else(|_| column.get_array_memory_size())
    };
    batch
        .columns()
        .iter()
        .map(|column| bytes_of(column) as u64)
        .sum()
}

fn share(bytes: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(bytes) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(bytes).min(bytes)
}

fn new_folder(parent: Option<&PathBuf>) -> Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("oxlake-spill-");
    match parent {
        Some(parent) => builder
            .tempdir_in(parent)
            .map_err(|source| spill_error(parent, source)),
        None => builder
            .tempdir()
            .map_err(|source| spill_error(&std::env::temp_dir(), source)),
    }
}

/// Writes `batches` cut anew into batches of [`FILE_BATCH_ROWS`] rows.
fn write_file(path: &PathBuf, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<u64> {
    let file = File::create_new(path).map_err(|source| spill_error(path, source))?;
    let mut writer = FileWriter::try_new(BufWriter::new(file), schema)?;
    let mut pending: Vec<RecordBatch> = Vec::new();
    let mut pending_rows = 0;
    for batch in batches {
        let mut at = 0;
        while at < batch.num_rows() {
            let count = (FILE_BATCH_ROWS - pending_rows).min(batch.num_rows() - at);
            pending.push(batch.slice(at, count));
            pending_rows += count;
            at += count;
            if pending_rows == FILE_BATCH_ROWS {
                writer.write(&concat_batches(schema, &pending)?)?;
                pending.clear();
                pending_rows = 0;
            }
        }
    }
    if pending_rows > 0 {
        writer.write(&concat_batches(schema, &pending)?)?;
    }
    writer.finish()?;
    drop(writer);
    let length = std::fs::metadata(path)
        .map_err(|source| spill_error(path, source))?
        .len();
    Ok(length)
}

fn spill_error(path: &std::path::Path, source: std::io::Error) -> Error {
    Error::Spill {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::{DataType, Field, Int64Type, Schema};
    use proptest::prelude::*;

    const ROWS: i64 = FILE_BATCH_ROWS.cast_signed() as i64;

    fn batch(values: Vec<i64>) -> RecordBatch {
        let schema = Schema::new(vec![Field::new("v", DataType::Int64, false)]);
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(Int64Array::from(values))]).unwrap()
    }

    fn values(rows: Rows) -> Vec<i64> {
        rows.into_batches()
            .flat_map(|batch| {
                batch
                    .unwrap()
                    .column(0)
                    .as_primitive::<Int64Type>()
                    .values()
                    .to_vec()
            })
            .collect()
    }

    #[test]
    fn a_long_group_is_cut_across_file_batches() {
        let count = 3 * ROWS + 17;
        let mut map = SpillMap::new(batch(vec![]).schema(), 1000, None);
        for start in (0..count).step_by(1000) {
            map.append(&0, batch((start..count.min(start + 1000)).collect()))
                .unwrap();
        }
        assert!(map.spilled_bytes() > 0);
        let mut rows = map.take(&0);
        assert_eq!(rows.row_count(), count.cast_unsigned());
        let front = rows.split_front(ROWS.cast_unsigned() + 5);
        assert_eq!(values(front), (0..ROWS + 5).collect::<Vec<_>>());
        assert_eq!(values(rows), (ROWS + 5..count).collect::<Vec<_>>());
    }

    #[test]
    fn files_go_when_the_rows_are_read() {
        let parent = tempfile::tempdir().unwrap();
        let mut map = SpillMap::new(batch(vec![]).schema(), 0, Some(parent.path().to_owned()));
        map.append(&1, batch(vec![1, 2])).unwrap();
        let files = || {
            let folder = std::fs::read_dir(parent.path())
                .unwrap()
                .next()?
                .unwrap()
                .path();
            Some(std::fs::read_dir(folder).unwrap().count())
        };
        assert_eq!(files(), Some(1));
        let rows = map.take(&1);
        assert_eq!(values(rows), [1, 2]);
        assert_eq!(files(), Some(0));
        drop(map);
        assert_eq!(files(), None);
    }

    proptest! {
        #[test]
        fn groups_keep_their_rows_in_order(
            appends in prop::collection::vec((0u8..4, 0i64..40), 0..40),
            budget in 0u64..2000,
            cuts in prop::collection::vec(0u64..60, 0..6),
        ) {
            let mut map = SpillMap::new(batch(vec![]).schema(), budget, None);
            let mut expected: BTreeMap<u8, Vec<i64>> = BTreeMap::new();
            let mut next = 0;
            for (key, count) in appends {
                let rows: Vec<i64> = (next..next + count).collect();
                next += count;
                if count > 0 {
                    expected.entry(key).or_default().extend(&rows);
                }
                map.append(&key, batch(rows)).unwrap();
            }
            prop_assert_eq!(map.keys(), expected.keys().copied().collect::<Vec<_>>());
            for (key, wanted) in expected {
                let mut rows = map.take(&key);
                prop_assert_eq!(rows.row_count(), wanted.len() as u64);
                let mut found = Vec::new();
                for cut in &cuts {
                    let front = rows.split_front(*cut);
                    prop_assert!(front.row_count() <= *cut);
                    found.extend(values(front));
                }
                found.extend(values(rows));
                prop_assert_eq!(found, wanted);
            }
            prop_assert_eq!(map.buffered_bytes, 0);
        }
    }
}
