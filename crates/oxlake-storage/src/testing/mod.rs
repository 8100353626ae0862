//! Stores for tests: one that counts requests, one that fails them on purpose, local files that cannot be synced.

mod counting;
mod fault;
mod sync;

pub use counting::{CountingStore, Counts};
pub use fault::{Fault, FaultKind, FaultStore};
pub use sync::FailingSync;
