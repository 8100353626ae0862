//! What can go wrong between the engine and DataFusion.

use datafusion::error::DataFusionError;
use oxlake_model::ErrorKind;

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// DataFusion refused or failed to run a query.
    #[error("{}", plain_message(.0))]
    DataFusion(#[from] DataFusionError),
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
        root => with_next_step(root.message().into_owned()),
    }
}

fn with_next_step(message: String) -> String {
    let missing = message.strip_prefix("table 'datafusion.public.");
    match missing.and_then(|rest| rest.strip_suffix("' not found")) {
        Some(name) => format!(
            "there is no table {name} here; name a table by its path or URL in quotes, as in select * from \
             'path/to/table'"
        ),
        None => message,
    }
}
