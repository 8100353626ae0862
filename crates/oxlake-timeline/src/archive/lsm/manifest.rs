//! Which files the history consists of.

use serde_json::Value;

use super::ArchiveQuery;
use crate::{Error, Result, TimelineStore};

const VERSION_FILE: &str = "_version_";
const MANIFEST_PREFIX: &str = "manifest_";

/// The files of one state of the history.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) files: Vec<HistoryFile>,
}

/// A file the manifest names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HistoryFile {
    pub(super) file_name: String,
    /// `None` when the manifest does not say.
    pub(super) file_len: Option<u64>,
}

impl Manifest {
    /// The current manifest; a table that never archived has an empty one.
    pub(super) async fn load(store: &TimelineStore) -> Result<Self> {
        let Some(number) = current(store).await? else {
            return Ok(Self::default());
        };
        let path = format!("{}/{MANIFEST_PREFIX}{number}", store.archive_folder());
        let bytes = store.storage.read(&path).await?;
        Self::parse(&bytes).map_err(|problem| Error::damaged(&path, problem))
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let json: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let files = json.get("files").and_then(Value::as_array);
        let files = files.ok_or("it has no list of files")?.iter();
        let files = files.map(|file| {
            let name = file.get("fileName").and_then(Value::as_str);
            let name = name
                .filter(|name| !name.contains('/'))
                .ok_or("a file has no name")?;
            Ok(HistoryFile {
                file_name: name.to_owned(),
                file_len: file
                    .get("fileLen")
                    .and_then(Value::as_u64)
                    .filter(|len| *len > 0),
            })
        });
        let files = files.collect::<Result<_, &str>>()?;
        Ok(Self { files })
    }
}

/// The number in `_version_`; where that is missing or unreadable, the greatest manifest there is.
async fn current(store: &TimelineStore) -> Result<Option<u64>> {
    let path = format!("{}/{VERSION_FILE}", store.archive_folder());
    let text = match store.storage.read(&path).await {
        Err(error) if error.is_not_found() => None,
        read => Some(read?),
    };
    let number = text.and_then(|text| std::str::from_utf8(&text).ok()?.trim().parse().ok());
    if number.is_some() {
        return Ok(number);
    }
    let listed = store.storage.list_dir(store.archive_folder()).await?;
    let manifests = listed
        .files
        .iter()
        .filter_map(|file| manifest_number(file.name()));
    Ok(manifests.max())
}

fn manifest_number(name: &str) -> Option<u64> {
    name.strip_prefix(MANIFEST_PREFIX)?.parse().ok()
}

impl HistoryFile {
    /// Whether the range in the name (`<least>_<greatest>_<level>.parquet`) meets that of the query. A name that is
    /// no range is read.
    pub(super) fn may_hold(&self, query: &ArchiveQuery) -> bool {
        let mut times = self.file_name.split('_');
        let (Some(least), Some(greatest)) = (times.next(), times.next()) else {
            return true;
        };
        let inside = query
            .from
            .as_ref()
            .is_none_or(|from| from.as_str() <= greatest)
            && query.to.as_ref().is_none_or(|to| least <= to.as_str());
        least > greatest || inside
    }
}

#[cfg(test)]
mod tests {
    use oxlake_model::InstantTime;

    use super::*;

    #[test]
    fn a_manifest_names_files_and_tolerates_new_keys() {
        let text = br#"{ "files" : [ { "fileName" : "1_2_0.parquet", "fileLen" : 7, "x" : 1 }, { "fileName" : "a" } ], "y" : 2 }"#;
        let manifest = Manifest::parse(text).unwrap();
        let files: Vec<_> = manifest
            .files
            .iter()
            .map(|f| (f.file_name.as_str(), f.file_len))
            .collect();
        assert_eq!(files, [("1_2_0.parquet", Some(7)), ("a", None)]);
        for bad in [
            &b"{"[..],
            b"{}",
            br#"{"files":[{}]}"#,
            br#"{"files":[{"fileName":"../x"}]}"#,
        ] {
            assert!(Manifest::parse(bad).is_err());
        }
    }

    #[test]
    fn names_prune_only_where_they_are_ranges() {
        let query = ArchiveQuery {
            from: Some(InstantTime::parse("30").unwrap()),
            to: Some(InstantTime::parse("40").unwrap()),
            ..ArchiveQuery::times()
        };
        let may_hold = |name: &str| {
            HistoryFile {
                file_name: name.to_owned(),
                file_len: None,
            }
            .may_hold(&query)
        };
        assert!(
            may_hold("10_30_0.parquet")
                && may_hold("40_50_1.parquet")
                && may_hold("35_36_0.parquet")
        );
        assert!(!may_hold("10_29_0.parquet") && !may_hold("41_50_1.parquet"));
        assert!(
            may_hold("29_10_0.parquet"),
            "made by an upgrade, in the order of the old archive"
        );
        assert!(may_hold("x"));
    }

    #[test]
    fn half_written_manifests_do_not_count() {
        assert_eq!(manifest_number("manifest_12"), Some(12));
        assert_eq!(manifest_number("manifest_12.tmp"), None);
    }
}
