//! Names of timeline files, and the timelines made of them.

use std::collections::BTreeSet;

use oxlake_model::{InstantFileName, Timeline, TimelineEntry, TimelineLayout};

use crate::golden::{Table, tables, tables_and_metadata_tables};

#[test]
fn every_name_in_every_timeline_folder_parses_and_prints_back() {
    let mut count = 0;
    for table in tables_and_metadata_tables() {
        let layout = table.version.layout();
        for (name, _) in table.timeline_files() {
            let parsed = InstantFileName::parse(layout, name);
            let other = matches!(name, "hoodie.properties" | "hoodie.properties.backup");
            assert_eq!(parsed.is_none(), other, "{}: {name}", table.name);
            if let Some(instant) = parsed {
                assert_eq!(InstantFileName::print(layout, &instant), name);
                count += 1;
            }
        }
    }
    assert!(count > 3500, "{count} names");
}

#[test]
fn every_schema_commit_parses() {
    let mut count = 0;
    for table in tables() {
        let names = table
            .files
            .keys()
            .filter_map(|p| p.strip_prefix(".hoodie/.schema/"));
        for name in names.filter(|name| !name.is_empty()) {
            let instant = InstantFileName::parse(table.version.layout(), name);
            assert!(instant.is_some(), "{}: {name}", table.name);
            count += 1;
        }
    }
    assert!(count > 20, "{count} names");
}

/// The `timeline` of the golden tables names every file, not only the highest state.
#[test]
fn the_files_are_those_the_golden_tables_name() {
    let mut count = 0;
    for table in tables() {
        let Some(expected) = table.json["timeline"].as_array() else {
            continue;
        };
        let text = |v: &serde_json::Value| v.as_str().map(str::to_owned);
        let expected: BTreeSet<_> = expected
            .iter()
            .map(|i| {
                let v6 = !table.version.completion_time_in_name();
                let completion = if v6 { None } else { text(&i["completion"]) };
                (
                    text(&i["time"]),
                    completion,
                    text(&i["action"]),
                    text(&i["state"]),
                )
            })
            .collect();
        let found: BTreeSet<_> = table
            .instants()
            .into_iter()
            .map(|(i, _)| {
                (
                    Some(i.requested.to_string()),
                    i.completed.map(|c| c.to_string()),
                    Some(i.action.to_string()),
                    Some(i.state.to_string()),
                )
            })
            .collect();
        assert_eq!(found, expected, "{}", table.name);
        count += 1;
    }
    assert_eq!(count, 134);
}

#[test]
fn the_active_timeline_is_the_one_the_jvm_lists() {
    let mut count = 0;
    for table in tables_and_metadata_tables() {
        assert_eq!(show(&table.timeline()), expected(table), "{}", table.name);
        count += 1;
    }
    assert!(count > 200, "{count} tables");
}

#[test]
fn a_half_done_downgrade_has_its_instants_in_the_old_folder() {
    for table in tables()
        .iter()
        .filter(|t| t.name.starts_with("v8_downgrade_4_failed_"))
    {
        assert!(table.timeline().is_empty());
        let names = table
            .files
            .keys()
            .filter_map(|path| path.strip_prefix(".hoodie/"));
        let entries = names.map(|name| TimelineEntry {
            name: name.to_owned(),
            modified: None,
        });
        assert!(!Timeline::from_listing(TimelineLayout::V1, entries).is_empty());
    }
}

fn show(timeline: &Timeline) -> Vec<String> {
    let line = |i: &oxlake_model::Instant| {
        let completion = i.completed.as_ref().map_or("-", |c| c.as_str());
        format!("{} {completion} {} {}", i.requested, i.action, i.state)
    };
    timeline.instants().iter().map(line).collect()
}

fn expected(table: &Table) -> Vec<String> {
    table
        .oracle_lines("active")
        .iter()
        .map(|words| words.join(" "))
        .collect()
}
