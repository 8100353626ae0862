//! The write client: insert, upsert, bulk insert, delete.
//!
//! [`WriteClient::write`] turns a stream of Arrow batches into one commit of a copy-on-write table. Memory is bounded
//! whatever the length of the stream: rows that do not fit go through temporary files on local disk.
//!
//! ```
//! # use oxlake_write::{Result, WriteClient, WriteOperation};
//! # async fn run(table: oxlake_table::MetaClient, rows: arrow::array::RecordBatch) -> Result<()> {
//! let mut client = WriteClient::open(table, Default::default())?;
//! let input = futures::stream::iter([Ok::<_, std::io::Error>(rows)]);
//! let outcome = client.write(WriteOperation::Upsert, input).await?;
//! assert!(outcome.is_committed());
//! # Ok(()) }
//! ```
//!
//! What this crate refuses, by name and before anything is written: tables with features it could not keep true
//! (`TableConfig::check_writable`), input columns that the table does not have, types that do not fit without loss.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod client;
mod conform;
mod error;
mod intake;
mod operation;
mod route;
mod rows;
mod spill;
mod tasks;
mod units;
mod widen;
mod write;
mod writer_schema;

pub use client::WriteClient;
pub use error::{Error, InputError, Result};
pub use operation::WriteOperation;
pub use oxlake_txn::{CommitOutcome, CommitStats};
