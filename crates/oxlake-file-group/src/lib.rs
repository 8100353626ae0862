//! Read, merge and write the files of a file group.
//!
//! * [`BaseFileReader`]: one base file as a stream of batches in the table's schema, filtered.
//! * [`BaseFileWriter`]: one base file, written as it grows.
//! * [`CreateHandle`], [`MergeHandle`], [`ConcatHandle`]: what a write does to a bucket; each yields
//!   [`WriteStatus`] for the commit.
//! * [`evaluate`]: a [`Predicate`](oxlake_model::Predicate) over a batch.
//!
//! Storage is only touched through [`oxlake_storage`]; which files exist and which of them count is
//! decided elsewhere.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod base;
mod convert;
mod error;
mod handle;
mod predicate;

pub use base::{
    BaseFileFooter, BaseFileReader, BaseFileSchema, BaseFileWriter, BaseFileWriterOptions,
    BatchStream, ReadOptions, ScalarText, WrittenFile,
};
pub use error::{Error, Result};
pub use handle::{
    ConcatHandle, CreateHandle, HandleContext, IncomingRecords, MergeHandle, WriteStatus,
};
pub use predicate::evaluate;
