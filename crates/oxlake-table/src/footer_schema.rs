//! The Avro schema of a base file, for tables whose commits carry none (spec 02 §2.3).

use bytes::Bytes;
use oxlake_config::TableConfig;
use oxlake_storage::Storage;
use parquet::arrow::parquet_to_arrow_schema;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::{Error, Result};

const AVRO_KEY: &str = "parquet.avro.schema";
/// Read at once from the end of a file; footers of wide tables need a second read.
const TAIL_BYTES: u64 = 64 * 1024;

/// The schema text in the footer, or, in files of writers that leave it out, the one that the columns say.
pub(crate) async fn read(storage: &Storage, path: &str, config: &TableConfig) -> Result<String> {
    let metadata = read_footer(storage, path).await?;
    let file = metadata.file_metadata();
    let pairs = file.key_value_metadata();
    let stored = pairs
        .into_iter()
        .flatten()
        .find(|pair| pair.key == AVRO_KEY);
    if let Some(text) = stored.and_then(|pair| pair.value.clone()) {
        return Ok(text);
    }
    let wrong = |source| Error::Footer {
        path: path.to_owned(),
        source,
    };
    let arrow = parquet_to_arrow_schema(file.schema_descr(), pairs).map_err(wrong)?;
    let table = config.table_name();
    let record_name = format!("{table}_record");
    let avro = oxlake_avro::arrow::from_arrow(&arrow, &record_name, &format!("hoodie.{table}"))
        .map_err(|source| Error::Schema {
            place: path.to_owned(),
            source,
        })?;
    Ok(avro.json().to_owned())
}

async fn read_footer(storage: &Storage, path: &str) -> Result<ParquetMetaData> {
    let size = storage.head(path).await?.map_or(0, |file| file.size_bytes);
    let mut tail_bytes = TAIL_BYTES.min(size);
    loop {
        let tail = storage.read_range(path, size - tail_bytes..size).await?;
        match parse_tail(&tail, size) {
            Err(ParquetError::NeedMoreData(needed)) if tail_bytes < size => {
                let needed = u64::try_from(needed).unwrap_or(size);
                tail_bytes = needed.max(tail_bytes.saturating_mul(2)).min(size);
            }
            parsed => {
                return parsed.map_err(|source| Error::Footer {
                    path: path.to_owned(),
                    source,
                });
            }
        }
    }
}

fn parse_tail(tail: &Bytes, size: u64) -> Result<ParquetMetaData, ParquetError> {
    let mut reader = ParquetMetaDataReader::new();
    reader.try_parse_sized(tail, size)?;
    reader.finish()
}
