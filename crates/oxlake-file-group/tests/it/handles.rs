//! What the write handles leave in storage and say about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type, SchemaRef};
use futures::TryStreamExt;
use oxlake_config::{TableConfig, TableSpec};
use oxlake_env::Env;
use oxlake_file_group::{
    BaseFileReader, ConcatHandle, CreateHandle, Error, HandleContext, IncomingRecords, MergeHandle,
    ReadOptions, WriteStatus,
};
use oxlake_model::{BaseFile, ErrorKind, InstantTime, PartitionPath, RuntimeStats, WriteStat};
use oxlake_storage::Storage;
use proptest::prelude::*;

use crate::support::{avro, memory, options, with_meta};

fn data_fields() -> Vec<FieldRef> {
    vec![
        Arc::new(Field::new("id", DataType::Utf8, false)),
        Arc::new(Field::new("ts", DataType::Int64, true)),
        Arc::new(Field::new("v", DataType::Int64, true)),
        Arc::new(Field::new("_hoodie_is_deleted", DataType::Boolean, true)),
    ]
}

fn context(storage: &Storage, instant: &str, conf: &[(&str, &str)]) -> HandleContext {
    let spec = TableSpec::new("t")
        .record_key_fields(["id"])
        .ordering_fields(["ts"]);
    let config = TableConfig::try_from_properties(spec.to_properties().unwrap()).unwrap();
    let fields = data_fields();
    HandleContext::try_new(
        storage.clone(),
        Env::simulated(7),
        &config,
        &options(conf),
        InstantTime::parse(instant).unwrap(),
        &avro(&fields),
        with_meta(&fields),
    )
    .unwrap()
}

/// Key, ordering value, value, whether it is a delete.
type Row = (&'static str, Option<i64>, i64, bool);

fn batch(rows: &[Row]) -> (RecordBatch, StringArray) {
    let keys: StringArray = rows.iter().map(|row| Some(row.0)).collect();
    let fields: Vec<FieldRef> = data_fields();
    let batch = RecordBatch::try_new(
        Arc::new(arrow::datatypes::Schema::new(fields)),
        vec![
            Arc::new(keys.clone()),
            Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|row| Some(row.2)).collect::<Int64Array>()),
            Arc::new(rows.iter().map(|row| Some(row.3)).collect::<BooleanArray>()),
        ],
    );
    (batch.unwrap(), keys)
}

fn live(key: &'static str, ts: i64, v: i64) -> Row {
    (key, Some(ts), v, false)
}

async fn create(context: &HandleContext, rows: &[Row]) -> WriteStatus {
    let mut handle = CreateHandle::new(context, 3, PartitionPath::from("city=nyc"));
    let (batch, keys) = batch(rows);
    handle.write(&batch, &keys).await.unwrap();
    handle.close().await.unwrap().remove(0)
}

async fn merge(context: &HandleContext, base: &BaseFile, rows: &[Row]) -> WriteStatus {
    let mut incoming = IncomingRecords::new(context);
    for part in rows.chunks(2) {
        let (batch, keys) = batch(part);
        incoming.push(&batch, &keys).unwrap();
    }
    MergeHandle::new(context, 5, base.clone())
        .run(incoming)
        .await
        .unwrap()
}

async fn read_all(storage: &Storage, file: &BaseFile, schema: &SchemaRef) -> RecordBatch {
    let reader = BaseFileReader::open(storage, file).await.unwrap();
    let options = ReadOptions::new(Arc::clone(schema));
    let batches: Vec<RecordBatch> = reader.read(&options).unwrap().try_collect().await.unwrap();
    arrow::compute::concat_batches(schema, &batches).unwrap()
}

/// Rows as `time seqno key value`, without the instant's common part.
async fn rows(storage: &Storage, file: &BaseFile) -> Vec<String> {
    let all = read_all(storage, file, &with_meta(&data_fields())).await;
    let text =
        |column: usize, row: usize| all.column(column).as_string::<i32>().value(row).to_owned();
    (0..all.num_rows())
        .map(|row| {
            assert_eq!(text(3, row), file.partition.as_str());
            assert_eq!(text(4, row), file.name.print());
            let seqno = text(1, row);
            let seqno = seqno.strip_prefix(&text(0, row)).unwrap();
            let value = all.column(7).as_primitive::<Int64Type>().value(row);
            format!("{}{seqno} {} {value}", &text(0, row)[14..], text(2, row))
        })
        .collect()
}

