//! How base files are encoded.

use oxlake_config::{BloomOptions, Codec, ParquetOptions, WriteOptions};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};

use crate::error::{Error, Result};

/// How base files are encoded (spec 02 §2.4, §3.1): the parts of [`WriteOptions`] that a file depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseFileWriterOptions {
    /// Sizes and codec. A writer holds one encoded row group in memory.
    pub parquet: ParquetOptions,
    /// The bloom filter of the record keys; a file with fewer keys gets a smaller one.
    pub bloom: BloomOptions,
}

impl Default for BaseFileWriterOptions {
    fn default() -> Self {
        Self::from(&WriteOptions::default())
    }
}

impl From<&WriteOptions> for BaseFileWriterOptions {
    fn from(options: &WriteOptions) -> Self {
        Self {
            parquet: options.parquet.clone(),
            bloom: options.bloom.clone(),
        }
    }
}

impl BaseFileWriterOptions {
    /// The codec as the encoder names it.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for a level that the codec does not have.
    pub(crate) fn compression(&self) -> Result<Compression> {
        let level = self.parquet.compression_level;
        let bad_level = |_| Error::Option {
            key: "oxlake.parquet.compression.level",
            value: level.unwrap_or_default().to_string(),
            expected: "a level of the codec: zstd 1 to 22, gzip 0 to 9, brotli 0 to 11",
        };
        Ok(match self.parquet.codec {
            Codec::Zstd => {
                let level = i32::try_from(level.unwrap_or(1)).unwrap_or(i32::MAX);
                Compression::ZSTD(ZstdLevel::try_new(level).map_err(bad_level)?)
            }
            Codec::Gzip => {
                Compression::GZIP(GzipLevel::try_new(level.unwrap_or(6)).map_err(bad_level)?)
            }
            Codec::Brotli => {
                Compression::BROTLI(BrotliLevel::try_new(level.unwrap_or(1)).map_err(bad_level)?)
            }
            Codec::Snappy => Compression::SNAPPY,
            Codec::Lz4Raw => Compression::LZ4_RAW,
            Codec::Uncompressed => Compression::UNCOMPRESSED,
        })
    }
}

/// A size as the encoder takes it, at least one byte.
pub(crate) fn bytes(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codec_has_a_default_level_and_bad_levels_are_named() {
        let with = |codec, level| {
            let mut options = BaseFileWriterOptions::default();
            options.parquet.codec = codec;
            options.parquet.compression_level = level;
            options.compression()
        };
        for codec in [
            Codec::Zstd,
            Codec::Gzip,
            Codec::Brotli,
            Codec::Snappy,
            Codec::Lz4Raw,
        ] {
            assert!(with(codec, None).is_ok(), "{codec:?}");
        }
        assert_eq!(
            with(Codec::Zstd, None).unwrap(),
            Compression::ZSTD(ZstdLevel::default())
        );
        let error = with(Codec::Gzip, Some(99)).unwrap_err().to_string();
        assert!(error.contains("oxlake.parquet.compression.level") && error.contains("99"));
    }
}
