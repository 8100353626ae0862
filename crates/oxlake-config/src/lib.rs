//! Table properties and options, each key declared once.
//!
//! Three things live here: the text of `hoodie.properties` ([`Properties`], spec 01 §2.1), what it says
//! about a table as a typed value ([`TableConfig`], spec 01 §2.4 to §2.7), and the options of a writer
//! ([`WriteOptions`], spec 04 §15). [`TableSpec`] makes the properties of a new table. Every key is
//! declared once, in [`keys`], with its aliases, type and default.
//!
//! This crate reads no file, no clock and no environment. It refuses by name what the engine cannot keep
//! true: [`TableConfig::check_writable`].
//!
//! ```
//! use oxlake_config::{Properties, TableConfig, TableSpec};
//!
//! let properties = TableSpec::new("trips")
//!     .record_key_fields(["id"])
//!     .partition_fields(["city"])
//!     .ordering_fields(["ts"])
//!     .to_properties()?;
//! let text = properties.print("Properties saved on 2026-01-01T00:00:00Z", "Thu Jan 01 00:00:00 UTC 2026");
//! let table = TableConfig::try_from_properties(Properties::parse(text.as_bytes())?)?;
//! assert_eq!(table.record_key_fields(), ["id"]);
//! table.check_writable()?;
//! # Ok::<_, oxlake_config::Error>(())
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

mod capability;
mod checksum;
mod choose;
mod codec;
mod error;
mod java_time;
mod key_generator_type;
pub mod keys;
mod merge_mode;
mod partition_field;
mod properties;
mod table_config;
mod table_spec;
mod write_options;

pub use checksum::table_checksum;
pub use choose::{Chosen, choose_properties};
pub use codec::Codec;
pub use error::{Error, Result};
pub use java_time::{java_date_line, java_instant};
pub use key_generator_type::KeyGeneratorType;
pub use merge_mode::{MergeMode, PartialUpdateMode};
pub use partition_field::{PartitionField, PartitionFieldKind};
pub use properties::Properties;
pub use table_config::{TableConfig, TimelineZone};
pub use table_spec::TableSpec;
pub use write_options::{BloomOptions, IndexType, InsertDuplicates, ParquetOptions, WriteOptions};
