//! Rows grouped by a key, in memory as long as they fit and in local files beyond that.
//!
//! Appending keeps the order of the rows of a key. When the buffered rows outgrow the budget, the largest groups are
//! written to files (Arrow IPC) in a folder that goes away with the map. What is taken out is a description of rows,
//! not the rows: it can be cut by number and read piece by piece, by several tasks at once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::SchemaRef;
use tempfile::TempDir;

use crate::Result;
use crate::rows::{Rows, SpillFile, spill_error};

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
        for batch in group.buffer {
            let bytes = batch_bytes(&batch);
            group.rows.push_batch(batch, bytes);
        }
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
        let folder = self.folder()?;
        let Some(group) = self.groups.get_mut(key) else {
            return Ok(());
        };
        self.file_count += 1;
        let name = format!("{}.arrow", self.file_count);
        let buffer = std::mem::take(&mut group.buffer);
        let (file, written_bytes) = SpillFile::write(folder, &name, &self.schema, &buffer)?;
        let row_count = buffer.iter().map(|batch| batch.num_rows() as u64).sum();
        let buffered_bytes = std::mem::take(&mut group.buffered_bytes);
        group.rows.push_file(file, row_count, buffered_bytes);
        self.buffered_bytes -= buffered_bytes;
        self.spilled_bytes += written_bytes;
        Ok(())
    }

    /// The folder of the files, made when the first one is needed.
    fn folder(&mut self) -> Result<Arc<TempDir>> {
        if let Some(folder) = &self.folder {
            return Ok(Arc::clone(folder));
        }
        let folder = Arc::new(new_folder(self.parent.as_ref())?);
        Ok(Arc::clone(self.folder.insert(folder)))
    }
}

/// Bytes of the rows of `batch`, not of the buffers it may share with others.
fn batch_bytes(batch: &RecordBatch) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::FILE_BATCH_ROWS;
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
