//! The codec against the files of the real engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod arrow;
mod damage;
mod fixtures;
mod timeline;
