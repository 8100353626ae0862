//! Projection, conditions, pruning, limits and ranges: what they must not change, on every golden table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::TryStreamExt;
use object_store::local::LocalFileSystem;
use oxlake_env::Env;
use oxlake_model::{CompareOp, ErrorKind, InstantTime, Literal, Predicate, TableVersion};
use oxlake_scan::{Error, Query, QueryKind, plan_scan};
use oxlake_storage::Storage;
use oxlake_storage::testing::CountingStore;
use oxlake_table::MetaClient;
use oxlake_testkit::{Fixture, FixtureSet, rows};
use serde_json::{Value, json};

use crate::support::{open, run, time};

/// The golden copy-on-write tables that can be read.
async fn tables() -> Vec<(Fixture, MetaClient)> {
    let mut tables = Vec::new();
    for name in FixtureSet::Golden.names().unwrap() {
        let fixture = Fixture::open(&name).unwrap();
        if fixture.json()["table_type"] == "COPY_ON_WRITE" && !name.contains("failed_cow") {
            let table = open(&fixture).await.unwrap();
            tables.push((fixture, table));
        }
    }
    tables
}

/// A condition on a value that rows hold, as SQL would write it; `None` for types without literals here.
fn literal(value: &Value, kind: &str) -> Option<Literal> {
    match (kind, value) {
        ("string", Value::String(text)) => Some(Literal::Utf8(text.clone())),
        ("int" | "bigint", value) => value.as_i64().map(Literal::Int64),
        ("boolean", value) => value.as_bool().map(Literal::Boolean),
        ("double", value) => value.as_f64().map(Literal::Float64),
        _ => None,
    }
}

#[tokio::test]
async fn conditions_give_the_rows_that_a_filter_afterwards_gives() {
    let mut checked = 0;
    for (fixture, table) in tables().await {
        // Those that differ in partitions, keys and types.
        let kinds = ["key", "types", "drop_partition", "overwrites", "two_fields"];
        if !kinds.iter().any(|kind| fixture.name().contains(kind)) {
            continue;
        }
        let all = run(&table, &Query::snapshot()).await.unwrap();
        let stored = &fixture.queries()[0];
        let names = stored["columns"].as_array().unwrap();
        for (name, kind) in names.iter().zip(stored["types"].as_array().unwrap()) {
            let (name, mut kind) = (name.as_str().unwrap(), kind.as_str().unwrap());
            if fixture.name() == "v9_key_timestamp_scalar_days" && name == "event" {
                kind = "bigint"; // The real engine calls it a text.
            }
            let values: BTreeSet<String> = all.iter().map(|row| row[name].to_string()).collect();
            for text in values.iter().take(6) {
                let value: Value = serde_json::from_str(text).unwrap();
                let is = |row: &&Value| row[name] == value;
                let is_not = |row: &&Value| row[name] != value && !row[name].is_null();
                let cases: Vec<(Predicate, Vec<Value>)> = match literal(&value, kind) {
                    _ if value.is_null() => vec![(
                        Predicate::IsNull(name.into()),
                        all.iter().filter(is).cloned().collect(),
                    )],
                    None => continue,
                    Some(literal) => vec![
                        (
                            Predicate::compare(name, CompareOp::Eq, literal.clone()),
                            all.iter().filter(is).cloned().collect(),
                        ),
                        (
                            Predicate::compare(name, CompareOp::NotEq, literal.clone()),
                            all.iter().filter(is_not).cloned().collect(),
                        ),
                        (
                            Predicate::Not(Box::new(Predicate::In {
                                column: name.into(),
                                values: vec![literal],
                            })),
                            all.iter().filter(is_not).cloned().collect(),
                        ),
                    ],
                };
                for (predicate, expected) in cases {
                    checked += 1;
                    let query = Query::snapshot().with_predicate(predicate.clone());
                    let ours = run(&table, &query).await.unwrap();
                    let difference = rows::difference(&ours, &expected);
                    assert_eq!(difference, None, "{} {predicate:?}", fixture.name());
                }
            }
        }
    }
    assert!(checked > 400, "{checked}");
}

