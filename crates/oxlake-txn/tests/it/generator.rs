//! Times of new instants.

use std::sync::Arc;

use oxlake_config::{TableConfig, TableSpec, TimelineZone};
use oxlake_env::{Env, ManualClock};
use oxlake_model::{Action, Instant, InstantTime, Timeline};
use oxlake_txn::{Error, InstantGenerator};
use proptest::prelude::*;

const NOON_MS: i64 = 1_767_268_800_000; // 2026-01-01T12:00:00Z

fn generator(zone: TimelineZone, clock: &Arc<ManualClock>) -> InstantGenerator {
    let spec = TableSpec::new("t")
        .record_key_fields(["id"])
        .timeline_zone(zone);
    let config = TableConfig::try_from_properties(spec.to_properties().unwrap()).unwrap();
    let env = Env {
        clock: Arc::clone(clock) as _,
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
fn the_table_decides_the_zone() {
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
fn two_times_in_one_millisecond_differ() {
    let clock = clock(0);
    let generator = generator(TimelineZone::Utc, &clock);
    let empty = Timeline::default();
    assert_eq!(next(&generator, &empty), "20260101120000000");
    clock.set(NOON_MS);
    assert_eq!(next(&generator, &empty), "20260101120000001");
}

#[test]
fn a_clock_that_steps_back_is_not_followed() {
    let clock = clock(0);
    let generator = generator(TimelineZone::Utc, &clock);
    let empty = Timeline::default();
    next(&generator, &empty);
    clock.set(NOON_MS - 2_000);
    assert_eq!(next(&generator, &empty), "20260101120000001");
}

/// A writer in Shanghai was here before: its times and the completion of its commit lie eight hours ahead.
#[test]
fn a_predecessor_in_another_zone_is_passed_by_a_millisecond() {
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
