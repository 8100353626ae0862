//! Golden tables, unpacked into a temporary folder.

use std::fs::{self, File};
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{NaiveDate, NaiveDateTime};
use serde_json::Value;
use tempfile::TempDir;
use zip::ZipArchive;

use crate::{Error, Result, repository_root};

/// The two sets of golden tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FixtureSet {
    /// `fixtures/golden`: tables with the JVM's query answers.
    Golden,
    /// `fixtures/golden-metadata`: tables with metadata tables, decoded.
    GoldenMetadata,
}

impl FixtureSet {
    /// Both sets.
    pub const ALL: [Self; 2] = [Self::Golden, Self::GoldenMetadata];

    /// The folder of the set.
    pub fn folder(self) -> PathBuf {
        repository_root().join("fixtures").join(match self {
            Self::Golden => "golden",
            Self::GoldenMetadata => "golden-metadata",
        })
    }

    /// The names of its tables, sorted.
    pub fn names(self) -> Result<Vec<String>> {
        let folder = self.folder();
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(Error::io(&folder))? {
            let path = entry.map_err(Error::io(&folder))?.path();
            if path.extension().is_some_and(|e| e == "zip")
                && let Some(stem) = path.file_stem()
            {
                names.push(stem.to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }
}

/// One golden table, unpacked; the folder goes when this value is dropped.
///
/// Empty folders of the table are kept. File times are those of the archive, in UTC; in version-6 tables, where the
/// completion time of an instant is a file time, the exact one of the stored timeline is set.
#[derive(Debug)]
pub struct Fixture {
    name: String,
    set: FixtureSet,
    folder: TempDir,
    root: PathBuf,
    json: Value,
}

impl Fixture {
    /// Unpacks the table of that name from whichever set has it.
    ///
    /// # Errors
    /// [`Error::UnknownFixture`] when no set has it.
    pub fn open(name: &str) -> Result<Self> {
        let set = FixtureSet::ALL
            .into_iter()
            .find(|set| set.folder().join(format!("{name}.zip")).is_file());
        let Some(set) = set else {
            return Err(Error::UnknownFixture { name: name.into() });
        };
        let json = read_json(&set.folder().join(format!("{name}.json")))?;
        let folder = tempfile::Builder::new()
            .prefix("oxlake-fixture-")
            .tempdir()
            .map_err(Error::io("temporary folder"))?;
        let top = unpack(&set.folder().join(format!("{name}.zip")), folder.path())?;
        let root = folder.path().join(top);
        set_completion_times(&root, &json)?;
        Ok(Self {
            name: name.into(),
            set,
            folder,
            root,
            json,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The set it belongs to.
    pub fn set(&self) -> FixtureSet {
        self.set
    }

    /// The table's folder.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The table's folder as text.
    pub fn url(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// The temporary folder around the table, free for the test to use.
    pub fn work_folder(&self) -> &Path {
        self.folder.path()
    }

    /// The description beside the table; its fields are in the README of the set.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// The table version it was written with.
    pub fn table_version(&self) -> Option<i64> {
        self.json.get("table_version").and_then(Value::as_i64)
    }

    /// The stored queries: each has `kind`, `options`, `columns`, `types`, and `rows` or `error`.
    pub fn queries(&self) -> &[Value] {
        self.json
            .get("queries")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// How the JVM lists it: `fixtures/oracles/slices/<name>.json`.
    pub fn listing(&self) -> Result<Value> {
        let file = format!("fixtures/oracles/slices/{}.json", self.name);
        read_json(&repository_root().join(file))
    }
}

fn read_json(path: &Path) -> Result<Value> {
    let text = fs::read(path).map_err(Error::io(path))?;
    serde_json::from_slice(&text).map_err(Error::json(path.to_string_lossy()))
}

/// Unpacks the table below `into` and returns the name of its top folder.
fn unpack(archive: &Path, into: &Path) -> Result<String> {
    let bytes = fs::read(archive).map_err(Error::io(archive))?;
    let wrong = |source| Error::Zip {
        path: archive.into(),
        source,
    };
    let mut outer = ZipArchive::new(Cursor::new(bytes)).map_err(wrong)?;
    // The tables with a metadata table are zipped twice: the schemas repeat hundreds of times.
    let inner = match outer.by_name("table.zip") {
        Ok(mut entry) => Some(read_entry(&mut entry, archive)?),
        Err(_) => None,
    };
    match inner {
        Some(bytes) => extract(
            &mut ZipArchive::new(Cursor::new(bytes)).map_err(wrong)?,
            archive,
            into,
        ),
        None => extract(&mut outer, archive, into),
    }
}

fn extract<R: Read + Seek>(zip: &mut ZipArchive<R>, archive: &Path, into: &Path) -> Result<String> {
    let mut top = String::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).map_err(|source| Error::Zip {
            path: archive.into(),
            source,
        })?;
        let Some(relative) = entry.enclosed_name() else {
            continue;
        };
        if let Some(first) = relative.iter().next() {
            top = first.to_string_lossy().into_owned();
        }
        let path = into.join(&relative);
        if entry.is_dir() {
            fs::create_dir_all(&path).map_err(Error::io(&path))?;
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(Error::io(parent))?;
        }
        let content = read_entry(&mut entry, archive)?;
        fs::write(&path, content).map_err(Error::io(&path))?;
        let modified =
            entry.last_modified().and_then(|t| {
                NaiveDate::from_ymd_opt(t.year().into(), t.month().into(), t.day().into())?
                    .and_hms_opt(t.hour().into(), t.minute().into(), t.second().into())
            });
        if let Some(modified) = modified {
            set_modified(&path, modified)?;
        }
    }
    Ok(top)
}

fn read_entry(entry: &mut impl Read, archive: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    entry
        .read_to_end(&mut content)
        .map_err(Error::io(archive))?;
    Ok(content)
}

/// Version 6 has no completion times but those of the files; the archive keeps them to two seconds only.
fn set_completion_times(root: &Path, json: &Value) -> Result<()> {
    if json.get("table_version").and_then(Value::as_i64) != Some(6) {
        return Ok(());
    }
    let instants = json.get("timeline").and_then(Value::as_array);
    for instant in instants.into_iter().flatten() {
        let text = |key| instant.get(key).and_then(Value::as_str);
        if let (Some(time), Some(action), Some(completion)) =
            (text("time"), text("action"), text("completion"))
            && let Some(modified) = parse_instant(completion)
        {
            let file = root.join(".hoodie").join(format!("{time}.{action}"));
            set_modified(&file, modified)?;
        }
    }
    Ok(())
}

fn parse_instant(text: &str) -> Option<NaiveDateTime> {
    let (seconds, millis) = text.split_at_checked(14)?;
    let time = NaiveDateTime::parse_from_str(seconds, "%Y%m%d%H%M%S").ok()?;
    let millis = if millis.is_empty() {
        0
    } else {
        millis.parse().ok()?
    };
    Some(time + chrono::Duration::milliseconds(millis))
}

fn set_modified(path: &Path, time: NaiveDateTime) -> Result<()> {
    let millis = u64::try_from(time.and_utc().timestamp_millis()).unwrap_or_default();
    let file = File::options()
        .write(true)
        .open(path)
        .map_err(Error::io(path))?;
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_millis(millis))
        .map_err(Error::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_both_sets_is_there_with_its_listing() {
        assert_eq!(FixtureSet::Golden.names().unwrap().len(), 134);
        assert_eq!(FixtureSet::GoldenMetadata.names().unwrap().len(), 36);
        for set in FixtureSet::ALL {
            for name in set.names().unwrap() {
                let file = format!("fixtures/oracles/slices/{name}.json");
                assert!(repository_root().join(file).is_file(), "{name}");
            }
        }
    }

    #[test]
    fn a_table_unpacks_with_its_empty_folders() {
        let table = Fixture::open("v9_archive_cow").unwrap();
        assert!(table.path().join(".hoodie/hoodie.properties").is_file());
        assert!(table.path().join(".hoodie/.temp").is_dir());
        assert_eq!(table.table_version(), Some(9));
        assert!(!table.queries().is_empty());
        assert_eq!(table.listing().unwrap()["version"], 9);
    }

    #[test]
    fn a_table_zipped_twice_unpacks() {
        let table = Fixture::open("v9_cow_full").unwrap();
        assert!(
            table
                .path()
                .join(".hoodie/metadata/.hoodie/hoodie.properties")
                .is_file()
        );
    }

    #[test]
    fn file_times_of_version_6_are_exact() {
        let table = Fixture::open("v6_archive_cow").unwrap();
        let first = &table.json()["timeline"][0];
        assert_eq!(first["completion"], "20261130142700257");
        let file = table
            .path()
            .join(".hoodie")
            .join("20261130142657586.commit");
        let modified = fs::metadata(file).unwrap().modified().unwrap();
        let millis = modified
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap()
            .as_millis();
        assert_eq!(millis % 1000, 257);
    }

    #[test]
    fn an_unknown_name_is_refused() {
        let error = Fixture::open("v7_nothing").unwrap_err();
        assert!(error.to_string().contains("v7_nothing"));
    }
}
