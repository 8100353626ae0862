//! The protocol of a commit: times for instants, the publish step, and the rollback of what failed.
//!
//! A write is visible if and only if its completed file exists on the timeline. [`Committer`] makes that file, in
//! the order of the reference, and finds out what happened when the reply is lost. [`Rollback`] takes back a write
//! that did not get that far. Both are safe to repeat after a crash at any storage call.
//!
//! There is no lock here yet: one writer at a time is assumed, as in the mode `SINGLE_WRITER` of the reference. A
//! second writer is noticed where the format allows it: an instant file that exists already, own instant files that
//! are gone, a completion that is not ours.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod committer;
mod create_once;
mod error;
mod failed_writes;
mod heartbeat;
mod instant_generator;
mod outcome;
mod rollback;
mod stale_markers;

pub use committer::Committer;
pub use error::{Error, Result};
pub use failed_writes::{FailedWrites, failed_writes};
pub use instant_generator::InstantGenerator;
pub use outcome::{CommitOutcome, CommitStats};
pub use rollback::Rollback;
pub use stale_markers::StaleMarkers;
