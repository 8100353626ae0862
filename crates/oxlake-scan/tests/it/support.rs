//! Opening fixtures, running stored queries, comparing rows with the stored answers.

use std::collections::BTreeMap;

use futures::TryStreamExt;
use oxlake_env::Env;
use oxlake_model::InstantTime;
use oxlake_scan::{Query, QueryKind, parse_begin, parse_time, plan_scan};
use oxlake_storage::Storage;
use oxlake_table::MetaClient;
use oxlake_testkit::{Fixture, rows};
use serde_json::{Map, Value};

/// Opens a fixture. Its instants are in UTC, and so are the file times of version 6.
pub(crate) async fn open(fixture: &Fixture) -> oxlake_table::Result<MetaClient> {
    let storage = Storage::open(&fixture.url(), &BTreeMap::new()).unwrap();
    MetaClient::open(storage, Env::simulated(1)).await
}

/// All rows of a query as JSON objects.
pub(crate) async fn run(table: &MetaClient, query: &Query) -> oxlake_scan::Result<Vec<Value>> {
    let plan = plan_scan(table, query).await?;
    let batches: Vec<_> = plan.stream().try_collect().await?;
    for batch in &batches {
        assert_eq!(
            batch.schema(),
            plan.schema,
            "every batch has the schema of the plan"
        );
    }
    Ok(rows::encode(&batches).unwrap())
}

/// A stored query as one of ours; `None` for kinds that are no query of rows.
pub(crate) fn query_of(table: &MetaClient, stored: &Value) -> Query {
    let zone = table.config().timeline_zone();
    let clock = &*table.env().clock;
    let option = |name: &str| stored["options"].get(name).and_then(Value::as_str);
    let begin = option("hoodie.datasource.read.begin.instanttime")
        .and_then(|text| parse_begin(text, zone, clock).unwrap());
    let kind = match stored["kind"].as_str().unwrap() {
        "snapshot" => QueryKind::Snapshot,
        "read_optimized" => QueryKind::ReadOptimized,
        "time_travel" => {
            let at = option("as.of.instant").unwrap();
            QueryKind::TimeTravel(parse_time(at, zone, clock).unwrap())
        }
        "incremental" => QueryKind::Incremental {
            from: begin,
            to: None,
        },
        "cdc" => QueryKind::Cdc {
            from: begin,
            to: None,
        },
        other => panic!("unknown kind of stored query: {other}"),
    };
    Query::new(kind)
}

/// The stored rows as JSON objects.
pub(crate) fn stored_rows(stored: &Value) -> Vec<Value> {
    let columns = stored["columns"].as_array().unwrap();
    let object = |row: &Value| {
        let cells = row.as_array().unwrap();
        let named = columns.iter().zip(cells);
        let fields: Map<String, Value> = named
            .map(|(name, cell)| (name.as_str().unwrap().to_owned(), cell.clone()))
            .collect();
        Value::Object(fields)
    };
    stored["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(object)
        .collect()
}

/// An instant time in a test.
pub(crate) fn time(text: &str) -> InstantTime {
    InstantTime::parse(text).unwrap()
}
