//! What a commit did (`HoodieCommitMetadata`, `HoodieReplaceCommitMetadata`).

use std::collections::BTreeMap;

use crate::{OperationType, WriteStat};

/// The content of a completed (or inflight) commit, delta commit or replace commit (spec 01 §4.3, §4.4).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommitMetadata {
    /// By partition, the files written.
    pub partition_to_write_stats: BTreeMap<String, Vec<WriteStat>>,
    /// Whether it is a compaction.
    pub compacted: bool,
    /// Free entries; `schema` holds the table schema.
    pub extra_metadata: BTreeMap<String, String>,
    /// What the write did.
    pub operation_type: Option<OperationType>,
    /// Only for replace commits: by partition, the file groups that are no longer part of the table.
    pub partition_to_replace_file_ids: Option<BTreeMap<String, Vec<String>>>,
}

impl CommitMetadata {
    /// The key of [`extra_metadata`](Self::extra_metadata) that holds the table schema as Avro JSON.
    pub const SCHEMA_KEY: &'static str = "schema";

    /// The table schema as Avro JSON text; `None` when absent or empty.
    pub fn schema(&self) -> Option<&str> {
        let schema = self.extra_metadata.get(Self::SCHEMA_KEY)?;
        (!schema.is_empty()).then_some(schema.as_str())
    }

    /// All write stats with their partition.
    pub fn write_stats(&self) -> impl Iterator<Item = (&str, &WriteStat)> {
        self.partition_to_write_stats
            .iter()
            .flat_map(|(partition, stats)| stats.iter().map(move |stat| (partition.as_str(), stat)))
    }
}
