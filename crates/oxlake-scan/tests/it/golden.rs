//! Every golden table and every stored query against the real engine's answer.

use oxlake_model::ErrorKind;
use oxlake_scan::{Error, Query, QueryKind};
use oxlake_table::MetaClient;
use oxlake_testkit::{Fixture, FixtureSet, rows};
use serde_json::Value;

use crate::exceptions::{MERGE_ON_READ_REFUSED, NOT_YET, Right, WRONG};
use crate::support::{open, query_of, run, stored_rows, time};

#[tokio::test]
async fn copy_on_write_tables_answer_as_the_real_engine() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for name in FixtureSet::Golden.names().unwrap() {
        let fixture = Fixture::open(&name).unwrap();
        if fixture.json()["table_type"] != "COPY_ON_WRITE" {
            continue;
        }
        let table = open(&fixture).await;
        for (index, stored) in fixture.queries().iter().enumerate() {
            compared += 1;
            let checked = match &table {
                Ok(table) => check(&fixture, table, index, stored).await,
                Err(error) => Err(format!("does not open: {error}")),
            };
            if let Err(why) = checked {
                let options = &stored["options"];
                failures.push(format!(
                    "{name} #{index} {} {options}: {why}",
                    stored["kind"]
                ));
            }
        }
    }
    assert!(compared > 190, "only {compared} stored queries found");
    assert!(
        failures.is_empty(),
        "{} of {compared} wrong:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Tables with log files are not read yet. What is answered all the same must be right.
#[tokio::test]
async fn merge_on_read_tables_answer_right_or_not_at_all() {
    let mut failures = Vec::new();
    let mut refused = Vec::new();
    for name in FixtureSet::Golden.names().unwrap() {
        let fixture = Fixture::open(&name).unwrap();
        if fixture.json()["table_type"] != "MERGE_ON_READ" {
            continue;
        }
        let table = open(&fixture).await.unwrap();
        let mut refused_here = 0;
        for (index, stored) in fixture.queries().iter().enumerate() {
            let query = as_of_its_moment(&fixture, index, query_of(&table, stored));
            let checked = match run(&table, &query).await {
                Err(error) if error.kind() == ErrorKind::Unsupported => {
                    refused_here += 1;
                    Ok(())
                }
                answer => compare(&fixture, index, answer, stored),
            };
            if let Err(why) = checked {
                failures.push(format!(
                    "{name} #{index} {} {}: {why}",
                    stored["kind"], stored["options"]
                ));
            }
        }
        refused.push((name, refused_here, fixture.queries().len()));
    }
    let refused: Vec<_> = refused
        .iter()
        .map(|(name, count, of)| (name.as_str(), *count, *of))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(refused, MERGE_ON_READ_REFUSED, "may only shrink");
}

/// Compares one stored query with ours; the error says what differs.
async fn check(
    fixture: &Fixture,
    table: &MetaClient,
    index: usize,
    stored: &Value,
) -> Result<(), String> {
    let query = as_of_its_moment(fixture, index, query_of(table, stored));
    let answer = run(table, &query).await;
    let kind = stored["kind"].as_str().unwrap();
    let not_yet = NOT_YET
        .iter()
        .any(|(name, of, _)| *name == fixture.name() && *of == kind);
    if not_yet {
        return match answer {
            Err(Error::Unsupported { .. }) => Ok(()),
            Err(error) => Err(format!("refused, but not as unsupported: {error}")),
            Ok(_) => Err("passes now: take it off NOT_YET".to_owned()),
        };
    }
    compare(fixture, index, answer, stored)
}

/// Compares an answer with the stored one, or with the right one where the stored one is wrong.
fn compare(
    fixture: &Fixture,
    index: usize,
    answer: oxlake_scan::Result<Vec<Value>>,
    stored: &Value,
) -> Result<(), String> {
    let wrong = WRONG
        .iter()
        .find(|(name, at, ..)| *name == fixture.name() && *at == index);
    match wrong {
        Some((_, _, right, _)) => check_right(fixture, *right, answer, stored),
        None => same_as_stored(answer, stored),
    }
}

fn same_as_stored(answer: oxlake_scan::Result<Vec<Value>>, stored: &Value) -> Result<(), String> {
    if let Some(refusal) = stored.get("error").and_then(Value::as_str) {
        let cleaned = refusal.contains("Cleaner cleaned up the timestamp of interest");
        return match answer {
            Err(Error::Cleaned { .. }) if cleaned => Ok(()),
            Err(error) => Err(format!("the engine says {refusal:.60}, we say {error}")),
            Ok(_) => Err(format!("the engine refuses: {refusal:.60}")),
        };
    }
    let ours = answer.map_err(|error| chain(&error))?;
    rows::difference(&ours, &stored_rows(stored)).map_or(Ok(()), Err)
}

fn check_right(
    fixture: &Fixture,
    right: Right,
    answer: oxlake_scan::Result<Vec<Value>>,
    stored: &Value,
) -> Result<(), String> {
    if same_as_stored(clone(&answer), stored).is_ok() {
        return Err("the stored answer is ours now: take it off WRONG".to_owned());
    }
    match (right, answer) {
        (Right::CleanedUntil(expected), Err(Error::Cleaned { earliest, .. })) => {
            (earliest.as_str() == expected)
                .then_some(())
                .ok_or_else(|| format!("earliest is {earliest}, expected {expected}"))
        }
        (Right::Cells(cells), Ok(ours)) => {
            let mut expected = stored_rows(stored);
            for (key, column, text) in cells {
                let row = expected
                    .iter_mut()
                    .find(|row| row["_hoodie_record_key"] == *key);
                row.unwrap()[*column] = serde_json::from_str(text).unwrap();
            }
            rows::difference(&ours, &expected).map_or(Ok(()), Err)
        }
        (Right::Without(key), Ok(ours)) => {
            let mut expected = stored_rows(stored);
            expected.retain(|row| row["_hoodie_record_key"] != key);
            rows::difference(&ours, &expected).map_or(Ok(()), Err)
        }
        (Right::RowsOfQuery(other), Ok(ours)) => {
            let expected = stored_rows(&fixture.queries()[other]);
            rows::difference(&ours, &expected).map_or(Ok(()), Err)
        }
        (Right::Refused(text), Err(error)) if chain(&error).contains(text) => Ok(()),
        (right, answer) => Err(format!("expected {right:?}, got {answer:?}")),
    }
}

/// Some tables were queried, changed, and queried again; only the last state is in the archive.
fn as_of_its_moment(fixture: &Fixture, index: usize, query: Query) -> Query {
    let later = |stored: &Value| stored["options"].get("note").is_some();
    if !fixture.queries()[index + 1..].iter().any(later) {
        return query;
    }
    let completed: Vec<&Value> = fixture.json()["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|i| i["state"] == "completed" && i["action"].as_str().unwrap().ends_with("commit"))
        .collect();
    let before_last = completed[completed.len() - 2];
    let text = |key: &str| time(before_last[key].as_str().unwrap());
    match query.kind {
        QueryKind::Snapshot => Query::as_of(text("time")),
        QueryKind::Incremental { from, .. } => Query::incremental(from, Some(text("completion"))),
        kind => Query::new(kind),
    }
}

/// An answer for a second look; of an error only its text and whether it is "cleaned" matter.
fn clone(answer: &oxlake_scan::Result<Vec<Value>>) -> oxlake_scan::Result<Vec<Value>> {
    match answer {
        Ok(rows) => Ok(rows.clone()),
        Err(Error::Cleaned { asked, earliest }) => Err(Error::Cleaned {
            asked: asked.clone(),
            earliest: earliest.clone(),
        }),
        Err(error) => Err(Error::Unsupported {
            what: error.to_string(),
            remedy: "",
        }),
    }
}

/// The message of an error with those of its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
