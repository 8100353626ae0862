//! Versions of the table format, as capabilities rather than as numbers to compare.

use std::fmt;

use crate::{Error, Result};

/// A table version this engine reads (spec 01 §2.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableVersion {
    /// Written by 0.14 and 0.15.
    V6,
    /// Written by 1.0.
    V8,
    /// Written by 1.1 and 1.2.
    V9,
}

impl TableVersion {
    /// All versions, oldest first.
    pub const ALL: [Self; 3] = [Self::V6, Self::V8, Self::V9];

    /// The version with this `hoodie.table.version`.
    ///
    /// # Errors
    /// [`Error::TableVersion`] names a version that is not supported, and what can be done.
    pub fn from_code(code: u32) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.code() == code)
            .ok_or(Error::TableVersion { code })
    }

    /// The value of `hoodie.table.version`.
    pub fn code(self) -> u32 {
        match self {
            Self::V6 => 6,
            Self::V8 => 8,
            Self::V9 => 9,
        }
    }

    /// Where timeline files are and how they are named.
    pub fn layout(self) -> TimelineLayout {
        match self {
            Self::V6 => TimelineLayout::V1,
            Self::V8 | Self::V9 => TimelineLayout::V2,
        }
    }

    /// Whether the name of a completed instant says when it completed (else: the file's modification time).
    pub fn completion_time_in_name(self) -> bool {
        self.layout() == TimelineLayout::V2
    }

    /// Whether metadata of commits is written as Avro (else: JSON).
    pub fn commit_metadata_is_avro(self) -> bool {
        self.layout() == TimelineLayout::V2
    }

    /// Whether a log file is named after the delta commit that writes it (else: after the base instant of its
    /// file slice; spec 02 §1.3).
    pub fn log_named_by_own_instant(self) -> bool {
        self.layout() == TimelineLayout::V2
    }

    /// Whether old instants go into an LSM tree of Parquet files (else: into log files under `archived`).
    pub fn history_is_lsm(self) -> bool {
        self.layout() == TimelineLayout::V2
    }

    /// Whether partial-update mode and prefixed merge properties of `hoodie.properties` count.
    pub fn has_partial_update_mode(self) -> bool {
        self == Self::V9
    }

    /// Whether a complex key of one field is `field:value` (else: it depends on the release; spec 02 §4.3).
    pub fn encodes_single_complex_key(self) -> bool {
        self == Self::V9
    }

    /// Whether a new table stores its ordering fields as `hoodie.table.ordering.fields` (else:
    /// `hoodie.table.precombine.field`).
    pub fn writes_ordering_fields(self) -> bool {
        self == Self::V9
    }
}

impl fmt::Display for TableVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code())
    }
}

/// How timeline files are named and where they are (spec 01 §1.2, §1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimelineLayout {
    /// Instants directly in `.hoodie/`; a completed file is named `T.action`.
    V1,
    /// Instants in `.hoodie/timeline/`; a completed file is named `T_C.action`.
    V2,
}

impl TimelineLayout {
    /// The layout with this `hoodie.timeline.layout.version`.
    ///
    /// # Errors
    /// [`Error::Parse`] for layout 0 (tables of 2019 and before) and unknown numbers.
    pub fn from_code(code: u32) -> Result<Self> {
        match code {
            1 => Ok(Self::V1),
            2 => Ok(Self::V2),
            _ => Err(Error::Parse {
                what: "timeline layout version",
                text: code.to_string(),
                expected: "1 (table version 6) or 2 (table versions 8 and 9)",
            }),
        }
    }

    /// The value of `hoodie.timeline.layout.version`.
    pub fn code(self) -> u32 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }
}

/// Whether updates rewrite base files or go to log files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableType {
    /// Every file slice is one base file.
    CopyOnWrite,
    /// A file slice is a base file and log files with later changes.
    MergeOnRead,
}

impl TableType {
    /// The type named as in `hoodie.table.type`.
    ///
    /// # Errors
    /// [`Error::Parse`] for any other text (names are upper case).
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "COPY_ON_WRITE" => Ok(Self::CopyOnWrite),
            "MERGE_ON_READ" => Ok(Self::MergeOnRead),
            _ => Err(Error::Parse {
                what: "table type",
                text: text.to_owned(),
                expected: "COPY_ON_WRITE or MERGE_ON_READ",
            }),
        }
    }

    /// The value of `hoodie.table.type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CopyOnWrite => "COPY_ON_WRITE",
            Self::MergeOnRead => "MERGE_ON_READ",
        }
    }
}

impl fmt::Display for TableType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_has_its_layout_and_round_trips() {
        let layouts = TableVersion::ALL.map(|version| (version.code(), version.layout().code()));
        assert_eq!(layouts, [(6, 1), (8, 2), (9, 2)]);
        for version in TableVersion::ALL {
            assert_eq!(TableVersion::from_code(version.code()).unwrap(), version);
        }
        for code in [0, 1, 5, 7, 10, 100] {
            let text = TableVersion::from_code(code).unwrap_err().to_string();
            assert!(text.contains(&format!("version {code} ")), "{text}");
        }
    }

    #[test]
    fn table_types_are_upper_case_names() {
        assert_eq!(
            TableType::parse("COPY_ON_WRITE").unwrap(),
            TableType::CopyOnWrite
        );
        assert!(TableType::parse("copy_on_write").is_err());
    }
}
