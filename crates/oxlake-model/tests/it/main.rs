//! The values of this crate against every golden table.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod contents;
mod golden;
mod listing;
mod schemas;
mod slices;
