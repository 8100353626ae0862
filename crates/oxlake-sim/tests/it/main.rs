//! Crash sweeps and model tests of the write path.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod determinism;
mod model;
mod requests;
mod script;
mod sweep;
