//! Markers: a note beside each data file that a write is about to make (spec 01 §7).
//!
//! A marker is written before the data file, so that a failed write leaves no file nobody knows of. Ours are
//! always of the direct kind, one empty file each:
//!
//! ```text
//! .hoodie/.temp/<instant>/<partition>/<data file>.marker.<CREATE|MERGE|APPEND>
//! ```
//!
//! Markers of a timeline server (lines in `MARKERS0…n`, with `MARKERS.type` beside them) are read as well. The
//! checksum files that the JVM engine lays beside its files on local disk are no markers.

use std::fmt;

use bytes::Bytes;
use oxlake_model::{ErrorKind, InstantTime, PartitionPath};
use oxlake_storage::{FileInfo, Storage};

use crate::{Error, Result};

const TEMP: &str = ".hoodie/.temp";
const TYPE_FILE: &str = "MARKERS.type";
const LINES_FILE: &str = "MARKERS";
const SEPARATOR: &str = ".marker.";

/// What is done to the data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoType {
    /// A new base file; from version 8 on also a log file.
    Create,
    /// A new version of a base file.
    Merge,
    /// A log file, up to version 6.
    Append,
}

impl IoType {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Create, Self::Merge, Self::Append];

    /// The ending of the marker's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Merge => "MERGE",
            Self::Append => "APPEND",
        }
    }
}

/// One marker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marker {
    /// Partition of the data file.
    pub partition: PartitionPath,
    /// Name of the data file.
    pub file_name: String,
    /// What was to be done to it.
    pub io_type: IoType,
}

impl Marker {
    /// Reads `<partition>/<data file>.marker.<io type>`.
    pub fn parse(name: &str) -> Option<Self> {
        let (data_file, io_type) = name.rsplit_once(SEPARATOR)?;
        let io_type = IoType::ALL.into_iter().find(|io| io.as_str() == io_type)?;
        let (partition, file_name) = data_file.rsplit_once('/').unwrap_or(("", data_file));
        (!file_name.is_empty()).then(|| Self {
            partition: PartitionPath::from(partition),
            file_name: file_name.to_owned(),
            io_type,
        })
    }

    /// Path of the data file, relative to the table.
    pub fn data_path(&self) -> String {
        self.partition.join(&self.file_name)
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{SEPARATOR}{}",
            self.data_path(),
            self.io_type.as_str()
        )
    }
}

/// The markers of one instant.
#[derive(Debug, Clone)]
pub struct MarkerStore {
    storage: Storage,
    instant: InstantTime,
}

impl MarkerStore {
    /// The markers of `instant`; nothing is read or made yet.
    pub fn new(storage: Storage, instant: InstantTime) -> Self {
        Self { storage, instant }
    }

    /// Notes that a data file is about to be made. Idempotent: a marker that is there already is fine.
    ///
    /// # Errors
    /// Those of storage.
    pub async fn create(
        &self,
        partition: &PartitionPath,
        file_name: &str,
        io_type: IoType,
    ) -> Result<()> {
        let marker = Marker {
            partition: partition.clone(),
            file_name: file_name.to_owned(),
            io_type,
        };
        let path = format!("{}/{marker}", self.folder());
        match self.storage.create(&path, Bytes::new()).await {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            done => Ok(done?),
        }
    }

    /// All markers, sorted and without repetition; empty when there is no marker folder.
    ///
    /// # Errors
    /// [`Error::Marker`] and [`Error::MarkerKind`] for what is no marker; those of storage.
    pub async fn list(&self) -> Result<Vec<Marker>> {
        let files = self.storage.list(&self.folder()).await?;
        let names: Vec<&str> = files.iter().filter_map(|file| self.name_of(file)).collect();
        let mut markers = if names.contains(&TYPE_FILE) {
            self.check_kind().await?;
            self.read_lines(&names).await?
        } else {
            parse_all(&names, &self.folder())?
        };
        markers.sort();
        markers.dedup();
        Ok(markers)
    }

    /// Whether there is any marker file.
    ///
    /// # Errors
    /// Those of storage.
    pub async fn exists(&self) -> Result<bool> {
        Ok(!self.storage.list(&self.folder()).await?.is_empty())
    }

    /// Removes the whole folder; a missing one is fine.
    ///
    /// # Errors
    /// Those of storage.
    pub async fn delete_all(&self) -> Result<()> {
        self.storage.delete_folder(&self.folder()).await?;
        Ok(())
    }

    fn folder(&self) -> String {
        format!("{TEMP}/{}", self.instant)
    }

    /// The path below the marker folder of a file that is no checksum of another.
    fn name_of<'a>(&self, file: &'a FileInfo) -> Option<&'a str> {
        let is_checksum =
            file.name().starts_with('.') && file.name().strip_suffix(".crc").is_some();
        let name = file.path.strip_prefix(&self.folder())?.strip_prefix('/');
        name.filter(|_| !is_checksum)
    }

    async fn check_kind(&self) -> Result<()> {
        let path = format!("{}/{TYPE_FILE}", self.folder());
        let bytes = self.storage.read(&path).await?;
        let kind = String::from_utf8_lossy(&bytes).trim().to_owned();
        if kind == "TIMELINE_SERVER_BASED" {
            return Ok(());
        }
        Err(Error::MarkerKind {
            instant: self.instant.clone(),
            kind,
        })
    }

    async fn read_lines(&self, names: &[&str]) -> Result<Vec<Marker>> {
        let mut markers = Vec::new();
        for name in names {
            if !name.starts_with(LINES_FILE) || *name == TYPE_FILE {
                continue;
            }
            let path = format!("{}/{name}", self.folder());
            let bytes = self.storage.read(&path).await?;
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
            markers.extend(parse_all(&lines, &path)?);
        }
        Ok(markers)
    }
}

