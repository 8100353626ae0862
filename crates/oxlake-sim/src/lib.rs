//! Deterministic simulation: a table on a store that fails on purpose, and a judge.
//!
//! **Claim.** Whatever fails and whenever, a reader sees each acknowledged commit entirely and no other one partly, and
//! the table can go on without hand repair.
//!
//! - [`World`] is the storage that survives a crash. A [`Process`] works on it through a store that numbers its requests
//!   and lets one of them fail; its clock and ids follow from a seed, so the same run sends the same requests.
//! - [`Step`] is what a process does: create the table, or write once.
//! - [`Judge`] knows by the reference model what the table must hold, and looks at everything that is stored.
//! - [`sweep`] repeats a step with a fault at every request in turn.
//!
//! The simulated process runs on one thread with the limits of [`oxlake_env::Limits::small`]; everything is in memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the crate is a test"
)]

mod judge;
mod rows;
mod step;
pub mod sweep;
mod world;

pub use judge::Judge;
pub use rows::{SimRow, batch, row, schema, to_rows};
pub use step::{Answer, Step, Table};
pub use world::{Process, World};
