//! The Parquet schema that base files are written with (spec 02 §2.5).
//!
//! Lists have three levels (`list`, `element`), decimals are fixed-length bytes of the smallest length,
//! map entries are `key_value`: forms that both read paths of the JVM know.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use parquet::basic::{
    ConvertedType, DecimalType, LogicalType, Repetition, TimeType, TimeUnit as ParquetTimeUnit,
    TimestampType, Type as PhysicalType,
};
use parquet::errors::ParquetError;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use crate::error::{Error, Result};

/// The Parquet schema for rows of `schema`; `root` names the message.
///
/// # Errors
///
/// [`Error::ColumnType`] for a type that has no place in a base file.
pub(crate) fn parquet_schema(schema: &Schema, root: &str) -> Result<SchemaDescriptor> {
    let mut fields = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        fields.push(column(field.name(), field.name(), field)?);
    }
    let message = Type::group_type_builder(root).with_fields(fields).build();
    Ok(SchemaDescriptor::new(Arc::new(
        message.map_err(|error| built(root, &error))?,
    )))
}

fn built(column: &str, error: &ParquetError) -> Error {
    Error::internal(format!(
        "the Parquet type of column '{column}' does not build: {error}"
    ))
}

/// `name` is the Parquet name, `path` the place of the column for errors.
fn column(name: &str, path: &str, field: &Field) -> Result<TypePtr> {
    let repetition = if field.is_nullable() {
        Repetition::OPTIONAL
    } else {
        Repetition::REQUIRED
    };
    let built_type = match field.data_type() {
        DataType::Struct(children) => {
            let mut fields = Vec::with_capacity(children.len());
            for child in children {
                fields.push(column(
                    child.name(),
                    &format!("{path}.{}", child.name()),
                    child,
                )?);
            }
            group(name, repetition, None, fields)
        }
        DataType::List(item) => {
            let element = column("element", &format!("{path}.element"), item)?;
            let list = group("list", Repetition::REPEATED, None, vec![element]);
            let list = list.map_err(|error| built(path, &error))?;
            group(
                name,
                repetition,
                Some(LogicalType::List),
                vec![Arc::new(list)],
            )
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(parts) = entries.data_type() else {
                return Err(unsupported(path, field));
            };
            let [key, value] = &**parts else {
                return Err(unsupported(path, field));
            };
            let key = Field::clone(key).with_nullable(false);
            let fields = vec![
                column("key", &format!("{path}.key"), &key)?,
                column("value", &format!("{path}.value"), value)?,
            ];
            let entry = group("key_value", Repetition::REPEATED, None, fields);
            let entry = entry.map_err(|error| built(path, &error))?;
            group(
                name,
                repetition,
                Some(LogicalType::Map),
                vec![Arc::new(entry)],
            )
        }
        _ => leaf(name, path, field, repetition)?,
    };
    Ok(Arc::new(built_type.map_err(|error| built(path, &error))?))
}

fn group(
    name: &str,
    repetition: Repetition,
    logical: Option<LogicalType>,
    fields: Vec<TypePtr>,
) -> Result<Type, ParquetError> {
    Type::group_type_builder(name)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .with_fields(fields)
        .build()
}

