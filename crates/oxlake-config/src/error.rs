//! What can be wrong with properties and options.

use oxlake_model::ErrorKind;

/// An error of a property or option.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not of the form of a properties file.
    #[error("line {line} of the properties file: {reason}")]
    Syntax {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no properties file: no table.
    #[error("there is no hoodie.properties and no backup of it: not a table, or not a table yet")]
    NoProperties,
    /// A properties file is there but damaged, and no backup helps.
    #[error(
        "hoodie.properties is damaged ({main}) and its backup does not help ({backup}); restore one of them"
    )]
    DamagedProperties {
        /// What is wrong with the file.
        main: String,
        /// What is wrong with the backup.
        backup: String,
    },
    /// The checksum inside does not fit the table's name: the file was cut short or edited.
    #[error("hoodie.table.checksum is {found} where the table's name asks for {expected}")]
    Checksum {
        /// The value in the file.
        found: String,
        /// The value that belongs to database and table name.
        expected: u32,
    },
    /// A property that every table has is missing.
    #[error("the table property '{key}' is missing")]
    Missing {
        /// The property.
        key: &'static str,
    },
    /// A value is not of the type of its key.
    #[error("'{value}' is not a value for '{key}': it takes {expected}")]
    BadValue {
        /// The property or option.
        key: String,
        /// The value found.
        value: String,
        /// What a good value looks like.
        expected: String,
    },
    /// Two values contradict each other.
    #[error("'{key}' is {value}, but {other}")]
    Contradiction {
        /// The property or option.
        key: String,
        /// Its value.
        value: String,
        /// What says otherwise.
        other: String,
    },
    /// The table version is not supported.
    #[error(transparent)]
    TableVersion(oxlake_model::Error),
    /// The table has something this engine cannot keep true when writing.
    #[error("this table cannot be written yet: {property}={value}: {reason}")]
    NotWritable {
        /// The property that says so.
        property: &'static str,
        /// Its value.
        value: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// The table has something this engine cannot read.
    #[error("this table cannot be read yet: {property}={value}: {reason}")]
    NotReadable {
        /// The property that says so.
        property: &'static str,
        /// Its value.
        value: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A writer was asked for something this engine does not do.
    #[error("the option {key}={value} is not supported: {reason}")]
    UnsupportedOption {
        /// The option.
        key: &'static str,
        /// Its value.
        value: String,
        /// Why, and what to do.
        reason: &'static str,
    },
}

/// Result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoProperties => ErrorKind::NotFound,
            Self::Syntax { .. } | Self::DamagedProperties { .. } | Self::Checksum { .. } => {
                ErrorKind::Corrupt
            }
            Self::Missing { .. } | Self::BadValue { .. } | Self::Contradiction { .. } => {
                ErrorKind::Config
            }
            Self::TableVersion(error) => error.kind(),
            Self::NotWritable { .. }
            | Self::NotReadable { .. }
            | Self::UnsupportedOption { .. } => ErrorKind::Unsupported,
        }
    }
}
