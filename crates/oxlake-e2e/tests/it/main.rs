//! One binary, one JVM.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::await_holding_lock,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod agree;
mod demo;
mod engine;
mod operations;
mod table;
mod types;
mod versions;
