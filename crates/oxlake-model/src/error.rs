//! Errors of this crate, and the kinds of error shared by all crates.

/// What a caller can do about an error; every crate's `Error::kind()` answers with one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The thing asked for does not exist.
    NotFound,
    /// The thing to be created exists.
    AlreadyExists,
    /// Another writer changed the same data; start the operation again on a fresh snapshot.
    Conflict,
    /// A lease or heartbeat expired while working; another writer may have taken over.
    Fenced,
    /// Stored bytes break the format.
    Corrupt,
    /// The table uses something this engine does not do.
    Unsupported,
    /// An option or table property has a bad value.
    Config,
    /// The call itself is wrong: bad argument, bad input data.
    Invalid,
    /// Storage or a service cannot be reached or refuses for now.
    Unavailable,
    /// The caller gave up.
    Cancelled,
    /// A broken invariant: a defect of this engine.
    Internal,
}

impl ErrorKind {
    /// Whether doing the same again later can succeed without a change by the caller.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Conflict | Self::Unavailable)
    }
}

/// What can go wrong in this crate: texts that do not parse and records that do not decode.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is not of the form its type asks for.
    #[error("'{text}' is not a valid {what}: {expected}")]
    Parse {
        /// The type that was to be read, in words.
        what: &'static str,
        /// The text found.
        text: String,
        /// What a good text looks like.
        expected: &'static str,
    },
    /// The table version is one this engine does not know.
    #[error(
        "table version {code} is not supported (supported: 6, 8, 9); {}",
        version_remedy(*.code)
    )]
    TableVersion {
        /// The value of `hoodie.table.version`.
        code: u32,
    },
    /// The bytes of a stored record do not decode.
    #[error("cannot decode {record}")]
    Avro {
        /// The record that was to be read.
        record: &'static str,
        /// What the decoder said.
        #[source]
        source: oxlake_avro::Error,
    },
    /// The JSON text of a stored record does not decode.
    #[error("cannot decode {record} from JSON")]
    Json {
        /// The record that was to be read.
        record: &'static str,
        /// What the parser said.
        #[source]
        source: serde_json::Error,
    },
    /// A stored record decodes, but a field is missing or has a type it cannot have.
    #[error("{record}: field '{field}' {problem}")]
    Field {
        /// The record that was to be read.
        record: &'static str,
        /// The field in question.
        field: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Parse { .. } => ErrorKind::Invalid,
            Self::TableVersion { .. } => ErrorKind::Unsupported,
            Self::Avro { .. } | Self::Json { .. } | Self::Field { .. } => ErrorKind::Corrupt,
        }
    }
}

fn version_remedy(code: u32) -> &'static str {
    match code {
        0..=5 => {
            "upgrade the table to version 6 or later with a 0.14 to 1.x release of the JVM engine"
        }
        7 => {
            "7 is a passing state of an upgrade: finish the upgrade to 8 with the engine that began it"
        }
        _ => "it was written by a newer release than this engine knows",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_error_names_the_version_and_the_remedy() {
        let text = Error::TableVersion { code: 5 }.to_string();
        assert!(
            text.contains("version 5") && text.contains("upgrade"),
            "{text}"
        );
        assert_eq!(
            Error::TableVersion { code: 10 }.kind(),
            ErrorKind::Unsupported
        );
    }

    #[test]
    fn only_conflicts_and_outages_are_retryable() {
        assert!(ErrorKind::Unavailable.is_retryable() && ErrorKind::Conflict.is_retryable());
        assert!(!ErrorKind::Corrupt.is_retryable() && !ErrorKind::AlreadyExists.is_retryable());
    }
}
