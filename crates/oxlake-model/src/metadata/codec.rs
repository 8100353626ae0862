//! From stored bytes to records and back: one declaration of a record's fields gives both directions.
//!
//! Records are read by field name with the writer's schema, so fields of later releases are skipped and fields
//! that earlier releases lack read as null or their default. They are written with the schema text of the JVM,
//! letter by letter, as one Avro container of one record (spec 01 §4.2).

use std::collections::BTreeMap;

use oxlake_avro::{Schema, Value, container};

use crate::{Error, Result};

/// A record that is stored on its own or within another.
pub(crate) trait Record: Sized {
    /// The Avro name without namespace.
    const NAME: &'static str;

    /// Takes the fields from a decoded record (or a JSON object).
    fn from_value(value: &Value) -> Result<Self>;

    /// The record with its fields in the order of the schema.
    fn to_value(&self) -> Value;
}

/// Reads a record from an Avro container, or from a bare datum of `schema` as upgraded tables keep them in
/// their history (spec 01 §5.1).
pub(crate) fn decode<R: Record>(schema: &Schema, bytes: &[u8]) -> Result<R> {
    let value = if container::is_container(bytes) {
        container_value(R::NAME, bytes)?.1
    } else {
        bare_value(R::NAME, schema, bytes)?
    };
    R::from_value(&value)
}

/// The name (without namespace) and the value of the one record of a container.
pub(crate) fn container_value(record: &'static str, bytes: &[u8]) -> Result<(String, Value)> {
    let container = container::read(bytes).map_err(|source| Error::Avro { record, source })?;
    let name = container
        .schema
        .record()
        .map(|r| r.name().name().to_owned());
    let mut records = container.records.into_iter();
    match (name, records.next(), records.next()) {
        (Some(name), Some(value), None) => Ok((name, value)),
        _ => Err(field_error(
            record,
            "",
            "is not there: the container does not hold exactly one record",
        )),
    }
}

/// The value of bytes that are one datum and nothing else.
pub(crate) fn bare_value(record: &'static str, schema: &Schema, bytes: &[u8]) -> Result<Value> {
    let avro = |source| Error::Avro { record, source };
    let (value, used) = oxlake_avro::decode(schema, bytes).map_err(avro)?;
    if used == bytes.len() {
        return Ok(value);
    }
    Err(field_error(
        record,
        "",
        "is not there: bytes are left after the record",
    ))
}

/// Writes a record as the JVM does: a container of one block with one record.
pub(crate) fn encode<R: Record>(schema: &Schema, record: &R, sync: [u8; 16]) -> Result<Vec<u8>> {
    container::write(schema, &[record.to_value()], sync).map_err(|source| Error::Avro {
        record: R::NAME,
        source,
    })
}

/// Writes the bare datum of a record.
pub(crate) fn encode_datum<R: Record>(schema: &Schema, record: &R) -> Result<Vec<u8>> {
    oxlake_avro::encode(schema, &record.to_value()).map_err(|source| Error::Avro {
        record: R::NAME,
        source,
    })
}

/// A JSON value in the shape [`Record::from_value`] reads.
pub(crate) fn value_from_json(json: serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Boolean(flag),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Value::Long(number),
            (None, Some(number)) => Value::Double(number),
            (None, None) => Value::Null,
        },
        Json::String(text) => Value::String(text),
        Json::Array(items) => Value::Array(items.into_iter().map(value_from_json).collect()),
        Json::Object(entries) => {
            let entries = entries.into_iter();
            Value::Map(entries.map(|(k, v)| (k, value_from_json(v))).collect())
        }
    }
}

/// What stands in a field of a record.
pub(crate) trait Field: Sized {
    /// Reads the field; `Ok(None)` when the value has another type.
    fn from_value(value: &Value) -> Result<Option<Self>>;

    /// What an absent or null field means, if it may be so.
    fn absent() -> Option<Self> {
        None
    }

    fn to_value(&self) -> Value;
}

/// Reads the field `name` of a record; absent and null become `default`, or an error without one.
pub(crate) fn read_field<F: Field>(
    record: &'static str,
    value: &Value,
    name: &str,
    default: Option<F>,
) -> Result<F> {
    match value.opt(name) {
        None => default
            .or_else(F::absent)
            .ok_or_else(|| field_error(record, name, "is missing")),
        Some(value) => F::from_value(value)?
            .ok_or_else(|| field_error(record, name, "has a type it cannot have")),
    }
}

pub(crate) fn field_error(record: &'static str, field: &str, problem: &'static str) -> Error {
    Error::Field {
        record,
        field: field.to_owned(),
        problem,
    }
}

macro_rules! plain_fields {
    ($($type:ty: |$value:ident| $read:expr, |$this:ident| $write:expr;)*) => {$(
        impl Field for $type {
            fn from_value($value: &Value) -> Result<Option<Self>> {
                Ok($read)
            }

            fn to_value(&self) -> Value {
                let $this = self;
                $write
            }
        }
    )*};
}

plain_fields! {
    String: |value| value.as_str().map(str::to_owned), |this| Value::from(this);
    bool: |value| value.as_bool(), |this| Value::Boolean(*this);
    i32: |value| value.as_i64().and_then(|number| i32::try_from(number).ok()), |this| Value::Int(*this);
    i64: |value| value.as_i64(), |this| Value::Long(*this);
    f64: |value| value.as_f64(), |this| Value::Double(*this);
}

