//! What is written is read again, whatever the types; filters drop exactly what they should.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int32Array, Int64Array, ListArray, MapArray, RecordBatch,
    StringArray, StructArray, TimestampMicrosecondArray, TimestampMillisecondArray, UInt32Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::{filter_record_batch, take_record_batch};
use arrow::datatypes::{DataType, Field, FieldRef, SchemaRef, TimeUnit};
use oxlake_file_group::{BaseFileWriterOptions, ReadOptions, evaluate};
use oxlake_model::{CompareOp, Literal, Predicate};
use proptest::prelude::*;

use crate::support::{memory, meta_columns, open, options, read, with_meta, write};

/// A type with values made from numbers: the same number gives the same value.
fn leaf_types() -> Vec<DataType> {
    vec![
        DataType::Boolean,
        DataType::Int32,
        DataType::Int64,
        DataType::Float32,
        DataType::Float64,
        DataType::Utf8,
        DataType::Binary,
        DataType::Date32,
        DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Decimal128(5, 2),
        DataType::Decimal128(15, 3),
        DataType::Decimal128(38, 10),
        DataType::FixedSizeBinary(3),
    ]
}

fn data_type() -> impl Strategy<Value = DataType> {
    let leaf = proptest::sample::select(leaf_types());
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), any::<bool>())
                .prop_map(|(t, n)| DataType::List(Arc::new(Field::new("element", t, n)))),
            proptest::collection::vec((inner.clone(), any::<bool>()), 1..4).prop_map(|types| {
                let fields = types.into_iter().enumerate();
                DataType::Struct(
                    fields
                        .map(|(at, (t, n))| Field::new(format!("f{at}"), t, n))
                        .collect(),
                )
            }),
            (inner, any::<bool>()).prop_map(|(t, n)| {
                let key = Field::new("key", DataType::Utf8, false);
                let fields = vec![key, Field::new("value", t, n)];
                DataType::Map(Arc::new(Field::new_struct("entries", fields, false)), false)
            }),
        ]
    })
}

/// A small generator: tests need variety, not randomness.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

fn opt<T>(valid: &[bool], values: &[i64], make: impl Fn(i64) -> T) -> Vec<Option<T>> {
    valid
        .iter()
        .zip(values)
        .map(|(valid, value)| valid.then(|| make(*value)))
        .collect()
}

fn array(data_type: &DataType, nullable: bool, rows: usize, numbers: &mut Numbers) -> ArrayRef {
    let valid: Vec<bool> = (0..rows)
        .map(|_| !nullable || numbers.below(4) > 0)
        .collect();
    let values: Vec<i64> = (0..rows)
        .map(|_| match numbers.below(8) {
            0 => 0,
            1 => i64::try_from(numbers.below(1 << 30)).unwrap(),
            2 => -i64::try_from(numbers.below(1 << 30)).unwrap(),
            _ => i64::try_from(numbers.below(7)).unwrap() - 3,
        })
        .collect();
    macro_rules! leaf {
        ($array:ty, $make:expr) => {
            Arc::new(<$array>::from(opt(&valid, &values, $make)))
        };
    }
    #[expect(clippy::cast_possible_truncation)]
    match data_type {
        DataType::Boolean => leaf!(BooleanArray, |v| v % 2 == 0),
        DataType::Int32 => leaf!(Int32Array, |v| v as i32),
        DataType::Int64 => leaf!(Int64Array, |v| v << 20),
        DataType::Float32 => leaf!(Float32Array, |v| float(v) as f32),
        DataType::Float64 => leaf!(Float64Array, float),
        DataType::Utf8 => leaf!(StringArray, |v| format!("é{v}")),
        DataType::Binary => Arc::new(BinaryArray::from_iter(opt(
            &valid,
            &values,
            i64::to_be_bytes,
        ))),
        DataType::Date32 => leaf!(Date32Array, |v| v as i32),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => Arc::new(
            TimestampMillisecondArray::from(opt(&valid, &values, |v| v))
                .with_timezone_opt(zone.clone()),
        ),
        DataType::Timestamp(_, zone) => Arc::new(
            TimestampMicrosecondArray::from(opt(&valid, &values, |v| v))
                .with_timezone_opt(zone.clone()),
        ),
        DataType::Decimal128(precision, scale) => {
            let bound = 10i128.pow(u32::from(*precision));
            let make = |v: i64| (i128::from(v) * 1_000_003) % bound;
            Arc::new(
                Decimal128Array::from(opt(&valid, &values, make))
                    .with_precision_and_scale(*precision, *scale)
                    .unwrap(),
            )
        }
        DataType::FixedSizeBinary(3) => {
            let make = |v: i64| v.to_be_bytes()[5..].to_vec();
            let values = opt(&valid, &values, make).into_iter();
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, 3).unwrap())
        }
        DataType::List(item) => {
            let (offsets, count) = lengths(&valid, numbers);
            let items = array(item.data_type(), item.is_nullable(), count, numbers);
            Arc::new(ListArray::new(
                Arc::clone(item),
                offsets,
                items,
                nulls(&valid, nullable),
            ))
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(parts) = entries.data_type() else {
                unreachable!()
            };
            let (offsets, count) = lengths(&valid, numbers);
            let keys: StringArray = (0..count).map(|at| Some(format!("k{at}"))).collect();
            let values = array(parts[1].data_type(), parts[1].is_nullable(), count, numbers);
            let both = StructArray::new(parts.clone(), vec![Arc::new(keys), values], None);
            let nulls = nulls(&valid, nullable);
            Arc::new(MapArray::new(
                Arc::clone(entries),
                offsets,
                both,
                nulls,
                false,
            ))
        }
        DataType::Struct(fields) => {
            let children = fields
                .iter()
                .map(|field| array(field.data_type(), field.is_nullable(), rows, numbers))
                .collect();
            Arc::new(StructArray::new(
                fields.clone(),
                children,
                nulls(&valid, nullable),
            ))
        }
        other => panic!("no values of {other}"),
    }
}

