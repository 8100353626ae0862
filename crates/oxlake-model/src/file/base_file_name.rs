//! The name of a base file.

use std::fmt;

use crate::{FileId, InstantTime};

/// What a base file is written in; its extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BaseFileExtension {
    /// Apache Parquet.
    #[default]
    Parquet,
    /// Apache ORC.
    Orc,
    /// `HFile` version 3, in metadata tables.
    Hfile,
    /// Lance.
    Lance,
}

impl BaseFileExtension {
    /// All extensions.
    pub const ALL: [Self; 4] = [Self::Parquet, Self::Orc, Self::Hfile, Self::Lance];

    /// The extension without dot.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Orc => "orc",
            Self::Hfile => "hfile",
            Self::Lance => "lance",
        }
    }

    /// The format named as in `hoodie.table.base.file.format` (`PARQUET`), in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|extension| extension.as_str().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for BaseFileExtension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// `{fileId}_{writeToken}_{instant}.{extension}` (spec 02 §1.2).
///
/// A file id may hold anything but `_`, `.` and `/`: a partitioned record index has partition values in it.
///
/// ```
/// use oxlake_model::BaseFileName;
/// let text = "84e82649-b1ee-4a25-a316-17cc6872616b-0_2-13-62_20250331030642808.parquet";
/// let name = BaseFileName::parse(text).unwrap();
/// assert_eq!(name.write_token, "2-13-62");
/// assert_eq!(name.to_string(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BaseFileName {
    /// The file group.
    pub file_id: FileId,
    /// The commit that writes it.
    pub instant: InstantTime,
    /// Which attempt of which task wrote it.
    pub write_token: String,
    /// The format.
    pub extension: BaseFileExtension,
}

impl BaseFileName {
    /// Reads a file name; `None` for every file that is no base file.
    pub fn parse(name: &str) -> Option<Self> {
        let (stem, extension) = name.split_once('.')?;
        let extension = BaseFileExtension::ALL
            .into_iter()
            .find(|known| known.as_str() == extension)?;
        let mut parts = stem.split('_');
        let (file_id, write_token, instant) = (parts.next()?, parts.next()?, parts.next()?);
        let is_file_id = !file_id.is_empty() && !file_id.contains('/');
        if parts.next().is_some() || !is_file_id || !is_word(write_token) {
            return None;
        }
        Some(Self {
            file_id: file_id.into(),
            instant: InstantTime::parse(instant).ok()?,
            write_token: write_token.to_owned(),
            extension,
        })
    }

    /// The file name.
    pub fn print(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for BaseFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}_{}_{}.{}",
            self.file_id, self.write_token, self.instant, self.extension
        )
    }
}

/// `[a-zA-Z0-9-]+`
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn real_names() {
        let name =
            BaseFileName::parse("files-0000-0_23-1133-3302_20251220210130942.hfile").unwrap();
        assert_eq!(name.file_id.as_str(), "files-0000-0");
        assert_eq!(name.extension, BaseFileExtension::Hfile);
        let text =
            "record-index-city%3DSão Paulo%2Fβ%3Dx-0000-0_4-332-5249_20261130142619591.hfile";
        assert_eq!(BaseFileName::parse(text).unwrap().print(), text);
        for other in [
            ".hoodie_partition_metadata",
            ".hoodie_partition_metadata.parquet",
            "a_b.parquet",
            "a_1_2_3.parquet",
            "a_1-0-1_2.txt",
            "_1_2.parquet",
            "a_1-0-1_2.parquet.crc",
            "a_1-0-1_x.parquet",
            "part-0.parquet",
            "",
            ".a-0_1.log.1_1-0-1",
        ] {
            assert_eq!(BaseFileName::parse(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn round_trip(text in "[a-zA-Z0-9-]{1,40}_[0-9-]{1,12}_[0-9]{1,20}\\.(parquet|orc|hfile|lance)") {
            prop_assert_eq!(BaseFileName::parse(&text).unwrap().print(), text);
        }

        #[test]
        fn garbage_never_panics(text in "[a-z0-9_.-]{0,40}|.{0,40}") {
            if let Some(name) = BaseFileName::parse(&text) {
                prop_assert_eq!(name.print(), text);
            }
        }
    }
}