impl<F: Field> Field for Option<F> {
    fn from_value(value: &Value) -> Result<Option<Self>> {
        Ok(F::from_value(value)?.map(Some))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, F::to_value)
    }
}

/// Null items, which some schemas allow and nobody writes, are left out.
impl<F: Field> Field for Vec<F> {
    fn from_value(value: &Value) -> Result<Option<Self>> {
        let Some(items) = value.as_array() else {
            return Ok(None);
        };
        let items = items.iter().filter(|item| !item.is_null());
        items.map(F::from_value).collect()
    }

    fn to_value(&self) -> Value {
        Value::Array(self.iter().map(F::to_value).collect())
    }
}

/// Null entries, which JSON metadata could hold and nobody writes, are left out.
impl<F: Field> Field for BTreeMap<String, F> {
    fn from_value(value: &Value) -> Result<Option<Self>> {
        let Some(entries) = value.as_map() else {
            return Ok(None);
        };
        let mut map = Self::new();
        for (key, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
            match F::from_value(value)? {
                Some(value) => map.insert(key.clone(), value),
                None => return Ok(None),
            };
        }
        Ok(Some(map))
    }

    fn to_value(&self) -> Value {
        let entries = self.iter();
        Value::Map(
            entries
                .map(|(key, value)| (key.clone(), value.to_value()))
                .collect(),
        )
    }
}

/// Declares a stored record: its Avro name, and for each field our name, type, Avro name and, where earlier
/// releases lack it, a default.
macro_rules! record {
    (
        $(#[$doc:meta])*
        $name:ident as $avro:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty as $key:literal $(or $default:expr)?,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $crate::metadata::codec::Record for $name {
            const NAME: &'static str = $avro;

            fn from_value(value: &oxlake_avro::Value) -> $crate::Result<Self> {
                Ok(Self {
                    $($field: $crate::metadata::codec::read_field(
                        $avro, value, $key, record!(@default $($default)?),
                    )?,)*
                })
            }

            fn to_value(&self) -> oxlake_avro::Value {
                oxlake_avro::Value::record([
                    $(($key, $crate::metadata::codec::Field::to_value(&self.$field)),)*
                ])
            }
        }

        impl $crate::metadata::codec::Field for $name {
            fn from_value(value: &oxlake_avro::Value) -> $crate::Result<Option<Self>> {
                match value.as_record().is_some() || value.as_map().is_some() {
                    true => $crate::metadata::codec::Record::from_value(value).map(Some),
                    false => Ok(None),
                }
            }

            fn to_value(&self) -> oxlake_avro::Value {
                $crate::metadata::codec::Record::to_value(self)
            }
        }
    };
    (@default) => { None };
    (@default $default:expr) => { Some($default) };
}
pub(crate) use record;

/// Gives a record that is the content of a timeline file its codec; the schema text lies beside, named as it is.
macro_rules! stored {
    ($name:ident, $file:literal) => {
        impl $name {
            /// The schema it is written with, letter by letter that of the JVM.
            pub fn schema() -> $crate::Result<&'static oxlake_avro::Schema> {
                static SCHEMA: std::sync::OnceLock<oxlake_avro::Schema> =
                    std::sync::OnceLock::new();
                $crate::metadata::codec::parse_once(
                    &SCHEMA,
                    <Self as $crate::metadata::codec::Record>::NAME,
                    include_str!(concat!("../schemas/", $file)),
                )
            }

            /// Reads the content of a timeline file or history row (spec 01 §4.2, §5.1).
            ///
            /// # Errors
            /// [`Error::Avro`](crate::Error::Avro) or [`Error::Field`](crate::Error::Field) when the bytes are
            /// no such record.
            pub fn decode(bytes: &[u8]) -> $crate::Result<Self> {
                $crate::metadata::codec::decode(Self::schema()?, bytes)
            }

            /// Writes the content of a timeline file; `sync` is any 16 random bytes.
            ///
            /// # Errors
            /// [`Error::Avro`](crate::Error::Avro), a defect of this engine.
            pub fn encode_avro(&self, sync: [u8; 16]) -> $crate::Result<Vec<u8>> {
                $crate::metadata::codec::encode(Self::schema()?, self, sync)
            }

            /// Writes the bare datum, as upgraded tables keep it in their history.
            ///
            /// # Errors
            /// [`Error::Avro`](crate::Error::Avro), a defect of this engine.
            pub fn encode_datum(&self) -> $crate::Result<Vec<u8>> {
                $crate::metadata::codec::encode_datum(Self::schema()?, self)
            }
        }
    };
}
pub(crate) use stored;

/// Parses an embedded schema text the first time it is asked for.
pub(crate) fn parse_once(
    cell: &'static std::sync::OnceLock<Schema>,
    record: &'static str,
    text: &str,
) -> Result<&'static Schema> {
    if let Some(schema) = cell.get() {
        return Ok(schema);
    }
    let schema = Schema::parse(text).map_err(|source| Error::Avro { record, source })?;
    Ok(cell.get_or_init(|| schema))
}
