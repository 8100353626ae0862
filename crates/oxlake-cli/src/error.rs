//! What can stop a command, how it is told, and the exit code.

use std::error::Error as StdError;
use std::process::ExitCode;

use arrow::error::ArrowError;

/// The result of a command's step.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command line cannot mean anything: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Something the user can repair, with the next step.
    #[error("{message}")]
    Told {
        /// What happened.
        message: String,
        /// What to do about it.
        hint: String,
        /// What lies under it, if anything.
        #[source]
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] oxlake::Error),
    /// The file to load cannot be read as what it should be.
    #[error("{path}: {source}")]
    Input {
        /// As the user wrote it.
        path: String,
        /// What the reader says.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Rows could not be brought into another form.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// An error with its next step.
    pub(crate) fn told(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Told {
            message: message.into(),
            hint: hint.into(),
            source: None,
        }
    }

    /// The process's answer to its caller: 1 failed, 2 usage.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }

    /// The reader of our output went away, as `head` does: nothing to complain about.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let mut error: Option<&(dyn StdError + 'static)> = Some(self);
        while let Some(current) = error {
            let io = current.downcast_ref::<std::io::Error>();
            if io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe) {
                return true;
            }
            error = current.source();
        }
        false
    }

    /// The error and its causes, one a line, then the next step.
    pub(crate) fn report(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(current) = cause {
            let line = current.to_string();
            if !text.contains(&line) {
                text.push_str("\n  because: ");
                text.push_str(&line);
            }
            cause = current.source();
        }
        if let Some(hint) = self.hint() {
            text.push_str("\n  hint: ");
            text.push_str(hint);
        }
        text
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Told { hint, .. } => Some(hint),
            Self::Usage(_) => Some("oxlake COMMAND --help shows the options and an example"),
            _ => None,
        }
    }
}
