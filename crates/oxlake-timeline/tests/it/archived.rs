//! Archived instants of both layouts.

use std::fs;

use oxlake_model::{Action, ErrorKind, InstantContent, InstantTime, State};
use oxlake_testkit::Fixture;
use oxlake_timeline::{ArchiveQuery, ArchivedTimeline};

use crate::golden::{fixtures, open, show, tables};

fn instants(archived: &ArchivedTimeline) -> impl Iterator<Item = &oxlake_model::Instant> {
    archived.instants.iter().map(|archived| &archived.instant)
}

/// The JVM lists one line a state of version 6, we one an action.
#[tokio::test]
async fn archived_timelines_are_those_the_jvm_lists() {
    let mut count = 0;
    for fixture in fixtures() {
        for table in tables(&fixture) {
            let archived = table.store.load_archived().await.unwrap();
            let mut expected = table.expected("archived");
            expected.retain(|line| line.ends_with(" completed"));
            let mut found = show(instants(&archived));
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{}", table.name);
            count += found.len();
        }
    }
    assert!(count > 100, "{count} instants");
}

#[tokio::test]
async fn every_archived_content_decodes() {
    let (mut plans, mut commits) = (0, 0);
    for fixture in fixtures() {
        for table in tables(&fixture) {
            for archived in table.store.load_archived().await.unwrap().instants {
                let what = format!("{}: {}", table.name, archived.instant);
                let content = archived
                    .content()
                    .unwrap_or_else(|e| panic!("{what}: {e:?}"));
                match archived.instant.action {
                    Action::Clean => assert!(matches!(content, InstantContent::Clean(_)), "{what}"),
                    Action::Rollback => {
                        assert!(matches!(content, InstantContent::Rollback(_)), "{what}");
                    }
                    _ => {
                        let metadata = content.as_commit().unwrap();
                        assert!(metadata.schema().is_some(), "{what}");
                        commits += 1;
                    }
                }
                let plan = archived
                    .plan_content()
                    .unwrap_or_else(|e| panic!("{what}: {e:?}"));
                assert_eq!(
                    plan == InstantContent::Empty,
                    archived.plan.is_none(),
                    "{what}"
                );
                plans += usize::from(plan != InstantContent::Empty);
            }
        }
    }
    assert!(
        plans > 20 && commits > 50,
        "{plans} plans, {commits} commits"
    );
}

#[tokio::test]
async fn plans_of_both_layouts_are_what_they_were() {
    for name in [
        "v6_archive_mor",
        "v9_archive_mor",
        "v8_upgrade_1_from_6_mor",
    ] {
        let fixture = Fixture::open(name).unwrap();
        let archived = open(fixture.path()).load_archived().await.unwrap();
        let plan_of = |action| {
            let mut of_action = archived
                .instants
                .iter()
                .filter(|a| a.instant.action == action);
            of_action.find_map(|a| {
                Some(a.plan_content().unwrap()).filter(|p| *p != InstantContent::Empty)
            })
        };
        let compaction = plan_of(Action::Commit);
        assert!(
            matches!(compaction, Some(InstantContent::CompactionPlan(_))),
            "{name}: {compaction:?}"
        );
        if name != "v8_upgrade_1_from_6_mor" {
            let overwrite = plan_of(Action::ReplaceCommit);
            assert!(
                matches!(overwrite, Some(InstantContent::Commit(_))),
                "{name}: {overwrite:?}"
            );
        }
    }
}

/// Also in history files made by an upgrade, whose rows are unsorted and whose names are no ranges.
#[tokio::test]
async fn a_range_gives_the_same_instants_as_all_filtered() {
    for name in [
        "v6_archive_mor",
        "v9_archive_cow",
        "v9_archive_mor",
        "v8_upgrade_1_from_6_mor",
    ] {
        let fixture = Fixture::open(name).unwrap();
        let store = open(fixture.path());
        let all = store.load_archived().await.unwrap();
        assert!(all.instants.len() >= 5, "{name}");
        for from in &all.instants {
            for to in &all.instants {
                let query = ArchiveQuery {
                    from: Some(from.instant.requested.clone()),
                    to: Some(to.instant.requested.clone()),
                    ..ArchiveQuery::times()
                };
                let found = store.load_archived_where(&query).await.unwrap();
                let range = &from.instant.requested..=&to.instant.requested;
                let expected = instants(&all).filter(|i| range.contains(&&i.requested));
                assert_eq!(show(instants(&found)), show(expected), "{name}");
                assert!(
                    found
                        .instants
                        .iter()
                        .all(|a| a.metadata.is_none() && a.plan.is_none())
                );
            }
        }
    }
}

