//! The four ways of writing.

use std::fmt;

use oxlake_config::{InsertDuplicates, WriteOptions};
use oxlake_model::OperationType;

/// How rows go into the table (spec 04 §1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WriteOperation {
    /// Adds rows without looking for their keys: a key that exists stays and is there twice.
    Insert,
    /// Adds rows with new keys and merges rows with known keys into the stored ones.
    Upsert,
    /// Adds rows without looking for their keys or for small files; for large first loads.
    BulkInsert,
    /// Removes the rows of the given keys. Only key and partition columns of the input count; keys that are not
    /// in the table are passed over.
    Delete,
}

impl WriteOperation {
    /// All operations.
    pub const ALL: [Self; 4] = [Self::Insert, Self::Upsert, Self::BulkInsert, Self::Delete];

    /// The name as in `hoodie.datasource.write.operation`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Upsert => "upsert",
            Self::BulkInsert => "bulk_insert",
            Self::Delete => "delete",
        }
    }

    /// The operation with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.as_str() == name)
    }

    /// The name that commits store.
    pub fn operation_type(self) -> OperationType {
        match self {
            Self::Insert => OperationType::Insert,
            Self::Upsert => OperationType::Upsert,
            Self::BulkInsert => OperationType::BulkInsert,
            Self::Delete => OperationType::Delete,
        }
    }

    /// Whether several rows of one key in the input become one before anything is written.
    pub(crate) fn combines(self, options: &WriteOptions) -> bool {
        match self {
            Self::Insert | Self::BulkInsert => options.combine_before_insert,
            Self::Upsert => options.combine_before_upsert,
            Self::Delete => options.combine_before_delete,
        }
    }

    /// Whether the keys of the input are looked for in the table.
    pub(crate) fn looks_up_keys(self, options: &WriteOptions) -> bool {
        match self {
            Self::Upsert | Self::Delete => true,
            Self::Insert => options.insert_duplicates != InsertDuplicates::Keep,
            Self::BulkInsert => false,
        }
    }

    /// Whether new rows may go into small files.
    pub(crate) fn fills_small_files(self) -> bool {
        matches!(self, Self::Upsert | Self::Insert)
    }

    /// Whether the inflight file holds the workload profile; it is empty otherwise (spec 01 §4.1).
    pub(crate) fn has_profile(self) -> bool {
        self != Self::BulkInsert
    }
}

impl fmt::Display for WriteOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
