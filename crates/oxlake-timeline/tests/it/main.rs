//! Timelines of golden tables on local files, and the rules of creating and deleting.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod active;
mod archived;
mod golden;
mod writing;
