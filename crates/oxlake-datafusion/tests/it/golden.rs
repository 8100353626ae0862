//! Every stored query of the golden copy-on-write tables of version 9 answers as the JVM did.

use oxlake_model::{ErrorKind, InstantTime};
use oxlake_scan::QueryKind;
use oxlake_testkit::{Fixture, FixtureSet, rows};
use serde_json::Value;

use crate::{session, table};

/// Tables with a stored answer that is wrong in this kind of query. The scan's own tests have the
/// right ones.
const NOT_COMPARED: [(&str, &str); 4] = [
    ("v9_clean_versions_cow", "time_travel"),
    ("v9_key_partition_types", "snapshot"),
    ("v9_key_timestamp_scalar_days", "snapshot"),
    ("v9_key_urlencoded_hive", "snapshot"),
];

fn kind(query: &Value) -> Option<QueryKind> {
    let options = &query["options"];
    let time = |key: &str| InstantTime::parse(options[key].as_str()?).ok();
    match query["kind"].as_str()? {
        "snapshot" => Some(QueryKind::Snapshot),
        "time_travel" => Some(QueryKind::TimeTravel(time("as.of.instant")?)),
        "incremental" => {
            let begin = options["hoodie.datasource.read.begin.instanttime"].as_str()?;
            let from = if begin == "000" {
                None
            } else {
                Some(InstantTime::parse(begin).ok()?)
            };
            Some(QueryKind::Incremental { from, to: None })
        }
        _ => None,
    }
}

/// The stored rows as objects.
fn stored_rows(query: &Value) -> Option<Vec<Value>> {
    let columns: Vec<&str> = query["columns"]
        .as_array()?
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let object = |row: &Value| {
        let cells = columns.iter().zip(row.as_array().unwrap());
        cells
            .map(|(name, cell)| ((*name).to_owned(), cell.clone()))
            .collect()
    };
    Some(query["rows"].as_array()?.iter().map(object).collect())
}

#[tokio::test]
async fn stored_queries_answer_as_the_jvm_did() {
    let mut compared = 0;
    let mut failures = Vec::new();
    for name in FixtureSet::Golden.names().unwrap() {
        if !name.starts_with("v9_") {
            continue;
        }
        let fixture = Fixture::open(&name).unwrap();
        // The stored answers of the restored table are from before its last write.
        if fixture.json()["table_type"] != "COPY_ON_WRITE" || name == "v9_restore_cow" {
            continue;
        }
        for query in fixture.queries() {
            let (Some(kind), Some(expected)) = (kind(query), stored_rows(query)) else {
                continue;
            };
            let kind_name = query["kind"].as_str().unwrap();
            if NOT_COMPARED.contains(&(name.as_str(), kind_name)) {
                continue;
            }
            let opened = table(&fixture, kind).await.unwrap();
            // Stored columns are those of the JVM's answer, in its order.
            let columns: Vec<String> = query["columns"]
                .as_array()
                .unwrap()
                .iter()
                .map(|c| c.as_str().unwrap().to_owned())
                .collect();
            let answer = session().select(opened, None, Some(&columns), None).await;
            let batches = match answer {
                Ok(answer) => answer.collect().await,
                Err(error) => Err(error),
            };
            match batches {
                Ok(batches) => {
                    compared += 1;
                    if let Some(difference) =
                        rows::difference(&rows::encode(&batches).unwrap(), &expected)
                    {
                        failures.push(format!(
                            "{name} {kind_name} {}: {difference}",
                            query["options"]
                        ));
                    }
                }
                Err(error) if error.kind() == ErrorKind::Unsupported => {}
                Err(error) => {
                    failures.push(format!("{name} {kind_name} {}: {error}", query["options"]));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {compared} differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(compared > 50, "only {compared} queries were compared");
}
