//! A lister that notices when the table has moved on since its timeline was loaded.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use oxlake_model::{BaseFileName, ListedFile, PartitionPath, Timeline};
use oxlake_table::{FileLister, PrefixFilter, Result, StorageLister};

/// Lists like the lister inside, and remembers whether it met a base file of an instant that the timeline does
/// not know. Between the listing of the timeline and that of the files somebody then committed, and a cleaner
/// may have taken files that the older timeline still needs.
#[derive(Debug)]
pub(crate) struct WatchingLister<'a> {
    inner: StorageLister,
    timeline: &'a Timeline,
    met_unknown: AtomicBool,
}

impl<'a> WatchingLister<'a> {
    pub(crate) fn new(inner: StorageLister, timeline: &'a Timeline) -> Self {
        Self {
            inner,
            timeline,
            met_unknown: AtomicBool::new(false),
        }
    }

    /// Whether a file was met that the timeline does not explain.
    pub(crate) fn met_unknown(&self) -> bool {
        self.met_unknown.load(Ordering::Relaxed)
    }

    fn is_unknown(&self, file: &ListedFile) -> bool {
        BaseFileName::parse(&file.name).is_some_and(|name| {
            let time = &name.instant;
            self.timeline.find(time).is_none() && !self.timeline.contains_or_before_start(time)
        })
    }
}

#[async_trait]
impl FileLister for WatchingLister<'_> {
    async fn partitions(&self, wanted: &PrefixFilter<'_>) -> Result<Vec<PartitionPath>> {
        self.inner.partitions(wanted).await
    }

    async fn files(&self, partition: &PartitionPath) -> Result<Vec<ListedFile>> {
        let files = self.inner.files(partition).await?;
        if files.iter().any(|file| self.is_unknown(file)) {
            self.met_unknown.store(true, Ordering::Relaxed);
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use oxlake_model::{Action, Instant, InstantTime};
    use oxlake_storage::Storage;

    async fn met_unknown(test: &str, file_instant: &str) -> bool {
        let time = |text: &str| InstantTime::parse(text).unwrap();
        let timeline = Timeline::from_instants([
            Instant::completed(time("5"), Action::Commit, time("6")),
            Instant::inflight(time("7"), Action::Commit),
        ]);
        let url = format!("memory:///watching/{test}");
        let storage = Storage::open(&url, &std::collections::BTreeMap::new()).unwrap();
        let path = format!("p/a-0_0-1-2_{file_instant}.parquet");
        storage.create(&path, Bytes::new()).await.unwrap();
        let lister = WatchingLister::new(StorageLister::new(storage, 1), &timeline);
        for partition in lister.partitions(&|_| true).await.unwrap() {
            lister.files(&partition).await.unwrap();
        }
        lister.met_unknown()
    }

    #[tokio::test]
    async fn only_files_of_later_instants_are_unknown() {
        assert!(!met_unknown("archived", "4").await);
        assert!(!met_unknown("completed", "5").await);
        assert!(!met_unknown("pending", "7").await);
        assert!(met_unknown("later", "8").await);
    }
}
