//! What can go wrong with storage, sorted by what the user can do about it.

use std::error::Error as StdError;
use std::fmt;

use object_store::client::{HttpError, HttpErrorKind};
use oxlake_model::ErrorKind;

/// An error of storage.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No such file.
    #[error("no such file: {path}")]
    NotFound {
        /// The file, with the address of the table.
        path: String,
    },
    /// Another writer created the file first.
    #[error("{path} exists already")]
    AlreadyExists {
        /// The file, with the address of the table.
        path: String,
    },
    /// The path cannot name a file of a table.
    #[error("'{path}' cannot be a path inside a table: {reason}")]
    InvalidPath {
        /// The path as given.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is not the address of a table.
    #[error("'{url}' is not the address of a table: {reason}")]
    InvalidUrl {
        /// The address as given, without secrets.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A storage option is unknown or has a bad value; the value is not repeated, it may be a secret.
    #[error("bad storage option '{key}': {reason}")]
    Config {
        /// The name of the option.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The store is set up so that create-once does not work.
    #[error(
        "{address} has conditional put switched off, without it two writers could both commit; remove '{key}'"
    )]
    ConditionalPutDisabled {
        /// Where the store is.
        address: String,
        /// The option that switches it off.
        key: String,
    },
    /// Bucket or container do not exist.
    #[error("{address}: the bucket '{bucket}' does not exist there; create it, or {remedy}")]
    BucketMissing {
        /// Where it was looked for.
        address: String,
        /// The bucket or container.
        bucket: String,
        /// What to set.
        remedy: &'static str,
        /// The store's own words.
        #[source]
        source: Box<object_store::Error>,
    },
    /// The store knows us not, or does not let us.
    #[error("{address} denies access to {path}; {remedy}")]
    AccessDenied {
        /// Where the request went.
        address: String,
        /// The file or folder asked for.
        path: String,
        /// What to set.
        remedy: &'static str,
        /// The store's own words.
        #[source]
        source: Box<object_store::Error>,
    },
    /// Nobody answers at the address.
    #[error("cannot reach {address}; {remedy}")]
    Unreachable {
        /// Where the request went.
        address: String,
        /// What to set.
        remedy: &'static str,
        /// The store's own words.
        #[source]
        source: Box<object_store::Error>,
    },
    /// The request was sent, no answer came, and looking again failed too: the file may exist or not.
    #[error("{path}: the write was sent but not confirmed; look at the table before trying again")]
    OutcomeUnknown {
        /// The file, with the address of the table.
        path: String,
        /// What the store said to the write.
        #[source]
        source: Box<object_store::Error>,
    },
    /// The store cannot do the operation at all.
    #[error("{address} cannot {operation} {path}")]
    NotSupported {
        /// Where the request went.
        address: String,
        /// What was to be done.
        operation: &'static str,
        /// The file or folder.
        path: String,
        /// The store's own words.
        #[source]
        source: Box<object_store::Error>,
    },
    /// Any other failure of the store.
    #[error("cannot {operation} {path}: {}", Chain(.source.as_ref()))]
    Store {
        /// What was to be done.
        operation: &'static str,
        /// The file or folder, with the address of the table.
        path: String,
        /// The store's own words.
        #[source]
        source: Box<object_store::Error>,
    },
    /// A local folder could not be made, removed or synced.
    #[error("cannot {operation} {path}: {source}")]
    Folder {
        /// What was to be done.
        operation: &'static str,
        /// The folder, or the file in it.
        path: String,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
}

/// Result of a storage operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::AlreadyExists { .. } => ErrorKind::AlreadyExists,
            Self::InvalidPath { .. } | Self::InvalidUrl { .. } => ErrorKind::Invalid,
            Self::Config { .. } | Self::BucketMissing { .. } | Self::AccessDenied { .. } => {
                ErrorKind::Config
            }
            Self::ConditionalPutDisabled { .. } | Self::NotSupported { .. } => {
                ErrorKind::Unsupported
            }
            Self::Unreachable { .. }
            | Self::OutcomeUnknown { .. }
            | Self::Store { .. }
            | Self::Folder { .. } => ErrorKind::Unavailable,
        }
    }

    /// Whether this says that there is no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// Whether this says that another writer created the file first.
    pub fn is_already_exists(&self) -> bool {
        matches!(self, Self::AlreadyExists { .. })
    }
}

