//! The log format against the files of the real engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod annotated;
mod damage;
#[path = "../../../oxlake-avro/tests/it/fixtures.rs"]
mod fixtures;
mod golden;
