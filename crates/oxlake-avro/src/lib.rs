//! Avro schemas, datums and object containers.
//!
//! The table format keeps its schemas as Avro JSON, its timeline metadata in Avro object containers
//! and its log records as bare Avro datums. This crate is the codec for all three, as pure functions
//! over bytes: [`Schema`] (a lenient parser), [`Value`] with [`decode`] and [`encode`] (datums),
//! [`container`] (files) and [`mod@arrow`] (schemas from and to Arrow).
//!
//! It is lenient where real files are (unknown attributes, defaults that do not fit their type) and
//! strict where bytes are concerned: decoding is total, every length is checked against the bytes
//! that are left, and an error says the offset. It refuses recursive schemas, which no table can
//! have, and does no schema resolution: decode with the writer's schema, then take fields by name.
//!
//! ```
//! use oxlake_avro::{Schema, Value, decode, encode};
//!
//! let schema = Schema::parse(
//!     r#"{"type":"record","name":"ride","fields":[
//!         {"name":"id","type":"string"},
//!         {"name":"fare","type":["null","double"],"default":null}]}"#,
//! )?;
//! let ride = Value::record([("id", Value::from("a")), ("fare", Value::from(19.5))]);
//! let bytes = encode(&schema, &ride)?;
//! let (decoded, used) = decode(&schema, &bytes)?;
//! assert_eq!((decoded, used), (ride, bytes.len()));
//! # Ok::<(), oxlake_avro::Error>(())
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

pub mod arrow;
pub mod container;
mod cursor;
mod decode;
mod encode;
mod error;
mod schema;
mod value;

pub use container::Container;
pub use decode::decode;
pub use encode::encode;
pub use error::{Error, Result};
pub use schema::{EnumSchema, Field, FixedSchema, Logical, Name, Node, RecordSchema, Schema};
pub use value::Value;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
