//! Write handles: incoming rows into the base files of one bucket (spec 04 §1.8).
//!
//! | situation | handle |
//! |---|---|
//! | rows for new file groups | [`CreateHandle`] |
//! | rows for an existing file group, by key | [`MergeHandle`] |
//! | rows appended to an existing file group without looking at keys | [`ConcatHandle`] |
//!
//! Each file is announced by a marker before it is opened, and its partition has its metafile before its
//! first file. A handle that fails leaves at most a marker; the next writer's rollback removes it.

mod concat;
mod conform;
mod context;
mod create;
mod incoming;
mod merge;
mod output;
mod stamp;
mod status;

pub use concat::ConcatHandle;
pub use context::HandleContext;
pub use create::CreateHandle;
pub use incoming::IncomingRecords;
pub use merge::MergeHandle;
pub use status::WriteStatus;
