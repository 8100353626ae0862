//! Names of partitions, file groups and records.

use std::fmt;

macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text, owned.
            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

text_type! {
    /// The path of a partition relative to the table's root, as the folders are named (escaped, percent signs
    /// kept); empty for a table without partitions.
    PartitionPath
}

text_type! {
    /// The name of a file group within its partition. Opaque: usually a UUID and `-0`, not always
    /// (spec 02 §1.2). Holds neither `_` nor `.`.
    FileId
}

text_type! {
    /// The value of `_hoodie_record_key`.
    RecordKey
}

impl PartitionPath {
    /// The partition of a table that has none.
    pub fn root() -> Self {
        Self::default()
    }

    /// Whether this is the root of a table without partitions.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path of a file of this partition, relative to the table's root.
    pub fn join(&self, file_name: &str) -> String {
        if self.is_root() {
            return file_name.to_owned();
        }
        format!("{}/{file_name}", self.0)
    }

    /// How many folders deep the partition lies.
    pub fn depth(&self) -> usize {
        self.0.split('/').filter(|part| !part.is_empty()).count()
    }
}

/// Which file group: the partition and the file id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileGroupId {
    /// The partition it lies in.
    pub partition: PartitionPath,
    /// Its name there.
    pub file_id: FileId,
}

impl FileGroupId {
    /// Puts both together.
    pub fn new(partition: impl Into<PartitionPath>, file_id: impl Into<FileId>) -> Self {
        Self {
            partition: partition.into(),
            file_id: file_id.into(),
        }
    }
}

impl fmt::Display for FileGroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.partition.join(self.file_id.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_joins_file_names() {
        assert_eq!(PartitionPath::root().join("a.parquet"), "a.parquet");
        assert_eq!(PartitionPath::from("a=1/b=2").join("f"), "a=1/b=2/f");
        assert_eq!(PartitionPath::from("a=1/b=2").depth(), 2);
        assert_eq!(PartitionPath::root().depth(), 0);
    }
}
