//! `.hoodie_partition_metadata`: what makes a folder a partition (spec 01 §9, spec 02 §1.8).

use bytes::Bytes;
use oxlake_config::Properties;
use oxlake_model::{ErrorKind, InstantTime, PartitionPath};
use oxlake_storage::Storage;

use crate::{Error, Result};

const NAME: &str = ".hoodie_partition_metadata";

/// The content of a partition metadata file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionMetadata {
    /// The write that made the partition.
    pub commit_time: InstantTime,
    /// Folders between the table and the partition; 0 for a non-partitioned table.
    pub partition_depth: usize,
}

impl PartitionMetadata {
    /// Whether this is the name of a partition metafile, in text form or as an empty data file.
    pub fn is_metafile(file_name: &str) -> bool {
        file_name == NAME
            || file_name
                .strip_prefix(NAME)
                .is_some_and(|rest| matches!(rest, ".parquet" | ".orc"))
    }

    /// Makes the metafile of a partition before its first data file. An existing one is left as it is,
    /// whoever made it.
    ///
    /// # Errors
    /// Those of storage.
    pub async fn ensure(
        storage: &Storage,
        partition: &PartitionPath,
        instant: &InstantTime,
    ) -> Result<()> {
        let metadata = Self {
            commit_time: instant.clone(),
            partition_depth: partition.depth(),
        };
        let path = partition.join(NAME);
        match storage.create(&path, Bytes::from(metadata.print())).await {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            done => Ok(done?),
        }
    }

    /// Reads the text form; `None` when there is none.
    ///
    /// # Errors
    /// [`Error::PartitionMetadata`] when a key is missing; those of storage.
    pub async fn read(storage: &Storage, partition: &PartitionPath) -> Result<Option<Self>> {
        let path = partition.join(NAME);
        match storage.read(&path).await {
            Ok(bytes) => Self::parse(&bytes, &path).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn parse(bytes: &[u8], path: &str) -> Result<Self> {
        let missing = |key| Error::PartitionMetadata {
            path: path.to_owned(),
            key,
        };
        let properties = Properties::parse(bytes)?;
        let commit_time = properties
            .get("commitTime")
            .and_then(|text| InstantTime::parse(text.trim()).ok())
            .ok_or_else(|| missing("commitTime"))?;
        let partition_depth = properties
            .get("partitionDepth")
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| missing("partitionDepth"))?;
        Ok(Self {
            commit_time,
            partition_depth,
        })
    }

    /// The text the reference writes, without its date line: comments are free and a clock is not needed.
    fn print(&self) -> String {
        format!(
            "#partition metadata\ncommitTime={}\npartitionDepth={}\n",
            self.commit_time, self.partition_depth
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> InstantTime {
        InstantTime::parse(text).unwrap()
    }

    #[tokio::test]
    async fn the_first_writer_makes_it_and_later_ones_keep_it() {
        let storage = Storage::open(
            "memory:///partition-metadata",
            &std::collections::BTreeMap::new(),
        )
        .unwrap();
        for (path, depth) in [("", 0), ("city=a", 1), ("2024/01/15/10", 4)] {
            let partition = PartitionPath::from(path);
            assert_eq!(
                PartitionMetadata::read(&storage, &partition).await.unwrap(),
                None
            );
            for instant in ["20260307162434124", "20270307162434124"] {
                PartitionMetadata::ensure(&storage, &partition, &time(instant))
                    .await
                    .unwrap();
            }
            let expected = PartitionMetadata {
                commit_time: time("20260307162434124"),
                partition_depth: depth,
            };
            let read = PartitionMetadata::read(&storage, &partition).await.unwrap();
            assert_eq!(read, Some(expected));
        }
    }

    #[test]
    fn the_reference_text_is_read_and_a_torn_one_refused() {
        let text = "#partition metadata\n#Sat Mar 07 16:24:37 CST 2026\ncommitTime=20260307162434124\npartitionDepth=1\n";
        let read = PartitionMetadata::parse(text.as_bytes(), "p").unwrap();
        assert_eq!(read.partition_depth, 1);
        let torn = PartitionMetadata::parse(b"#partition metadata\ncommitTime=2", "p");
        assert!(torn.unwrap_err().to_string().contains("partitionDepth"));
    }

    #[test]
    fn three_names_make_a_partition() {
        for (name, expected) in [
            (".hoodie_partition_metadata", true),
            (".hoodie_partition_metadata.parquet", true),
            (".hoodie_partition_metadata.orc", true),
            (".hoodie_partition_metadata_1f.parquet", false),
            (".hoodie_partition_metadata.crc", false),
        ] {
            assert_eq!(PartitionMetadata::is_metafile(name), expected, "{name}");
        }
    }
}
