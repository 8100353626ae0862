//! A datum in memory, with short ways to build it and to take it apart.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

/// An Avro value. A union's value is that of its branch.
///
/// Only where the branches of a union cannot be told apart by their kind (several records, as in the
/// wrappers of ordering values) the value is a [`Value::Branch`]; accessors see through it.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    missing_docs,
    reason = "the variants are the type names of the Avro specification"
)]
pub enum Value {
    Null,
    Boolean(bool),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bytes(Vec<u8>),
    String(String),
    Fixed(Vec<u8>),
    /// The symbol.
    Enum(String),
    Array(Vec<Value>),
    Map(BTreeMap<String, Value>),
    /// Fields in the order of the schema.
    Record(Vec<(String, Value)>),
    /// The position of a union branch, and its value.
    Branch(usize, Box<Value>),
}

impl Value {
    /// A record of named fields, in any order; encoding fills absent ones with their default.
    pub fn record<N: Into<String>>(fields: impl IntoIterator<Item = (N, Value)>) -> Self {
        let fields = fields.into_iter();
        Self::Record(fields.map(|(name, value)| (name.into(), value)).collect())
    }

    /// An array.
    pub fn array<V: Into<Value>>(items: impl IntoIterator<Item = V>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }

    /// A map.
    pub fn map<K: Into<String>, V: Into<Value>>(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let entries = entries.into_iter();
        Self::Map(
            entries
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }

    /// The field of a record, or the entry of a map, of that name. A null is `Some(Null)`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Record(fields) => fields
                .iter()
                .find_map(|(field, value)| (field == name).then_some(value)),
            Self::Map(entries) => entries.get(name),
            Self::Branch(_, value) => value.get(name),
            _ => None,
        }
    }

    /// As [`Value::get`], with null and absent both `None`.
    pub fn opt(&self, name: &str) -> Option<&Value> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self.plain(), Self::Null)
    }

    /// The text of a string or enum.
    pub fn as_str(&self) -> Option<&str> {
        match self.plain() {
            Self::String(text) | Self::Enum(text) => Some(text),
            _ => None,
        }
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.plain() {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// An int.
    pub fn as_i32(&self) -> Option<i32> {
        match self.plain() {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// An int or long.
    pub fn as_i64(&self) -> Option<i64> {
        match self.plain() {
            Self::Int(value) => Some(i64::from(*value)),
            Self::Long(value) => Some(*value),
            _ => None,
        }
    }

    /// A float or double.
    pub fn as_f64(&self) -> Option<f64> {
        match self.plain() {
            Self::Float(value) => Some(f64::from(*value)),
            Self::Double(value) => Some(*value),
            _ => None,
        }
    }

    /// The bytes of a bytes or fixed.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self.plain() {
            Self::Bytes(bytes) | Self::Fixed(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self.plain() {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a map.
    pub fn as_map(&self) -> Option<&BTreeMap<String, Value>> {
        match self.plain() {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The fields of a record.
    pub fn as_record(&self) -> Option<&[(String, Value)]> {
        match self.plain() {
            Self::Record(fields) => Some(fields),
            _ => None,
        }
    }

    /// The text of a field; null, absent and any other type are `None`. So for the next ones.
    pub fn opt_str(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// As [`Value::opt_str`], owned.
    pub fn opt_string(&self, name: &str) -> Option<String> {
        self.opt_str(name).map(str::to_owned)
    }

    /// The boolean of a field.
    pub fn opt_bool(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    /// The int of a field.
    pub fn opt_i32(&self, name: &str) -> Option<i32> {
        self.get(name)?.as_i32()
    }

    /// The int or long of a field.
    pub fn opt_i64(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_i64()
    }

    /// The float or double of a field.
    pub fn opt_f64(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    /// The array of a field.
    pub fn opt_array(&self, name: &str) -> Option<&[Value]> {
        self.get(name)?.as_array()
    }

    /// The map of a field.
    pub fn opt_map(&self, name: &str) -> Option<&BTreeMap<String, Value>> {
        self.get(name)?.as_map()
    }

    /// The strings of an array field; items of any other type are left out.
    pub fn opt_strings(&self, name: &str) -> Option<Vec<String>> {
        let items = self.opt_array(name)?.iter();
        Some(items.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// The strings of a map field; entries of any other type are left out.
    pub fn opt_string_map(&self, name: &str) -> Option<BTreeMap<String, String>> {
        let entries = self.opt_map(name)?.iter();
        Some(
            entries
                .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                .collect(),
        )
    }

    /// The text of a field that must be there.
    ///
    /// # Errors
    /// The field is absent, null or no string.
    pub fn required_str(&self, name: &str) -> Result<&str> {
        self.opt_str(name)
            .ok_or_else(|| self.wrong(name, "a string"))
    }

    /// The int or long of a field that must be there.
    ///
    /// # Errors
    /// The field is absent, null or no integer.
    pub fn required_i64(&self, name: &str) -> Result<i64> {
        self.opt_i64(name)
            .ok_or_else(|| self.wrong(name, "an integer"))
    }

    /// The array of a field that must be there.
    ///
    /// # Errors
    /// The field is absent, null or no array.
    pub fn required_array(&self, name: &str) -> Result<&[Value]> {
        self.opt_array(name)
            .ok_or_else(|| self.wrong(name, "an array"))
    }

    /// The map of a field that must be there.
    ///
    /// # Errors
    /// The field is absent, null or no map.
    pub fn required_map(&self, name: &str) -> Result<&BTreeMap<String, Value>> {
        self.opt_map(name).ok_or_else(|| self.wrong(name, "a map"))
    }

    /// The kind in words, for messages.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "boolean",
            Self::Int(_) => "int",
            Self::Long(_) => "long",
            Self::Float(_) => "float",
            Self::Double(_) => "double",
            Self::Bytes(_) => "bytes",
            Self::String(_) => "string",
            Self::Fixed(_) => "fixed",
            Self::Enum(_) => "enum",
            Self::Array(_) => "array",
            Self::Map(_) => "map",
            Self::Record(_) => "record",
            Self::Branch(_, value) => value.kind_name(),
        }
    }

    fn plain(&self) -> &Value {
        match self {
            Self::Branch(_, value) => value.plain(),
            _ => self,
        }
    }

    fn wrong(&self, field: &str, wanted: &'static str) -> Error {
        Error::FieldType {
            field: field.to_owned(),
            wanted,
            found: self.get(field).map_or("nothing", Value::kind_name),
        }
    }
}

macro_rules! from {
    ($($source:ty => $variant:ident),* $(,)?) => {$(
        impl From<$source> for Value {
            fn from(value: $source) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from! {
    bool => Boolean,
    i32 => Int,
    i64 => Long,
    f32 => Float,
    f64 => Double,
    &str => String,
    String => String,
    &String => String,
    &[u8] => Bytes,
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(items: Vec<V>) -> Self {
        Self::array(items)
    }
}

impl<V: Into<Value>> From<BTreeMap<String, V>> for Value {
    fn from(entries: BTreeMap<String, V>) -> Self {
        Self::map(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_infer() {
        let map = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
        let value = Value::record([
            ("text", "x".into()),
            ("absent", Value::from(None::<i64>)),
            ("some", Some(7_i64).into()),
            ("list", vec!["a", "b"].into()),
            ("map", Value::map(&map)),
            ("nested", vec![Value::array(["z".to_owned()])].into()),
        ]);
        assert_eq!(value.opt_str("text"), Some("x"));
        assert!(value.opt("absent").is_none() && value.get("absent").is_some());
        assert_eq!(value.required_i64("some").unwrap(), 7);
        assert_eq!(value.opt_strings("list").unwrap(), ["a", "b"]);
        assert_eq!(value.opt_string_map("map").unwrap(), map);
        assert_eq!(
            value.required_str("gone").unwrap_err().to_string(),
            "the avro field gone is not a string, found nothing"
        );
    }
}