#[tokio::test]
async fn only_the_manifest_says_which_files_count() {
    let fixture = Fixture::open("v9_archive_cow").unwrap();
    let history = fixture.path().join(".hoodie/timeline/history");
    let store = open(fixture.path());
    let expected = store.load_archived().await.unwrap();
    fs::write(history.join("1_2_0.parquet"), "not in the manifest").unwrap();
    fs::write(history.join("manifest_99.tmp"), "half written").unwrap();
    assert_eq!(store.load_archived().await.unwrap(), expected);
    fs::remove_file(history.join("_version_")).unwrap();
    assert_eq!(
        store.load_archived().await.unwrap(),
        expected,
        "the greatest manifest"
    );
    fs::write(history.join("_version_"), "x").unwrap();
    assert_eq!(store.load_archived().await.unwrap(), expected);
}

#[tokio::test]
async fn a_history_that_keeps_losing_files_is_an_outage() {
    let fixture = Fixture::open("v9_archive_cow").unwrap();
    let history = fixture.path().join(".hoodie/timeline/history");
    for entry in fs::read_dir(&history).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "parquet") {
            fs::remove_file(path).unwrap();
        }
    }
    let error = open(fixture.path()).load_archived().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains(".parquet"), "{error}");
}

#[tokio::test]
async fn damaged_archives_are_errors_or_less_but_never_panic() {
    for (name, folder) in [
        ("v6_archive_cow", ".hoodie/archived"),
        ("v9_archive_cow", ".hoodie/timeline/history"),
    ] {
        let fixture = Fixture::open(name).unwrap();
        let store = open(fixture.path());
        for entry in fs::read_dir(fixture.path().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            for step in 0..60 {
                let mut damaged = bytes.clone();
                let position = bytes.len() * step / 60;
                damaged[position] ^= 0xff;
                fs::write(&path, &damaged).unwrap();
                let _ = store.load_archived().await;
                fs::write(&path, &bytes[..position]).unwrap();
                let _ = store.load_archived().await;
            }
            fs::write(&path, &bytes).unwrap();
        }
    }
}

#[tokio::test]
async fn an_unfinished_merge_of_archive_files_is_left_out() {
    let fixture = Fixture::open("v6_archive_mor").unwrap();
    let folder = fixture.path().join(".hoodie/archived");
    let store = open(fixture.path());
    let expected = store.load_archived().await.unwrap();
    let merged = ".commits_.archive.99_1-0-1";
    fs::write(folder.join(merged), "half written").unwrap();
    let error = store.load_archived().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    let schema = r#"{"type":"record","name":"HoodieMergeArchiveFilePlan","fields":[
        {"name":"version","type":["int","null"],"default":1},
        {"name":"candidate","type":["null",{"type":"array","items":"string"}],"default":null},
        {"name":"mergedArchiveFileName","type":["null","string"],"default":null}]}"#;
    let schema = oxlake_avro::Schema::parse(schema).unwrap();
    let plan = oxlake_avro::Value::record([("mergedArchiveFileName", merged.into())]);
    let plan = oxlake_avro::container::write(&schema, &[plan], [1; 16]).unwrap();
    fs::write(folder.join("mergeArchivePlan"), plan).unwrap();
    assert_eq!(store.load_archived().await.unwrap(), expected);
}

/// What a view of an upgraded table needs to give log files to the right slice.
#[tokio::test]
async fn completion_times_of_archived_commits() {
    let fixture = Fixture::open("v8_upgrade_1_from_6_mor").unwrap();
    let archived = open(fixture.path())
        .load_archived_where(&ArchiveQuery::times())
        .await
        .unwrap();
    let time = |text: &str| InstantTime::parse(text).unwrap();
    let completions = archived.completion_times();
    assert_eq!(
        completions.get(&time("20261130144318618")),
        Some(&time("20261130144321641"))
    );
    assert_eq!(
        archived.timeline().completed_commits().len(),
        completions.len()
    );
    assert!(
        archived
            .instants
            .iter()
            .all(|a| a.instant.state == State::Completed)
    );
}
