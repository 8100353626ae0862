//! Base files in memory that hold given keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use oxlake_config::WriteOptions;
use oxlake_file_group::{BaseFileSchema, BaseFileWriter, BaseFileWriterOptions};
use oxlake_model::{BaseFile, BaseFileName, META_COLUMNS, PartitionPath};
use oxlake_storage::Storage;

pub(crate) fn memory() -> Storage {
    let store = Arc::new(object_store::memory::InMemory::new());
    Storage::from_store(store, "", "memory:///").unwrap()
}

/// Writes a base file with a row for each key; `bloom` says whether it carries a filter.
pub(crate) async fn file(
    storage: &Storage,
    number: usize,
    keys: &[String],
    bloom: bool,
) -> BaseFile {
    let conf = BTreeMap::from([(
        "hoodie.parquet.bloom.filter.enabled".to_owned(),
        bloom.to_string(),
    )]);
    let options = BaseFileWriterOptions::from(&WriteOptions::parse(&conf).unwrap());
    let fields = META_COLUMNS.map(|name| Field::new(name, DataType::Utf8, true));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let avro = r#"{"type":"record","name":"t_record","namespace":"hoodie.t","fields":[]}"#;
    let avro = oxlake_avro::Schema::parse(avro).unwrap();
    let file_schema = Arc::new(BaseFileSchema::try_new(Arc::clone(&schema), &avro).unwrap());
    let text = |value: &str| -> ArrayRef { Arc::new(StringArray::from(vec![value; keys.len()])) };
    let columns = vec![
        text("20260101000000000"),
        text("20260101000000000_0_0"),
        Arc::new(StringArray::from(keys.to_vec())),
        text("p"),
        text("f"),
    ];
    let name = format!("f{number}-0_0-0-0_20260101000000000.parquet");
    let path = format!("p/{name}");
    let mut writer = BaseFileWriter::try_new(storage, &path, &file_schema, &options).unwrap();
    writer
        .write(&RecordBatch::try_new(schema, columns).unwrap())
        .await
        .unwrap();
    let written = writer.finish().await.unwrap();
    BaseFile {
        partition: PartitionPath::new("p"),
        name: BaseFileName::parse(&name).unwrap(),
        size_bytes: written.size_bytes,
    }
}
