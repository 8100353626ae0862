//! What a base file says about its own records (spec 02 §2.3).

use oxlake_hash::{BloomFilter, BloomType};
use parquet::file::metadata::ParquetMetaData;

use crate::error::{Error, Result};

/// The serialised bloom filter of the record keys.
pub(crate) const BLOOM_FILTER: &str = "org.apache.hudi.bloomfilter";
/// The same under the name of the project's first years; only read.
const OLD_BLOOM_FILTER: &str = "com.uber.hoodie.bloomfilter";
/// How the filter is serialised; absent for the simple form.
pub(crate) const BLOOM_TYPE: &str = "hoodie_bloom_filter_type_code";
/// The smallest record key.
pub(crate) const MIN_KEY: &str = "hoodie_min_record_key";
/// The greatest record key.
pub(crate) const MAX_KEY: &str = "hoodie_max_record_key";
/// The Avro schema of the records, meta columns included.
pub(crate) const AVRO_SCHEMA: &str = "parquet.avro.schema";
/// Which object model wrote the file.
pub(crate) const WRITER_MODEL: &str = "writer.model.name";

/// The Hudi part of a base file's footer; every part but the row count may be absent.
#[derive(Debug, Clone)]
pub struct BaseFileFooter {
    /// Rows in the file.
    pub row_count: u64,
    /// The bloom filter of all record keys.
    pub bloom: Option<BloomFilter>,
    /// The smallest record key; absent in an empty file.
    pub min_key: Option<String>,
    /// The greatest record key; absent in an empty file.
    pub max_key: Option<String>,
    /// The Avro schema the file was written with, as JSON.
    pub avro_schema: Option<String>,
}

impl BaseFileFooter {
    pub(crate) fn try_new(path: &str, metadata: &ParquetMetaData) -> Result<Self> {
        let file = metadata.file_metadata();
        let value = |key: &str| {
            let entries = file.key_value_metadata()?;
            entries
                .iter()
                .find(|entry| entry.key == key)?
                .value
                .as_deref()
        };
        let row_count = u64::try_from(file.num_rows())
            .map_err(|_| Error::corrupt(path, "its footer has a negative row count"))?;
        let bloom = match value(BLOOM_FILTER).or_else(|| value(OLD_BLOOM_FILTER)) {
            Some(text) => Some(bloom(path, text, value(BLOOM_TYPE))?),
            None => None,
        };
        Ok(Self {
            row_count,
            bloom,
            min_key: value(MIN_KEY).map(str::to_owned),
            max_key: value(MAX_KEY).map(str::to_owned),
            avro_schema: value(AVRO_SCHEMA).map(str::to_owned),
        })
    }

    /// Whether a record with `key` can be in the file: `false` is certain.
    pub fn may_contain(&self, key: &str) -> bool {
        self.in_range(key)
            && self
                .bloom
                .as_ref()
                .is_none_or(|bloom| bloom.might_contain(key.as_bytes()))
    }

    /// Whether `key` lies between the smallest and the greatest key.
    ///
    /// The JVM's Avro writer orders keys by UTF-16 units, others by UTF-8 bytes (spec 02 §2.3). The two
    /// differ only for characters beyond the basic plane, so a range is trusted only without them.
    pub fn in_range(&self, key: &str) -> bool {
        let orders_agree = |text: &str| text.bytes().all(|byte| byte < 0xee);
        let (Some(min), Some(max)) = (&self.min_key, &self.max_key) else {
            return true;
        };
        if !(orders_agree(key) && orders_agree(min) && orders_agree(max)) {
            return true;
        }
        (min.as_str()..=max.as_str()).contains(&key)
    }
}

fn bloom(path: &str, text: &str, type_code: Option<&str>) -> Result<BloomFilter> {
    let damaged = |source: oxlake_hash::Error| Error::Corrupt {
        path: path.to_owned(),
        detail: "its bloom filter does not decode".to_owned(),
        source: Some(Box::new(source)),
    };
    let bloom_type = match type_code {
        Some(code) => BloomType::parse(code).map_err(damaged)?,
        None => BloomType::Simple,
    };
    BloomFilter::from_base64(text, bloom_type).map_err(damaged)
}
