//! Golden tables unpacked, and what the JVM says about them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use oxlake_config::{Properties, TableConfig};
use oxlake_env::Env;
use oxlake_storage::Storage;
use oxlake_testkit::{Fixture, FixtureSet};
use oxlake_timeline::TimelineStore;
use serde_json::Value;

/// Every golden table, one after the other.
pub(crate) fn fixtures() -> impl Iterator<Item = Fixture> {
    let names = FixtureSet::ALL
        .into_iter()
        .flat_map(|set| set.names().unwrap());
    names.map(|name| Fixture::open(&name).unwrap())
}

/// A table, or the metadata table within one, with the JVM's listing.
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) store: TimelineStore,
    pub(crate) oracle: Value,
}

/// The table of a fixture, and its metadata table if it has one.
pub(crate) fn tables(fixture: &Fixture) -> Vec<Table> {
    let oracle = fixture.listing().unwrap();
    let mut tables = vec![Table {
        name: fixture.name().to_owned(),
        store: open(fixture.path()),
        oracle: oracle.clone(),
    }];
    let metadata = fixture.path().join(".hoodie/metadata");
    if metadata.join(".hoodie/hoodie.properties").exists() {
        tables.push(Table {
            name: format!("{}/metadata", fixture.name()),
            store: open(&metadata),
            oracle: oracle["metadata"].clone(),
        });
    }
    tables
}

/// Completion times of version 6 are file times in the zone of the simulated clock, UTC.
pub(crate) fn open(folder: &Path) -> TimelineStore {
    let storage = Storage::open(&folder.to_string_lossy(), &BTreeMap::new()).unwrap();
    TimelineStore::new(storage, &config(folder), Env::simulated(1))
}

pub(crate) fn config(folder: &Path) -> TableConfig {
    let properties = fs::read(folder.join(".hoodie/hoodie.properties")).unwrap();
    TableConfig::try_from_properties(Properties::parse(&properties).unwrap()).unwrap()
}

impl Table {
    /// `requested completion action state` lines of the JVM's listing; for some pending instants of version 6 it
    /// shows a file time.
    pub(crate) fn expected(&self, part: &str) -> Vec<String> {
        let lines = self.oracle["timeline"][part].as_array().unwrap().iter();
        let line = |line: &Value| {
            let mut words: Vec<&str> = line.as_str().unwrap().split(' ').collect();
            if words[3] != "completed" {
                words[1] = "-";
            }
            words.join(" ")
        };
        lines.map(line).collect()
    }
}

pub(crate) fn show<'a>(
    instants: impl IntoIterator<Item = &'a oxlake_model::Instant>,
) -> Vec<String> {
    let line = |i: &oxlake_model::Instant| {
        let completion = i.completed.as_ref().map_or("-", |c| c.as_str());
        format!("{} {completion} {} {}", i.requested, i.action, i.state)
    };
    instants.into_iter().map(line).collect()
}
