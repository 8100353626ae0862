//! Base files in memory that hold given keys.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use oxlake_config::WriteOptions;
use oxlake_file_group::{BaseFileSchema, BaseFileWriter, BaseFileWriterOptions};
use oxlake_model::{BaseFile, BaseFileName, META_COLUMNS, PartitionPath};
use oxlake_storage::Storage;
use parquet::arrow::ArrowWriter;

pub(crate) fn memory() -> Storage {
    let store = Arc::new(object_store::memory::InMemory::new());
    Storage::from_store(store, "", "memory:///").unwrap()
}

/// Writes a base file with a row for each key, with a bloom filter and a key range in its footer.
pub(crate) async fn file(storage: &Storage, number: usize, keys: &[String]) -> BaseFile {
    let options = BaseFileWriterOptions::from(&WriteOptions::default());
    let batch = rows(keys);
    let avro = r#"{"type":"record","name":"t_record","namespace":"hoodie.t","fields":[]}"#;
    let avro = oxlake_avro::Schema::parse(avro).unwrap();
    let file_schema = Arc::new(BaseFileSchema::try_new(batch.schema(), &avro).unwrap());
    let name = name(number);
    let mut writer =
        BaseFileWriter::try_new(storage, &format!("p/{name}"), &file_schema, &options).unwrap();
    writer.write(&batch).await.unwrap();
    let written = writer.finish().await.unwrap();
    base_file(&name, written.size_bytes)
}

/// The same as another engine may write it: nothing about keys in the footer.
pub(crate) async fn bare_file(storage: &Storage, number: usize, keys: &[String]) -> BaseFile {
    let batch = rows(keys);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let name = name(number);
    let file = base_file(&name, bytes.len() as u64);
    storage.create(&file.path(), bytes.into()).await.unwrap();
    file
}

fn name(number: usize) -> String {
    format!("f{number}-0_0-0-0_20260101000000000.parquet")
}

fn base_file(name: &str, size_bytes: u64) -> BaseFile {
    BaseFile {
        partition: PartitionPath::new("p"),
        name: BaseFileName::parse(name).unwrap(),
        size_bytes,
    }
}

/// The meta columns of rows with these keys.
fn rows(keys: &[String]) -> RecordBatch {
    let fields = META_COLUMNS.map(|name| Field::new(name, DataType::Utf8, true));
    let text = |value: &str| -> ArrayRef { Arc::new(StringArray::from(vec![value; keys.len()])) };
    let columns = vec![
        text("20260101000000000"),
        text("20260101000000000_0_0"),
        Arc::new(StringArray::from(keys.to_vec())),
        text("p"),
        text("f"),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), columns).unwrap()
}
