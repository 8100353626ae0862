//! Base files and handles over real storage.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod damage;
mod foreign;
mod golden;
mod handles;
mod round_trip;
mod support;
