//! Which write task gets which row: the packing of updates and inserts into files (spec 04 §1.5).
//!
//! A bucket is one write task. Every updated file group is a bucket; inserts first fill the small files of their
//! partition and then new files of the target size. The reference routes inserts by a hash of the key; here the
//! n-th insert of a partition goes to the bucket that covers n, which keeps the order of the input inside the
//! files and makes the counts exact.
//!
//! ```text
//! inserts of a partition   0 ─────────── n1 ─────────── n2 ─────────────── n
//!                          small file A  small file B   new file …   new file
//! ```

use std::collections::BTreeMap;

use oxlake_model::{FileId, PartitionPath};

use crate::{SmallFile, WorkloadProfile};

/// Sizes that bound a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizing {
    /// Target size of a file (`hoodie.parquet.max.file.size`).
    pub max_file_size_bytes: u64,
    /// Expected size of a row on storage; zero counts as one.
    pub average_record_size_bytes: u64,
    /// Rows in a new file when the size is not to be derived (`hoodie.copyonwrite.insert.split.size`).
    pub insert_split_count: u64,
    /// Derive the rows of a new file from the sizes (`hoodie.copyonwrite.insert.auto.split`).
    pub auto_split: bool,
}

/// What one write task does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BucketKind {
    /// Rewrites an existing file group with its updates and, when it was small, some inserts.
    Update(FileId),
    /// Starts a new file group.
    Insert,
}

/// One write task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Partition of all rows of the bucket.
    pub partition: PartitionPath,
    /// Existing or new file group.
    pub kind: BucketKind,
    /// Rows tagged with the file group of this bucket.
    pub update_count: u64,
    /// Inserts given to this bucket.
    pub insert_count: u64,
}

/// All write tasks of a commit, in the order of partition, then update buckets by file id, then new files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BucketAssignment {
    /// The tasks; the position is the task number in the write token.
    pub buckets: Vec<Bucket>,
    /// Per partition the buckets that take inserts, in filling order: index into `buckets` and number of rows.
    pub insert_order: BTreeMap<PartitionPath, Vec<(usize, u64)>>,
}

impl BucketAssignment {
    /// The bucket of the `n`-th insert (from zero) of `partition`; `None` beyond the profile.
    pub fn bucket_of_insert(&self, partition: &PartitionPath, n: u64) -> Option<usize> {
        let mut end = 0;
        self.insert_order
            .get(partition)?
            .iter()
            .find_map(|(bucket, count)| {
                end += count;
                (n < end).then_some(*bucket)
            })
    }
}

/// Packs the rows of `profile` into files. `small_files` holds the candidates of each partition in the order in
/// which they are to be filled (see [`small_files`](crate::small_files)). Deterministic: equal input, equal tasks.
pub fn assign_buckets(
    profile: &WorkloadProfile,
    small_files: &BTreeMap<PartitionPath, Vec<SmallFile>>,
    sizing: &Sizing,
) -> BucketAssignment {
    let mut assignment = BucketAssignment::default();
    for (partition, counts) in &profile.partitions {
        let first = assignment.buckets.len();
        for (file_id, update) in &counts.updates {
            assignment.buckets.push(Bucket {
                partition: partition.clone(),
                kind: BucketKind::Update(file_id.clone()),
                update_count: update.count,
                insert_count: 0,
            });
        }
        let candidates = small_files.get(partition).map_or(&[][..], Vec::as_slice);
        let order = assign_inserts(
            &mut assignment.buckets,
            first,
            partition,
            counts.insert_count,
            candidates,
            sizing,
        );
        if !order.is_empty() {
            assignment.insert_order.insert(partition.clone(), order);
        }
    }
    assignment
}

fn assign_inserts(
    buckets: &mut Vec<Bucket>,
    first: usize,
    partition: &PartitionPath,
    insert_count: u64,
    candidates: &[SmallFile],
    sizing: &Sizing,
) -> Vec<(usize, u64)> {
    let mut order = Vec::new();
    let mut unassigned = insert_count;
    for small in candidates {
        let count = sizing.room_count(small.size_bytes).min(unassigned);
        if count == 0 {
            continue;
        }
        let index = update_bucket(buckets, first, partition, &small.file_id);
        if let Some(bucket) = buckets.get_mut(index) {
            bucket.insert_count += count;
        }
        order.push((index, count));
        unassigned -= count;
    }
    let per_bucket = sizing.new_file_count();
    while unassigned > 0 {
        let count = per_bucket.min(unassigned);
        order.push((buckets.len(), count));
        buckets.push(Bucket {
            partition: partition.clone(),
            kind: BucketKind::Insert,
            update_count: 0,
            insert_count: count,
        });
        unassigned -= count;
    }
    order
}

/// The update bucket of `file_id` among the buckets of this partition, made when absent.
fn update_bucket(
    buckets: &mut Vec<Bucket>,
    first: usize,
    partition: &PartitionPath,
    file_id: &FileId,
) -> usize {
    let is_wanted =
        |bucket: &Bucket| matches!(&bucket.kind, BucketKind::Update(id) if id == file_id);
    let mine = buckets.get(first..).unwrap_or_default();
    if let Some(position) = mine.iter().position(is_wanted) {
        return first + position;
    }
    buckets.push(Bucket {
        partition: partition.clone(),
        kind: BucketKind::Update(file_id.clone()),
        update_count: 0,
        insert_count: 0,
    });
    buckets.len() - 1
}

impl Sizing {
    /// Rows that still fit into a file of `size_bytes`.
    fn room_count(&self, size_bytes: u64) -> u64 {
        self.max_file_size_bytes.saturating_sub(size_bytes) / self.average_record_size_bytes.max(1)
    }

