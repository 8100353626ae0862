//! Rows to load: a file or standard input as a stream of batches.
//!
//! Nothing is read as a whole: types are inferred from the first megabytes, which are then read
//! again together with the rest. Only Parquet on standard input is copied to a temporary file
//! first, since it is read from its end.

mod csv;
mod json;
mod parquet;
mod prefix;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;
use clap::ValueEnum;
use futures::StreamExt;
use futures::stream::BoxStream;

use self::prefix::Prefixed;
use crate::error::{Error, Result};

/// Rows in one reader's batch.
const BATCH_ROWS: usize = 8192;

/// Where the rows come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Standard input, written `-`.
    Stdin,
    /// A local file.
    File(PathBuf),
}

/// What the rows are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    // Apache Parquet
    Parquet,
    // Comma-separated values with a header line
    Csv,
    // One JSON object a line
    Json,
}

/// An opened source.
pub(crate) struct Input {
    /// The columns as they will come.
    pub(crate) schema: SchemaRef,
    /// How many rows will come, if the source says so.
    pub(crate) row_count: Option<u64>,
    /// The rows, in order.
    pub(crate) batches: BoxStream<'static, Result<RecordBatch>>,
}

/// Batches as the readers of Arrow and Parquet give them.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Opens `source`; columns that `wanted` knows get its types, others are inferred.
///
/// # Errors
/// [`Error::Input`] if the file is missing or not what its format says, [`Error::Told`] if the
/// format is not known.
pub(crate) fn open(
    source: &Source,
    format: Option<InputFormat>,
    wanted: Option<&Schema>,
) -> Result<Input> {
    let named = |error: Box<dyn std::error::Error + Send + Sync>| Error::Input {
        path: source.to_string(),
        source: error,
    };
    let reader = source.reader().map_err(|error| named(error.into()))?;
    let format = match format.or_else(|| source.format_by_name()) {
        Some(format) => format,
        None => sniff(source, reader.prefix())?,
    };
    let (schema, row_count, batches) = match format {
        InputFormat::Parquet => parquet::open(reader).map_err(named)?,
        InputFormat::Csv => csv::open(reader, wanted).map_err(named)?,
        InputFormat::Json => json::open(reader, wanted).map_err(named)?,
    };
    Ok(Input {
        schema,
        row_count,
        batches: stream(source.to_string(), batches),
    })
}

impl Source {
    /// `-` is standard input, everything else a file.
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "-" => Self::Stdin,
            path => Self::File(PathBuf::from(path)),
        }
    }

    fn reader(&self) -> io::Result<Prefixed> {
        match self {
            Self::Stdin => Prefixed::new(Box::new(io::stdin())),
            Self::File(path) => Prefixed::of_file(File::open(path)?),
        }
    }

    fn format_by_name(&self) -> Option<InputFormat> {
        let Self::File(path) = self else { return None };
        match extension(path)?.as_str() {
            "parquet" | "pq" => Some(InputFormat::Parquet),
            "csv" => Some(InputFormat::Csv),
            "json" | "jsonl" | "ndjson" => Some(InputFormat::Json),
            _ => None,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The extension in lower case.
pub(crate) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The format by the first bytes: Parquet has a magic, JSON lines start with a brace.
fn sniff(source: &Source, prefix: &[u8]) -> Result<InputFormat> {
    let text = prefix.trim_ascii_start();
    if prefix.starts_with(b"PAR1") {
        Ok(InputFormat::Parquet)
    } else if text.starts_with(b"{") {
        Ok(InputFormat::Json)
    } else if text.is_empty() {
        Err(Error::told(
            format!("{source} is empty"),
            "give a file with rows",
        ))
    } else if source == &Source::Stdin {
        Ok(InputFormat::Csv)
    } else {
        Err(Error::told(
            format!("the name of {source} does not say what it is"),
            "add --input-format parquet, csv or json",
        ))
    }
}

/// The type of a column that has been null so far: text takes everything that may still come.
fn known_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Null => DataType::Utf8,
        known => known.clone(),
    }
}

/// Reads on a thread of its own, two batches ahead.
fn stream(path: String, batches: Batches) -> BoxStream<'static, Result<RecordBatch>> {
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        for batch in batches {
            let failed = batch.is_err();
            if sender.blocking_send(batch).is_err() || failed {
                return;
            }
        }
    });
    let named = move |error: ArrowError| Error::Input {
        path: path.clone(),
        source: error.into(),
    };
    futures::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|batch| (batch, receiver))
    })
    .map(move |batch| batch.map_err(&named))
    .fuse()
    .boxed()
}

/// Everything that is left, in a temporary file that vanishes with its handle.
fn spool(reader: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(reader, &mut file)?;
    Ok(file)
}
