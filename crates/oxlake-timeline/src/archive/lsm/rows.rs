//! The rows of one history file: an instant each.

use std::ops::Range;

use arrow::array::{Array, AsArray, BinaryArray, RecordBatch, StringArray};
use arrow::datatypes::DataType;
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, TryStreamExt};
use oxlake_model::{Action, Instant, InstantTime};
use oxlake_storage::Storage;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::arrow::{ParquetRecordBatchStreamBuilder, ProjectionMask};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::sync::Arc;

use super::{ArchiveQuery, ArchivedInstant};
use crate::{Error, Result, TimelineStore};

/// Reads the rows of the query, and of the columns only those it asks for.
pub(super) async fn read(
    store: &TimelineStore,
    path: &str,
    file_len: Option<u64>,
    query: &ArchiveQuery,
) -> Result<Vec<ArchivedInstant>> {
    let reader = FileReader::open(&store.storage, path, file_len).await?;
    let read = async {
        let builder = ParquetRecordBatchStreamBuilder::new(reader).await?;
        let columns = columns(query);
        let mask = ProjectionMask::columns(builder.parquet_schema(), columns);
        builder
            .with_projection(mask)
            .build()?
            .try_collect::<Vec<RecordBatch>>()
            .await
    };
    let batches = read.await.map_err(|source| history_error(path, source))?;
    let mut instants = Vec::new();
    for batch in &batches {
        decode(path, batch, query, &mut instants)?;
    }
    Ok(instants)
}

fn columns(query: &ArchiveQuery) -> impl Iterator<Item = &'static str> {
    let contents = [("metadata", query.metadata), ("plan", query.plan)];
    let contents = contents
        .into_iter()
        .filter_map(|(name, wanted)| wanted.then_some(name));
    ["instantTime", "completionTime", "action"]
        .into_iter()
        .chain(contents)
}

fn decode(
    path: &str,
    batch: &RecordBatch,
    query: &ArchiveQuery,
    instants: &mut Vec<ArchivedInstant>,
) -> Result<()> {
    let requested = texts(path, batch, "instantTime")?;
    let completed = texts(path, batch, "completionTime")?;
    let actions = texts(path, batch, "action")?;
    let metadata = query
        .metadata
        .then(|| binaries(path, batch, "metadata"))
        .transpose()?;
    let plans = query
        .plan
        .then(|| binaries(path, batch, "plan"))
        .transpose()?;
    for row in 0..batch.num_rows() {
        let time = |column: &StringArray| {
            let text = column.is_valid(row).then(|| column.value(row));
            text.map(InstantTime::parse)
                .transpose()
                .map_err(|error| Error::damaged(path, error))
        };
        let requested = time(&requested)?
            .ok_or_else(|| Error::damaged(path, format!("row {row} has no instant time")))?;
        let completed = time(&completed)?.unwrap_or_else(|| requested.clone());
        let action = actions.is_valid(row).then(|| actions.value(row));
        // An action this engine does not know is nothing it can say anything about.
        let Some(action) = action.and_then(Action::parse) else {
            continue;
        };
        if !query.contains(&requested) {
            continue;
        }
        let bytes = |column: &Option<BinaryArray>| {
            let column = column.as_ref().filter(|column| column.is_valid(row))?;
            Some(Bytes::copy_from_slice(column.value(row)))
        };
        instants.push(ArchivedInstant {
            instant: Instant::completed(requested, action, completed),
            metadata: bytes(&metadata),
            plan: bytes(&plans),
        });
    }
    Ok(())
}

fn texts(path: &str, batch: &RecordBatch, name: &str) -> Result<StringArray> {
    Ok(column(path, batch, name, &DataType::Utf8)?
        .as_string::<i32>()
        .clone())
}

fn binaries(path: &str, batch: &RecordBatch, name: &str) -> Result<BinaryArray> {
    Ok(column(path, batch, name, &DataType::Binary)?
        .as_binary::<i32>()
        .clone())
}

/// A column as the type it is read as; writers differ in whether they mark texts as such.
fn column(
    path: &str,
    batch: &RecordBatch,
    name: &str,
    wanted: &DataType,
) -> Result<Arc<dyn Array>> {
    let column = batch
        .column_by_name(name)
        .ok_or_else(|| Error::damaged(path, format!("it has no column '{name}'")))?;
    arrow::compute::cast(column, wanted).map_err(|error| Error::damaged(path, error))
}

/// Storage errors come out of the Parquet reader as they went in.
fn history_error(path: &str, source: ParquetError) -> Error {
    match source {
        ParquetError::External(inner) => match inner.downcast::<oxlake_storage::Error>() {
            Ok(storage) => Error::Storage(*storage),
            Err(inner) => Error::HistoryFile {
                path: path.to_owned(),
                source: ParquetError::External(inner),
            },
        },
        source => Error::HistoryFile {
            path: path.to_owned(),
            source,
        },
    }
}

/// Ranges of one file of the table.
struct FileReader {
    storage: Storage,
    path: String,
    file_len: u64,
}

impl FileReader {
    async fn open(storage: &Storage, path: &str, file_len: Option<u64>) -> Result<Self> {
        let file_len = match file_len {
            Some(file_len) => file_len,
            None => match storage.head(path).await? {
                Some(file) => file.size_bytes,
                None => {
                    return Err(Error::Storage(oxlake_storage::Error::NotFound {
                        path: path.to_owned(),
                    }));
                }
            },
        };
        Ok(Self {
            storage: storage.clone(),
            path: path.to_owned(),
            file_len,
        })
    }
}

impl AsyncFileReader for FileReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, parquet::errors::Result<Bytes>> {
        async move {
            let read = self.storage.read_range(&self.path, range).await;
            read.map_err(|error| ParquetError::External(Box::new(error)))
        }
        .boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        _options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, parquet::errors::Result<Arc<ParquetMetaData>>> {
        async move {
            let file_len = self.file_len;
            let metadata = ParquetMetaDataReader::new()
                .with_prefetch_hint(Some(16 * 1024))
                .load_and_finish(self, file_len)
                .await?;
            Ok(Arc::new(metadata))
        }
        .boxed()
    }
}
