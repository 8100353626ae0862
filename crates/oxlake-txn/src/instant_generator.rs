//! Times for new instants: of the table's zone, growing, and later than everything on the timeline.
//!
//! The digits of an instant are wall-clock time, in UTC or in the zone of the writer (spec 01 §3.2), so a clock that
//! steps back, an hour that repeats in autumn or a predecessor in another zone can all make "now" earlier than the
//! past. File slicing and completion order would break; the generator then answers the latest known time plus one
//! millisecond.

use std::sync::{Arc, Mutex, PoisonError};

use oxlake_config::{TableConfig, TimelineZone};
use oxlake_env::{Clock, Env};
use oxlake_model::{InstantTime, Timeline};

use crate::{Error, Result};

/// Hands out instant times of one table. One generator per writer; its times never repeat.
#[derive(Debug)]
pub struct InstantGenerator {
    clock: Arc<dyn Clock>,
    zone: TimelineZone,
    counts_completions: bool,
    last: Mutex<Option<InstantTime>>,
}

impl InstantGenerator {
    /// A generator for the table of `config`, by the clock of `env`.
    pub fn new(env: &Env, config: &TableConfig) -> Self {
        Self {
            clock: Arc::clone(&env.clock),
            zone: config.timeline_zone(),
            counts_completions: config.version().completion_time_in_name(),
            last: Mutex::new(None),
        }
    }

    /// A time greater than every time handed out before, than every requested time on `timeline` and, where names
    /// say when an instant completed (layout 2), than every completion time.
    ///
    /// # Errors
    /// [`Error::NoTimeLeft`] when the timeline holds a time that cannot be exceeded.
    pub fn next(&self, timeline: &Timeline) -> Result<InstantTime> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = if self.counts_completions {
            timeline.max_time()
        } else {
            timeline.max_requested().cloned()
        };
        let latest = known.into_iter().chain(last.clone()).max();
        let now = self.now();
        let time = match latest {
            Some(latest) if now <= latest => just_after(&latest)?,
            _ => now,
        };
        *last = Some(time.clone());
        Ok(time)
    }

    fn now(&self) -> InstantTime {
        let now_ms = self.clock.now_ms();
        let offset_seconds = match self.zone {
            TimelineZone::Utc => 0,
            TimelineZone::Local => self.clock.local_offset_seconds(now_ms),
        };
        InstantTime::from_epoch_millis(now_ms, offset_seconds)
    }
}

/// The next time of 17 digits. The zone does not matter: the digits are counted up as they are.
fn just_after(latest: &InstantTime) -> Result<InstantTime> {
    let no_time_left = || Error::NoTimeLeft {
        latest: latest.clone(),
    };
    let latest_ms = latest.to_epoch_millis(0).ok_or_else(no_time_left)?;
    let next = InstantTime::from_epoch_millis(latest_ms + 1, 0);
    if next > *latest {
        Ok(next)
    } else {
        Err(no_time_left())
    }
}