#[tokio::test]
async fn columns_come_in_the_order_asked_with_or_without_the_condition_on_another() {
    for (fixture, table) in tables().await {
        let all = run(&table, &Query::snapshot()).await.unwrap();
        let Some(first) = all.first() else { continue };
        let key = first["_hoodie_record_key"].as_str().unwrap();
        let query = Query::snapshot()
            .with_columns(["ts", "_hoodie_file_name", "id"])
            .with_predicate(Predicate::eq("_hoodie_record_key", key));
        if plan_scan(&table, &query)
            .await
            .is_err_and(|e| matches!(e, Error::UnknownColumn { .. }))
        {
            continue; // A table without ts or id.
        }
        let plan = plan_scan(&table, &query).await.unwrap();
        let names: Vec<_> = plan
            .schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        assert_eq!(names, ["ts", "_hoodie_file_name", "id"]);
        let expected: Vec<Value> = all
            .iter()
            .filter(|row| row["_hoodie_record_key"] == key)
            .map(|row| json!({"ts": row["ts"], "_hoodie_file_name": row["_hoodie_file_name"], "id": row["id"]}))
            .collect();
        let ours = run(&table, &query).await.unwrap();
        assert_eq!(
            rows::difference(&ours, &expected),
            None,
            "{}",
            fixture.name()
        );
    }
}

#[tokio::test]
async fn limits_and_batch_sizes_cut_the_same_order() {
    for (fixture, table) in tables().await {
        let all = run(&table, &Query::snapshot()).await.unwrap();
        for limit in [0, 1, 2, all.len(), all.len() + 1] {
            for batch_size in [1, 100] {
                let query = Query::snapshot()
                    .with_limit(limit)
                    .with_batch_size(batch_size);
                let ours = run(&table, &query).await.unwrap();
                assert_eq!(
                    ours,
                    all[..limit.min(all.len())],
                    "{} {limit}",
                    fixture.name()
                );
            }
        }
        let plan = plan_scan(&table, &Query::snapshot().with_columns([""; 0]))
            .await
            .unwrap();
        let batches: Vec<_> = plan.stream().try_collect().await.unwrap();
        let counted: usize = batches
            .iter()
            .map(arrow::array::RecordBatch::num_rows)
            .sum();
        assert_eq!(
            counted,
            all.len(),
            "{}: rows without columns",
            fixture.name()
        );
    }
}

#[tokio::test]
async fn slices_come_by_partition_and_file_id() {
    for (_, table) in tables().await {
        let plan = plan_scan(&table, &Query::snapshot()).await.unwrap();
        let keys: Vec<_> = plan
            .slices
            .iter()
            .map(|scan| scan.slice.file_group_id())
            .collect();
        assert!(keys.is_sorted());
        assert_eq!(plan.report.file_count, plan.slices.len());
        assert!(plan.to_string().lines().count() > plan.slices.len());
    }
}

/// The changes of a range are the rows of its end that its commits wrote.
#[tokio::test]
async fn changes_of_every_range_are_rows_of_the_state_at_its_end() {
    let (mut compared, mut refused) = (0, 0);
    for (fixture, table) in tables().await {
        let snapshot = table.load_snapshot().await.unwrap();
        let by_completion = table.config().version().completion_time_in_name();
        let commits = snapshot.timeline.commits_by_completion();
        let mut times: Vec<(InstantTime, InstantTime)> = commits
            .iter()
            .map(|commit| {
                let completed = commit.completed.clone().filter(|_| by_completion);
                (
                    commit.requested.clone(),
                    completed.unwrap_or(commit.requested.clone()),
                )
            })
            .collect();
        times.sort_by(|a, b| a.1.cmp(&b.1));
        for end in 0..times.len() {
            let last = times[..=end]
                .iter()
                .map(|(requested, _)| requested)
                .max()
                .unwrap();
            for begin in 0..end {
                let query =
                    Query::incremental(Some(times[begin].1.clone()), Some(times[end].1.clone()));
                let changes = run(&table, &query).await;
                let state = run(&table, &Query::as_of(last.clone())).await;
                let (changes, state) = match (changes, state) {
                    (Ok(changes), Ok(state)) => (without_files(changes), without_files(state)),
                    (Err(Error::RangeCleaned { .. } | Error::HollowCommit { .. }), _)
                    | (_, Err(Error::Cleaned { .. })) => {
                        refused += 1;
                        continue;
                    }
                    (changes, state) => panic!("{}: {changes:?} {state:?}", fixture.name()),
                };
                let range: BTreeSet<&str> = times[begin + 1..=end]
                    .iter()
                    .map(|(requested, _)| requested.as_str())
                    .collect();
                let in_range =
                    |row: &Value| range.contains(row["_hoodie_commit_time"].as_str().unwrap());
                // Time travel has the schema of its time, changes have today's.
                let today: Vec<&String> = changes
                    .first()
                    .map_or(vec![], |row| row.as_object().unwrap().keys().collect());
                let expected: Vec<Value> = state
                    .into_iter()
                    .filter(in_range)
                    .map(|mut row| {
                        for column in &today {
                            row.as_object_mut()
                                .unwrap()
                                .entry(*column)
                                .or_insert(Value::Null);
                        }
                        row
                    })
                    .collect();
                compared += 1;
                let difference = rows::difference(&changes, &expected);
                assert_eq!(difference, None, "{} {:?}", fixture.name(), query.kind);
            }
        }
    }
    assert!(compared > 150 && refused > 10, "{compared} {refused}");
}