async fn data_files(storage: &Storage) -> Vec<String> {
    let all = storage.list("").await.unwrap();
    all.into_iter()
        .map(|file| file.path)
        .filter(|path| path.ends_with(".parquet"))
        .collect()
}

const FIRST: &str = "20260101000000001";
const SECOND: &str = "20260101000000002";

#[tokio::test]
async fn a_create_handle_announces_makes_and_describes_its_file() {
    let storage = memory();
    let status = create(
        &context(&storage, FIRST, &[]),
        &[live("b", 1, 10), live("a", 1, 20)],
    )
    .await;
    assert_eq!(
        rows(&storage, &status.file).await,
        ["001_3_0 b 10", "001_3_1 a 20"]
    );
    assert_eq!(
        (status.min_key.as_deref(), status.max_key.as_deref()),
        (Some("a"), Some("b"))
    );
    let name = status.file.name.print();
    assert!(
        name.ends_with("-0_3-1-0_20260101000000001.parquet"),
        "{name}"
    );
    let marker = format!(".hoodie/.temp/{FIRST}/city=nyc/{name}.marker.CREATE");
    assert!(storage.head(&marker).await.unwrap().is_some());
    assert!(
        storage
            .head("city=nyc/.hoodie_partition_metadata")
            .await
            .unwrap()
            .is_some()
    );
    let size = storage
        .head(&status.file.path())
        .await
        .unwrap()
        .unwrap()
        .size_bytes;
    assert_eq!(status.file.size_bytes, size);
    let size = i64::try_from(size).unwrap();
    let runtime = status.stat.runtime_stats.clone().unwrap();
    assert!(runtime.total_create_time.unwrap() > 0);
    let expected = WriteStat {
        file_id: Some(status.file.name.file_id.to_string()),
        path: Some(format!("city=nyc/{name}")),
        prev_commit: Some("null".to_owned()),
        num_writes: Some(2),
        num_inserts: Some(2),
        total_write_bytes: Some(size),
        file_size_in_bytes: Some(size),
        partition_path: Some("city=nyc".to_owned()),
        runtime_stats: Some(RuntimeStats {
            total_scan_time: Some(0),
            total_upsert_time: Some(0),
            ..runtime
        }),
        ..WriteStat::counted()
    };
    assert_eq!(status.stat, expected);
}

#[tokio::test]
async fn a_full_file_is_followed_by_the_next_group() {
    let storage = memory();
    let context = context(
        &storage,
        FIRST,
        &[("hoodie.parquet.max.file.size", "20000")],
    );
    let mut handle =
        CreateHandle::with_file_id_prefix(&context, 1, PartitionPath::root(), "p".into());
    let mut expected = Vec::new();
    for part in 0..6i64 {
        let keys: StringArray = (0..1000)
            .map(|row| Some(format!("key-{:016x}", (part * 1000 + row) * 0x9e37_79b9)))
            .collect();
        let (template, _) = batch(&[]);
        let values: Int64Array = (0..1000)
            .map(|row| Some((part * 1000 + row) * 7_919 % 104_729))
            .collect();
        let columns = vec![
            Arc::new(keys.clone()) as _,
            Arc::new(values.clone()) as _,
            Arc::new(values) as _,
            arrow::array::new_null_array(&DataType::Boolean, 1000),
        ];
        let rows = RecordBatch::try_new(template.schema(), columns).unwrap();
        handle.write(&rows, &keys).await.unwrap();
        expected.extend(keys.iter().flatten().map(str::to_owned));
    }
    let statuses = handle.close().await.unwrap();
    assert!(statuses.len() > 2, "{}", statuses.len());
    let (mut keys, mut seqnos) = (Vec::new(), Vec::new());
    for (index, status) in statuses.iter().enumerate() {
        assert_eq!(status.file.name.file_id.as_str(), format!("p-{index}"));
        assert!(
            status.file.size_bytes < 60_000,
            "{}",
            status.file.size_bytes
        );
        let all = read_all(&storage, &status.file, &with_meta(&data_fields())).await;
        let texts = |column: usize| all.column(column).as_string::<i32>().iter().flatten();
        keys.extend(texts(2).map(str::to_owned));
        seqnos.extend(texts(1).map(str::to_owned));
    }
    assert_eq!(keys, expected);
    seqnos.sort();
    seqnos.dedup();
    assert_eq!(
        seqnos.len(),
        6000,
        "sequence numbers are unique in the commit"
    );
}

