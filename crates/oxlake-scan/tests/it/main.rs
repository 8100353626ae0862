//! Scans over real tables.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod exceptions;
mod golden;
mod queries;
mod support;
