//! The records that timeline files hold, as plain values with their codecs (spec 01 §4).
//!
//! A record is declared once, field by field (see `codec`), and reads by name with the writer's schema: fields
//! of later releases are skipped. It is written with the schema text of the JVM, lifted letter by letter from
//! real tables into `src/schemas`.

mod archived_entry;
mod clean;
pub(crate) mod codec;
mod commit;
mod compaction;
mod content;
mod indexing;
mod operation_type;
mod replace;
mod restore;
mod rollback;
mod savepoint;
mod write_stat;

pub use archived_entry::ArchivedEntry;
pub use clean::{ActionInstant, CleanFileInfo, CleanMetadata, CleanPartitionMetadata, CleanerPlan};
pub use commit::CommitMetadata;
pub use compaction::{CompactionOperation, CompactionPlan, CompactionStrategy};
pub use content::InstantContent;
pub use indexing::{IndexCommitMetadata, IndexPartitionInfo, IndexPlan};
pub use operation_type::OperationType;
pub use replace::{
    ClusteringGroup, ClusteringPlan, ClusteringStrategy, RequestedReplaceMetadata, SliceInfo,
};
pub use restore::{RestoreMetadata, RestorePlan};
pub use rollback::{
    InstantInfo, RollbackMetadata, RollbackPartitionMetadata, RollbackPlan, RollbackRequest,
};
pub use savepoint::{SavepointMetadata, SavepointPartitionMetadata};
pub use write_stat::{RuntimeStats, WriteStat};

/// The last component of a path or URI. Plans hold absolute paths that may name an old location of the table,
/// so files are found by partition and this name.
pub fn file_name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
