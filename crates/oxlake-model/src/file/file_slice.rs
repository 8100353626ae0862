//! Base files and log files, and the slices and groups they form.

use crate::{BaseFileName, FileGroupId, FileId, InstantTime, LogFileName, PartitionPath};

/// A base file of a partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BaseFile {
    /// Where it lies.
    pub partition: PartitionPath,
    /// What it is called.
    pub name: BaseFileName,
    /// Its length.
    pub size_bytes: u64,
}

impl BaseFile {
    /// The path relative to the table's root.
    pub fn path(&self) -> String {
        self.partition.join(&self.name.print())
    }

    /// The commit that wrote it.
    pub fn instant(&self) -> &InstantTime {
        &self.name.instant
    }

    /// Its file group.
    pub fn file_group_id(&self) -> FileGroupId {
        FileGroupId::new(self.partition.clone(), self.name.file_id.clone())
    }
}

/// A log file of a partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogFile {
    /// Where it lies.
    pub partition: PartitionPath,
    /// What it is called.
    pub name: LogFileName,
    /// Its length.
    pub size_bytes: u64,
}

impl LogFile {
    /// The path relative to the table's root.
    pub fn path(&self) -> String {
        self.partition.join(&self.name.print())
    }

    /// Its file group.
    pub fn file_group_id(&self) -> FileGroupId {
        FileGroupId::new(self.partition.clone(), self.name.file_id.clone())
    }
}

/// One version of a file group: a base file and the changes to it (spec 02 §1.1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileSlice {
    /// The partition.
    pub partition: PartitionPath,
    /// The file group.
    pub file_id: FileId,
    /// The instant that began this version.
    pub base_instant: InstantTime,
    /// The base file; a slice of a merge-on-read table may have none.
    pub base_file: Option<BaseFile>,
    /// The log files in the order they are scanned, change-image files included.
    pub log_files: Vec<LogFile>,
}

impl FileSlice {
    /// A slice without files.
    pub fn new(group: &FileGroupId, base_instant: InstantTime) -> Self {
        Self {
            partition: group.partition.clone(),
            file_id: group.file_id.clone(),
            base_instant,
            base_file: None,
            log_files: Vec::new(),
        }
    }

    /// Its file group.
    pub fn file_group_id(&self) -> FileGroupId {
        FileGroupId::new(self.partition.clone(), self.file_id.clone())
    }

    /// The log files that hold changes of the data.
    pub fn data_log_files(&self) -> impl DoubleEndedIterator<Item = &LogFile> {
        self.log_files.iter().filter(|file| !file.name.is_cdc())
    }

    /// Whether it has no file at all.
    pub fn is_empty(&self) -> bool {
        self.base_file.is_none() && self.log_files.is_empty()
    }

    /// The length of all its files.
    pub fn size_bytes(&self) -> u64 {
        let logs: u64 = self.log_files.iter().map(|file| file.size_bytes).sum();
        self.base_file.as_ref().map_or(0, |file| file.size_bytes) + logs
    }
}

/// All versions of one file group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileGroup {
    /// Which group.
    pub id: FileGroupId,
    /// Its versions, newest first.
    pub slices: Vec<FileSlice>,
}
