//! What a write did, as named in commit metadata.

use std::fmt;

/// `operationType` of commit metadata (spec 01 §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum OperationType {
    Insert,
    InsertPrepped,
    Upsert,
    UpsertPrepped,
    BulkInsert,
    BulkInsertPrepped,
    Delete,
    DeletePrepped,
    Bootstrap,
    InsertOverwrite,
    BucketRescale,
    Cluster,
    DeletePartition,
    InsertOverwriteTable,
    Compact,
    Index,
    AlterSchema,
    LogCompact,
    Unknown,
}

impl OperationType {
    /// All operations.
    pub const ALL: [Self; 19] = [
        Self::Insert,
        Self::InsertPrepped,
        Self::Upsert,
        Self::UpsertPrepped,
        Self::BulkInsert,
        Self::BulkInsertPrepped,
        Self::Delete,
        Self::DeletePrepped,
        Self::Bootstrap,
        Self::InsertOverwrite,
        Self::BucketRescale,
        Self::Cluster,
        Self::DeletePartition,
        Self::InsertOverwriteTable,
        Self::Compact,
        Self::Index,
        Self::AlterSchema,
        Self::LogCompact,
        Self::Unknown,
    ];

    /// The name in metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::InsertPrepped => "INSERT_PREPPED",
            Self::Upsert => "UPSERT",
            Self::UpsertPrepped => "UPSERT_PREPPED",
            Self::BulkInsert => "BULK_INSERT",
            Self::BulkInsertPrepped => "BULK_INSERT_PREPPED",
            Self::Delete => "DELETE",
            Self::DeletePrepped => "DELETE_PREPPED",
            Self::Bootstrap => "BOOTSTRAP",
            Self::InsertOverwrite => "INSERT_OVERWRITE",
            Self::BucketRescale => "BUCKET_RESCALE",
            Self::Cluster => "CLUSTER",
            Self::DeletePartition => "DELETE_PARTITION",
            Self::InsertOverwriteTable => "INSERT_OVERWRITE_TABLE",
            Self::Compact => "COMPACT",
            Self::Index => "INDEX",
            Self::AlterSchema => "ALTER_SCHEMA",
            Self::LogCompact => "LOG_COMPACT",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// The operation with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.as_str() == name)
    }

    /// Whether a commit of this operation may bring a new table schema (spec 01 §4.3); table services repeat
    /// the one they found.
    pub fn may_change_schema(self) -> bool {
        !matches!(
            self,
            Self::Compact | Self::LogCompact | Self::Cluster | Self::Index | Self::Unknown
        )
    }
}

impl fmt::Display for OperationType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
