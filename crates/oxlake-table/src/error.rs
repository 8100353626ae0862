//! What can go wrong when a table is opened, created, listed or asked for its schema.

use oxlake_model::{ErrorKind, InstantTime};

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors of this crate. [`Error::kind`] tells the caller what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing at the address has a `.hoodie/hoodie.properties`.
    #[error(
        "no table at {url}: there is no .hoodie/hoodie.properties (create one, or check the path)"
    )]
    NotATable {
        /// Address of the folder.
        url: String,
    },
    /// A table is there already.
    #[error("a table exists at {url}: open it, or choose another path")]
    AlreadyExists {
        /// Address of the folder.
        url: String,
    },
    /// The properties and their backup are damaged.
    #[error("the table at {url} cannot be opened")]
    Properties {
        /// Address of the folder.
        url: String,
        /// What is wrong with both files.
        #[source]
        source: oxlake_config::Error,
    },
    /// No commit, property or base file tells the schema.
    #[error(
        "the schema of {url} is unknown: no commit carries one, hoodie.table.create.schema is not set and \
         there is no base file to take it from; write to the table first"
    )]
    NoSchema {
        /// Address of the table.
        url: String,
    },
    /// A stored schema is not one.
    #[error("the schema stored in {place} cannot be used")]
    Schema {
        /// A commit, a property or a file.
        place: String,
        /// Why.
        #[source]
        source: oxlake_avro::Error,
    },
    /// A base file that should tell the schema has no readable footer.
    #[error("the footer of {path} cannot be read")]
    Footer {
        /// The file, relative to the table.
        path: String,
        /// Why.
        #[source]
        source: parquet::errors::ParquetError,
    },
    /// A marker has no known form (spec 01 §7).
    #[error(
        "{path}: `{text}` is not a marker; expected <partition>/<file>.marker.<CREATE|MERGE|APPEND>"
    )]
    Marker {
        /// The file it was found in, or its own path.
        path: String,
        /// Its text.
        text: String,
    },
    /// Markers of a kind this engine does not know.
    #[error(
        "the markers of instant {instant} are of kind `{kind}`; known are DIRECT and TIMELINE_SERVER_BASED"
    )]
    MarkerKind {
        /// The instant.
        instant: InstantTime,
        /// Content of `MARKERS.type`.
        kind: String,
    },
    /// A partition metadata file does not say what it must (spec 01 §9).
    #[error("{path} has no {key}; rewrite it or delete it")]
    PartitionMetadata {
        /// The file.
        path: String,
        /// The missing or bad key.
        key: &'static str,
    },
    /// Settings.
    #[error(transparent)]
    Config(#[from] oxlake_config::Error),
    /// Storage.
    #[error(transparent)]
    Storage(#[from] oxlake_storage::Error),
    /// Timeline.
    #[error(transparent)]
    Timeline(#[from] oxlake_timeline::Error),
    /// A stored record.
    #[error(transparent)]
    Model(#[from] oxlake_model::Error),
}

impl Error {
    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotATable { .. } => ErrorKind::NotFound,
            Self::AlreadyExists { .. } => ErrorKind::AlreadyExists,
            Self::NoSchema { .. } => ErrorKind::Invalid,
            Self::Schema { .. }
            | Self::Footer { .. }
            | Self::Marker { .. }
            | Self::PartitionMetadata { .. } => ErrorKind::Corrupt,
            Self::MarkerKind { .. } => ErrorKind::Unsupported,
            Self::Properties { source, .. } | Self::Config(source) => source.kind(),
            Self::Storage(source) => source.kind(),
            Self::Timeline(source) => source.kind(),
            Self::Model(source) => source.kind(),
        }
    }
}