/// A clustering that completes behind the range, but was requested before its end, moves rows to other files.
fn without_files(mut rows: Vec<Value>) -> Vec<Value> {
    for row in &mut rows {
        row.as_object_mut().unwrap().remove("_hoodie_file_name");
    }
    rows
}

#[tokio::test]
async fn a_bounded_range_whose_files_are_gone_names_the_first_end_that_works() {
    let fixture = Fixture::open("v9_clean_versions_cow").unwrap();
    let table = open(&fixture).await.unwrap();
    let query = |to: &str| Query::incremental(None, Some(time(to)));
    let error = run(&table, &query("20261130135825771")).await.unwrap_err();
    let Error::RangeCleaned {
        earliest, until, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(until.as_str(), "20261130135825771");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let rows = run(&table, &query(earliest.as_str())).await.unwrap();
    let all = run(&table, &Query::incremental(None, None)).await.unwrap();
    assert_eq!(rows, all);
}

/// A cleaner that died half way has deleted files and has no completed instant.
#[tokio::test]
async fn a_clean_that_is_not_finished_counts_as_far_as_it_came() {
    let fixture = Fixture::open("v9_clean_versions_cow").unwrap();
    let clean = "20261130135836498_20261130135836721.clean";
    std::fs::remove_file(fixture.path().join(".hoodie/timeline").join(clean)).unwrap();
    let table = open(&fixture).await.unwrap();
    for asked in ["20261130135822480", "20261130135830808"] {
        let error = run(&table, &Query::as_of(time(asked))).await.unwrap_err();
        let Error::Cleaned { earliest, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(earliest.as_str(), "20261130135833992");
    }
    assert_eq!(run(&table, &Query::snapshot()).await.unwrap().len(), 1);
}

/// U32: at each commit a table either answers or names a moment that it does answer, and before all of them it is empty.
#[tokio::test]
async fn u32_time_travel_before_the_retained_history_names_the_earliest_instant() {
    let (mut answered, mut refused) = (0, BTreeSet::new());
    for (fixture, table) in tables().await {
        let store = table.timeline_store();
        let archived = store.load_archived().await.unwrap().instants;
        let archived = archived.into_iter().map(|it| it.instant);
        let active = store.load_active().await.unwrap();
        let commits: BTreeSet<InstantTime> = archived
            .chain(active.instants().iter().cloned())
            .filter(|it| it.is_completed() && it.is_write())
            .map(|it| it.requested)
            .collect();
        let Some(first) = commits.first() else {
            continue;
        };
        for asked in &commits {
            match run(&table, &Query::as_of(asked.clone())).await {
                Ok(_) => answered += 1,
                Err(Error::Cleaned {
                    asked: told,
                    earliest,
                }) => {
                    let name = fixture.name();
                    assert_eq!(&told, asked, "{name}");
                    assert!(earliest > *asked, "{name}: {asked} {earliest}");
                    let text = Error::Cleaned {
                        asked: told,
                        earliest: earliest.clone(),
                    }
                    .to_string();
                    assert!(text.contains(earliest.as_str()), "{text}");
                    run(&table, &Query::as_of(earliest)).await.unwrap();
                    refused.insert(table.config().version());
                }
                Err(other) => panic!("{} at {asked}: {other}", fixture.name()),
            }
        }
        let before = InstantTime::from_epoch_millis(first.to_epoch_millis(0).unwrap() - 1, 0);
        let rows = run(&table, &Query::as_of(before)).await.unwrap();
        assert_eq!(rows, Vec::<Value>::new(), "{}", fixture.name());
    }
    assert!(answered > 100, "{answered}");
    assert!(refused.contains(&TableVersion::V6) && refused.contains(&TableVersion::V9));
}

#[tokio::test]
async fn before_the_first_write_a_table_is_empty() {
    for (fixture, table) in tables().await {
        let rows = run(&table, &Query::as_of(time("20000101000000000"))).await;
        assert_eq!(rows.unwrap(), Vec::<Value>::new(), "{}", fixture.name());
    }
}

#[tokio::test]
async fn what_is_not_built_is_refused_with_its_reason() {
    let fixture = Fixture::open("v9_ordering_event_mor").unwrap();
    let table = open(&fixture).await.unwrap();
    for kind in [
        QueryKind::Snapshot,
        QueryKind::ReadOptimized,
        QueryKind::Incremental {
            from: None,
            to: None,
        },
        QueryKind::Cdc {
            from: None,
            to: None,
        },
    ] {
        let error = plan_scan(&table, &Query::new(kind.clone()))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{kind:?}: {error}");
    }
    let fixture = Fixture::open("v9_no_meta_fields_mor").unwrap();
    let table = open(&fixture).await.unwrap();
    let error = plan_scan(&table, &Query::incremental(None, None))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::NoCommitTimes));
}