fn float(v: i64) -> f64 {
    match v {
        3 => f64::NAN,
        -3 => f64::INFINITY,
        2 => -0.0,
        #[expect(clippy::cast_precision_loss)]
        v => v as f64 / 8.0,
    }
}

fn lengths(valid: &[bool], numbers: &mut Numbers) -> (OffsetBuffer<i32>, usize) {
    let lengths: Vec<usize> = valid
        .iter()
        .map(|valid| {
            if *valid {
                usize::try_from(numbers.below(3)).unwrap()
            } else {
                0
            }
        })
        .collect();
    (
        OffsetBuffer::from_lengths(lengths.iter().copied()),
        lengths.iter().sum(),
    )
}

fn nulls(valid: &[bool], nullable: bool) -> Option<NullBuffer> {
    nullable.then(|| NullBuffer::from(valid.to_vec()))
}

fn rows(fields: &[FieldRef], count: usize, seed: u64) -> (SchemaRef, RecordBatch) {
    let mut numbers = Numbers(seed);
    let schema = with_meta(fields);
    let keys: Vec<String> = (0..count)
        .map(|_| format!("key-{}", numbers.next()))
        .collect();
    let mut columns = meta_columns(&keys, "20260101000000000");
    for field in fields {
        columns.push(array(
            field.data_type(),
            field.is_nullable(),
            count,
            &mut numbers,
        ));
    }
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    (schema, batch)
}

/// Small pages and row groups, so that small data has many of them.
fn tiny() -> BaseFileWriterOptions {
    BaseFileWriterOptions::from(&options(&[
        ("hoodie.parquet.block.size", "600"),
        ("hoodie.parquet.page.size", "64"),
    ]))
}

fn pieces(batch: &RecordBatch, size: usize) -> Vec<RecordBatch> {
    (0..batch.num_rows())
        .step_by(size)
        .map(|start| batch.slice(start, size.min(batch.num_rows() - start)))
        .collect()
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    futures::executor::block_on(future)
}

/// `a == b` where NaN equals NaN: compared as printed.
fn assert_same(found: &RecordBatch, expected: &RecordBatch) {
    assert_eq!(found.schema(), expected.schema());
    assert_eq!(found.num_rows(), expected.num_rows());
    let text = |batch: &RecordBatch| {
        arrow::util::pretty::pretty_format_batches(std::slice::from_ref(batch))
            .unwrap()
            .to_string()
    };
    assert_eq!(text(found), text(expected));
}

