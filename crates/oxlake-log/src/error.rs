//! What can be wrong with a log file.

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a log file could not be read or a block not be written. Offsets are those of the file, or of
/// the content for errors of contents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No block begins where one must.
    #[error("no block begins at offset {offset}: this is not a log file, or it was overwritten")]
    NoMagic {
        /// Where a block must begin.
        offset: usize,
    },
    /// A block of another log format version.
    #[error("the block at offset {offset} has log format version {version}, only 1 is supported")]
    UnsupportedVersion {
        /// Where the block begins.
        offset: usize,
        /// The version found.
        version: i32,
    },
    /// A block of a kind no supported release writes.
    #[error("the block at offset {offset} has the unknown type {code}")]
    UnknownKind {
        /// Where the block begins.
        offset: usize,
        /// The type found.
        code: i32,
    },
    /// A header entry no supported release writes.
    #[error("the block at offset {offset} has a header entry of the unknown key {code}")]
    UnknownHeaderKey {
        /// Where the block begins.
        offset: usize,
        /// The key found.
        code: i32,
    },
    /// Bytes that cannot be, inside a block whose size is right.
    #[error("corrupt log bytes at offset {offset}: {reason}")]
    Corrupt {
        /// Where.
        offset: usize,
        /// What is wrong there.
        reason: &'static str,
    },
    /// A content in a layout older than supported releases write.
    #[error("the block content has version {version}, which is not supported")]
    UnsupportedContent {
        /// The version found.
        version: i32,
    },
    /// A block that would be larger than other readers can take.
    #[error("a log block of {bytes} bytes is too large, keep it below 2 GiB")]
    TooLarge {
        /// Bytes of the block.
        bytes: usize,
    },
}

impl Error {
    /// Whether the fault lies in a feature this crate lacks, not in the input.
    pub fn is_unsupported(&self) -> bool {
        matches!(
            self,
            Self::UnsupportedVersion { .. } | Self::UnsupportedContent { .. }
        )
    }
}