/// Where a store is and what to set when it does not let us in; turns its errors into ours.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// What the user would recognise: an endpoint or a folder.
    pub(crate) address: String,
    /// Bucket or container; empty for stores without.
    pub(crate) bucket: String,
    /// What to set when access is denied.
    pub(crate) credentials_remedy: &'static str,
    /// What to set when nobody answers or the bucket is not there.
    pub(crate) address_remedy: &'static str,
    /// What to set when no credentials were found at all.
    pub(crate) anonymous_remedy: &'static str,
}

impl Origin {
    /// An origin of which only the address is known.
    pub(crate) fn plain(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            bucket: String::new(),
            credentials_remedy: "check that this user may read and write there",
            address_remedy: "check the address",
            anonymous_remedy: "check the credentials",
        }
    }

    /// Sorts an error of the store. `path` is what the user would recognise as the file.
    pub(crate) fn classify(
        &self,
        operation: &'static str,
        path: String,
        error: object_store::Error,
    ) -> Error {
        use object_store::Error as Store;
        let address = self.address.clone();
        let text = Chain(&error).to_string();
        let missing_bucket = !self.bucket.is_empty()
            && ["NoSuchBucket", "ContainerNotFound", "bucket does not exist"]
                .iter()
                .any(|mark| text.contains(mark));
        match error {
            Store::NotFound { .. } | Store::Generic { .. } if missing_bucket => {
                Error::BucketMissing {
                    address,
                    bucket: self.bucket.clone(),
                    remedy: self.address_remedy,
                    source: Box::new(error),
                }
            }
            Store::NotFound { .. } => Error::NotFound { path },
            Store::AlreadyExists { .. } => Error::AlreadyExists { path },
            Store::InvalidPath { source } => Error::InvalidPath {
                path,
                reason: source.to_string(),
            },
            Store::NotSupported { .. } | Store::NotImplemented { .. } => Error::NotSupported {
                address,
                operation,
                path,
                source: Box::new(error),
            },
            Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => Error::AccessDenied {
                address,
                path,
                remedy: self.credentials_remedy,
                source: Box::new(error),
            },
            _ if text.contains("Filenames containing trailing") => {
                let reason = "a file name may not end in '#' and digits on local files".to_owned();
                Error::InvalidPath { path, reason }
            }
            // The last resort of the S3 client is to ask the machine it runs on.
            _ if text.contains("latest/api/token") || text.contains("169.254.") => {
                Error::AccessDenied {
                    address,
                    path,
                    remedy: self.anonymous_remedy,
                    source: Box::new(error),
                }
            }
            // A listing does not tell its refusals apart by type.
            _ if is_denied(&error, &text) => Error::AccessDenied {
                address,
                path,
                remedy: self.credentials_remedy,
                source: Box::new(error),
            },
            _ if text.contains("redirect without LOCATION") || is_connection(&error) => {
                Error::Unreachable {
                    address,
                    remedy: self.address_remedy,
                    source: Box::new(error),
                }
            }
            _ => Error::Store {
                operation,
                path,
                source: Box::new(error),
            },
        }
    }
}

/// An error with all its causes in one line; a cause that is already part of the text is left out.
struct Chain<'a>(&'a (dyn StdError + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.0.to_string();
        for cause in causes(self.0).skip(1) {
            let more = cause.to_string();
            if !text.contains(&more) {
                text.push_str(": ");
                text.push_str(&more);
            }
        }
        f.write_str(&text)
    }
}

fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

fn is_denied(error: &object_store::Error, text: &str) -> bool {
    io_kind(error) == Some(std::io::ErrorKind::PermissionDenied)
        || ["status code: 401", "status code: 403"]
            .iter()
            .any(|mark| text.contains(mark))
}

fn is_connection(error: &object_store::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<HttpError>())
        .any(|http| matches!(http.kind(), HttpErrorKind::Connect | HttpErrorKind::Timeout))
}

fn io_kind(error: &object_store::Error) -> Option<std::io::ErrorKind> {
    causes(error)
        .find_map(|cause| cause.downcast_ref::<std::io::Error>())
        .map(std::io::Error::kind)
}
