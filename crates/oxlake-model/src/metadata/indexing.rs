//! What an indexing action intends and did (spec 01 §4.8).

use std::collections::BTreeMap;

use super::codec::{record, stored};

record! {
    /// The content of a requested indexing.
    IndexPlan as "HoodieIndexPlan" {
        /// 1.
        version: Option<i32> as "version",
        /// What to build.
        index_partition_infos: Option<Vec<IndexPartitionInfo>> as "indexPartitionInfos",
    }
}
stored!(IndexPlan, "HoodieIndexPlan.avsc");

record! {
    /// The content of a completed indexing.
    IndexCommitMetadata as "HoodieIndexCommitMetadata" {
        /// 1.
        version: Option<i32> as "version",
        /// Null in practice.
        operation_type: Option<String> as "operationType",
        /// What was built.
        index_partition_infos: Option<Vec<IndexPartitionInfo>> as "indexPartitionInfos",
    }
}
stored!(IndexCommitMetadata, "HoodieIndexCommitMetadata.avsc");

record! {
    /// A partition of the metadata table.
    IndexPartitionInfo as "HoodieIndexPartitionInfo" {
        /// 1.
        version: Option<i32> as "version",
        /// Its name.
        metadata_partition_path: Option<String> as "metadataPartitionPath",
        /// The last instant the first build covers.
        index_upto_instant: Option<String> as "indexUptoInstant",
        /// Free entries.
        extra_metadata: Option<BTreeMap<String, String>> as "extraMetadata",
    }
}