#[tokio::test]
async fn read_optimized_is_the_snapshot_of_a_copy_on_write_table() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let table = open(&fixture).await.unwrap();
    let ours = run(&table, &Query::new(QueryKind::ReadOptimized))
        .await
        .unwrap();
    assert_eq!(ours, run(&table, &Query::snapshot()).await.unwrap());
}

#[tokio::test]
async fn unknown_columns_are_refused_before_anything_is_listed() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let table = open(&fixture).await.unwrap();
    for query in [
        Query::snapshot().with_columns(["nme"]),
        Query::snapshot().with_predicate(Predicate::IsNull("nme".into())),
    ] {
        let error = plan_scan(&table, &query).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("nme"), "{error}");
    }
}

/// One listing of the root and one of the partition asked for, whatever else the table holds.
#[tokio::test]
async fn a_condition_on_the_partition_lists_only_its_folder() {
    let fixture = Fixture::open("v9_key_urlencoded_hive").unwrap();
    let store = Arc::new(CountingStore::new(Arc::new(LocalFileSystem::new())));
    let root = fixture.url();
    let storage = Storage::from_store(
        Arc::clone(&store) as _,
        root.trim_start_matches('/'),
        &format!("file://{root}"),
    );
    let table = MetaClient::open(storage.unwrap(), Env::simulated(1))
        .await
        .unwrap();
    let mut listings = BTreeMap::new();
    for (name, predicate) in [
        ("all", Predicate::True),
        ("one", Predicate::eq("city", "x/y")),
        ("none", Predicate::eq("city", "nowhere")),
    ] {
        store.reset();
        let query = Query::snapshot().with_predicate(predicate);
        let plan = plan_scan(&table, &query).await.unwrap();
        listings.insert(name, (store.counts().list, plan.report.partition_count));
    }
    // The timeline, the root, and the partitions; the partition of null and empty values is always looked at.
    assert_eq!(listings["all"], (2 + 5, 5));
    assert_eq!(listings["one"], (2 + 2, 2));
    assert_eq!(listings["none"], (2 + 1, 1));
}

/// A plan can be awaited and its stream drained on any thread.
#[tokio::test(flavor = "multi_thread")]
async fn plans_and_streams_move_between_threads() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let table = open(&fixture).await.unwrap();
    let expected = run(&table, &Query::incremental(None, None)).await.unwrap();
    let read = tokio::spawn(async move {
        let plan = plan_scan(&table, &Query::incremental(None, None)).await?;
        plan.stream().try_collect::<Vec<_>>().await
    });
    let ours = rows::encode(&read.await.unwrap().unwrap()).unwrap();
    assert_eq!(ours, expected);
}
