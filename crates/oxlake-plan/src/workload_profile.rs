//! The workload profile: how many rows of a batch go where, before anything is written.
//!
//! The profile is counted while the keys are tagged. It feeds [`assign_buckets`](crate::assign_buckets) and is
//! stored in the inflight file of the commit, in the form the reference writes (spec 01 §4.3).

use std::collections::BTreeMap;

use oxlake_model::{CommitMetadata, FileId, InstantTime, OperationType, PartitionPath, WriteStat};

/// Rows of one batch, counted per partition and target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkloadProfile {
    /// One entry for every partition that the batch touches.
    pub partitions: BTreeMap<PartitionPath, PartitionProfile>,
}

/// Rows of one partition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartitionProfile {
    /// Rows whose key is not in the table.
    pub insert_count: u64,
    /// Rows whose key was found, by file group.
    pub updates: BTreeMap<FileId, UpdateProfile>,
}

/// Rows that go to one existing file group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateProfile {
    /// Instant of the base file that holds the keys.
    pub base_instant: InstantTime,
    /// Number of tagged rows.
    pub count: u64,
}

impl WorkloadProfile {
    /// Counts rows that are new to `partition`.
    pub fn add_inserts(&mut self, partition: &PartitionPath, count: u64) {
        self.partition(partition).insert_count += count;
    }

    /// Counts rows that go to the file group `file_id`, whose latest base file was written at `base_instant`.
    pub fn add_updates(
        &mut self,
        partition: &PartitionPath,
        file_id: &FileId,
        base_instant: &InstantTime,
        count: u64,
    ) {
        let updates = &mut self.partition(partition).updates;
        if let Some(update) = updates.get_mut(file_id) {
            update.count += count;
        } else {
            let base_instant = base_instant.clone();
            updates.insert(
                file_id.clone(),
                UpdateProfile {
                    base_instant,
                    count,
                },
            );
        }
    }

    /// All rows of the profile.
    pub fn row_count(&self) -> u64 {
        let rows = |profile: &PartitionProfile| {
            profile.insert_count
                + profile
                    .updates
                    .values()
                    .map(|update| update.count)
                    .sum::<u64>()
        };
        self.partitions.values().map(rows).sum()
    }

    /// The content of the inflight file: per partition one stat for the inserts, even when there are none, then
    /// one stat per file group to update.
    pub fn to_commit_metadata(&self, operation: OperationType) -> CommitMetadata {
        let stats = |profile: &PartitionProfile| {
            std::iter::once(insert_stat(profile))
                .chain(profile.updates.iter().map(update_stat))
                .collect()
        };
        CommitMetadata {
            partition_to_write_stats: self
                .partitions
                .iter()
                .map(|(partition, profile)| (partition.as_str().to_owned(), stats(profile)))
                .collect(),
            operation_type: Some(operation),
            ..CommitMetadata::default()
        }
    }

    fn partition(&mut self, partition: &PartitionPath) -> &mut PartitionProfile {
        self.partitions.entry(partition.clone()).or_default()
    }
}

fn insert_stat(profile: &PartitionProfile) -> WriteStat {
    WriteStat {
        file_id: Some(String::new()),
        prev_commit: Some("null".to_owned()),
        num_inserts: Some(signed(profile.insert_count)),
        ..WriteStat::counted()
    }
}

fn update_stat((file_id, update): (&FileId, &UpdateProfile)) -> WriteStat {
    WriteStat {
        file_id: Some(file_id.as_str().to_owned()),
        prev_commit: Some(update.base_instant.to_string()),
        num_update_writes: Some(signed(update.count)),
        ..WriteStat::counted()
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_partition_has_an_insert_stat_first_even_without_inserts() {
        let (partition, base) = (
            PartitionPath::from("p"),
            InstantTime::parse("20260101000000000").unwrap(),
        );
        let mut profile = WorkloadProfile::default();
        profile.add_updates(&partition, &FileId::from("b-0"), &base, 2);
        profile.add_updates(&partition, &FileId::from("a-0"), &base, 1);
        profile.add_updates(&partition, &FileId::from("a-0"), &base, 4);
        assert_eq!(profile.row_count(), 7);
        let metadata = profile.to_commit_metadata(OperationType::Upsert);
        let stats: Vec<_> = metadata
            .write_stats()
            .map(|(_, stat)| {
                (
                    stat.file_id.clone().unwrap(),
                    stat.prev_commit.clone().unwrap(),
                    stat.num_update_writes.unwrap(),
                )
            })
            .collect();
        let text = |a: &str, b: &str, n| (a.to_owned(), b.to_owned(), n);
        assert_eq!(
            stats,
            [
                text("", "null", 0),
                text("a-0", base.as_str(), 5),
                text("b-0", base.as_str(), 2)
            ]
        );
        assert!(metadata.write_stats().all(|(_, stat)| stat.path.is_none()));
        assert_eq!(metadata.operation_type, Some(OperationType::Upsert));
        assert!(!metadata.compacted && metadata.extra_metadata.is_empty());
    }
}
