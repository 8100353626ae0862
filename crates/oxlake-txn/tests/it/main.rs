//! The commit protocol over a store in memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod commit;
mod fixture;
mod generator;
mod golden;
mod rollback;
mod versions;
