//! What a compaction or log compaction intends (spec 01 §4.5).

use std::collections::BTreeMap;

use super::codec::{record, stored};
use crate::FileGroupId;

record! {
    /// The content of a requested compaction or log compaction.
    CompactionPlan as "HoodieCompactionPlan" {
        /// One operation a file group.
        operations: Option<Vec<CompactionOperation>> as "operations",
        /// Free entries.
        extra_metadata: Option<BTreeMap<String, String>> as "extraMetadata",
        /// 2: paths are bare file names (write this); 1: full paths.
        version: Option<i32> as "version",
        /// Null for an ordinary compaction.
        strategy: Option<CompactionStrategy> as "strategy",
        /// Whether records keep their commit time.
        preserve_hoodie_metadata: Option<bool> as "preserveHoodieMetadata",
        /// Partitions the plan could not look at.
        missing_schedule_partitions: Option<Vec<String>> as "missingSchedulePartitions",
    }
}
stored!(CompactionPlan, "HoodieCompactionPlan.avsc");

record! {
    /// One file slice to be compacted.
    CompactionOperation as "HoodieCompactionOperation" {
        /// The base instant of the slice.
        base_instant_time: Option<String> as "baseInstantTime",
        /// Its log files, sorted.
        delta_file_paths: Option<Vec<String>> as "deltaFilePaths",
        /// Its base file, if it has one.
        data_file_path: Option<String> as "dataFilePath",
        /// The file group.
        file_id: Option<String> as "fileId",
        /// The partition.
        partition_path: Option<String> as "partitionPath",
        /// Sizes of the input.
        metrics: Option<BTreeMap<String, f64>> as "metrics",
        /// The file of the source table of a bootstrap.
        bootstrap_file_path: Option<String> as "bootstrapFilePath",
    }
}

record! {
    /// How to execute a compaction plan.
    CompactionStrategy as "HoodieCompactionStrategy" {
        /// A class of the JVM.
        compactor_class_name: Option<String> as "compactorClassName",
        /// Its parameters.
        strategy_params: Option<BTreeMap<String, String>> as "strategyParams",
        /// 1.
        version: Option<i32> as "version",
    }
}

impl CompactionPlan {
    /// The file groups the plan is about.
    pub fn file_group_ids(&self) -> impl Iterator<Item = FileGroupId> {
        self.operations.iter().flatten().filter_map(|operation| {
            let partition = operation.partition_path.as_deref().unwrap_or_default();
            Some(FileGroupId::new(partition, operation.file_id.as_deref()?))
        })
    }
}
