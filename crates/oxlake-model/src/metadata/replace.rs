//! What a replace commit or clustering intends (spec 01 §4.4).

use std::collections::BTreeMap;

use super::codec::{record, stored};
use crate::FileGroupId;

record! {
    /// The content of a requested replace commit or clustering. All fields are null for insert overwrite and
    /// delete partition.
    RequestedReplaceMetadata as "HoodieRequestedReplaceMetadata" {
        /// `CLUSTER` for a clustering.
        operation_type: Option<String> as "operationType",
        /// What to cluster.
        clustering_plan: Option<ClusteringPlan> as "clusteringPlan",
        /// Free entries.
        extra_metadata: Option<BTreeMap<String, String>> as "extraMetadata",
        /// 1 with a plan.
        version: Option<i32> as "version",
    }
}
stored!(
    RequestedReplaceMetadata,
    "HoodieRequestedReplaceMetadata.avsc"
);

record! {
    /// Groups of file slices to be rewritten together.
    ClusteringPlan as "HoodieClusteringPlan" {
        /// The groups.
        input_groups: Option<Vec<ClusteringGroup>> as "inputGroups",
        /// How to execute it.
        strategy: Option<ClusteringStrategy> as "strategy",
        /// Free entries.
        extra_metadata: Option<BTreeMap<String, String>> as "extraMetadata",
        /// 1.
        version: Option<i32> as "version",
        /// Whether records keep their commit time.
        preserve_hoodie_metadata: Option<bool> as "preserveHoodieMetadata",
        /// Partitions the plan could not look at.
        missing_schedule_partitions: Option<Vec<String>> as "missingSchedulePartitions",
    }
}

record! {
    /// Slices whose records end in the same new file groups.
    ClusteringGroup as "HoodieClusteringGroup" {
        /// The slices.
        slices: Option<Vec<SliceInfo>> as "slices",
        /// Sizes of the input.
        metrics: Option<BTreeMap<String, f64>> as "metrics",
        /// How many groups come out.
        num_output_file_groups: Option<i32> as "numOutputFileGroups",
        /// Free entries.
        extra_metadata: Option<BTreeMap<String, String>> as "extraMetadata",
        /// 1.
        version: Option<i32> as "version",
    }
}

record! {
    /// How to execute a clustering plan.
    ClusteringStrategy as "HoodieClusteringStrategy" {
        /// A class of the JVM.
        strategy_class_name: Option<String> as "strategyClassName",
        /// Its parameters.
        strategy_params: Option<BTreeMap<String, String>> as "strategyParams",
        /// 1.
        version: Option<i32> as "version",
    }
}

record! {
    /// A file slice to be clustered. Paths are absolute and may name an old location of the table: resolve them
    /// by partition and file name.
    SliceInfo as "HoodieSliceInfo" {
        /// The base file; empty or null without one.
        data_file_path: Option<String> as "dataFilePath",
        /// The log files.
        delta_file_paths: Option<Vec<String>> as "deltaFilePaths",
        /// The file group.
        file_id: Option<String> as "fileId",
        /// The partition.
        partition_path: Option<String> as "partitionPath",
        /// The file of the source table of a bootstrap; empty without one.
        bootstrap_file_path: Option<String> as "bootstrapFilePath",
        /// 1.
        version: Option<i32> as "version",
    }
}

impl RequestedReplaceMetadata {
    /// Whether this is a clustering, and no insert overwrite.
    pub fn is_clustering(&self) -> bool {
        self.clustering_plan.is_some()
    }

    /// The file groups the clustering plan reads.
    pub fn file_group_ids(&self) -> impl Iterator<Item = FileGroupId> {
        let groups = self
            .clustering_plan
            .iter()
            .flat_map(|plan| plan.input_groups.iter().flatten());
        groups
            .flat_map(|group| group.slices.iter().flatten())
            .filter_map(|slice| {
                let partition = slice.partition_path.as_deref().unwrap_or_default();
                Some(FileGroupId::new(partition, slice.file_id.as_deref()?))
            })
    }
}
