//! Writing a base file (spec 02 §2).

use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use oxlake_model::columns;
use oxlake_storage::{FileWriter, Storage};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use super::footer;
use super::key_summary::KeySummary;
use super::parquet_schema;
use super::writer_options::{BaseFileWriterOptions, bytes};
use crate::error::{Error, Result};

/// The schema of the base files of one write, in its three forms.
#[derive(Debug, Clone)]
pub struct BaseFileSchema {
    arrow: SchemaRef,
    parquet: SchemaDescriptor,
    avro: String,
}

impl BaseFileSchema {
    /// From the table schema: `arrow` with the five meta columns first, `avro` without them.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] when the two do not have the same columns in the same order or the meta columns
    /// are missing, [`Error::ColumnType`] for a type that base files cannot hold.
    pub fn try_new(arrow: SchemaRef, avro: &oxlake_avro::Schema) -> Result<Self> {
        let names: Vec<&str> = arrow.fields().iter().map(|f| f.name().as_str()).collect();
        let data = names.get(columns::META_COLUMNS.len()..).unwrap_or_default();
        let in_avro: Vec<&str> = avro.fields().iter().map(|f| f.name.as_str()).collect();
        if !names.starts_with(&columns::META_COLUMNS) {
            let detail = "the five meta columns have to come first".to_owned();
            return Err(Error::Schema { detail });
        }
        if data != in_avro {
            let detail = format!("columns {data:?} in Arrow, {in_avro:?} in Avro");
            return Err(Error::Schema { detail });
        }
        let root = avro
            .record()
            .map_or("record", |record| record.name().name());
        Ok(Self {
            parquet: parquet_schema(&arrow, root)?,
            avro: with_meta_columns(avro.json())?,
            arrow,
        })
    }

    /// All columns of a file, meta columns first.
    pub fn arrow(&self) -> &SchemaRef {
        &self.arrow
    }

    /// The schema that `parquet.avro.schema` in the footer gets: meta columns included.
    pub fn avro_json(&self) -> &str {
        &self.avro
    }
}

/// Puts the five meta columns before the fields of an Avro record.
fn with_meta_columns(json: &str) -> Result<String> {
    let wrong = || Error::Schema {
        detail: "the Avro schema is not a record".to_owned(),
    };
    let mut schema: serde_json::Value = serde_json::from_str(json).map_err(|_| wrong())?;
    let fields = schema
        .get_mut("fields")
        .and_then(|f| f.as_array_mut())
        .ok_or_else(wrong)?;
    let meta = columns::META_COLUMNS.map(|name| {
        serde_json::json!({"name": name, "type": ["null", "string"], "doc": "", "default": null})
    });
    fields.splice(0..0, meta);
    Ok(schema.to_string())
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// Bytes of the file.
    pub size_bytes: u64,
    /// Rows in the file.
    pub row_count: u64,
    /// The smallest record key, by bytes.
    pub min_key: Option<String>,
    /// The greatest record key, by bytes.
    pub max_key: Option<String>,
}

/// Writes one base file, row group by row group.
///
/// Holds one row group of encoded pages and, until there are more keys than the bloom filter is made for,
/// the keys. Nothing is visible before [`BaseFileWriter::finish`], and then it is durable.
pub struct BaseFileWriter {
    path: String,
    schema: Arc<BaseFileSchema>,
    encoder: ArrowWriter<Vec<u8>>,
    sink: FileWriter,
    keys: KeySummary,
    row_count: u64,
}

impl std::fmt::Debug for BaseFileWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BaseFileWriter")
            .field("path", &self.path)
            .field("row_count", &self.row_count)
            .finish_non_exhaustive()
    }
}

impl BaseFileWriter {
    /// Begins the file `path`, relative to the storage; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] for an option out of range, [`Error::Storage`] for a bad path.
    pub fn try_new(
        storage: &Storage,
        path: &str,
        schema: &Arc<BaseFileSchema>,
        options: &BaseFileWriterOptions,
    ) -> Result<Self> {
        let sink = storage.writer(path).map_err(|source| Error::Storage {
            path: path.to_owned(),
            source,
        })?;
        let encoder_options = ArrowWriterOptions::new()
            .with_properties(properties(options)?)
            .with_skip_arrow_metadata(true)
            .with_parquet_schema(schema.parquet.clone());
        let encoder = ArrowWriter::try_new_with_options(
            Vec::new(),
            Arc::clone(&schema.arrow),
            encoder_options,
        )
        .map_err(|error| encode_error(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            schema: Arc::clone(schema),
            encoder,
            sink,
            keys: KeySummary::new(&options.bloom),
            row_count: 0,
        })
    }

