//! Record merging over Arrow rows: which of several rows with one key survives.
//!
//! Pure: batches in, row numbers out. A [`Merger`] is made once per table from its merge mode and
//! ordering fields (spec 02 §6.5); it answers two questions:
//!
//! * within one input, which row of each key is kept: [`Merger::deduplicate`], or [`Deduplicator`]
//!   over many batches;
//! * between a stored and an incoming row, which one wins: [`Merger::wins`].
//!
//! Modes whose rule is a class of the JVM (custom mergers, payloads) are refused with a typed error.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod deduplicate;
mod deletes;
mod error;
mod merger;
mod ordering;
#[cfg(test)]
mod properties;

pub use deduplicate::Deduplicator;
pub use error::{Error, Result};
pub use merger::Merger;
pub use ordering::OrderingValues;
