//! Bytes of a base file for the Parquet decoder.
//!
//! One request brings the end of the file, which in practice holds the whole footer; a small file is
//! then complete and needs no other request. Errors of storage pass through the decoder unchanged.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use object_store::coalesce_ranges;
use oxlake_storage::Storage;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::error::{Error, Result};

/// Bytes of the first request: a footer of the JVM with its bloom filter is about 435 kB.
const TAIL_BYTES: u64 = 512 << 10;
/// Ranges closer than this are fetched as one.
const COALESCE_BYTES: u64 = 1 << 20;
/// The smallest Parquet file: magic, footer length, magic.
const SMALLEST_BYTES: u64 = 12;

/// A base file on storage, with its end in memory.
#[derive(Debug, Clone)]
pub(crate) struct BaseFileInput {
    storage: Storage,
    path: Arc<str>,
    size_bytes: u64,
    tail: Bytes,
}

impl BaseFileInput {
    /// Fetches the end of the file; `size_bytes` is what the listing says.
    pub(crate) async fn open(storage: &Storage, path: &str, size_bytes: u64) -> Result<Self> {
        if size_bytes < SMALLEST_BYTES {
            let detail = format!("{size_bytes} bytes are too short for a Parquet file");
            return Err(Error::corrupt(path, detail));
        }
        let mut input = Self {
            storage: storage.clone(),
            path: Arc::from(path),
            size_bytes,
            tail: Bytes::new(),
        };
        let start = size_bytes.saturating_sub(TAIL_BYTES);
        input.tail = input.fetch(start..size_bytes).await?;
        Ok(input)
    }

    /// An error of the decoder as ours: storage's own errors are unwrapped, the rest is damage.
    pub(crate) fn error(&self, error: ParquetError) -> Error {
        decode_error(&self.path, error)
    }

    async fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        let wanted = range.end.saturating_sub(range.start);
        let bytes = self
            .storage
            .read_range(&self.path, range.clone())
            .await
            .map_err(|source| Error::Storage {
                path: self.path.to_string(),
                source,
            })?;
        if bytes.len() as u64 != wanted {
            let detail = format!(
                "bytes {}..{} of {} asked for, {} found: the file is shorter than listed",
                range.start,
                range.end,
                self.size_bytes,
                bytes.len()
            );
            return Err(Error::corrupt(&self.path, detail));
        }
        Ok(bytes)
    }

    /// The bytes of `range` if they are in memory already.
    fn buffered(&self, range: &Range<u64>) -> Option<Bytes> {
        let tail_start = self.size_bytes - self.tail.len() as u64;
        let start = usize::try_from(range.start.checked_sub(tail_start)?).ok()?;
        let end = usize::try_from(range.end.checked_sub(tail_start)?).ok()?;
        (start <= end && end <= self.tail.len()).then(|| self.tail.slice(start..end))
    }

    fn check(&self, range: &Range<u64>) -> Result<()> {
        if range.start <= range.end && range.end <= self.size_bytes {
            return Ok(());
        }
        let detail = format!(
            "its footer points to bytes {}..{} of {}",
            range.start, range.end, self.size_bytes
        );
        Err(Error::corrupt(&self.path, detail))
    }

    async fn ranges(&self, ranges: Vec<Range<u64>>) -> Result<Vec<Bytes>> {
        for range in &ranges {
            self.check(range)?;
        }
        if let Some(all) = ranges.iter().map(|range| self.buffered(range)).collect() {
            return Ok(all);
        }
        coalesce_ranges(&ranges, |range| self.fetch(range), COALESCE_BYTES).await
    }
}

impl AsyncFileReader for BaseFileInput {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, parquet::errors::Result<Bytes>> {
        async move {
            self.check(&range).map_err(external)?;
            match self.buffered(&range) {
                Some(bytes) => Ok(bytes),
                None => self.fetch(range).await.map_err(external),
            }
        }
        .boxed()
    }

    fn get_byte_ranges(
        &mut self,
        ranges: Vec<Range<u64>>,
    ) -> BoxFuture<'_, parquet::errors::Result<Vec<Bytes>>> {
        async move { self.ranges(ranges).await.map_err(external) }.boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, parquet::errors::Result<Arc<ParquetMetaData>>> {
        async move {
            let size = self.size_bytes;
            let reader = ParquetMetaDataReader::new().with_arrow_reader_options(options);
            Ok(Arc::new(reader.load_and_finish(self, size).await?))
        }
        .boxed()
    }
}

fn external(error: Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

pub(crate) fn decode_error(path: &str, error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast::<Error>() {
            Ok(ours) => *ours,
            Err(source) => Error::Corrupt {
                path: path.to_owned(),
                detail: source.to_string(),
                source: Some(source),
            },
        },
        other => Error::Corrupt {
            path: path.to_owned(),
            detail: other.to_string(),
            source: Some(Box::new(other)),
        },
    }
}