#[tokio::test]
async fn a_merge_replaces_removes_keeps_and_appends() {
    let storage = memory();
    let first = [
        live("a", 5, 1),
        live("b", 5, 2),
        live("c", 5, 3),
        live("d", 5, 4),
    ];
    let base = create(&context(&storage, FIRST, &[]), &first).await.file;
    let incoming = [
        live("e", 1, 50),
        live("b", 6, 20),
        ("c", Some(7), 0, true),
        live("d", 4, 40),
        ("x", Some(9), 0, true),
        live("f", 1, 60),
    ];
    let status = merge(&context(&storage, SECOND, &[]), &base, &incoming).await;
    assert_eq!(
        rows(&storage, &status.file).await,
        [
            "001_3_0 a 1",
            "002_5_1 b 20",
            "001_3_3 d 4",
            "002_5_3 e 50",
            "002_5_4 f 60"
        ]
    );
    assert_eq!(status.file.name.file_id, base.name.file_id);
    let stat = &status.stat;
    assert_eq!(stat.prev_commit.as_deref(), Some(FIRST));
    assert_eq!(stat.prev_base_file, Some(base.name.print()));
    let counts = [
        stat.num_writes,
        stat.num_inserts,
        stat.num_update_writes,
        stat.num_deletes,
    ];
    assert_eq!(counts, [Some(5), Some(2), Some(1), Some(1)]);
    let runtime = stat.runtime_stats.as_ref().unwrap();
    assert!(runtime.total_upsert_time.unwrap() > 0 && runtime.total_create_time == Some(0));
    let marker = format!(".hoodie/.temp/{SECOND}/{}.marker.MERGE", status.file.path());
    assert!(storage.head(&marker).await.unwrap().is_some());
}

#[tokio::test]
async fn a_late_delete_loses_and_a_delete_by_key_always_wins() {
    // Case U02.
    let storage = memory();
    let base = create(
        &context(&storage, FIRST, &[]),
        &[live("k", 5, 1), live("l", 5, 2)],
    )
    .await
    .file;
    let second = context(&storage, SECOND, &[]);
    let status = merge(
        &second,
        &base,
        &[("k", Some(3), 0, true), ("l", None, 0, true)],
    )
    .await;
    assert_eq!(rows(&storage, &status.file).await, ["001_3_0 k 1"]);
    let third = context(&storage, "20260101000000003", &[]);
    let mut deletes = IncomingRecords::new(&third);
    deletes
        .push_deletes(&StringArray::from(vec!["k", "unknown"]))
        .unwrap();
    let status = MergeHandle::new(&third, 5, status.file)
        .run(deletes)
        .await
        .unwrap();
    assert_eq!(status.stat.num_deletes, Some(1));
    assert_eq!(status.stat.num_writes, Some(0));
    // The file is there, empty: otherwise the version before it would be read again.
    let reader = BaseFileReader::open(&storage, &status.file).await.unwrap();
    let footer = reader.footer().unwrap();
    assert_eq!(footer.row_count, 0);
    assert!(footer.bloom.is_some() && footer.min_key.is_none() && footer.max_key.is_none());
    assert!(rows(&storage, &status.file).await.is_empty());
}

