//! Writing tables on the local file system, several tasks at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod duplicates;
mod fixture;
mod large;
mod metadata;
mod refusals;
mod times;
mod versions;
