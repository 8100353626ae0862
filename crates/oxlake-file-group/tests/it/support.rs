//! Storage in memory, schemas and rows for the tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use futures::TryStreamExt;
use oxlake_file_group::{
    BaseFileReader, BaseFileSchema, BaseFileWriter, BaseFileWriterOptions, ReadOptions, Result,
    WrittenFile,
};
use oxlake_model::META_COLUMNS;
use oxlake_storage::Storage;

/// A fresh store in memory.
pub(crate) fn memory() -> Storage {
    let store = Arc::new(object_store::memory::InMemory::new());
    Storage::from_store(store, "", "memory:///").unwrap()
}

pub(crate) fn options(pairs: &[(&str, &str)]) -> oxlake_config::WriteOptions {
    let pairs: BTreeMap<String, String> = pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    oxlake_config::WriteOptions::parse(&pairs).unwrap()
}

/// The five meta columns, then `data`.
pub(crate) fn with_meta(data: &[FieldRef]) -> SchemaRef {
    let meta = META_COLUMNS.map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
    Arc::new(Schema::new(
        meta.into_iter()
            .chain(data.iter().cloned())
            .collect::<Vec<_>>(),
    ))
}

/// The Avro form of Arrow columns, by hand: enough for the types of these tests.
pub(crate) fn avro(data: &[FieldRef]) -> oxlake_avro::Schema {
    let fields: Vec<String> = data.iter().map(|field| avro_field(field, "rec")).collect();
    let json = format!(
        r#"{{"type":"record","name":"t_record","namespace":"hoodie.t","fields":[{}]}}"#,
        fields.join(",")
    );
    oxlake_avro::Schema::parse(&json).unwrap()
}

fn avro_field(field: &Field, path: &str) -> String {
    let path = format!("{path}_{}", field.name());
    let inner = avro_type(field.data_type(), &path);
    if field.is_nullable() {
        format!(
            r#"{{"name":"{}","type":["null",{inner}],"default":null}}"#,
            field.name()
        )
    } else {
        format!(r#"{{"name":"{}","type":{inner}}}"#, field.name())
    }
}

fn avro_type(data_type: &DataType, path: &str) -> String {
    let nullable = |field: &Field, path: &str| {
        let inner = avro_type(field.data_type(), path);
        if field.is_nullable() {
            format!(r#"["null",{inner}]"#)
        } else {
            inner
        }
    };
    let logical = |base: &str, name: &str| format!(r#"{{"type":"{base}","logicalType":"{name}"}}"#);
    match data_type {
        DataType::Boolean => r#""boolean""#.to_owned(),
        DataType::Int32 => r#""int""#.to_owned(),
        DataType::Int64 => r#""long""#.to_owned(),
        DataType::Float32 => r#""float""#.to_owned(),
        DataType::Float64 => r#""double""#.to_owned(),
        DataType::Utf8 => r#""string""#.to_owned(),
        DataType::Binary => r#""bytes""#.to_owned(),
        DataType::Date32 => logical("int", "date"),
        DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => logical("long", "timestamp-micros"),
        DataType::Timestamp(TimeUnit::Millisecond, Some(_)) => logical("long", "timestamp-millis"),
        DataType::Timestamp(_, None) => logical("long", "local-timestamp-micros"),
        DataType::FixedSizeBinary(n) => {
            format!(r#"{{"type":"fixed","name":"{path}","size":{n}}}"#)
        }
        DataType::Decimal128(p, s) => format!(
            r#"{{"type":"fixed","name":"{path}","size":16,"logicalType":"decimal","precision":{p},"scale":{s}}}"#
        ),
        DataType::List(item) => {
            format!(r#"{{"type":"array","items":{}}}"#, nullable(item, path))
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(parts) = entries.data_type() else {
                panic!()
            };
            format!(r#"{{"type":"map","values":{}}}"#, nullable(&parts[1], path))
        }
        DataType::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|f| avro_field(f, path)).collect();
            format!(
                r#"{{"type":"record","name":"{path}","fields":[{}]}}"#,
                fields.join(",")
            )
        }
        other => panic!("no Avro form of {other}"),
    }
}

/// Meta columns for rows with these keys.
pub(crate) fn meta_columns(keys: &[String], time: &str) -> Vec<ArrayRef> {
    let texts = |text: &dyn Fn(usize) -> String| -> ArrayRef {
        Arc::new(
            (0..keys.len())
                .map(|row| Some(text(row)))
                .collect::<StringArray>(),
        )
    };
    vec![
        texts(&|_| time.to_owned()),
        texts(&|row| format!("{time}_0_{row}")),
        texts(&|row| keys[row].clone()),
        texts(&|_| String::new()),
        texts(&|_| "f.parquet".to_owned()),
    ]
}

/// Writes `f.parquet`.
pub(crate) async fn write(
    storage: &Storage,
    schema: &SchemaRef,
    batches: &[RecordBatch],
    options: &BaseFileWriterOptions,
) -> Result<WrittenFile> {
    let file_schema = BaseFileSchema::try_new(Arc::clone(schema), &avro(&schema.fields()[5..]))?;
    let mut writer =
        BaseFileWriter::try_new(storage, "f.parquet", &Arc::new(file_schema), options)?;
    for batch in batches {
        writer.write(batch).await?;
    }
    writer.finish().await
}

pub(crate) async fn open(storage: &Storage) -> Result<BaseFileReader> {
    let info = storage.head("f.parquet").await.unwrap().unwrap();
    BaseFileReader::open_path(storage, "f.parquet", info.size_bytes).await
}

/// All rows of a read as one batch.
pub(crate) async fn read(reader: &BaseFileReader, options: &ReadOptions) -> Result<RecordBatch> {
    let batches: Vec<RecordBatch> = reader.read(options)?.try_collect().await?;
    Ok(concat_batches(&options.schema, &batches).unwrap())
}
