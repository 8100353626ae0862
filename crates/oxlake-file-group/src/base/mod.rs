//! Base files: one Parquet file with all records of a file slice (spec 02 §2).

mod footer;
mod input;
mod key_summary;
mod options;
mod parquet_schema;
mod plan;
mod pruning;
mod reader;
mod writer;
mod writer_options;

pub use footer::BaseFileFooter;
pub use options::{BatchStream, ReadOptions, ScalarText};
pub use reader::BaseFileReader;
pub use writer::{BaseFileSchema, BaseFileWriter, WrittenFile};
pub use writer_options::BaseFileWriterOptions;

pub(crate) use parquet_schema::parquet_schema;