    /// Writes rows; `batch` has all columns of the schema, meta columns filled.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] for other columns or a missing record key, [`Error::Storage`]. The writer can
    /// then only be aborted.
    pub async fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let keys = batch
            .column_by_name(columns::RECORD_KEY)
            .and_then(|keys| keys.as_string_opt::<i32>())
            .filter(|keys| keys.null_count() == 0)
            .ok_or_else(|| Error::Schema {
                detail: "every row needs a record key".to_owned(),
            })?;
        self.keys.add(keys)?;
        let batch = batch
            .clone()
            .with_schema(Arc::clone(&self.schema.arrow))
            .map_err(|error| Error::Schema {
                detail: error.to_string(),
            })?;
        self.encoder
            .write(&batch)
            .map_err(|error| encode_error(&self.path, error))?;
        self.row_count += batch.num_rows() as u64;
        drain(&self.path, &mut self.encoder, &mut self.sink).await
    }

    /// Rows written so far.
    pub fn row_count(&self) -> u64 {
        self.row_count
    }

    /// About the size the file would have if it ended here, without its footer.
    pub fn estimated_bytes(&self) -> u64 {
        (self.encoder.bytes_written() + self.encoder.in_progress_size()) as u64
    }

    /// Completes the file.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]; whether the file is there is then unknown.
    pub async fn finish(mut self) -> Result<WrittenFile> {
        let summary = self.keys.finish()?;
        let mut entries = vec![
            (footer::AVRO_SCHEMA, self.schema.avro.clone()),
            (footer::WRITER_MODEL, "avro".to_owned()),
        ];
        entries.push((footer::BLOOM_FILTER, summary.bloom.to_base64()));
        if summary.bloom.type_code() != oxlake_hash::BloomType::Simple {
            entries.push((
                footer::BLOOM_TYPE,
                summary.bloom.type_code().as_str().to_owned(),
            ));
        }
        let min = summary
            .min
            .as_ref()
            .map(|key| (footer::MIN_KEY, key.clone()));
        let max = summary
            .max
            .as_ref()
            .map(|key| (footer::MAX_KEY, key.clone()));
        for (key, value) in entries.into_iter().chain(min).chain(max) {
            self.encoder
                .append_key_value_metadata(KeyValue::new(key.to_owned(), value));
        }
        self.encoder
            .finish()
            .map_err(|error| encode_error(&self.path, error))?;
        drain(&self.path, &mut self.encoder, &mut self.sink).await?;
        let path = self.path;
        let size_bytes = self
            .sink
            .finish()
            .await
            .map_err(|source| Error::Storage { path, source })?;
        Ok(WrittenFile {
            size_bytes,
            row_count: self.row_count,
            min_key: summary.min,
            max_key: summary.max,
        })
    }

    /// Gives up; nothing is left as far as storage can.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`].
    pub async fn abort(self) -> Result<()> {
        let path = self.path;
        self.sink
            .abort()
            .await
            .map_err(|source| Error::Storage { path, source })
    }
}

/// Sends what the encoder has completed.
async fn drain(
    path: &str,
    encoder: &mut ArrowWriter<Vec<u8>>,
    sink: &mut FileWriter,
) -> Result<()> {
    encoder
        .sync()
        .map_err(|error| encode_error(path, error.into()))?;
    if encoder.inner().is_empty() {
        return Ok(());
    }
    // The encoder counts its offsets itself: what it handed over can be taken away.
    let done = Bytes::from(std::mem::take(encoder.inner_mut()));
    sink.write(done).await.map_err(|source| Error::Storage {
        path: path.to_owned(),
        source,
    })
}

fn encode_error(path: &str, error: ParquetError) -> Error {
    Error::Encode {
        path: path.to_owned(),
        source: Box::new(error),
    }
}

fn properties(options: &BaseFileWriterOptions) -> Result<WriterProperties> {
    let mut builder = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(options.compression()?)
        .set_dictionary_enabled(options.parquet.dictionary_enabled)
        .set_data_page_size_limit(bytes(options.parquet.page_size_bytes))
        .set_dictionary_page_size_limit(bytes(options.parquet.page_size_bytes))
        .set_max_row_group_bytes(Some(bytes(options.parquet.block_size_bytes)))
        .set_statistics_enabled(EnabledStatistics::Page);
    // No value of these comes twice: a dictionary would be built only to be given up.
    for unique in [columns::RECORD_KEY, columns::COMMIT_SEQNO] {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(unique), false);
    }
    Ok(builder.build())
}
