//! From Avro to Arrow.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema as ArrowSchema, TimeUnit};

use crate::error::{Error, Result};
use crate::schema::{Logical, Node, RecordSchema, Schema};

/// The Arrow columns of a record schema.
///
/// A union with null makes a nullable column. Enums and uuids are texts. List items are named
/// `element` and map entries `key_value`, as in Parquet files.
///
/// # Errors
/// The root is no record, or a column is a union of types that share no Arrow type.
pub fn to_arrow(schema: &Schema) -> Result<ArrowSchema> {
    let record = schema.record().ok_or_else(|| Error::Schema {
        at: "schema".to_owned(),
        reason: "the root is no record".to_owned(),
    })?;
    Ok(ArrowSchema::new(fields(record, "")?))
}

fn fields(record: &RecordSchema, parent: &str) -> Result<Fields> {
    let fields = record.fields().iter().map(|field| {
        let path = match parent {
            "" => field.name.clone(),
            parent => format!("{parent}.{}", field.name),
        };
        self::field(&field.name, &field.node, &path)
    });
    fields.collect()
}

fn field(name: &str, node: &Node, path: &str) -> Result<Field> {
    let (data_type, is_nullable) = match node {
        Node::Union(branches) => union(branches, path)?,
        node => (data_type(node, path)?, matches!(node, Node::Null)),
    };
    Ok(Field::new(name, data_type, is_nullable))
}

/// A type and null; ints and longs together are longs, floats and doubles doubles.
fn union(branches: &[Node], path: &str) -> Result<(DataType, bool)> {
    let types: Vec<&Node> = branches
        .iter()
        .filter(|node| **node != Node::Null)
        .collect();
    let data_type = match types.as_slice() {
        [] => DataType::Null,
        [node] => data_type(node, path)?,
        [Node::Int(None), Node::Long(None)] | [Node::Long(None), Node::Int(None)] => {
            DataType::Int64
        }
        [Node::Float, Node::Double] | [Node::Double, Node::Float] => DataType::Float64,
        _ => {
            return Err(Error::Unconvertible {
                column: path.to_owned(),
                reason: "a union of several types has no Arrow type, split it into columns"
                    .to_owned(),
            });
        }
    };
    Ok((data_type, types.len() < branches.len()))
}

fn data_type(node: &Node, path: &str) -> Result<DataType> {
    let decimal = match node {
        Node::Bytes(Some(logical)) => decimal(logical),
        Node::Fixed(fixed) => fixed.logical.as_ref().and_then(decimal),
        _ => None,
    };
    if let Some(decimal) = decimal {
        return Ok(decimal);
    }
    Ok(match node {
        Node::Null => DataType::Null,
        Node::Boolean => DataType::Boolean,
        Node::Int(logical) => match logical {
            Some(Logical::Date) => DataType::Date32,
            Some(Logical::TimeMillis) => DataType::Time32(TimeUnit::Millisecond),
            _ => DataType::Int32,
        },
        Node::Long(logical) => long(logical.as_ref()),
        Node::Float => DataType::Float32,
        Node::Double => DataType::Float64,
        Node::Bytes(_) => DataType::Binary,
        Node::String(_) | Node::Enum(_) => DataType::Utf8,
        Node::Fixed(fixed) => {
            DataType::FixedSizeBinary(i32::try_from(fixed.size).unwrap_or(i32::MAX))
        }
        Node::Array(items) => DataType::List(Arc::new(field("element", items, path)?)),
        Node::Map(values) => {
            let key = Field::new("key", DataType::Utf8, false);
            let entry = DataType::Struct(vec![key, field("value", values, path)?].into());
            DataType::Map(Arc::new(Field::new("key_value", entry, false)), false)
        }
        Node::Union(branches) => union(branches, path)?.0,
        Node::Record(record) => DataType::Struct(fields(record, path)?),
    })
}

fn long(logical: Option<&Logical>) -> DataType {
    let utc = || Some(Arc::from("UTC"));
    match logical {
        Some(Logical::TimeMicros) => DataType::Time64(TimeUnit::Microsecond),
        Some(Logical::TimestampMillis) => DataType::Timestamp(TimeUnit::Millisecond, utc()),
        Some(Logical::TimestampMicros) => DataType::Timestamp(TimeUnit::Microsecond, utc()),
        Some(Logical::LocalTimestampMillis) => DataType::Timestamp(TimeUnit::Millisecond, None),
        Some(Logical::LocalTimestampMicros) => DataType::Timestamp(TimeUnit::Microsecond, None),
        _ => DataType::Int64,
    }
}

/// Decimals beyond what Arrow has stay bytes.
fn decimal(logical: &Logical) -> Option<DataType> {
    match *logical {
        Logical::Decimal { precision, scale } if scale <= precision.cast_signed() => {
            match precision {
                1..=38 => Some(DataType::Decimal128(precision, scale)),
                39..=76 => Some(DataType::Decimal256(precision, scale)),
                _ => None,
            }
        }
        _ => None,
    }
}
