//! Stores for tests: one that counts requests, one that fails them on purpose.

mod counting;
mod fault;

pub use counting::{CountingStore, Counts};
pub use fault::{Fault, FaultKind, FaultStore};
