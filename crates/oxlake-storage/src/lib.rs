//! Storage of a table over an object store: relative paths, create-once, ordered listings.
//!
//! A [`Storage`] is a folder in an object store. All paths are relative to it, separated by `/` and
//! taken as they are: a percent sign is a percent sign, nothing is encoded or decoded on the way.
//! The commit protocol stands on one call, [`Storage::create`]: of all writers that create the same
//! path exactly one succeeds, and when it returns the bytes survive a power failure.
//!
//! What this crate refuses to do: emulate create-once where the store cannot do it (an S3 endpoint with
//! conditional put switched off is refused when it is opened), and guess about a lost reply (it reads
//! back and tells whose object it is).
//!
//! ```
//! # use oxlake_storage::Storage;
//! # futures::executor::block_on(async {
//! let storage = Storage::open("memory://example/table", &Default::default())?;
//! storage.create("city=%2F/a", "one".into()).await?;
//! assert!(storage.create("city=%2F/a", "two".into()).await.is_err());
//! assert_eq!(storage.read("city=%2F/a").await?, "one");
//! # oxlake_storage::Result::<()>::Ok(())
//! # }).unwrap();
//! ```
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod create;
mod error;
mod folders;
mod local;
mod open;
mod path;
mod storage;
pub mod testing;
mod writer;

pub use error::{Error, Result};
pub use storage::{Directory, FileInfo, Storage};
pub use writer::FileWriter;
