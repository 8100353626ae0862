//! From Arrow to Avro.

use arrow_schema::{DataType, Field, Fields, Schema as ArrowSchema, TimeUnit};
use serde_json::{Value as Json, json};

use super::{decimal_bytes, sanitize};
use crate::error::{Error, Result};
use crate::schema::Schema;

/// The Avro record of Arrow columns, as Spark writes the schema of a table.
///
/// A nullable column is a union with null first and the default null. A nested record is named like
/// its column in the namespace of the record around it; fixed types are named `fixed` in a namespace
/// of their column. Narrower integers become ints, seconds milliseconds and nanoseconds microseconds:
/// values have to be cast to what [`super::to_arrow`] makes of the result.
///
/// # Errors
/// A column has a type without Avro counterpart, or a name that Avro does not allow.
pub fn from_arrow(schema: &ArrowSchema, record_name: &str, namespace: &str) -> Result<Schema> {
    let namespace: Vec<String> = namespace.split('.').map(sanitize).collect();
    let record = Scope {
        namespace: namespace.join("."),
        name: sanitize(record_name),
        column: String::new(),
    };
    Schema::parse(&record.text(schema.fields())?)
}

/// A record being written.
struct Scope {
    namespace: String,
    name: String,
    /// Dotted path of the column in the table, empty for the table itself.
    column: String,
}

impl Scope {
    /// The record's JSON, its attributes in the order that other writers have.
    fn text(&self, fields: &Fields) -> Result<String> {
        let fields: Vec<String> = fields
            .iter()
            .map(|field| self.field(field))
            .collect::<Result<_>>()?;
        Ok(format!(
            r#"{{"type":"record","name":{},"namespace":{},"fields":[{}]}}"#,
            Json::from(self.name.as_str()),
            Json::from(self.namespace.as_str()),
            fields.join(",")
        ))
    }

    fn field(&self, field: &Field) -> Result<String> {
        let name = field.name();
        let column = self.column_of(name);
        if !is_name(name) {
            return Err(Error::Unconvertible {
                column,
                reason: "the name has characters that no Avro name may have, rename the column \
                         to letters, digits and underscores"
                    .to_owned(),
            });
        }
        let default = if field.is_nullable() {
            r#","default":null"#
        } else {
            ""
        };
        let name = Json::from(name.as_str());
        let text = self.nullable(field, field.name())?;
        Ok(format!(r#"{{"name":{name},"type":{text}{default}}}"#))
    }

    /// The type of a field, list item or map value below the column `name`.
    fn nullable(&self, field: &Field, name: &str) -> Result<String> {
        let text = self.data_type(field.data_type(), name)?;
        Ok(if field.is_nullable() {
            format!(r#"["null",{text}]"#)
        } else {
            text
        })
    }

    fn data_type(&self, data_type: &DataType, name: &str) -> Result<String> {
        let logical =
            |of: &str, logical: &str| format!(r#"{{"type":"{of}","logicalType":"{logical}"}}"#);
        Ok(match data_type {
            DataType::Boolean => json!("boolean").to_string(),
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::UInt8
            | DataType::UInt16 => json!("int").to_string(),
            DataType::Int64 | DataType::UInt32 => json!("long").to_string(),
            DataType::Float16 | DataType::Float32 => json!("float").to_string(),
            DataType::Float64 => json!("double").to_string(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                json!("string").to_string()
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
                json!("bytes").to_string()
            }
            DataType::Date32 | DataType::Date64 => logical("int", "date"),
            DataType::Time32(_) => logical("int", "time-millis"),
            DataType::Time64(_) => logical("long", "time-micros"),
            DataType::Timestamp(unit, zone) => {
                let is_millis = matches!(unit, TimeUnit::Second | TimeUnit::Millisecond);
                let unit = if is_millis { "millis" } else { "micros" };
                let local = if zone.is_some() { "" } else { "local-" };
                logical("long", &format!("{local}timestamp-{unit}"))
            }
            DataType::FixedSizeBinary(size) => self.fixed(name, usize::try_from(*size).ok(), ""),
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale) => {
                if *scale < 0 {
                    return Err(self.unconvertible(name, data_type, "use a scale of 0"));
                }
                let logical =
                    format!(r#","logicalType":"decimal","precision":{precision},"scale":{scale}"#);
                self.fixed(name, Some(decimal_bytes(*precision)), &logical)
            }
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item) => {
                format!(
                    r#"{{"type":"array","items":{}}}"#,
                    self.nullable(item, name)?
                )
            }
            DataType::Map(entries, _) => self.map(entries, name)?,
            DataType::Struct(fields) => Scope {
                namespace: format!("{}.{}", self.namespace, self.name),
                name: name.to_owned(),
                column: self.column_of(name),
            }
            .text(fields)?,
            DataType::Dictionary(_, values) => self.data_type(values, name)?,
            DataType::RunEndEncoded(_, values) => self.data_type(values.data_type(), name)?,
            DataType::UInt64 => {
                return Err(self.unconvertible(name, data_type, "cast it to decimal(20, 0)"));
            }
            DataType::Null => {
                return Err(self.unconvertible(name, data_type, "cast it to the intended type"));
            }
            _ => return Err(self.unconvertible(name, data_type, "cast it to another type")),
        })
    }

    fn fixed(&self, name: &str, size: Option<usize>, attributes: &str) -> String {
        let namespace = format!("{}.{}.{name}", self.namespace, self.name);
        let namespace = Json::from(namespace);
        let size = size.unwrap_or_default();
        format!(
            r#"{{"type":"fixed","name":"fixed","namespace":{namespace},"size":{size}{attributes}}}"#
        )
    }

    fn map(&self, entries: &Field, name: &str) -> Result<String> {
        let (key, value) = match entries.data_type() {
            DataType::Struct(fields) => match fields.as_ref() {
                [key, value] => (key.data_type(), value),
                _ => return Err(self.unconvertible(name, entries.data_type(), "cast it")),
            },
            other => return Err(self.unconvertible(name, other, "cast it")),
        };
        let is_text = |data_type: &DataType| {
            matches!(
                data_type,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            )
        };
        let is_dictionary = matches!(key, DataType::Dictionary(_, values) if is_text(values));
        if !is_text(key) && !is_dictionary {
            return Err(self.unconvertible(name, key, "cast the keys of the map to strings"));
        }
        Ok(format!(
            r#"{{"type":"map","values":{}}}"#,
            self.nullable(value, name)?
        ))
    }

    fn column_of(&self, name: &str) -> String {
        match self.column.as_str() {
            "" => name.to_owned(),
            column => format!("{column}.{name}"),
        }
    }

    fn unconvertible(&self, name: &str, data_type: &DataType, remedy: &str) -> Error {
        Error::Unconvertible {
            column: self.column_of(name),
            reason: format!("{data_type} has no avro type, {remedy}"),
        }
    }
}

/// As Avro's own check, which takes letters of any alphabet.
fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}
