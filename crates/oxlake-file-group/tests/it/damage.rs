//! Damaged files end in a typed error or in rows, never in a panic.

use std::sync::Arc;

use arrow::array::{Int64Array, ListArray, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, FieldRef, Int32Type};
use bytes::Bytes;
use futures::TryStreamExt;
use oxlake_file_group::{BaseFileReader, BaseFileWriterOptions, Error, ReadOptions, Result};
use oxlake_model::{CompareOp, Predicate};
use oxlake_storage::Storage;

use crate::support::{memory, meta_columns, open, options, with_meta, write};

async fn small_file(codec: &str) -> (Bytes, ReadOptions) {
    let fields: Vec<FieldRef> = vec![
        Arc::new(Field::new("n", DataType::Int64, true)),
        Arc::new(Field::new("s", DataType::Utf8, true)),
        Arc::new(Field::new(
            "l",
            DataType::List(Arc::new(Field::new("item", DataType::Int32, true))),
            true,
        )),
    ];
    let schema = with_meta(&fields);
    let keys = ["a", "b", "c"].map(str::to_owned);
    let mut columns = meta_columns(&keys, "20260101000000000");
    columns.push(Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])));
    columns.push(Arc::new(StringArray::from(vec![
        Some("x"),
        None,
        Some("x"),
    ])));
    columns.push(Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(
        vec![Some(vec![Some(1), None]), None, Some(vec![])],
    )));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let storage = memory();
    let options = options(&[
        ("hoodie.parquet.compression.codec", codec),
        ("hoodie.index.bloom.num_entries", "3"),
        ("hoodie.index.bloom.fpp", "0.1"),
    ]);
    write(
        &storage,
        &schema,
        &[batch],
        &BaseFileWriterOptions::from(&options),
    )
    .await
    .unwrap();
    let predicate = Predicate::compare("n", CompareOp::GtEq, 1);
    let read = ReadOptions::new(Arc::clone(&schema)).with_predicate(predicate, schema);
    (storage.read("f.parquet").await.unwrap(), read)
}

async fn read_all(storage: &Storage, options: &ReadOptions) -> Result<usize> {
    let reader = open(storage).await?;
    let footer = reader.footer();
    let rows: Vec<RecordBatch> = reader.read(options)?.try_collect().await?;
    footer?;
    Ok(rows.iter().map(RecordBatch::num_rows).sum())
}

async fn with_bytes(bytes: Vec<u8>) -> Storage {
    let storage = memory();
    storage
        .create("f.parquet", Bytes::from(bytes))
        .await
        .unwrap();
    storage
}

/// Errors may only be those that speak of the file or of a value in it.
fn accept(outcome: &Result<usize>, what: &str) {
    match outcome {
        Ok(_)
        | Err(
            Error::Corrupt { .. }
            | Error::Value { .. }
            | Error::MissingColumn { .. }
            | Error::Promotion { .. },
        ) => {}
        Err(other) => panic!("{what}: {other:?}"),
    }
}

/// The decoder's panics are caught and become errors; their messages would only fill the log.
fn quiet<T>(work: impl FnOnce() -> T) -> T {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = work();
    std::panic::set_hook(before);
    done
}

#[test]
fn every_flipped_byte_is_an_error_or_rows() {
    quiet(|| {
        futures::executor::block_on(async {
            for codec in ["uncompressed", "zstd"] {
                let (good, options) = small_file(codec).await;
                assert_eq!(
                    read_all(&with_bytes(good.to_vec()).await, &options)
                        .await
                        .unwrap(),
                    2
                );
                for at in 0..good.len() {
                    for change in [0x01, 0x80, 0xff] {
                        let mut bad = good.to_vec();
                        bad[at] ^= change;
                        let outcome = read_all(&with_bytes(bad).await, &options).await;
                        accept(&outcome, &format!("{codec}, byte {at} ^ {change:#x}"));
                    }
                }
            }
        });
    });
}

#[test]
fn every_truncated_file_is_an_error() {
    quiet(|| {
        futures::executor::block_on(async {
            let (good, options) = small_file("zstd").await;
            for length in 0..good.len() {
                let outcome = read_all(&with_bytes(good[..length].to_vec()).await, &options).await;
                assert!(outcome.is_err(), "{length} bytes");
                accept(&outcome, &format!("{length} bytes"));
            }
        });
    });
}

#[tokio::test]
async fn a_file_shorter_than_listed_and_other_files_are_named() {
    let (good, _) = small_file("zstd").await;
    let size = good.len() as u64;
    let storage = with_bytes(good.to_vec()).await;
    for (path, size) in [("f.parquet", size + 1), ("f.parquet", 3)] {
        let error = BaseFileReader::open_path(&storage, path, size)
            .await
            .unwrap_err();
        assert!(error.to_string().contains("f.parquet"), "{error}");
    }
    let error = BaseFileReader::open_path(&storage, "g.parquet", size)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), oxlake_model::ErrorKind::NotFound);
    let storage = with_bytes(b"not a parquet file, but long enough to be one".to_vec()).await;
    let error = open(&storage).await.unwrap_err();
    assert_eq!(error.kind(), oxlake_model::ErrorKind::Corrupt);
}
