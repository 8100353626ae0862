//! Compression of Parquet files.

use crate::keys::Key;
use crate::{Error, Result};

/// How the pages of a Parquet file are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Codec {
    /// Not at all.
    Uncompressed,
    /// Snappy.
    Snappy,
    /// Gzip, the JVM engine's default.
    Gzip,
    /// Brotli.
    Brotli,
    /// LZ4 without frames.
    Lz4Raw,
    /// Zstandard, our default: smaller and faster than gzip.
    #[default]
    Zstd,
}

impl Codec {
    /// The codec of this name, in any case.
    pub(crate) fn parse(key: &Key, text: &str) -> Result<Self> {
        match text.trim().to_ascii_uppercase().as_str() {
            "UNCOMPRESSED" | "NONE" => Ok(Self::Uncompressed),
            "SNAPPY" => Ok(Self::Snappy),
            "GZIP" => Ok(Self::Gzip),
            "BROTLI" => Ok(Self::Brotli),
            "LZ4_RAW" | "LZ4" => Ok(Self::Lz4Raw),
            "ZSTD" => Ok(Self::Zstd),
            _ => Err(Error::BadValue {
                key: key.name.to_owned(),
                value: text.to_owned(),
                expected: "one of zstd, gzip, snappy, lz4_raw, brotli, uncompressed".to_owned(),
            }),
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uncompressed => "uncompressed",
            Self::Snappy => "snappy",
            Self::Gzip => "gzip",
            Self::Brotli => "brotli",
            Self::Lz4Raw => "lz4_raw",
            Self::Zstd => "zstd",
        }
    }
}
