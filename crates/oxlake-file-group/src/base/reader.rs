//! Reading a base file.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use futures::{FutureExt, StreamExt, stream};
use oxlake_model::{BaseFile, BaseFileExtension};
use oxlake_storage::Storage;
use parquet::arrow::ParquetRecordBatchStreamBuilder;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::basic::Type as PhysicalType;
use parquet::schema::types::SchemaDescriptor;

use super::footer::BaseFileFooter;
use super::input::BaseFileInput;
use super::options::{BatchStream, ReadOptions};
use super::plan::ReadPlan;
use crate::error::{Error, Result};

/// An open base file: its footer is in memory, its rows are not.
///
/// Cheap to clone; one reader serves any number of reads. Base files never change, so it can be kept.
///
/// # Damaged files
///
/// The Parquet decoder below can panic on bytes that no writer makes. A panic while a file is opened or
/// read is caught here, and only here, and becomes [`Error::Corrupt`]: the state it may leave behind
/// belongs to the one read that ends with the error.
#[derive(Debug, Clone)]
pub struct BaseFileReader {
    input: BaseFileInput,
    path: Arc<str>,
    metadata: ArrowReaderMetadata,
}

impl BaseFileReader {
    /// Opens a base file: one request for its footer (two when it is larger than half a mebibyte).
    ///
    /// # Errors
    ///
    /// [`Error::BaseFormat`] for a format other than Parquet, [`Error::Corrupt`] for a file that is
    /// shorter than listed or has no good footer, [`Error::Storage`].
    pub async fn open(storage: &Storage, file: &BaseFile) -> Result<Self> {
        let path = file.path();
        if file.name.extension != BaseFileExtension::Parquet {
            let format = file
                .name
                .extension
                .as_str()
                .trim_start_matches('.')
                .to_owned();
            return Err(Error::BaseFormat { path, format });
        }
        Self::open_path(storage, &path, file.size_bytes).await
    }

    /// Opens the Parquet file at `path` (relative to the storage) of `size_bytes`.
    ///
    /// # Errors
    ///
    /// Those of [`BaseFileReader::open`].
    pub async fn open_path(storage: &Storage, path: &str, size_bytes: u64) -> Result<Self> {
        let mut input = BaseFileInput::open(storage, path, size_bytes).await?;
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let load = AssertUnwindSafe(input.get_metadata(Some(&options))).catch_unwind();
        let footer = match load.await {
            Ok(footer) => footer.map_err(|error| decode_failed(path, error))?,
            Err(panic) => return Err(panicked(path, &*panic)),
        };
        let metadata = guarded(path, || {
            let loaded = ArrowReaderMetadata::try_new(footer, options.clone());
            let loaded = loaded.map_err(|error| decode_failed(path, error))?;
            match repaired_schema(&loaded) {
                None => Ok(loaded),
                Some(schema) => {
                    let footer = Arc::clone(loaded.metadata());
                    ArrowReaderMetadata::try_new(footer, options.clone().with_schema(schema))
                        .map_err(|error| decode_failed(path, error))
                }
            }
        })?;
        Ok(Self {
            path: Arc::from(path),
            input,
            metadata,
        })
    }

    /// What the file says about its records; decodes the bloom filter each time.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] for a bloom filter that does not decode.
    pub fn footer(&self) -> Result<BaseFileFooter> {
        BaseFileFooter::try_new(&self.path, self.metadata.metadata())
    }

