//! Times of new instants.

use std::sync::Arc;

use oxlake_config::{TableConfig, TableSpec, TimelineZone};
use oxlake_env::{Clock, Env, ManualClock};
use oxlake_model::{Action, Instant, InstantTime, TableVersion, Timeline};
use oxlake_txn::{Error, InstantGenerator};
use proptest::prelude::*;

const NOON_MS: i64 = 1_767_268_800_000; // 2026-01-01T12:00:00Z

fn generator(zone: TimelineZone, clock: &Arc<ManualClock>) -> InstantGenerator {
    generator_of(TableVersion::V9, zone, Arc::clone(clock) as _)
}

fn generator_of(
    version: TableVersion,
    zone: TimelineZone,
    clock: Arc<dyn Clock>,
) -> InstantGenerator {
    let spec = TableSpec::new("t")
        .record_key_fields(["id"])
        .version(version)
        .timeline_zone(zone);
    let config = TableConfig::try_from_properties(spec.to_properties().unwrap()).unwrap();
    let env = Env {
        clock,
        ..Env::simulated(1)
    };
    InstantGenerator::new(&env, &config)
}

fn clock(offset_hours: i32) -> Arc<ManualClock> {
    Arc::new(ManualClock::new(NOON_MS, offset_hours * 3600))
}

fn completed(requested: &str, completion: &str) -> Timeline {
    let time = |text| InstantTime::parse(text).unwrap();
    Timeline::from_instants([Instant::completed(
        time(requested),
        Action::Commit,
        time(completion),
    )])
}

fn next(generator: &InstantGenerator, timeline: &Timeline) -> String {
    generator.next(timeline).unwrap().to_string()
}

#[test]
fn u33_the_table_decides_the_zone() {
    let empty = Timeline::default();
    assert_eq!(
        next(&generator(TimelineZone::Utc, &clock(8)), &empty),
        "20260101120000000"
    );
    assert_eq!(
        next(&generator(TimelineZone::Local, &clock(8)), &empty),
        "20260101200000000"
    );
}

#[test]
fn u33_two_times_in_one_millisecond_differ() {
    let clock = clock(0);
    let generator = generator(TimelineZone::Utc, &clock);
    let empty = Timeline::default();
    assert_eq!(next(&generator, &empty), "20260101120000000");
    clock.set(NOON_MS);
    assert_eq!(next(&generator, &empty), "20260101120000001");
    // Another process in the same millisecond: it sees the first on the timeline only.
    let first = completed("20260101120000000", "20260101120000001");
    for (version, expected) in [
        (TableVersion::V6, "20260101120000001"),
        (TableVersion::V8, "20260101120000002"),
        (TableVersion::V9, "20260101120000002"),
    ] {
        let other = ManualClock::new(NOON_MS, 0);
        let other = generator_of(version, TimelineZone::Utc, Arc::new(other));
        assert_eq!(next(&other, &first), expected, "{version}");
    }
}

/// In layout 1 there is no completion time but when a file was modified: by the clock of the storage, or when the table
/// was copied. It does not push instants into the future.
#[test]
fn u33_times_of_files_do_not_count_in_layout_1() {
    let timeline = completed("20260101115959999", "20260101130000000");
    for (version, expected) in [
        (TableVersion::V6, "20260101120000000"),
        (TableVersion::V9, "20260101130000001"),
    ] {
        let clock = ManualClock::new(NOON_MS, 0);
        let generator = generator_of(version, TimelineZone::Utc, Arc::new(clock));
        assert_eq!(next(&generator, &timeline), expected, "{version}");
    }
}

/// Central Europe, 25 October 2026: at 01:00 UTC the clocks go from 03:00 back to 02:00.
#[derive(Debug)]
struct Autumn(ManualClock);

const BACK_TO_TWO_MS: i64 = 1_792_890_000_000;

impl Clock for Autumn {
    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    fn sleep(&self, duration: std::time::Duration) -> futures::future::BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }

    fn local_offset_seconds(&self, epoch_ms: i64) -> i32 {
        if epoch_ms < BACK_TO_TWO_MS {
            7200
        } else {
            3600
        }
    }
}

#[test]
fn u33_the_hour_that_comes_twice_makes_no_time_twice() {
    for version in TableVersion::ALL {
        let clock = Arc::new(Autumn(ManualClock::new(BACK_TO_TWO_MS - 1_000, 0)));
        let mut timeline = Timeline::default();
        let mut times = Vec::new();
        for minutes in [0, 1, 30, 59, 61] {
            clock.0.set(BACK_TO_TWO_MS - 1_000 + minutes * 60_000);
            // A process each: what it knows of the others is on the timeline.
            let generator = generator_of(version, TimelineZone::Local, Arc::clone(&clock) as _);
            let time = next(&generator, &timeline);
            timeline = completed(&time, &time);
            times.push(time);
        }
        assert_eq!(
            times,
            [
                "20261025025959000",
                "20261025025959001",
                "20261025025959002",
                "20261025025959003",
                "20261025030059000",
            ],
            "{version}"
        );
    }
}

#[test]
fn u33_a_clock_that_steps_back_is_not_followed() {
    let clock = clock(0);
    let generator = generator(TimelineZone::Utc, &clock);
    let empty = Timeline::default();
    next(&generator, &empty);
    clock.set(NOON_MS - 2_000);
    assert_eq!(next(&generator, &empty), "20260101120000001");
}

/// A writer in Shanghai was here before: its times and the completion of its commit lie eight hours ahead.
#[test]
fn u33_a_predecessor_in_another_zone_is_passed_by_a_millisecond() {
    let timeline = completed("20260101200000000", "20260101200000999");
    assert_eq!(
        next(&generator(TimelineZone::Local, &clock(0)), &timeline),
        "20260101200001000"
    );
}

#[test]
fn times_of_other_lengths_are_passed_too() {
    let utc = generator(TimelineZone::Utc, &clock(0));
    for (latest, expected) in [
        ("20270101000000", "20270101000001000"),
        ("20270101000000123001", "20270101000000124"),
        ("20261231235959999", "20270101000000000"),
    ] {
        let fresh = generator(TimelineZone::Utc, &clock(0));
        assert_eq!(next(&fresh, &completed("2026", latest)), expected);
    }
    let failure = utc
        .next(&completed("2026", "99991231235959999"))
        .unwrap_err();
    assert!(matches!(failure, Error::NoTimeLeft { .. }), "{failure:?}");
}

proptest! {
    #[test]
    fn times_grow_whatever_the_clock_does(steps in prop::collection::vec(-5_000i64..5_000, 1..40)) {
        let clock = clock(0);
        let generator = generator(TimelineZone::Utc, &clock);
        let mut latest = InstantTime::parse("20251231000000000").unwrap();
        let mut now = NOON_MS;
        for step in steps {
            now += step;
            clock.set(now);
            let timeline = completed("2025", latest.as_str());
            let time = generator.next(&timeline).unwrap();
            prop_assert!(time > latest);
            prop_assert_eq!(time.as_str().len(), 17);
            latest = time;
        }
    }
}
