//! The incoming records of one merge, found by key.

use std::hash::{BuildHasher, Hasher};

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray};
use hashbrown::{DefaultHashBuilder, HashTable};
use oxlake_merge::OrderingValues;

use super::conform::conform;
use super::context::HandleContext;
use crate::error::{Error, Result};

/// The incoming records of one file group: at most one for each key, rows and deletes.
///
/// The table over the keys holds only where each record lies; keys are not copied.
#[derive(Debug)]
pub struct IncomingRecords {
    context: HandleContext,
    pub(crate) chunks: Vec<Chunk>,
    table: HashTable<At>,
    hasher: DefaultHashBuilder,
}

/// Records that came together.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) keys: StringArray,
    /// The data columns; `None` for deletes by key alone.
    pub(crate) columns: Option<Vec<ArrayRef>>,
    /// `None` for deletes by key alone, which always win.
    pub(crate) ordering: Option<OrderingValues>,
    deletes: Option<BooleanArray>,
}

/// Where an incoming record lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) chunk: u32,
    pub(crate) row: u32,
}

impl Chunk {
    pub(crate) fn is_delete(&self, row: usize) -> bool {
        self.columns.is_none() || self.deletes.as_ref().is_some_and(|set| set.value(row))
    }
}

impl IncomingRecords {
    /// No records yet, for a merge in `context`.
    pub fn new(context: &HandleContext) -> Self {
        Self {
            context: context.clone(),
            chunks: Vec::new(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Adds rows of the table's data columns; those that say so (spec 02 §6.7) are deletes.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] for rows of another schema, [`Error::DuplicateKey`] for a key that came before.
    pub fn push(&mut self, batch: &RecordBatch, keys: &StringArray) -> Result<()> {
        let columns = conform(batch, &self.context.data_schema)?;
        let ordering = self.context.merger.ordering(batch)?;
        let deletes = self.context.merger.deletes(batch)?;
        if keys.len() != batch.num_rows() {
            return Err(Error::Schema {
                detail: "every row needs a record key".to_owned(),
            });
        }
        let (columns, ordering) = (Some(columns), Some(ordering));
        self.add(Chunk {
            keys: keys.clone(),
            columns,
            ordering,
            deletes,
        })
    }

    /// Adds deletes by key alone; they win over any stored row.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateKey`] for a key that came before.
    pub fn push_deletes(&mut self, keys: &StringArray) -> Result<()> {
        self.add(Chunk {
            keys: keys.clone(),
            columns: None,
            ordering: None,
            deletes: None,
        })
    }

    /// The number of records, deletes included.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.keys.len()).sum()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn add(&mut self, chunk: Chunk) -> Result<()> {
        if chunk.keys.null_count() > 0 {
            return Err(Error::Schema {
                detail: "every row needs a record key".to_owned(),
            });
        }
        let too_many = || Error::Schema {
            detail: "too many rows for one merge".to_owned(),
        };
        let index = u32::try_from(self.chunks.len()).map_err(|_| too_many())?;
        let rows = u32::try_from(chunk.keys.len()).map_err(|_| too_many())?;
        self.chunks.push(chunk);
        let Self {
            chunks,
            table,
            hasher,
            ..
        } = self;
        table.reserve(rows as usize, |at| hash(hasher, key_at(chunks, *at)));
        for row in 0..rows {
            let at = At { chunk: index, row };
            let key = key_at(chunks, at);
            let code = hash(hasher, key);
            if table
                .find(code, |other| key_at(chunks, *other) == key)
                .is_some()
            {
                return Err(Error::DuplicateKey {
                    key: key.to_owned(),
                });
            }
            table.insert_unique(code, at, |other| hash(hasher, key_at(chunks, *other)));
        }
        Ok(())
    }

    /// Where the record with `key` lies.
    pub(crate) fn find(&self, key: &str) -> Option<At> {
        let code = hash(&self.hasher, key);
        self.table
            .find(code, |at| key_at(&self.chunks, *at) == key)
            .copied()
    }
}

fn key_at(chunks: &[Chunk], at: At) -> &str {
    chunks
        .get(at.chunk as usize)
        .map_or("", |chunk| chunk.keys.value(at.row as usize))
}

fn hash(hasher: &DefaultHashBuilder, key: &str) -> u64 {
    let mut state = hasher.build_hasher();
    state.write(key.as_bytes());
    state.finish()
}
