//! Tables on a lake, in the format of Apache Hudi, as one engine without a JVM.
//!
//! A table is a folder, on local disk or in an object store. Rows have a key; writing a row whose
//! key is known replaces the stored row. Every write is a commit on the table's timeline: readers
//! see all of it or nothing, every past state can be read again, and so can the changes between two
//! moments. Spark, Flink and Trino read and write the same tables.
//!
//! # Five lines
//!
//! ```
//! # use std::sync::Arc;
//! # use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = folder.path().join("trips").display().to_string();
//! # let ids: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
//! # let fares: ArrayRef = Arc::new(Float64Array::from(vec![12.5, 31.0]));
//! # let times: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
//! # let batch = RecordBatch::try_from_iter([("id", ids), ("fare", fares), ("ts", times)])?;
//! use oxlake::prelude::*;
//!
//! let spec = TableSpec::new("trips").record_key_fields(["id"]).ordering_fields(["ts"]);
//! let table = Table::open_or_create(&url, spec).await?;
//! table.upsert(batch).await?;
//! let rows = table.filter("fare > 20").await?;
//! # assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Making a table
//!
//! A [`TableSpec`] says which columns identify a row, which one decides that a row is newer, and
//! which values become folders. The columns come from an Arrow schema, from an Avro schema, or from
//! the first rows written.
//!
//! ```
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = folder.path().join("trips").display().to_string();
//! use arrow::datatypes::{DataType, Field, Schema};
//! use oxlake::prelude::*;
//!
//! let columns = Schema::new(vec![
//!     Field::new("id", DataType::Utf8, false),
//!     Field::new("city", DataType::Utf8, true),
//!     Field::new("ts", DataType::Int64, true),
//! ]);
//! let spec = TableSpec::new("trips").record_key_fields(["id"])
//!     .ordering_fields(["ts"])
//!     .partition_fields(["city"])
//!     .hive_style_partitioning(true)
//!     .with_columns(&columns)?;
//! let table = Table::create(&url, spec).await?;
//! assert_eq!(table.schema().await?.fields().len(), 5 + 3);
//! # Ok(())
//! # }
//! ```
//!
//! The first five columns are the format's own: commit, position in the commit, key, partition and
//! file of a row.
//!
//! # Writing
//!
//! [`Table::upsert`], [`Table::insert`], [`Table::bulk_insert`] and [`Table::delete`] take a batch,
//! several, or a stream of any length ([`Input`]); each call is one commit.
//!
//! ```
//! # use std::sync::Arc;
//! # use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = folder.path().join("trips").display().to_string();
//! # fn trips(rows: &[(&str, i64)]) -> RecordBatch {
//! #     let ids: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.0)).collect::<StringArray>());
//! #     let times: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.1)).collect::<Int64Array>());
//! #     RecordBatch::try_from_iter([("id", ids), ("ts", times)]).unwrap()
//! # }
//! use oxlake::prelude::*;
//!
//! let table = Table::create(&url, TableSpec::new("trips").record_key_fields(["id"]).ordering_fields(["ts"])).await?;
//! table.upsert(trips(&[("a", 1), ("b", 1)])).await?;
//! let commit = table.upsert(trips(&[("b", 2), ("c", 1), ("c", 3)])).await?;
//! assert_eq!((commit.stats.inserted_count, commit.stats.updated_count), (1, 1));
//!
//! // A row that is older than the stored one changes nothing.
//! table.upsert(trips(&[("b", 0)])).await?;
//! assert!(table.filter("id = 'b' and ts = 0").await?.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # Reading
//!
//! A [`Query`] reads the latest snapshot, a moment of the past, or what changed in a range, as a
//! stream of batches. SQL runs in a [`Session`], where a path or URL in quotes is a table.
//!
//! ```
//! # use std::sync::Arc;
//! # use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = folder.path().join("trips").display().to_string();
//! # fn trips(rows: &[(&str, i64)]) -> RecordBatch {
//! #     let ids: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.0)).collect::<StringArray>());
//! #     let times: ArrayRef = Arc::new(rows.iter().map(|row| Some(row.1)).collect::<Int64Array>());
//! #     RecordBatch::try_from_iter([("id", ids), ("ts", times)]).unwrap()
//! # }
//! # fn count(batches: &[RecordBatch]) -> usize { batches.iter().map(RecordBatch::num_rows).sum() }
//! use oxlake::prelude::*;
//!
//! # let table = Table::create(&url, TableSpec::new("trips").record_key_fields(["id"]).ordering_fields(["ts"])).await?;
//! let first = table.upsert(trips(&[("a", 1), ("b", 1)])).await?;
//! let second = table.upsert(trips(&[("b", 2), ("c", 1)])).await?;
//!
//! let then = table.query(Query::as_of(first.instant)).await?.collect().await?;
//! assert_eq!(count(&then), 2);
//!
//! let changed = Query::incremental(Some(first.completed), Some(second.completed));
//! assert_eq!(count(&table.query(changed).await?.collect().await?), 2);
//!
//! let newest = format!("select id from '{url}' order by ts desc limit 1");
//! assert_eq!(count(&table.session().sql(&newest).await?.collect().await?), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Looking inside
//!
//! [`Table::timeline`] lists what happened, [`Table::commit_metadata`] what one commit wrote,
//! [`Table::file_slices`] the files a reader would open.
//!
//! # When something goes wrong
//!
//! [`Error::kind`] says what to do: repair the call (`Invalid`, `Config`), try again
//! (`Unavailable`, `Conflict`), or look at the table (`Corrupt`). A feature that is not built yet
//! is `Unsupported` and named; a table is never written in a way that its other readers would not
//! understand.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod columns;
mod error;
mod input;
mod location;
pub mod prelude;
mod table;

pub use columns::WithColumns;
pub use error::{Error, Result};
pub use input::{Input, InputError};
pub use location::Location;
pub use table::{Commit, Table};

pub use oxlake_config::{TableConfig, TableSpec, WriteOptions};
pub use oxlake_datafusion::{QueryTable, Rows, Session};
pub use oxlake_env::{Clock, Env, IdGenerator, Limits, ManualClock, RandomIds};
pub use oxlake_model::{
    Action, CommitMetadata, CompareOp, ErrorKind, FileGroupId, FileSlice, Instant, InstantTime,
    Literal, META_COLUMNS, PartitionPath, Predicate, RecordKey, State, TableType, TableVersion,
    Timeline, WriteStat,
};
pub use oxlake_scan::{Query, QueryKind};
pub use oxlake_table::{MetaClient, TableSnapshot};
pub use oxlake_write::{CommitOutcome, CommitStats, WriteOperation};