fn literal(data_type: &DataType, v: i64) -> Option<Literal> {
    Some(match data_type {
        DataType::Boolean => Literal::Boolean(v % 2 == 0),
        DataType::Int32 => Literal::Int64(v),
        DataType::Int64 => Literal::Int64(v << 20),
        DataType::Float32 | DataType::Float64 => Literal::Float64(float(v)),
        DataType::Utf8 => Literal::Utf8(format!("é{v}")),
        DataType::Binary => Literal::Binary(v.to_be_bytes().to_vec()),
        DataType::Date32 => Literal::Date32(i32::try_from(v).unwrap()),
        DataType::Timestamp(TimeUnit::Millisecond, _) => Literal::TimestampMicros(v * 1000),
        DataType::Timestamp(_, _) => Literal::TimestampMicros(v),
        DataType::Decimal128(precision, scale) => Literal::Decimal128 {
            value: i128::from(v) * 1_000_003 % 10i128.pow(u32::from(*precision)),
            precision: *precision,
            scale: *scale,
        },
        _ => return None,
    })
}

fn predicate(fields: Vec<FieldRef>) -> impl Strategy<Value = Predicate> {
    let op = proptest::sample::select(vec![
        CompareOp::Eq,
        CompareOp::NotEq,
        CompareOp::Lt,
        CompareOp::LtEq,
        CompareOp::Gt,
        CompareOp::GtEq,
    ]);
    let leaf = (0..fields.len(), op, -4..5i64, 0..5u8).prop_map(move |(at, op, v, kind)| {
        let field = &fields[at];
        let column = field.name().clone();
        match (kind, literal(field.data_type(), v)) {
            (0, _) | (_, None) => Predicate::IsNull(column),
            (1, _) => Predicate::IsNotNull(column),
            (2, Some(value)) => {
                let values = vec![
                    value,
                    Literal::Null,
                    literal(field.data_type(), v + 1).unwrap(),
                ];
                Predicate::In { column, values }
            }
            (_, Some(value)) => Predicate::Compare { column, op, value },
        }
    });
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Predicate::And),
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Predicate::Or),
            inner.prop_map(|part| Predicate::Not(Box::new(part))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_type_comes_back(
        types in proptest::collection::vec((data_type(), any::<bool>()), 1..5),
        count in 0..60usize,
        seed in any::<u64>(),
        piece in 1..30usize,
    ) {
        let fields: Vec<FieldRef> = types
            .into_iter()
            .enumerate()
            .map(|(at, (t, n))| Arc::new(Field::new(format!("c{at}"), t, n)))
            .collect();
        let (schema, batch) = rows(&fields, count, seed);
        let storage = memory();
        let written = wait(write(&storage, &schema, &pieces(&batch, piece), &tiny())).unwrap();
        prop_assert_eq!(written.row_count, count as u64);
        let reader = wait(open(&storage)).unwrap();
        let back = wait(read(&reader, &ReadOptions::new(Arc::clone(&schema)).with_batch_size(7)));
        assert_same(&back.unwrap(), &batch);
        let footer = reader.footer().unwrap();
        prop_assert_eq!(footer.row_count, count as u64);
        for key in batch.column(2).as_any().downcast_ref::<StringArray>().unwrap().iter().flatten() {
            prop_assert!(footer.may_contain(key));
        }
        prop_assert_eq!(footer.min_key, written.min_key);
        prop_assert_eq!(footer.max_key, written.max_key);
    }

    /// The answer with pruning and filtering is the answer of the same condition over all rows.
    #[test]
    fn a_filter_drops_exactly_what_it_should(
        (fields, predicate) in proptest::collection::vec(
            (proptest::sample::select(leaf_types()), any::<bool>()),
            1..4,
        )
        .prop_flat_map(|types| {
            let fields: Vec<FieldRef> = types
                .into_iter()
                .enumerate()
                .map(|(at, (t, n))| Arc::new(Field::new(format!("c{at}"), t, n)))
                .collect();
            (Just(fields.clone()), predicate(fields))
        }),
        count in 0..80usize,
        seed in any::<u64>(),
        sorted in any::<bool>(),
    ) {
        let (schema, mut batch) = rows(&fields, count, seed);
        if sorted {
            let order = arrow::compute::sort_to_indices(batch.column(5), None, None).unwrap();
            batch = take_record_batch(&batch, &order as &UInt32Array).unwrap();
        }
        let storage = memory();
        wait(write(&storage, &schema, &pieces(&batch, 4), &tiny())).unwrap();
        let reader = wait(open(&storage)).unwrap();
        let mask = evaluate(&predicate, &batch).unwrap();
        let expected = filter_record_batch(&batch, &mask).unwrap().project(&[2]).unwrap();
        let options = ReadOptions::new(expected.schema())
            .with_predicate(predicate, Arc::clone(&schema));
        let found = wait(read(&reader, &options)).unwrap();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn pruning_never_changes_an_answer_about_nan_and_zero() {
    // Cases R13, R14 and U20: one row group for each list of values.
    let fields: Vec<FieldRef> = vec![Arc::new(Field::new("d", DataType::Float64, true))];
    let schema = with_meta(&fields);
    let groups: [&[f64]; 5] = [
        &[f64::NAN, 5.0],
        &[-3.0, f64::NAN],
        &[0.0],
        &[-0.0],
        &[f64::NEG_INFINITY, f64::INFINITY],
    ];
    let batches: Vec<RecordBatch> = groups
        .iter()
        .map(|values| {
            let keys: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
            let mut columns = meta_columns(&keys, "20260101000000000");
            columns.push(Arc::new(Float64Array::from(values.to_vec())));
            RecordBatch::try_new(Arc::clone(&schema), columns).unwrap()
        })
        .collect();
    let storage = memory();
    let one_group_each =
        BaseFileWriterOptions::from(&options(&[("hoodie.parquet.block.size", "1")]));
    wait(write(&storage, &schema, &batches, &one_group_each)).unwrap();
    let reader = wait(open(&storage)).unwrap();
    assert_eq!(reader.row_group_count(), 5);
    let check = |op, value: f64, expected: &[&str], groups: usize| {
        let key = Arc::new(arrow::datatypes::Schema::new(vec![schema.field(2).clone()]));
        let condition = Predicate::compare("d", op, value);
        let options = ReadOptions::new(key).with_predicate(condition, Arc::clone(&schema));
        let found = wait(read(&reader, &options)).unwrap();
        let found: Vec<&str> = found
            .column(0)
            .as_any()
            .downcast_ref::<StringArray>()
            .unwrap()
            .iter()
            .flatten()
            .collect();
        assert_eq!(found, expected, "d {} {value}", op.as_str());
        assert_eq!(
            reader.row_groups(&options).unwrap().len(),
            groups,
            "d {} {value}",
            op.as_str()
        );
    };
    check(CompareOp::Gt, 4.0, &["NaN", "5.0", "NaN", "inf"], 5);
    check(CompareOp::Eq, 5.0, &["5.0"], 2);
    check(CompareOp::Eq, -0.0, &["0.0", "-0.0"], 3);
    check(CompareOp::Eq, 0.0, &["0.0", "-0.0"], 3);
    check(CompareOp::Lt, 0.0, &["-3.0", "-inf"], 2);
    check(CompareOp::LtEq, -3.0, &["-3.0", "-inf"], 2);
    check(CompareOp::Eq, f64::NAN, &["NaN", "NaN"], 5);
    check(CompareOp::GtEq, f64::INFINITY, &["NaN", "NaN", "inf"], 5);
}

#[test]
fn row_groups_are_skipped_by_key_range_nulls_and_commit_time() {
    let fields: Vec<FieldRef> = vec![
        Arc::new(Field::new("n", DataType::Int64, true)),
        Arc::new(Field::new("t", DataType::Utf8, true)),
    ];
    let schema = with_meta(&fields);
    let mut batches = Vec::new();
    for group in 0..4i64 {
        let keys: Vec<String> = (0..10).map(|row| format!("{group}-{row}")).collect();
        let mut columns = meta_columns(&keys, &format!("2026010100000000{group}"));
        columns.push(Arc::new(
            (0..10)
                .map(|row| Some(group * 10 + row))
                .collect::<Int64Array>(),
        ));
        let text = (group > 0).then(|| "long ".repeat(40) + &group.to_string());
        columns.push(Arc::new(
            (0..10).map(|_| text.clone()).collect::<StringArray>(),
        ));
        batches.push(RecordBatch::try_new(Arc::clone(&schema), columns).unwrap());
    }
    let storage = memory();
    let one_group_each =
        BaseFileWriterOptions::from(&options(&[("hoodie.parquet.block.size", "1")]));
    wait(write(&storage, &schema, &batches, &one_group_each)).unwrap();
    let reader = wait(open(&storage)).unwrap();
    let groups = |predicate: Predicate| {
        let options =
            ReadOptions::new(Arc::clone(&schema)).with_predicate(predicate, Arc::clone(&schema));
        reader.row_groups(&options).unwrap()
    };
    let n = |op, value: i64| Predicate::compare("n", op, value);
    assert_eq!(groups(n(CompareOp::GtEq, 25)), [2, 3]);
    assert_eq!(
        groups(Predicate::Not(Box::new(n(CompareOp::Lt, 25)))),
        [2, 3]
    );
    assert_eq!(
        groups(n(CompareOp::Eq, 9).and(n(CompareOp::Eq, 31))),
        [0usize; 0]
    );
    assert_eq!(
        groups(Predicate::Or(vec![
            n(CompareOp::Eq, 9),
            n(CompareOp::Eq, 31)
        ])),
        [0, 3]
    );
    assert_eq!(groups(Predicate::IsNull("t".into())), [0]);
    assert_eq!(groups(Predicate::IsNotNull("t".into())), [1, 2, 3]);
    assert_eq!(groups(Predicate::eq("t", Literal::Null)), [0usize; 0]);
    // Statistics of long texts are cut: only bounds, never values.
    let long = "long ".repeat(40) + "2";
    assert_eq!(
        groups(Predicate::compare("t", CompareOp::NotEq, long.as_str())),
        [1, 2, 3]
    );
    assert!(groups(Predicate::eq("t", long)).contains(&2));
    let times = ["20260101000000001", "20260101000000003", "2"].map(str::to_owned);
    let options = ReadOptions::new(Arc::clone(&schema)).with_commit_times(Arc::new(times.into()));
    assert_eq!(reader.row_groups(&options).unwrap(), [1, 3]);
    assert_eq!(wait(read(&reader, &options)).unwrap().num_rows(), 20);
}

#[test]
fn the_footer_has_the_keys_the_jvm_asks_for_and_no_others() {
    let fields: Vec<FieldRef> = vec![Arc::new(Field::new("n", DataType::Int64, true))];
    let (schema, batch) = rows(&fields, 3, 1);
    let storage = memory();
    let options = BaseFileWriterOptions::default();
    let written = wait(write(&storage, &schema, &[batch], &options)).unwrap();
    assert!(
        written.size_bytes < 6_000,
        "a small file stays small: {}",
        written.size_bytes
    );
    let bytes = wait(storage.read("f.parquet")).unwrap();
    let metadata = parquet::file::metadata::ParquetMetaDataReader::new();
    let metadata = metadata.parse_and_finish(&bytes).unwrap();
    let file = metadata.file_metadata();
    let mut keys: Vec<&str> = file
        .key_value_metadata()
        .unwrap()
        .iter()
        .map(|kv| kv.key.as_str())
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "hoodie_bloom_filter_type_code",
            "hoodie_max_record_key",
            "hoodie_min_record_key",
            "org.apache.hudi.bloomfilter",
            "parquet.avro.schema",
            "writer.model.name",
        ]
    );
    assert_eq!(file.version(), 1);
    assert_eq!(file.schema().name(), "t_record");
    let avro = wait(open(&storage))
        .unwrap()
        .footer()
        .unwrap()
        .avro_schema
        .unwrap();
    let avro = oxlake_avro::Schema::parse(&avro).unwrap();
    let names: Vec<&str> = avro
        .fields()
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(names[..5], oxlake_model::META_COLUMNS);
    assert_eq!(names[5], "n");
}
