//! A hash table over key columns, by position: no key is copied.

use std::hash::{BuildHasher, Hasher};

use arrow::array::{Array, StringArray};
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::{Error, Result};

/// The keys that are looked for.
#[derive(Debug)]
pub(crate) struct KeyTable<'a> {
    keys: &'a [StringArray],
    /// The first occurrence of each key.
    table: HashTable<(u32, u32)>,
    /// Further occurrences of a key, with the first one.
    repeated: Vec<((u32, u32), (u32, u32))>,
    hasher: DefaultHashBuilder,
}

impl<'a> KeyTable<'a> {
    pub(crate) fn try_new(keys: &'a [StringArray]) -> Result<Self> {
        let count = keys.iter().map(Array::len).sum();
        u32::try_from(count).map_err(|_| Error::TooManyKeys { count })?;
        let hasher = DefaultHashBuilder::default();
        let mut table = HashTable::with_capacity(count);
        let mut repeated = Vec::new();
        for (batch, column) in (0_u32..).zip(keys) {
            for (row, key) in (0_u32..).zip(column.iter()) {
                let Some(key) = key else { continue };
                let code = hash(&hasher, key);
                let equal = |at: &(u32, u32)| text(keys, *at) == Some(key);
                let again = |at: &(u32, u32)| hash(&hasher, text(keys, *at).unwrap_or_default());
                match table.entry(code, equal, again) {
                    hashbrown::hash_table::Entry::Occupied(first) => {
                        repeated.push((*first.get(), (batch, row)));
                    }
                    hashbrown::hash_table::Entry::Vacant(vacant) => {
                        vacant.insert((batch, row));
                    }
                }
            }
        }
        repeated.sort_unstable();
        Ok(Self {
            keys,
            table,
            repeated,
            hasher,
        })
    }

    /// The first occurrence of a key, if it is looked for.
    pub(crate) fn find(&self, key: &str) -> Option<(u32, u32)> {
        let code = hash(&self.hasher, key);
        self.table
            .find(code, |at| text(self.keys, *at) == Some(key))
            .copied()
    }

    /// A first occurrence and all further ones of its key.
    pub(crate) fn occurrences(&self, first: (u32, u32)) -> impl Iterator<Item = (u32, u32)> {
        let from = self.repeated.partition_point(|(known, _)| *known < first);
        let rest = self
            .repeated
            .iter()
            .skip(from)
            .take_while(move |(known, _)| *known == first);
        std::iter::once(first).chain(rest.map(|(_, at)| *at))
    }

    /// Every distinct key.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = &'a str> {
        self.table.iter().filter_map(|at| text(self.keys, *at))
    }
}

fn text(keys: &[StringArray], (batch, row): (u32, u32)) -> Option<&str> {
    let (batch, row) = (usize::try_from(batch).ok()?, usize::try_from(row).ok()?);
    keys.get(batch).map(|column| column.value(row))
}

fn hash(hasher: &DefaultHashBuilder, key: &str) -> u64 {
    let mut state = hasher.build_hasher();
    state.write(key.as_bytes());
    state.finish()
}
