//! Bloom filters and the hash functions of the table format.
//!
//! A base file's footer holds a [`BloomFilter`] of its record keys as base64 text; the metadata table
//! keeps the same text per file. The hash below it, [`murmur`], is Hadoop's form of `MurmurHash2`, which
//! differs from the canonical one. Layouts and formulas: spec 02 §3.
//!
//! ```
//! use oxlake_hash::{BloomFilter, BloomType};
//!
//! let mut filter = BloomFilter::dynamic(60_000, 0.000_000_001, 100_000)?;
//! filter.add(b"TXN-001");
//! let text = filter.to_base64();
//! let filter = BloomFilter::from_base64(&text, BloomType::DynamicV0)?;
//! assert!(filter.might_contain(b"TXN-001"));
//! # Ok::<(), oxlake_hash::Error>(())
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

mod bloom;
mod error;
mod murmur;

pub use bloom::{BloomFilter, BloomType};
pub use error::{Error, Result};
pub use murmur::murmur;
