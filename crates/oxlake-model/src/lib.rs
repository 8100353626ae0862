//! The vocabulary of a table and all its persisted records as plain values.
//!
//! Everything here is a value or a pure function: no storage, no clock, no async. Names follow the reference
//! implementation without its `Hoodie` prefix. Reading order: times and instants, the timeline, data files and
//! the file-system view built from them, then the records that timeline files hold.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod civil_date;
mod error;
mod identifiers;
mod instant;
mod instant_file_name;
mod instant_time;
mod predicate;
mod table_version;
mod timeline;

pub mod columns;
pub mod file;
pub mod java;
pub mod metadata;

pub use civil_date::CivilDate;
pub use columns::META_COLUMNS;
pub use error::{Error, ErrorKind, Result};
pub use file::{
    BaseFile, BaseFileExtension, BaseFileName, FileGroup, FileSlice, FileSystemView, ListedFile,
    LogFile, LogFileName, LogFileSuffix, ViewInput,
};
pub use identifiers::{FileGroupId, FileId, PartitionPath, RecordKey};
pub use instant::{Action, Instant, State};
pub use instant_file_name::InstantFileName;
pub use instant_time::InstantTime;
pub use metadata::{CommitMetadata, InstantContent, OperationType, RuntimeStats, WriteStat};
pub use predicate::{CompareOp, Literal, Predicate};
pub use table_version::{TableType, TableVersion, TimelineLayout};
pub use timeline::{Timeline, TimelineEntry};
