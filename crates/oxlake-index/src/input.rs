//! What an index is asked.

use arrow::array::StringArray;
use oxlake_env::Env;
use oxlake_model::BaseFile;
use oxlake_storage::Storage;

use crate::FooterCache;

/// The keys of one partition and the files they may be in.
#[derive(Debug, Clone, Copy)]
pub struct IndexInput<'a> {
    /// The table's storage.
    pub storage: &'a Storage,
    /// Limits of concurrency.
    pub env: &'a Env,
    /// The base files of the partition's latest slices.
    pub files: &'a [BaseFile],
    /// Footers seen before; the files they belong to never change.
    pub footers: &'a FooterCache,
    /// Record keys, a column a batch; never null.
    pub keys: &'a [StringArray],
}

impl IndexInput<'_> {
    /// How many keys are asked for, repeated ones counted each time.
    pub fn key_count(&self) -> usize {
        self.keys.iter().map(arrow::array::Array::len).sum()
    }
}
