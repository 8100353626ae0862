//! The clock: wall time in milliseconds, sleeping, and the offset of the local zone.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{Local, Offset, TimeZone, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;

/// A source of time.
///
/// `now_ms` may stand still or jump back (real clocks do); whoever needs growing times keeps the last
/// one. `sleep` returns no earlier than asked.
pub trait Clock: Debug + Send + Sync + 'static {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;

    /// Waits.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Seconds to add to UTC for the local zone at that moment (spec 01 §3.2, zone `LOCAL`).
    fn local_offset_seconds(&self, epoch_ms: i64) -> i32;
}

/// The system's clock and zone.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)]
    fn now_ms(&self) -> i64 {
        Utc::now().timestamp_millis()
    }

    #[allow(clippy::disallowed_methods)]
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(duration).boxed()
    }

    fn local_offset_seconds(&self, epoch_ms: i64) -> i32 {
        match Local.timestamp_millis_opt(epoch_ms) {
            chrono::offset::LocalResult::Single(at)
            | chrono::offset::LocalResult::Ambiguous(at, _) => at.offset().fix().local_minus_utc(),
            chrono::offset::LocalResult::None => 0,
        }
    }
}

/// A clock for tests: each read moves it one millisecond, sleeping moves it by the time slept.
#[derive(Debug)]
pub struct ManualClock {
    now_ms: AtomicI64,
    offset_seconds: i32,
}

impl ManualClock {
    /// A clock that will answer `start_ms` first, in a zone of UTC plus `offset_seconds`.
    pub fn new(start_ms: i64, offset_seconds: i32) -> Self {
        Self {
            now_ms: AtomicI64::new(start_ms),
            offset_seconds,
        }
    }

    /// Moves the clock forward without anyone reading it.
    pub fn advance(&self, duration: Duration) {
        let step = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        self.now_ms.fetch_add(step, Ordering::SeqCst);
    }

    /// Sets the clock, also back.
    pub fn set(&self, now_ms: i64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
    }
}

/// Midnight of 1 January 2026, UTC.
impl Default for ManualClock {
    fn default() -> Self {
        Self::new(1_767_225_600_000, 0)
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.fetch_add(1, Ordering::SeqCst)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.advance(duration);
        futures::future::ready(()).boxed()
    }

    fn local_offset_seconds(&self, _epoch_ms: i64) -> i32 {
        self.offset_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_clock_moves_by_reads_and_sleeps_only() {
        let clock = ManualClock::new(100, 3600);
        assert_eq!((clock.now_ms(), clock.now_ms()), (100, 101));
        futures::executor::block_on(clock.sleep(Duration::from_millis(50)));
        assert_eq!(clock.now_ms(), 152);
        assert_eq!(clock.local_offset_seconds(0), 3600);
    }

    #[test]
    fn system_clock_is_after_the_year_2025() {
        assert!(SystemClock.now_ms() > 1_735_689_600_000);
        assert!(SystemClock.local_offset_seconds(0).abs() <= 15 * 3600);
    }
}
