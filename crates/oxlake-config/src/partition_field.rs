//! Partition fields as the table's properties name them (spec 01 §2.6).

use crate::{Error, Result, keys};

/// A field whose value makes one part of the partition path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartitionField {
    /// Name of the field; dots lead into nested records.
    pub name: String,
    /// How its value becomes a path, where the table says so (custom key generator, version 8 and later).
    pub kind: Option<PartitionFieldKind>,
}

/// How a partition value becomes a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartitionFieldKind {
    /// Its text.
    Simple,
    /// A time, formatted.
    Timestamp,
}

impl PartitionField {
    /// Reads `field` or `field:TYPE`; the type's case does not count.
    ///
    /// # Errors
    /// [`Error::BadValue`] for an unknown type.
    pub fn parse(text: &str) -> Result<Self> {
        let Some((name, kind)) = text.split_once(':') else {
            return Ok(Self {
                name: text.to_owned(),
                kind: None,
            });
        };
        let kind = match kind.to_ascii_uppercase().as_str() {
            "SIMPLE" => PartitionFieldKind::Simple,
            "TIMESTAMP" => PartitionFieldKind::Timestamp,
            _ => {
                return Err(Error::BadValue {
                    key: keys::table::PARTITION_FIELDS.name.to_owned(),
                    value: text.to_owned(),
                    expected: "field, field:SIMPLE or field:TIMESTAMP".to_owned(),
                });
            }
        };
        Ok(Self {
            name: name.to_owned(),
            kind: Some(kind),
        })
    }
}

impl AsRef<str> for PartitionField {
    fn as_ref(&self) -> &str {
        &self.name
    }
}
