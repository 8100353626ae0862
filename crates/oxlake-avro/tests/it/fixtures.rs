//! The files inside the zipped tables of `fixtures/`.

use std::io::{Cursor, Read, Seek};
use std::path::PathBuf;

use zip::ZipArchive;

/// Every file of every golden table, as (table/path, bytes), that `wanted` picks by its path.
pub(crate) fn files(wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (String, Vec<u8>)> {
    tables().into_iter().flat_map(move |path| {
        let table = path.file_stem().unwrap().to_string_lossy().into_owned();
        let outer = ZipArchive::new(Cursor::new(std::fs::read(&path).unwrap())).unwrap();
        contents(outer, &table, &wanted)
    })
}

/// The zips of both fixture folders; some hold one inner `table.zip`.
fn tables() -> Vec<PathBuf> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures"));
    let folders = ["golden", "golden-metadata"].map(|folder| root.join(folder));
    let mut tables: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "zip"))
        .collect();
    tables.sort();
    assert!(tables.len() > 150, "{} tables", tables.len());
    tables
}

fn contents(
    mut zip: ZipArchive<impl Read + Seek>,
    table: &str,
    wanted: &impl Fn(&str) -> bool,
) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        let name = entry.name().to_owned();
        let is_inner = name == "table.zip";
        if !entry.is_file() || !(is_inner || wanted(&name)) {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if is_inner {
            let inner = ZipArchive::new(Cursor::new(bytes)).unwrap();
            found.extend(contents(inner, table, wanted));
        } else {
            found.push((format!("{table}/{name}"), bytes));
        }
    }
    found
}
