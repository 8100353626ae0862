//! What can go wrong between the engine and DataFusion.

use std::sync::Arc;

use arrow::error::ArrowError;
use datafusion::common::{Column, SchemaError};
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use oxlake_model::{ErrorKind, META_COLUMNS};

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// DataFusion refused or failed to run a query.
    #[error("{}", plain_message(.0))]
    DataFusion(DataFusionError),
    /// An SQL condition cannot be used as a predicate.
    #[error("cannot use the condition '{text}': {problem}")]
    Filter {
        /// As given.
        text: String,
        /// Why.
        problem: String,
    },
    /// Planning a scan failed.
    #[error(transparent)]
    Scan(#[from] Box<oxlake_scan::Error>),
    /// The table cannot be opened.
    #[error(transparent)]
    Table(#[from] oxlake_table::Error),
    /// The storage behind a path or URL cannot be used.
    #[error(transparent)]
    Storage(#[from] oxlake_storage::Error),
}

impl From<oxlake_scan::Error> for Error {
    fn from(error: oxlake_scan::Error) -> Self {
        Self::Scan(Box::new(error))
    }
}

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::DataFusion(error) => kind_of(error),
            Self::Filter { .. } => ErrorKind::Invalid,
            Self::Scan(error) => error.kind(),
            Self::Table(error) => error.kind(),
            Self::Storage(error) => error.kind(),
        }
    }
}

/// What comes back out is our own error again, if it was one of ours that went in.
impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => {
                Self::from(*inner)
            }
            DataFusionError::Shared(inner) => match Arc::try_unwrap(inner) {
                Ok(inner) => Self::from(inner),
                Err(shared) => Self::DataFusion(DataFusionError::Shared(shared)),
            },
            DataFusionError::ArrowError(error, backtrace) => match *error {
                ArrowError::ExternalError(inner) => Self::from(DataFusionError::External(inner)),
                other => Self::DataFusion(DataFusionError::ArrowError(Box::new(other), backtrace)),
            },
            DataFusionError::External(inner) => match inner.downcast::<Self>() {
                Ok(ours) => *ours,
                Err(inner) => match inner.downcast::<DataFusionError>() {
                    Ok(inner) => Self::from(*inner),
                    Err(other) => Self::DataFusion(DataFusionError::External(other)),
                },
            },
            other => Self::DataFusion(other),
        }
    }
}

/// Our errors travel through DataFusion as external ones.
impl From<Error> for DataFusionError {
    fn from(error: Error) -> Self {
        match error {
            Error::DataFusion(error) => error,
            other => Self::External(Box::new(other)),
        }
    }
}

fn kind_of(error: &DataFusionError) -> ErrorKind {
    match error.find_root() {
        DataFusionError::External(source) => source
            .downcast_ref::<Error>()
            .map_or(ErrorKind::Internal, Error::kind),
        DataFusionError::SQL(..)
        | DataFusionError::Plan(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::Execution(_)
        | DataFusionError::ArrowError(..) => ErrorKind::Invalid,
        DataFusionError::NotImplemented(_) => ErrorKind::Unsupported,
        DataFusionError::ResourcesExhausted(_) => ErrorKind::Unavailable,
        _ => ErrorKind::Internal,
    }
}

/// The innermost message, without the chain of "Error during planning" before it.
pub(crate) fn plain_message(error: &DataFusionError) -> String {
    match error.find_root() {
        DataFusionError::External(source) => source.to_string(),
        DataFusionError::SQL(error, _) => match error.as_ref() {
            ParserError::TokenizerError(text) | ParserError::ParserError(text) => text.clone(),
            ParserError::RecursionLimitExceeded => "it is nested too deep".to_owned(),
        },
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound {
                field,
                valid_fields,
            } => unknown_column(field, valid_fields),
            other => other.to_string(),
        },
        root => with_next_step(root.message().into_owned()),
    }
}

fn unknown_column(column: &Column, known: &[Column]) -> String {
    let names = known.iter().map(|column| column.name.as_str());
    let names: Vec<&str> = names.filter(|name| !META_COLUMNS.contains(name)).collect();
    format!(
        "there is no column '{}'; there are {}",
        column.name,
        names.join(", ")
    )
}

fn with_next_step(message: String) -> String {
    let missing = message.strip_prefix("table 'datafusion.public.");
    match missing.and_then(|rest| rest.strip_suffix("' not found")) {
        Some(name) => format!(
            "there is no table {name} here; name a table by its path or URL in quotes, as in \
             select * from 'path/to/table'"
        ),
        None => message,
    }
}
