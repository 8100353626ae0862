//! Blocks of a log file: bytes in, blocks out.
//!
//! A log file is a plain sequence of blocks without a header or footer of its own (spec 02 §5). Each
//! block has a kind, a header of text entries and a content. [`read_blocks`] takes a whole file;
//! [`BlockDecoder`] asks for the pieces it needs, so that contents can be left out. A damaged block is
//! a [`BlockKind::Corrupt`] value, and reading goes on behind it (spec 02 §6.1). Which blocks count,
//! and what their records mean, is for the file group to say.
//!
//! ```
//! use oxlake_log::{BlockKind, Header, HeaderKey, avro_content, avro_records, read_blocks, write_block};
//!
//! let header = Header::from([(HeaderKey::InstantTime, "20250331030645735".to_owned())]);
//! let file = write_block(BlockKind::AvroData, &header, &avro_content([&b"record"[..]])?)?;
//! let blocks = read_blocks(&file)?;
//! let content = blocks[0].content_in(&file).unwrap_or_default();
//! assert_eq!(avro_records(content)?.collect::<Vec<_>>(), [b"record"]);
//! # Ok::<(), oxlake_log::Error>(())
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

mod block;
mod content;
mod decoder;
mod encoder;
mod error;

pub use block::{Block, BlockKind, Header, HeaderKey};
pub use content::{AvroRecords, DeleteContent, avro_content, avro_records, delete_content};
pub use decoder::{BlockDecoder, Progress, read_blocks};
pub use encoder::write_block;
pub use error::{Error, Result};

/// The first bytes of every block.
pub const MAGIC: [u8; 6] = *b"#HUDI#";
/// The only log format version of supported releases.
pub const FORMAT_VERSION: i32 = 1;
/// Blocks must stay below this size, other readers take their lengths as 32-bit numbers.
pub const MAX_BLOCK_BYTES: usize = i32::MAX as usize;
