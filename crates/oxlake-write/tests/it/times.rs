//! U33: instant times of processes in different zones and with clocks that do not agree.

use std::sync::Arc;

use futures::TryStreamExt;
use futures::stream;
use oxlake_config::{TimelineZone, WriteOptions};
use oxlake_env::{Env, ManualClock};
use oxlake_model::{InstantTime, TableVersion};
use oxlake_scan::{Query, parse_time, plan_scan};
use oxlake_table::MetaClient;
use oxlake_write::{CommitOutcome, WriteClient, WriteOperation};

use crate::fixture::{Fixture, rows, spec};

const NOON_MS: i64 = 1_767_268_800_000; // 2026-01-01T12:00:00Z
const SHANGHAI_SECONDS: i32 = 8 * 3600;

/// A process that starts at this moment, by its own clock.
fn process(start_ms: i64, offset_seconds: i32, number: u64) -> Env {
    Env {
        clock: Arc::new(ManualClock::new(start_ms, offset_seconds)),
        ..Env::simulated(number)
    }
}

async fn upsert(meta: MetaClient, note: &str) -> InstantTime {
    let mut client = WriteClient::open(meta, WriteOptions::default()).unwrap();
    let batch = rows(&[("a", "sf", 1, note)]);
    let input = stream::iter([Ok::<_, std::io::Error>(batch)]);
    let outcome = client.write(WriteOperation::Upsert, input).await.unwrap();
    match outcome {
        CommitOutcome::Committed { instant, .. } => instant,
        other => panic!("{other:?}"),
    }
}

async fn note_at(meta: &MetaClient, time: &InstantTime) -> Vec<String> {
    let query = Query::as_of(time.clone()).with_columns(["note"]);
    let plan = plan_scan(meta, &query).await.unwrap();
    let batches: Vec<_> = plan.stream().try_collect().await.unwrap();
    let text = |batch: &arrow::array::RecordBatch| {
        use arrow::array::AsArray;
        let notes = batch.column(0).as_string::<i32>().iter();
        notes
            .map(|note| note.unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    batches.iter().flat_map(text).collect()
}

/// Shanghai and UTC write in turn; one clock steps two seconds back, two commits fall into one millisecond.
#[tokio::test(flavor = "multi_thread")]
async fn u33_processes_of_two_zones_in_turn_make_growing_instants() {
    for version in TableVersion::ALL {
        for zone in [TimelineZone::Local, TimelineZone::Utc] {
            let spec = spec().version(version).timeline_zone(zone);
            let table = Fixture::with_env(spec, process(NOON_MS, 0, 0)).await;
            let starts = [
                (NOON_MS + 60_000, 0),
                (NOON_MS + 120_000, SHANGHAI_SECONDS),
                (NOON_MS + 180_000, 0),
                (NOON_MS + 178_000, SHANGHAI_SECONDS),
                (NOON_MS + 178_000, 0),
                (NOON_MS + 178_000, 0),
            ];
            let mut times = Vec::new();
            for (number, (start_ms, offset)) in (1..).zip(starts) {
                let meta = table.meta_of(process(start_ms, offset, number)).await;
                times.push(upsert(meta, &format!("n{number}")).await);
            }
            assert!(
                times.windows(2).all(|pair| pair[0] < pair[1]),
                "version {version}, {zone:?}: {times:?}"
            );
            let digits = |at: usize| times[at].as_str().get(..12).unwrap().to_owned();
            assert_eq!(digits(0), "202601011201");
            match zone {
                TimelineZone::Utc => assert_eq!(digits(1), "202601011202"),
                // Its own wall clock; the next ones in UTC stay behind it.
                TimelineZone::Local => assert_eq!(digits(1), "202601012002"),
            }
            let meta = table.meta_of(process(NOON_MS + 600_000, 0, 9)).await;
            let timeline = meta.timeline_store().load_active().await.unwrap();
            let stored: Vec<_> = timeline.instants().iter().map(|it| &it.requested).collect();
            assert_eq!(stored, times.iter().collect::<Vec<_>>());
            for (number, time) in (1..).zip(&times) {
                let expected = [format!("n{number}")];
                assert_eq!(
                    note_at(&meta, time).await,
                    expected,
                    "{version} {zone:?} {time}"
                );
            }
        }
    }
}

/// A text without offset is wall-clock time of the timeline; one with offset is a moment.
#[tokio::test(flavor = "multi_thread")]
async fn u33_the_text_of_a_time_travel_is_read_in_the_zone_of_the_table() {
    for version in TableVersion::ALL {
        for (zone, before, after) in [
            (
                TimelineZone::Utc,
                "2026-01-01 12:00:30",
                "2026-01-01 12:01:30",
            ),
            (
                TimelineZone::Local,
                "2026-01-01 20:00:30",
                "2026-01-01 20:01:30",
            ),
        ] {
            let spec = spec().version(version).timeline_zone(zone);
            let env = process(NOON_MS, SHANGHAI_SECONDS, 0);
            let table = Fixture::with_env(spec, env).await;
            for (number, minutes) in [(1, 1), (2, 2)] {
                let env = process(NOON_MS + minutes * 60_000, SHANGHAI_SECONDS, number);
                upsert(table.meta_of(env).await, &format!("n{number}")).await;
            }
            let reader = process(NOON_MS + 600_000, SHANGHAI_SECONDS, 9);
            let clock = Arc::clone(&reader.clock);
            let meta = table.meta_of(reader).await;
            let at = |text: &str| {
                let zone = meta.config().timeline_zone();
                parse_time(text, zone, &*clock).unwrap()
            };
            assert_eq!(
                note_at(&meta, &at(before)).await,
                [""; 0],
                "{version} {zone:?}"
            );
            assert_eq!(
                note_at(&meta, &at(after)).await,
                ["n1"],
                "{version} {zone:?}"
            );
            for moment in ["2026-01-01T12:01:30Z", "2026-01-01T20:01:30+08:00"] {
                assert_eq!(
                    note_at(&meta, &at(moment)).await,
                    ["n1"],
                    "{version} {zone:?}"
                );
            }
        }
    }
}