#[tokio::test]
async fn every_copy_of_a_key_is_replaced_or_removed() {
    // Cases U13 and R17.
    let storage = memory();
    let base = create(
        &context(&storage, FIRST, &[]),
        &[live("x", 1, 1), live("y", 1, 2)],
    )
    .await
    .file;
    let second = context(&storage, SECOND, &[]);
    let mut concat = ConcatHandle::open(&second, 8, base.clone()).await.unwrap();
    let (more, keys) = batch(&[live("x", 1, 3), live("z", 1, 4)]);
    concat.write(&more, &keys).await.unwrap();
    let status = concat.close().await.unwrap();
    assert_eq!(
        rows(&storage, &status.file).await,
        ["001_3_0 x 1", "001_3_1 y 2", "002_8_2 x 3", "002_8_3 z 4"]
    );
    assert_eq!(
        (status.stat.num_writes, status.stat.num_inserts),
        (Some(4), Some(2))
    );
    assert_eq!(status.stat.prev_base_file, Some(base.name.print()));
    let third = context(&storage, "20260101000000003", &[]);
    let both = merge(&third, &status.file, &[live("x", 2, 9)]).await;
    assert_eq!(
        rows(&storage, &both.file).await,
        ["003_5_0 x 9", "001_3_1 y 2", "003_5_2 x 9", "002_8_3 z 4"]
    );
    assert_eq!(both.stat.num_update_writes, Some(2));
    let fourth = context(&storage, "20260101000000004", &[]);
    let gone = merge(&fourth, &both.file, &[("x", Some(3), 0, true)]).await;
    assert_eq!(
        rows(&storage, &gone.file).await,
        ["001_3_1 y 2", "002_8_3 z 4"]
    );
    assert_eq!(gone.stat.num_deletes, Some(2));
}

#[tokio::test]
async fn rows_of_another_schema_are_refused_before_any_file() {
    let storage = memory();
    let context = context(&storage, FIRST, &[]);
    let mut handle = CreateHandle::new(&context, 0, PartitionPath::root());
    let keys = StringArray::from(vec!["a"]);
    let id = Arc::new(keys.clone()) as _;
    let wrong = RecordBatch::try_from_iter([("id", id)]).unwrap();
    let error = handle.write(&wrong, &keys).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let mut incoming = IncomingRecords::new(&context);
    assert!(matches!(
        incoming.push(&wrong, &keys),
        Err(Error::Schema { .. })
    ));
    assert!(handle.close().await.unwrap().is_empty());
    assert!(
        storage.list("").await.unwrap().is_empty(),
        "no marker, no metafile, no file"
    );
    let (twice, keys) = batch(&[live("a", 1, 1), live("a", 2, 2)]);
    let error = incoming.push(&twice, &keys).unwrap_err();
    assert!(matches!(error, Error::DuplicateKey { key } if key == "a"));
}

#[tokio::test]
async fn a_merge_that_fails_leaves_no_file() {
    let storage = memory();
    let base = create(&context(&storage, FIRST, &[]), &[live("a", 1, 1)])
        .await
        .file;
    let path = base.path();
    let mut bytes = storage.read(&path).await.unwrap().to_vec();
    bytes[10] ^= 0xff;
    storage.overwrite(&path, bytes.into()).await.unwrap();
    let second = context(&storage, SECOND, &[]);
    let mut incoming = IncomingRecords::new(&second);
    let (rows, keys) = batch(&[live("a", 2, 2)]);
    incoming.push(&rows, &keys).unwrap();
    let error = MergeHandle::new(&second, 0, base)
        .run(incoming)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(data_files(&storage).await, [path]);
}

/// Handles run in tasks of their own: their futures must be able to move between threads.
#[test]
fn futures_of_handles_can_be_sent() {
    fn check<T: Send>(_: T) {}
    fn check_output<A, T: Send>(_: impl FnOnce(A) -> T) {}
    let storage = memory();
    let context = context(&storage, FIRST, &[]);
    let (rows, keys) = batch(&[]);
    let mut create = CreateHandle::new(&context, 0, PartitionPath::root());
    check(create.write(&rows, &keys));
    check(create.close());
    let base = BaseFile {
        partition: PartitionPath::root(),
        name: oxlake_model::BaseFileName::parse("a-0_0-0-0_20260101000000000.parquet").unwrap(),
        size_bytes: 0,
    };
    check(MergeHandle::new(&context, 0, base.clone()).run(IncomingRecords::new(&context)));
    check(ConcatHandle::open(&context, 0, base));
    let append = |mut handle: ConcatHandle| async move {
        handle.write(&rows, &keys).await.unwrap();
        handle.close().await.unwrap()
    };
    check_output(append);
}

