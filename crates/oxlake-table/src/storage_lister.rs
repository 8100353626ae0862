//! Lists a table by looking at its folders, level by level.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use oxlake_model::{BaseFileName, ListedFile, LogFileName, PartitionPath};
use oxlake_storage::{Directory, Storage};

use crate::{Error, FileLister, PartitionMetadata, PrefixFilter, Result};

/// The one folder at the root that is never a partition.
const META_FOLDER: &str = ".hoodie";

/// Lists by storage.
///
/// A folder is a partition when it has a partition metafile, or a file named as data files are: a lost
/// metafile must not hide rows. Only folders that pass the filter are entered, so a filter on the first
/// partition column costs one listing of the root and those of the matching folders.
///
/// One lister serves one view: the files that [`partitions`](FileLister::partitions) meets are kept and handed
/// out by [`files`](FileLister::files) once, so that no folder is listed twice.
#[derive(Debug)]
pub struct StorageLister {
    storage: Storage,
    concurrency: usize,
    seen: Mutex<BTreeMap<PartitionPath, Vec<ListedFile>>>,
}

impl StorageLister {
    /// A lister with at most `concurrency` listings at a time.
    pub fn new(storage: Storage, concurrency: usize) -> Self {
        Self {
            storage,
            concurrency: concurrency.max(1),
            seen: Mutex::default(),
        }
    }

    /// Lists the folders of one level, remembers the partitions among them and answers with the next level.
    async fn list_level(
        &self,
        level: Vec<String>,
        wanted: &PrefixFilter<'_>,
        partitions: &mut Vec<PartitionPath>,
    ) -> Result<Vec<String>> {
        let mut listed = futures::stream::iter(level)
            .map(|folder| async move {
                let directory = self.storage.list_dir(&folder).await?;
                Ok::<_, Error>((folder, directory))
            })
            .buffer_unordered(self.concurrency);
        let mut next = Vec::new();
        while let Some((folder, directory)) = listed.try_next().await? {
            let inner = directory.folders.iter().filter(|path| *path != META_FOLDER);
            next.extend(inner.filter(|path| wanted(path)).cloned());
            if is_partition(&directory) {
                let partition = PartitionPath::from(folder);
                self.seen()
                    .insert(partition.clone(), listed_files(&directory));
                partitions.push(partition);
            }
        }
        Ok(next)
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, BTreeMap<PartitionPath, Vec<ListedFile>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl FileLister for StorageLister {
    async fn partitions(&self, wanted: &PrefixFilter<'_>) -> Result<Vec<PartitionPath>> {
        let mut partitions = Vec::new();
        let mut level = vec![String::new()];
        while !level.is_empty() {
            level = self.list_level(level, wanted, &mut partitions).await?;
        }
        partitions.sort();
        Ok(partitions)
    }

    async fn files(&self, partition: &PartitionPath) -> Result<Vec<ListedFile>> {
        let seen = self.seen().remove(partition);
        match seen {
            Some(files) => Ok(files),
            None => Ok(listed_files(
                &self.storage.list_dir(partition.as_str()).await?,
            )),
        }
    }
}

fn is_partition(directory: &Directory) -> bool {
    directory.files.iter().any(|file| {
        let name = file.name();
        PartitionMetadata::is_metafile(name)
            || BaseFileName::parse(name).is_some()
            || LogFileName::parse(name).is_some()
    })
}

fn listed_files(directory: &Directory) -> Vec<ListedFile> {
    let listed = |file: &oxlake_storage::FileInfo| ListedFile {
        name: file.name().to_owned(),
        size_bytes: file.size_bytes,
    };
    directory.files.iter().map(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    const DATA: &str = "84e82649-b1ee-4a25-a316-17cc6872616b-0_2-13-62_20250331030642808.parquet";

    async fn table(name: &str, paths: &[&str]) -> Storage {
        let url = format!("memory:///lister/{name}");
        let storage = Storage::open(&url, &BTreeMap::new()).unwrap();
        for path in paths {
            storage
                .create(path, Bytes::from_static(b"x"))
                .await
                .unwrap();
        }
        storage
    }

    async fn partitions(storage: &Storage, wanted: &PrefixFilter<'_>) -> Vec<String> {
        let lister = StorageLister::new(storage.clone(), 4);
        let found = lister.partitions(wanted).await.unwrap();
        found.into_iter().map(PartitionPath::into_string).collect()
    }

    #[tokio::test]
    async fn partitions_are_found_at_any_depth_and_without_a_metafile() {
        let data = format!("c/{DATA}");
        let storage = table(
            "depth",
            &[
                ".hoodie/hoodie.properties",
                ".hoodie/metadata/files/.hoodie_partition_metadata",
                "a/b/.hoodie_partition_metadata",
                "a%2Fb/.hoodie_partition_metadata",
                &data,
                "notes/readme.txt",
            ],
        )
        .await;
        assert_eq!(partitions(&storage, &|_| true).await, ["a%2Fb", "a/b", "c"]);
    }

    #[tokio::test]
    async fn the_root_of_a_table_without_partitions_is_the_empty_path() {
        let storage = table("root", &[".hoodie_partition_metadata", DATA]).await;
        assert_eq!(partitions(&storage, &|_| true).await, [""]);
        let files = StorageLister::new(storage, 1)
            .files(&PartitionPath::root())
            .await
            .unwrap();
        let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, [".hoodie_partition_metadata", DATA]);
    }

    #[tokio::test]
    async fn folders_that_are_not_wanted_are_not_entered() {
        let storage = table(
            "wanted",
            &[
                "d=1/h=1/.hoodie_partition_metadata",
                "d=1/h=2/.hoodie_partition_metadata",
                "d=2/h=1/.hoodie_partition_metadata",
            ],
        )
        .await;
        let asked = Mutex::new(Vec::new());
        let wanted = |path: &str| {
            asked.lock().unwrap().push(path.to_owned());
            !path.starts_with("d=2") && !path.ends_with("h=1")
        };
        assert_eq!(partitions(&storage, &wanted).await, ["d=1/h=2"]);
        let mut asked = asked.into_inner().unwrap();
        asked.sort();
        assert_eq!(asked, ["d=1", "d=1/h=1", "d=1/h=2", "d=2"]);
    }

    #[tokio::test]
    async fn an_absent_partition_has_no_files() {
        let lister = StorageLister::new(table("absent", &["a/x"]).await, 1);
        assert_eq!(lister.files(&PartitionPath::from("b")).await.unwrap(), []);
        assert_eq!(lister.partitions(&|_| true).await.unwrap(), []);
    }
}
