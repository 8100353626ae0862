//! The program as its users see it: whole outputs, exit codes, and the full stream of events.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_raw_string_hashes,
    missing_docs
)]

mod cli;
mod demo;
mod errors;
mod full_stream;
mod inside;
mod load;
mod query;
