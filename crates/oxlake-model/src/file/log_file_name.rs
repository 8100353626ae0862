//! The name of a log file.

use std::fmt;

use crate::{FileId, InstantTime};

/// What stands at the end of a log file's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogFileSuffix {
    /// Nothing: changes of the data.
    #[default]
    Data,
    /// `-cdc`: change images, as written before 0.13.1.
    HyphenCdc,
    /// `.cdc`: change images.
    Cdc,
}

impl LogFileSuffix {
    /// The text in the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Data => "",
            Self::HyphenCdc => "-cdc",
            Self::Cdc => ".cdc",
        }
    }
}

/// `.{fileId}_{instant}.log.{version}_{writeToken}{suffix}` (spec 02 §1.3).
///
/// Within a slice, names sort in the order they are scanned (spec 02 §1.4): instant, version, write token
/// (none first), suffix.
///
/// ```
/// use oxlake_model::LogFileName;
/// let text = ".8aa68f7e-0_20251220210125441.log.1_0-1047-3000";
/// let name = LogFileName::parse(text).unwrap();
/// assert_eq!((name.version, name.to_string().as_str()), (1, text));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogFileName {
    /// The file group.
    pub file_id: FileId,
    /// Version 6: the base instant of the slice; versions 8 and 9: the delta commit that wrote the file.
    pub instant: InstantTime,
    /// 1, 2, 3, …
    pub version: u32,
    /// Which attempt of which task wrote it; missing in very old names.
    pub write_token: Option<String>,
    /// Data or change images.
    pub suffix: LogFileSuffix,
}

impl LogFileName {
    /// Reads a file name; `None` for every file that is no log file of a data partition.
    pub fn parse(name: &str) -> Option<Self> {
        let (head, tail) = name.strip_prefix('.')?.split_once(".log.")?;
        let (file_id, instant) = head.split_once('_')?;
        if file_id.is_empty() || file_id.contains('.') {
            return None;
        }
        let (version, write_token, suffix) = match tail.split_once('_') {
            None => (tail, None, LogFileSuffix::Data),
            Some((version, rest)) => {
                let (token, suffix) = split_suffix(rest);
                (version, Some(parse_write_token(token)?), suffix)
            }
        };
        Some(Self {
            file_id: file_id.into(),
            instant: InstantTime::parse(instant).ok()?,
            version: parse_version(version)?,
            write_token,
            suffix,
        })
    }

    /// The file name.
    pub fn print(&self) -> String {
        self.to_string()
    }

    /// Whether the file holds change images; it is then no part of the data of its slice.
    pub fn is_cdc(&self) -> bool {
        self.suffix != LogFileSuffix::Data
    }
}

impl fmt::Display for LogFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}_{}.log.{}", self.file_id, self.instant, self.version)?;
        if let Some(token) = &self.write_token {
            write!(f, "_{token}{}", self.suffix.as_str())?;
        }
        Ok(())
    }
}

fn split_suffix(text: &str) -> (&str, LogFileSuffix) {
    for suffix in [LogFileSuffix::Cdc, LogFileSuffix::HyphenCdc] {
        if let Some(token) = text.strip_suffix(suffix.as_str()) {
            return (token, suffix);
        }
    }
    (text, LogFileSuffix::Data)
}

/// Three decimals: task, stage, attempt.
fn parse_write_token(text: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (text.split('-').count() == 3 && text.split('-').all(is_number)).then(|| text.to_owned())
}

/// A decimal that prints as it was read.
fn parse_version(text: &str) -> Option<u32> {
    let version: u32 = text.parse().ok()?;
    (version.to_string() == text).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn real_names() {
        let name = LogFileName::parse(".files-0000-0_00000000000000000.log.1_0-0-0").unwrap();
        assert_eq!(name.file_id.as_str(), "files-0000-0");
        assert_eq!(name.write_token.as_deref(), Some("0-0-0"));
        assert!(
            LogFileName::parse(".a-0_2025.log.1_0-1-2.cdc")
                .unwrap()
                .is_cdc()
        );
        assert!(
            LogFileName::parse(".a-0_2025.log.1_0-1-2-cdc")
                .unwrap()
                .is_cdc()
        );
        assert_eq!(
            LogFileName::parse(".a-0_2025.log.3").unwrap().write_token,
            None
        );
        for other in [
            ".commits_.archive.1_1-0-1",
            ".a-0_2025.log",
            ".a-0_2025.log.x",
            ".a-0_.log.1_1-0-1",
            "a-0_2025.log.1_1-0-1",
            ".a-0_2025.log.1_1-0",
            ".a-0_2025.log.1_1-0-1.tmp",
            ".a-0_2025.log.01_1-0-1",
            ".hoodie_partition_metadata",
            "a_1-0-1_2025.parquet",
            "",
            ".",
        ] {
            assert_eq!(LogFileName::parse(other), None, "{other}");
        }
    }

    #[test]
    fn names_sort_in_scan_order() {
        let mut names: Vec<LogFileName> = [
            ".a-0_2.log.1_1-0-1",
            ".a-0_1.log.10_1-0-1",
            ".a-0_1.log.9_1-0-1.cdc",
            ".a-0_1.log.9_1-0-1",
            ".a-0_1.log.9",
            ".a-0_1.log.9_0-9-9",
        ]
        .iter()
        .map(|text| LogFileName::parse(text).unwrap())
        .collect();
        names.sort();
        let sorted: Vec<String> = names.iter().map(LogFileName::print).collect();
        assert_eq!(
            sorted,
            [
                ".a-0_1.log.9",
                ".a-0_1.log.9_0-9-9",
                ".a-0_1.log.9_1-0-1",
                ".a-0_1.log.9_1-0-1.cdc",
                ".a-0_1.log.10_1-0-1",
                ".a-0_2.log.1_1-0-1",
            ]
        );
    }

    proptest! {
        #[test]
        fn round_trip(
            text in "\\.[a-zA-Z0-9-]{1,40}_[0-9]{1,20}\\.log\\.[1-9][0-9]{0,5}(_[0-9]{1,3}-[0-9]{1,5}-[0-9]{1,5}(\\.cdc|-cdc)?)?",
        ) {
            prop_assert_eq!(LogFileName::parse(&text).unwrap().print(), text);
        }

        #[test]
        fn garbage_never_panics(text in "[.a-z0-9_-]{0,40}|.{0,40}") {
            if let Some(name) = LogFileName::parse(&text) {
                prop_assert_eq!(name.print(), text);
            }
        }
    }
}