fn leaf(
    name: &str,
    path: &str,
    field: &Field,
    repetition: Repetition,
) -> Result<Result<Type, ParquetError>> {
    use DataType as T;
    let of = |physical, logical| {
        Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
    };
    let timestamp = |unit, utc| {
        let unit = match unit {
            TimeUnit::Millisecond => ParquetTimeUnit::MILLIS,
            TimeUnit::Microsecond => ParquetTimeUnit::MICROS,
            _ => return None,
        };
        let logical = TimestampType {
            is_adjusted_to_u_t_c: utc,
            unit,
        };
        Some(of(
            PhysicalType::INT64,
            Some(LogicalType::Timestamp(logical)),
        ))
    };
    let time = |physical, unit| {
        let logical = TimeType {
            is_adjusted_to_u_t_c: true,
            unit,
        };
        of(physical, Some(LogicalType::Time(logical)))
    };
    let builder = match field.data_type() {
        T::Boolean => of(PhysicalType::BOOLEAN, None),
        T::Int32 => of(PhysicalType::INT32, None),
        T::Int64 => of(PhysicalType::INT64, None),
        T::Float32 => of(PhysicalType::FLOAT, None),
        T::Float64 => of(PhysicalType::DOUBLE, None),
        T::Utf8 => of(PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        T::Binary => of(PhysicalType::BYTE_ARRAY, None),
        T::FixedSizeBinary(length) => {
            of(PhysicalType::FIXED_LEN_BYTE_ARRAY, None).with_length(*length)
        }
        T::Date32 => of(PhysicalType::INT32, Some(LogicalType::Date)),
        T::Time32(TimeUnit::Millisecond) => time(PhysicalType::INT32, ParquetTimeUnit::MILLIS),
        T::Time64(TimeUnit::Microsecond) => time(PhysicalType::INT64, ParquetTimeUnit::MICROS),
        T::Timestamp(unit, zone) => {
            timestamp(*unit, zone.is_some()).ok_or_else(|| unsupported(path, field))?
        }
        T::Decimal128(precision, scale) if *scale >= 0 => {
            let (precision, scale) = (i32::from(*precision), i32::from(*scale));
            of(
                PhysicalType::FIXED_LEN_BYTE_ARRAY,
                Some(LogicalType::Decimal(DecimalType { scale, precision })),
            )
            .with_length(decimal_bytes(precision))
            .with_precision(precision)
            .with_scale(scale)
            .with_converted_type(ConvertedType::DECIMAL)
        }
        _ => return Err(unsupported(path, field)),
    };
    Ok(builder.build())
}

fn unsupported(path: &str, field: &Field) -> Error {
    Error::ColumnType {
        column: path.to_owned(),
        data_type: Box::new(field.data_type().clone()),
    }
}

/// The fewest bytes whose signed range holds every number of `precision` digits.
fn decimal_bytes(precision: i32) -> i32 {
    let digits = u32::try_from(precision.clamp(1, 38)).unwrap_or(38);
    let greatest = 10u128.pow(digits) - 1;
    (1..=16)
        .find(|bytes| greatest < 1u128 << (8 * bytes - 1))
        .unwrap_or(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_take_the_fewest_bytes() {
        let expected = [
            (2, 1),
            (4, 2),
            (6, 3),
            (9, 4),
            (10, 5),
            (15, 7),
            (18, 8),
            (19, 9),
            (38, 16),
        ];
        for (precision, bytes) in expected {
            assert_eq!(decimal_bytes(precision), bytes, "precision {precision}");
        }
    }

    #[test]
    fn nested_types_take_the_forms_the_jvm_reads() {
        let item = Field::new("anything", DataType::Decimal128(10, 5), true);
        let entry = Field::new_struct(
            "entries",
            vec![
                Field::new("keys", DataType::Utf8, false),
                Field::new("values", DataType::Int64, true),
            ],
            false,
        );
        let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        let schema = Schema::new(vec![
            Field::new("a", DataType::List(Arc::new(item)), true),
            Field::new("m", DataType::Map(Arc::new(entry), false), true),
            Field::new("t", utc, false),
        ]);
        let parquet = parquet_schema(&schema, "trips_record").unwrap();
        let mut text = Vec::new();
        parquet::schema::printer::print_schema(&mut text, parquet.root_schema());
        assert_eq!(
            String::from_utf8(text).unwrap().trim(),
            "message trips_record {
  OPTIONAL group a (LIST) {
    REPEATED group list {
      OPTIONAL FIXED_LEN_BYTE_ARRAY (5) element (DECIMAL(10,5));
    }
  }
  OPTIONAL group m (MAP) {
    REPEATED group key_value {
      REQUIRED BYTE_ARRAY key (STRING);
      OPTIONAL INT64 value;
    }
  }
  REQUIRED INT64 t (TIMESTAMP(MICROS,true));
}"
        );
    }

    #[test]
    fn a_type_without_a_place_is_refused_by_its_path() {
        let inner = Field::new("x", DataType::UInt64, true);
        let schema = Schema::new(vec![Field::new(
            "s",
            DataType::Struct(vec![inner].into()),
            true,
        )]);
        let error = parquet_schema(&schema, "r").unwrap_err();
        assert!(matches!(error, Error::ColumnType { column, .. } if column == "s.x"));
    }
}
