//! Errors of the test helpers. Tests mostly unwrap them, so the message says what to do.

use std::path::PathBuf;

use arrow::datatypes::DataType;
use arrow::error::ArrowError;

/// What can go wrong in a test helper.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No fixture of that name.
    #[error(
        "no fixture table named {name}; the catalogues are fixtures/golden/README.md and fixtures/golden-metadata/README.md"
    )]
    UnknownFixture {
        /// The name asked for.
        name: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: std::io::Error,
    },
    /// A zip of the fixtures could not be read.
    #[error("{}: {source}", path.display())]
    Zip {
        /// The archive.
        path: PathBuf,
        /// The reason.
        #[source]
        source: zip::result::ZipError,
    },
    /// A JSON text could not be read.
    #[error("{what}: {source}")]
    Json {
        /// Which text.
        what: String,
        /// The reason.
        #[source]
        source: serde_json::Error,
    },
    /// A column type that has no row encoding.
    #[error("no row encoding for type {data_type}")]
    UnsupportedType {
        /// The type.
        data_type: DataType,
    },
    /// Arrow refused.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// The JVM engine is not installed or does not start.
    #[error(
        "the JVM engine is not there: {reason}; run interop/setup (needs a JDK 11 or 17, Maven and Python 3 with venv)"
    )]
    JvmMissing {
        /// What it said.
        reason: String,
    },
    /// The JVM engine answered with an error.
    #[error("the JVM engine refused `{command}`: {class}: {message}")]
    JvmRefused {
        /// The command asked.
        command: String,
        /// Exception class.
        class: String,
        /// Its message, of the root cause where there is one.
        message: String,
    },
    /// The JVM engine answered something this client does not understand.
    #[error("the answer of the JVM engine has no {field}: {answer}")]
    JvmAnswer {
        /// The field looked for.
        field: &'static str,
        /// The answer.
        answer: String,
    },
    /// An operation the reference model has no single answer for.
    #[error("the reference model refuses: {reason}")]
    Model {
        /// Why.
        reason: String,
    },
}

/// Result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn json(what: impl Into<String>) -> impl FnOnce(serde_json::Error) -> Self {
        let what = what.into();
        move |source| Self::Json { what, source }
    }
}
