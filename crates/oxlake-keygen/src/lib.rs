//! Record keys and partition paths from Arrow batches (spec 02 §4).
//!
//! The texts are the JVM engine's, byte for byte: a double is printed as Java prints it, a time as its number,
//! and special characters are escaped where the table says so. Simple, complex and non-partitioned keys are
//! made; others are refused by name. So are values that could lead a path out of its table, or that could
//! not be told from a missing value afterwards.
//!
//! ```
//! use std::sync::Arc;
//! use arrow::array::{Float64Array, RecordBatch, StringArray};
//! use oxlake_config::{TableConfig, TableSpec};
//! use oxlake_keygen::KeyGenerator;
//!
//! let spec = TableSpec::new("t").record_key_fields(["id", "d"]).partition_fields(["city"]);
//! let table = TableConfig::try_from_properties(spec.to_properties()?)?;
//! let batch = RecordBatch::try_from_iter([
//!     ("id", Arc::new(StringArray::from(vec!["a"])) as _),
//!     ("d", Arc::new(Float64Array::from(vec![1e10])) as _),
//!     ("city", Arc::new(StringArray::from(vec![None::<&str>])) as _),
//! ])?;
//! let keys = KeyGenerator::try_new(&table, &batch.schema())?.generate(&batch)?;
//! assert_eq!(keys.record_keys.value(0), "id:a,d:1.0E10");
//! assert_eq!(keys.partition_paths.value(0), "__HIVE_DEFAULT_PARTITION__");
//! # Ok::<_, Box<dyn std::error::Error>>(())
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

mod error;
mod escape;
mod field;
mod generator;
mod partition_path;
mod partition_values;
mod text;

pub use error::{Error, Result};
pub use escape::{DEFAULT_PARTITION, escape, unescape};
pub use generator::{KeyGenerator, Keys};
pub use partition_values::partition_values;
