//! What the tests of every crate share: fixture tables, the JVM engine, one encoding of rows, the reference model.
//!
//! - [`Fixture`] unpacks a golden table into a temporary folder, with the answers stored beside it.
//! - [`rows`] turns Arrow batches into the JSON rows and the table hash the JVM engine gives.
//! - [`JvmOracle`] asks the real Hudi on Spark, through `interop/hudi-jvm`.
//! - [`model`] is a table in memory that follows the rules in the plainest way: the judge of everything that writes.
//!
//! It depends on no other crate of the workspace, so every crate can use it in its tests.

#![allow(
    clippy::indexing_slicing,
    reason = "JSON is indexed here; a missing field gives null, not a panic"
)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod cell;
mod error;
mod fixture;
mod jvm;
pub mod model;
mod repository;
pub mod rows;

pub use cell::Cell;
pub use error::{Error, Result};
pub use fixture::{Fixture, FixtureSet};
pub use jvm::{JvmOracle, JvmRows, JvmWrite, QueryKind, Validation};
pub use repository::repository_root;
