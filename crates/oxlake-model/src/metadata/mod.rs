//! The records that timeline files hold, as plain values with their codecs (spec 01 §4).

mod commit;
mod operation_type;
mod write_stat;

pub use commit::CommitMetadata;
pub use operation_type::OperationType;
pub use write_stat::{RuntimeStats, WriteStat};
