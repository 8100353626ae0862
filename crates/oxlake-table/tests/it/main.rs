//! Tables on storage: those the real engine wrote, and new ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod create;
mod golden;
mod open;
mod partitions;