fn parse_all(names: &[&str], path: &str) -> Result<Vec<Marker>> {
    let parse = |name: &&str| {
        Marker::parse(name).ok_or_else(|| Error::Marker {
            path: path.to_owned(),
            text: (*name).to_owned(),
        })
    };
    names.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(test: &str) -> Storage {
        Storage::open(
            &format!("memory:///markers/{test}"),
            &std::collections::BTreeMap::new(),
        )
        .unwrap()
    }

    fn store(storage: &Storage) -> MarkerStore {
        MarkerStore::new(
            storage.clone(),
            InstantTime::parse("20260307162434124").unwrap(),
        )
    }

    #[test]
    fn names_round_trip() {
        for name in [
            "city=sf/a-0_1-2-3_20260307162434124.parquet.marker.CREATE",
            "a-0_1-2-3_20260307162434124.parquet.marker.MERGE",
            "2026/01/.a-0_2.log.1_0-605-839.marker.APPEND",
        ] {
            assert_eq!(Marker::parse(name).unwrap().to_string(), name);
        }
        for bad in ["a.parquet", "a.marker.DELETE", "p/.marker.CREATE", ""] {
            assert_eq!(Marker::parse(bad), None, "{bad}");
        }
    }

    #[tokio::test]
    async fn direct_markers_are_listed_and_deleted() {
        let storage = storage("direct");
        let markers = store(&storage);
        assert_eq!(markers.list().await.unwrap(), []);
        let partition = PartitionPath::from("city=a b");
        for _ in 0..2 {
            markers
                .create(&partition, "f.parquet", IoType::Create)
                .await
                .unwrap();
        }
        markers
            .create(&PartitionPath::from(""), "g.parquet", IoType::Merge)
            .await
            .unwrap();
        let found: Vec<String> = markers
            .list()
            .await
            .unwrap()
            .iter()
            .map(Marker::data_path)
            .collect();
        assert_eq!(found, ["g.parquet", "city=a b/f.parquet"]);
        assert!(markers.exists().await.unwrap());
        markers.delete_all().await.unwrap();
        assert!(!markers.exists().await.unwrap());
    }

    #[tokio::test]
    async fn checksum_files_of_the_jvm_are_no_markers() {
        let storage = storage("checksums");
        let markers = store(&storage);
        let log = ".a-0_2.log.1_0-605-839";
        let partition = PartitionPath::from("p");
        let create = |file_name| markers.create(&partition, file_name, IoType::Create);
        create("a.parquet").await.unwrap();
        create(log).await.unwrap();
        for name in [".a.parquet", &format!(".{log}")] {
            let path = format!(".hoodie/.temp/20260307162434124/p/{name}.marker.CREATE.crc");
            storage.create(&path, Bytes::from("crc")).await.unwrap();
        }
        let found = markers.list().await.unwrap();
        let names: Vec<&str> = found
            .iter()
            .map(|marker| marker.file_name.as_str())
            .collect();
        assert_eq!(names, [log, "a.parquet"]);
        markers.delete_all().await.unwrap();
        assert!(!markers.exists().await.unwrap());
    }

    #[tokio::test]
    async fn no_folder_is_left_where_folders_exist_by_themselves() {
        let root = tempfile::tempdir().unwrap();
        let url = root.path().display().to_string();
        let storage = Storage::open(&url, &std::collections::BTreeMap::new()).unwrap();
        let markers = store(&storage);
        markers.delete_all().await.unwrap();
        let partition = PartitionPath::from("a=1/b=2");
        markers
            .create(&partition, "f.parquet", IoType::Create)
            .await
            .unwrap();
        markers.delete_all().await.unwrap();
        let left = storage.list_dir(".hoodie/.temp").await.unwrap();
        assert_eq!(left.folders, Vec::<String>::new());
    }

    #[tokio::test]
    async fn markers_of_a_timeline_server_are_read() {
        let storage = storage("server");
        let folder = ".hoodie/.temp/20260307162434124";
        let put = |name: &str, text: &'static str| {
            let (storage, path) = (storage.clone(), format!("{folder}/{name}"));
            async move { storage.create(&path, Bytes::from(text)).await.unwrap() }
        };
        put("MARKERS.type", "TIMELINE_SERVER_BASED").await;
        put(
            "MARKERS0",
            "p/a.parquet.marker.CREATE\np/b.parquet.marker.MERGE\n",
        )
        .await;
        put("MARKERS7", "c.parquet.marker.CREATE\n").await;
        let found: Vec<String> = store(&storage)
            .list()
            .await
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            found,
            [
                "c.parquet.marker.CREATE",
                "p/a.parquet.marker.CREATE",
                "p/b.parquet.marker.MERGE"
            ]
        );
        put("MARKERS8", "half a li").await;
        assert_eq!(
            store(&storage).list().await.unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }
}
