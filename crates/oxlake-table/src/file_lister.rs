//! Which partitions and files a table has: the contract between whoever lists and whoever looks.

use async_trait::async_trait;
use oxlake_model::{ListedFile, PartitionPath};

use crate::Result;

/// Decides by the path of a folder, which may be the beginning of partition paths, whether a partition at or
/// below it can be wanted. Answering `true` too often only costs listings.
pub type PrefixFilter<'a> = dyn Fn(&str) -> bool + Send + Sync + 'a;

/// Lists a table. [`StorageLister`](crate::StorageLister) looks at the folders; others may know without looking.
///
/// A lister answers for the moment of its calls and does not know the timeline: files of pending and failed
/// writes are among its answers.
#[async_trait]
pub trait FileLister: std::fmt::Debug + Send + Sync {
    /// All partitions whose path, and each beginning of it, passes `wanted`; sorted, without repetition.
    ///
    /// # Errors
    /// Those of storage. An unreadable folder is an error, never an absent partition.
    async fn partitions(&self, wanted: &PrefixFilter<'_>) -> Result<Vec<PartitionPath>>;

    /// The files directly in a partition, sorted by name; empty when the partition does not exist.
    ///
    /// # Errors
    /// Those of storage.
    async fn files(&self, partition: &PartitionPath) -> Result<Vec<ListedFile>>;
}
