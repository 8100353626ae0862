//! One row for each key, over any number of batches.

use std::hash::{BuildHasher, Hasher};

use arrow::array::{Array, BooleanArray, RecordBatch, StringArray, UInt32Array};
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, Result};
use crate::merger::Merger;
use crate::ordering::OrderingValues;

/// Finds the surviving row of each (partition, key) over the batches pushed, in the order pushed.
///
/// Holds keys and ordering values, not the data: memory is bounded by them.
#[derive(Debug)]
pub struct Deduplicator<'a> {
    merger: &'a Merger,
    chunks: Vec<Chunk>,
    /// Winners so far, found by the bytes of their keys.
    winners: HashTable<Position>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug)]
struct Chunk {
    keys: StringArray,
    partitions: Option<StringArray>,
    ordering: OrderingValues,
    deletes: Option<BooleanArray>,
}

#[derive(Debug, Clone, Copy)]
struct Position {
    chunk: u32,
    row: u32,
}

impl<'a> Deduplicator<'a> {
    /// Nothing pushed yet.
    pub fn new(merger: &'a Merger) -> Self {
        Self {
            merger,
            chunks: Vec::new(),
            winners: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Adds a batch that comes after those before it.
    ///
    /// # Errors
    ///
    /// [`Error::NullKey`] and [`Error::Length`] for keys that do not fit the batch; the batch is then
    /// not added.
    pub fn push(
        &mut self,
        batch: &RecordBatch,
        keys: &StringArray,
        partitions: Option<&StringArray>,
    ) -> Result<()> {
        let rows = batch.num_rows();
        check_length("the key column", keys.len(), rows)?;
        if let Some(partitions) = partitions {
            check_length("the partition column", partitions.len(), rows)?;
        }
        if let Some(row) = (0..rows).find(|row| keys.is_null(*row)) {
            return Err(Error::NullKey { row });
        }
        let chunk = u32::try_from(self.chunks.len()).map_err(|_| Error::TooManyRows)?;
        let rows = u32::try_from(rows).map_err(|_| Error::TooManyRows)?;
        self.chunks.push(Chunk {
            keys: keys.clone(),
            partitions: partitions.cloned(),
            ordering: self.merger.ordering(batch)?,
            deletes: self.merger.deletes(batch)?,
        });
        self.winners
            .reserve(rows as usize, |at| hash(&self.hasher, &self.chunks, *at));
        for row in 0..rows {
            self.add(Position { chunk, row });
        }
        Ok(())
    }

    /// The surviving rows of each batch pushed, ascending.
    pub fn finish(self) -> Vec<UInt32Array> {
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); self.chunks.len()];
        for at in self.winners {
            if let Some(list) = rows.get_mut(at.chunk as usize) {
                list.push(at.row);
            }
        }
        rows.into_iter()
            .map(|mut list| {
                list.sort_unstable();
                UInt32Array::from(list)
            })
            .collect()
    }

    fn add(&mut self, new: Position) {
        let (chunks, hasher) = (&self.chunks, &self.hasher);
        let found = self.winners.find_mut(hash(hasher, chunks, new), |old| {
            key(chunks, *old) == key(chunks, new)
        });
        match found {
            Some(old) => {
                if let (Some(before), Some(after)) = (row(chunks, *old), row(chunks, new))
                    && Merger::replaces(before, after)
                {
                    *old = new;
                }
            }
            None => {
                self.winners
                    .insert_unique(hash(hasher, chunks, new), new, |at| {
                        hash(hasher, chunks, *at)
                    });
            }
        }
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        Err(Error::Length {
            what,
            expected,
            found,
        })
    }
}

fn key(chunks: &[Chunk], at: Position) -> (&str, &str) {
    let Some(chunk) = chunks.get(at.chunk as usize) else {
        return ("", "");
    };
    let partition = chunk
        .partitions
        .as_ref()
        .map_or("", |paths| paths.value(at.row as usize));
    (chunk.keys.value(at.row as usize), partition)
}

fn hash(hasher: &DefaultHashBuilder, chunks: &[Chunk], at: Position) -> u64 {
    let (key, partition) = key(chunks, at);
    let mut state = hasher.build_hasher();
    state.write(key.as_bytes());
    state.write_u8(0xff);
    state.write(partition.as_bytes());
    state.finish()
}

fn row(chunks: &[Chunk], at: Position) -> Option<(&OrderingValues, usize, bool)> {
    let chunk = chunks.get(at.chunk as usize)?;
    let row = at.row as usize;
    let deletes = chunk.deletes.as_ref().is_some_and(|set| set.value(row));
    Some((&chunk.ordering, row, deletes))
}
