//! What can be wrong with a filter.

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a filter could not be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sizing parameters give no filter.
    #[error(
        "no bloom filter for {entries} entries and a false positive rate of {fpp}: \
         use at least one entry and a rate between 0 and 1"
    )]
    Parameters {
        /// Expected number of keys.
        entries: u32,
        /// Wanted rate of false positives.
        fpp: f64,
    },
    /// The text is not base64.
    #[error("the bloom filter is not valid base64")]
    Base64(#[source] base64::DecodeError),
    /// The bytes are no filter of the type.
    #[error("corrupt bloom filter at byte {offset}: {reason}")]
    Corrupt {
        /// Where in the decoded bytes.
        offset: usize,
        /// What is wrong there.
        reason: &'static str,
    },
    /// The filter was made with another hash than Murmur, which no supported release does.
    #[error("bloom filter of hash type {code}, only 1 (murmur) is supported")]
    UnsupportedHash {
        /// The type in the header.
        code: u8,
    },
    /// No type code of a filter.
    #[error("unknown bloom filter type {code:?}, the types are SIMPLE and DYNAMIC_V0")]
    UnknownType {
        /// The text found.
        code: String,
    },
}