    /// Rows of a new file, at least one.
    fn new_file_count(&self) -> u64 {
        let count = if self.auto_split {
            self.room_count(0)
        } else {
            self.insert_split_count
        };
        count.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_model::InstantTime;
    use proptest::prelude::*;

    fn sizing(max: u64, average: u64) -> Sizing {
        Sizing {
            max_file_size_bytes: max,
            average_record_size_bytes: average,
            insert_split_count: 500_000,
            auto_split: true,
        }
    }

    fn small(id: &str, size_bytes: u64) -> SmallFile {
        SmallFile {
            file_id: FileId::from(id),
            size_bytes,
        }
    }

    #[test]
    fn a_million_inserts_fill_two_small_files_and_one_new_file() {
        let partition = PartitionPath::from("p");
        let mut profile = WorkloadProfile::default();
        profile.add_inserts(&partition, 1_000_000);
        let files = vec![small("a-0", 104_857_599), small("b-0", 60_000_000)];
        let small_files = BTreeMap::from([(partition.clone(), files)]);
        let assignment = assign_buckets(&profile, &small_files, &sizing(125_829_120, 200));
        let counts: Vec<u64> = assignment
            .buckets
            .iter()
            .map(|bucket| bucket.insert_count)
            .collect();
        assert_eq!(counts, [104_857, 329_145, 565_998]);
        assert_eq!(assignment.buckets[2].kind, BucketKind::Insert);
        assert_eq!(assignment.bucket_of_insert(&partition, 104_856), Some(0));
        assert_eq!(assignment.bucket_of_insert(&partition, 104_857), Some(1));
        assert_eq!(assignment.bucket_of_insert(&partition, 999_999), Some(2));
        assert_eq!(assignment.bucket_of_insert(&partition, 1_000_000), None);
    }

    #[test]
    fn an_updated_small_file_takes_inserts_in_the_same_bucket() {
        let partition = PartitionPath::from("");
        let mut profile = WorkloadProfile::default();
        profile.add_inserts(&partition, 3);
        profile.add_updates(
            &partition,
            &FileId::from("a-0"),
            &InstantTime::parse("20260101000000000").unwrap(),
            2,
        );
        let small_files = BTreeMap::from([(partition, vec![small("a-0", 10)])]);
        let assignment = assign_buckets(&profile, &small_files, &sizing(1000, 10));
        assert_eq!(assignment.buckets.len(), 1);
        assert_eq!(
            (
                assignment.buckets[0].update_count,
                assignment.buckets[0].insert_count
            ),
            (2, 3)
        );
    }

    fn profiles() -> impl Strategy<Value = WorkloadProfile> {
        let updates = prop::collection::btree_map(0u8..6, 1u64..50, 0..4);
        let partition = (0u64..5_000, updates);
        prop::collection::btree_map("[a-c]", partition, 0..4).prop_map(|partitions| {
            let base = InstantTime::parse("20260101000000000").unwrap();
            let mut profile = WorkloadProfile::default();
            for (name, (inserts, updates)) in partitions {
                let partition = PartitionPath::from(name.as_str());
                profile.add_inserts(&partition, inserts);
                for (id, count) in updates {
                    profile.add_updates(
                        &partition,
                        &FileId::from(format!("{id}-0").as_str()),
                        &base,
                        count,
                    );
                }
            }
            profile
        })
    }

    fn candidates() -> impl Strategy<Value = BTreeMap<PartitionPath, Vec<SmallFile>>> {
        let files = prop::collection::btree_map(0u8..6, 0u64..20_000, 0..5);
        prop::collection::btree_map("[a-c]", files, 0..4).prop_map(|partitions| {
            partitions
                .into_iter()
                .map(|(name, files)| {
                    let files = files
                        .into_iter()
                        .map(|(id, size)| small(&format!("{id}-0"), size));
                    (PartitionPath::from(name.as_str()), files.collect())
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn every_row_has_exactly_one_bucket_and_sizes_are_bounded(
            profile in profiles(),
            small_files in candidates(),
            max in 1u64..20_000,
            average in 0u64..64,
        ) {
            let sizing = sizing(max, average);
            let assignment = assign_buckets(&profile, &small_files, &sizing);
            prop_assert_eq!(&assignment, &assign_buckets(&profile, &small_files, &sizing));
            for (partition, counts) in &profile.partitions {
                let mine: Vec<&Bucket> =
                    assignment.buckets.iter().filter(|bucket| bucket.partition == *partition).collect();
                let inserts: u64 = mine.iter().map(|bucket| bucket.insert_count).sum();
                prop_assert_eq!(inserts, counts.insert_count);
                for (file_id, update) in &counts.updates {
                    let kind = BucketKind::Update(file_id.clone());
                    let of_file: Vec<_> = mine.iter().filter(|bucket| bucket.kind == kind).collect();
                    prop_assert_eq!(of_file.len(), 1);
                    prop_assert_eq!(of_file[0].update_count, update.count);
                }
                let routed = (0..counts.insert_count)
                    .filter(|n| assignment.bucket_of_insert(partition, *n).is_some())
                    .count() as u64;
                prop_assert_eq!(routed, counts.insert_count);
                for bucket in mine {
                    let old = match &bucket.kind {
                        BucketKind::Insert => 0,
                        BucketKind::Update(id) => small_files
                            .get(partition)
                            .and_then(|files| files.iter().find(|file| file.file_id == *id))
                            .map_or(max, |file| file.size_bytes),
                    };
                    let added = bucket.insert_count * average.max(1);
                    prop_assert!(bucket.insert_count <= 1 || old + added <= max);
                }
            }
        }
    }
}