    /// The path of the file, relative to the table.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Rows in the file.
    pub fn row_count(&self) -> u64 {
        u64::try_from(self.metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Row groups in the file.
    pub fn row_group_count(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    /// The columns of the file as Arrow types, before any promotion.
    pub fn file_schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// The row groups that a read would not skip.
    ///
    /// # Errors
    ///
    /// Those of [`BaseFileReader::read`].
    pub fn row_groups(&self, options: &ReadOptions) -> Result<Vec<usize>> {
        Ok(self.plan(options)?.row_groups)
    }

    /// Reads rows in the order of the file.
    ///
    /// # Errors
    ///
    /// At once: [`Error::MissingColumn`], [`Error::Promotion`], [`Error::UnknownColumn`] and
    /// [`Error::Incomparable`]. In the stream, which then ends: [`Error::Corrupt`], [`Error::Value`] and
    /// [`Error::Storage`].
    pub fn read(&self, options: &ReadOptions) -> Result<BatchStream> {
        let plan = self.plan(options)?;
        if plan.row_groups.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let path = Arc::clone(&self.path);
        let batches = guarded(&self.path, || {
            ParquetRecordBatchStreamBuilder::new_with_metadata(
                self.input.clone(),
                self.metadata.clone(),
            )
            .with_projection(plan.projection.clone())
            .with_row_groups(plan.row_groups.clone())
            .with_batch_size(options.batch_size.max(1))
            .build()
            .map_err(|error| self.input.error(error))
        })?;
        let decoded = AssertUnwindSafe(batches)
            .catch_unwind()
            .map(move |next| match next {
                Ok(Ok(batch)) => guarded(&path, || plan.apply(&batch)),
                Ok(Err(error)) => Err(decode_failed(&path, error)),
                Err(panic) => Err(panicked(&path, &*panic)),
            });
        Ok(until_error(decoded).boxed())
    }

    fn plan(&self, options: &ReadOptions) -> Result<ReadPlan> {
        guarded(&self.path, || {
            ReadPlan::try_new(&self.path, &self.metadata, options)
        })
    }
}

/// Leaves out batches without rows and ends after the first error.
fn until_error(
    batches: impl stream::Stream<Item = Result<Option<RecordBatch>>> + Send + 'static,
) -> impl stream::Stream<Item = Result<RecordBatch>> + Send + 'static {
    let mut failed = false;
    batches
        .take_while(move |next| {
            let go_on = !failed;
            failed |= next.is_err();
            futures::future::ready(go_on)
        })
        .filter_map(|next| futures::future::ready(next.transpose()))
}

fn decode_failed(path: &str, error: parquet::errors::ParquetError) -> Error {
    super::input::decode_error(path, error)
}

/// Runs a piece of decoding; a panic becomes an error (see [`BaseFileReader`]).
fn guarded<T>(path: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done,
        Err(panic) => Err(panicked(path, &*panic)),
    }
}

fn panicked(path: &str, panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    let detail = format!(
        "the decoder gave up: {}",
        text.as_deref().unwrap_or("no reason given")
    );
    Error::corrupt(path, detail)
}

/// The file's schema with 96-bit timestamps in microseconds, which reach far enough; `None` without any.
fn repaired_schema(metadata: &ArrowReaderMetadata) -> Option<SchemaRef> {
    let parquet = metadata.parquet_schema();
    let has_int96 = parquet
        .columns()
        .iter()
        .any(|c| c.physical_type() == PhysicalType::INT96);
    if !has_int96 {
        return None;
    }
    let mut leaf = 0;
    let fields = metadata.schema().fields();
    let fields: Vec<FieldRef> = fields
        .iter()
        .map(|f| repaired(f, parquet, &mut leaf))
        .collect();
    Some(Arc::new(Schema::new(fields)))
}

fn repaired(field: &FieldRef, parquet: &SchemaDescriptor, leaf: &mut usize) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            let fields: Fields = fields.iter().map(|f| repaired(f, parquet, leaf)).collect();
            DataType::Struct(fields)
        }
        DataType::List(item) => DataType::List(repaired(item, parquet, leaf)),
        DataType::Map(entries, sorted) => DataType::Map(repaired(entries, parquet, leaf), *sorted),
        other => {
            let column = parquet.columns().get(*leaf);
            *leaf += 1;
            match column.map(|column| column.physical_type()) {
                Some(PhysicalType::INT96) => DataType::Timestamp(TimeUnit::Microsecond, None),
                _ => other.clone(),
            }
        }
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