#[derive(Debug, Clone)]
struct Change {
    key: u8,
    ts: Option<i64>,
    value: i64,
    delete: bool,
}

fn changes(most: usize) -> impl Strategy<Value = Vec<Change>> {
    let change = (
        0..12u8,
        proptest::option::of(0..4i64),
        any::<i64>(),
        proptest::bool::weighted(0.3),
    )
        .prop_map(|(key, ts, value, delete)| Change {
            key,
            ts,
            value,
            delete,
        });
    proptest::collection::vec(change, 0..most).prop_map(|changes| {
        let by_key: BTreeMap<u8, Change> = changes.into_iter().map(|c| (c.key, c)).collect();
        by_key.into_values().collect()
    })
}

fn rows_of(changes: &[Change]) -> (RecordBatch, StringArray) {
    let keys: StringArray = changes
        .iter()
        .map(|c| Some(format!("k{}", c.key)))
        .collect();
    let (template, _) = batch(&[]);
    let columns = vec![
        Arc::new(keys.clone()) as _,
        Arc::new(changes.iter().map(|c| c.ts).collect::<Int64Array>()) as _,
        Arc::new(
            changes
                .iter()
                .map(|c| Some(c.value))
                .collect::<Int64Array>(),
        ) as _,
        Arc::new(
            changes
                .iter()
                .map(|c| Some(c.delete))
                .collect::<BooleanArray>(),
        ) as _,
    ];
    (
        RecordBatch::try_new(template.schema(), columns).unwrap(),
        keys,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Three merges in a row against a map from key to (ordering value, value).
    #[test]
    fn merging_agrees_with_a_map(
        first in changes(16),
        later in proptest::collection::vec(changes(16), 3),
        cut in 0..8usize,
    ) {
        futures::executor::block_on(async {
            let storage = memory();
            let mut model: BTreeMap<u8, (Option<i64>, i64)> = BTreeMap::new();
            let first: Vec<Change> =
                first.into_iter().map(|c| Change { delete: false, ..c }).collect();
            let begin = context(&storage, FIRST, &[]);
            let mut handle = CreateHandle::new(&begin, 0, PartitionPath::root());
            let (rows, keys) = rows_of(&first);
            handle.write(&rows, &keys).await.unwrap();
            let statuses = handle.close().await.unwrap();
            let Some(status) = statuses.into_iter().next() else { return };
            let mut file = status.file;
            model.extend(first.iter().map(|c| (c.key, (c.ts, c.value))));
            for (round, changes) in later.iter().enumerate() {
                let instant = format!("2026010100000000{}", round + 2);
                let context = context(&storage, &instant, &[]);
                let mut incoming = IncomingRecords::new(&context);
                let cut = cut.min(changes.len());
                for part in [&changes[..cut], &changes[cut..]] {
                    let (rows, keys) = rows_of(part);
                    incoming.push(&rows, &keys).unwrap();
                }
                file = MergeHandle::new(&context, 0, file).run(incoming).await.unwrap().file;
                for change in changes {
                    let stored = model.get(&change.key).copied();
                    let always = change.delete && change.ts.is_none();
                    if stored.is_some_and(|(ts, _)| !always && change.ts < ts) {
                        continue;
                    }
                    if change.delete {
                        model.remove(&change.key);
                    } else {
                        model.insert(change.key, (change.ts, change.value));
                    }
                }
                let found = read_all(&storage, &file, &with_meta(&data_fields())).await;
                let mut found: Vec<(String, i64)> = (0..found.num_rows())
                    .map(|row| {
                        let key = found.column(2).as_string::<i32>().value(row).to_owned();
                        (key, found.column(7).as_primitive::<Int64Type>().value(row))
                    })
                    .collect();
                found.sort();
                let mut expected: Vec<(String, i64)> =
                    model.iter().map(|(key, (_, value))| (format!("k{key}"), *value)).collect();
                expected.sort();
                assert_eq!(found, expected);
            }
        });
    }
}
