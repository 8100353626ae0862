//! Clock, ids and limits: the only place that reads the real world.
//!
//! Everything above the I/O line receives an [`Env`] by argument and asks it for the time, for fresh
//! ids and for the bounds of its fan-outs. Tests and the simulation pass [`Env::simulated`], in which
//! time moves only when it is read or slept, and ids follow from a seed.
//!
//! ```
//! use oxlake_env::{Clock, Env};
//!
//! let env = Env::simulated(7);
//! let first = env.clock.now_ms();
//! assert_eq!(env.clock.now_ms(), first + 1);
//! assert_eq!(env.ids.uuid(), Env::simulated(7).ids.uuid());
//! ```
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod clock;
mod ids;
mod limits;

pub use clock::{Clock, ManualClock, SystemClock};
pub use ids::{IdGenerator, RandomIds, SeededIds};
pub use limits::Limits;

use std::sync::Arc;

/// The world as the engine sees it: one clock, one source of ids, one set of limits.
///
/// Cheap to clone; clones share the clock and the ids.
#[derive(Clone, Debug)]
pub struct Env {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where file ids and sync markers come from.
    pub ids: Arc<dyn IdGenerator>,
    /// Bounds for fan-outs and memory.
    pub limits: Limits,
}

impl Env {
    /// The real world: system clock, random ids, limits by the number of cores.
    pub fn system() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
            limits: Limits::by_cores(),
        }
    }

    /// A world that depends on nothing but `seed`: the same calls give the same answers.
    ///
    /// The clock starts at a fixed moment; two simulated environments share nothing.
    pub fn simulated(seed: u64) -> Self {
        Self {
            clock: Arc::new(ManualClock::default()),
            ids: Arc::new(SeededIds::new(seed)),
            limits: Limits::small(),
        }
    }

    /// The same world with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Default for Env {
    fn default() -> Self {
        Self::system()
    }
}
