//! The columnar merge against a model that takes one row at a time.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use proptest::prelude::*;

use crate::{Deduplicator, Merger};

#[derive(Debug, Clone)]
struct Row {
    key: u8,
    partition: u8,
    first: Option<i32>,
    second: Option<f64>,
    delete: bool,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let float = prop_oneof![
        Just(f64::NAN),
        Just(-f64::NAN),
        Just(0.0),
        Just(-0.0),
        Just(f64::INFINITY),
        -2.0..2.0f64
    ];
    let row = (
        0..4u8,
        0..2u8,
        proptest::option::of(-2..3i32),
        proptest::option::of(float),
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(key, partition, first, second, delete)| Row {
            key,
            partition,
            first,
            second,
            delete,
        });
    proptest::collection::vec(row, 0..24)
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("first", DataType::Int32, true),
        Field::new("second", DataType::Float64, true),
        Field::new("_hoodie_is_deleted", DataType::Boolean, true),
        Field::new("wide", DataType::Int64, true),
    ]))
}

fn batch(rows: &[Row]) -> (RecordBatch, StringArray, StringArray) {
    let first: Int32Array = rows.iter().map(|r| r.first).collect();
    let second: Float64Array = rows.iter().map(|r| r.second).collect();
    let delete: BooleanArray = rows.iter().map(|r| Some(r.delete)).collect();
    let wide: Int64Array = rows.iter().map(|r| r.first.map(i64::from)).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(first),
        Arc::new(second),
        Arc::new(delete),
        Arc::new(wide),
    ];
    let keys = rows
        .iter()
        .map(|r| Some(format!("key-{}", r.key)))
        .collect();
    let partitions = rows
        .iter()
        .map(|r| Some(format!("p{}", r.partition)))
        .collect();
    (
        RecordBatch::try_new(schema(), columns).unwrap(),
        keys,
        partitions,
    )
}

/// The ordering value of the model: all fields as one comparable list, null smallest.
fn compare(fields: &[&str], a: &Row, b: &Row) -> Ordering {
    for field in fields {
        let order = match *field {
            "second" => match (a.second, b.second) {
                (Some(x), Some(y)) => java_compare(x, y),
                (x, y) => x.is_some().cmp(&y.is_some()),
            },
            _ => a.first.cmp(&b.first),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

fn java_compare(x: f64, y: f64) -> Ordering {
    match (x.is_nan(), y.is_nan()) {
        (false, false) if x == 0.0 && y == 0.0 => y.is_sign_negative().cmp(&x.is_sign_negative()),
        (false, false) => x.partial_cmp(&y).unwrap(),
        (x, y) => x.cmp(&y),
    }
}

fn is_default(fields: &[&str], row: &Row) -> bool {
    fields.iter().all(|field| match *field {
        "first" => row.first.unwrap_or(0) == 0,
        "wide" => row.first.is_none(),
        _ => row.second.is_none(),
    })
}

/// `deltaMerge` and `deltaMergeDelete` of spec 02 §6.5, as written there.
fn replaces(fields: &[&str], old: &Row, new: &Row) -> bool {
    let always = |row: &Row| row.delete && is_default(fields, row);
    if new.delete {
        if always(old) {
            return false;
        }
        return is_default(fields, new) || compare(fields, old, new).is_le();
    }
    always(old) || compare(fields, new, old).is_ge()
}

fn survivors(fields: &[&str], rows: &[Row], by_partition: bool) -> Vec<u32> {
    let mut best: BTreeMap<(u8, u8), usize> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        let key = (row.key, if by_partition { row.partition } else { 0 });
        match best.get(&key) {
            Some(old) if !replaces(fields, &rows[*old], row) => {}
            _ => {
                best.insert(key, index);
            }
        }
    }
    let mut found: Vec<u32> = best
        .into_values()
        .map(|i| u32::try_from(i).unwrap())
        .collect();
    found.sort_unstable();
    found
}

const ORDERINGS: [&[&str]; 5] = [&[], &["first"], &["second"], &["wide"], &["wide", "second"]];

fn merger(fields: &[&str]) -> Merger {
    let fields: Vec<String> = fields.iter().map(|f| (*f).to_owned()).collect();
    Merger::event_time(&fields, &schema()).unwrap()
}

proptest! {
    #[test]
    fn deduplication_keeps_the_row_the_model_keeps(rows in rows(), which in 0..5usize) {
        let fields = ORDERINGS[which];
        let (batch, keys, partitions) = batch(&rows);
        let merger = merger(fields);
        let kept = merger.deduplicate(&batch, &keys, Some(&partitions)).unwrap();
        prop_assert_eq!(kept.values().to_vec(), survivors(fields, &rows, true));
        let kept = merger.deduplicate(&batch, &keys, None).unwrap();
        prop_assert_eq!(kept.values().to_vec(), survivors(fields, &rows, false));
    }

    #[test]
    fn it_does_not_matter_how_the_input_is_cut(rows in rows(), which in 0..5usize, cut in 0..24usize) {
        let fields = ORDERINGS[which];
        let merger = merger(fields);
        let cut = cut.min(rows.len());
        let mut deduplicator = Deduplicator::new(&merger);
        for part in [&rows[..cut], &rows[cut..]] {
            let (batch, keys, partitions) = batch(part);
            deduplicator.push(&batch, &keys, Some(&partitions)).unwrap();
        }
        let mut kept = Vec::new();
        for (offset, part) in [0, cut].into_iter().zip(deduplicator.finish()) {
            kept.extend(part.values().iter().map(|row| row + u32::try_from(offset).unwrap()));
        }
        prop_assert_eq!(kept, survivors(fields, &rows, true));
    }

    #[test]
    fn deduplicating_twice_changes_nothing(rows in rows(), which in 0..5usize) {
        let merger = merger(ORDERINGS[which]);
        let (batch, keys, _) = batch(&rows);
        let kept = merger.deduplicate(&batch, &keys, None).unwrap();
        let again = arrow::compute::take_record_batch(&batch, &kept).unwrap();
        let keys = arrow::compute::take(&keys, &kept, None).unwrap();
        let keys = keys.as_any().downcast_ref::<StringArray>().unwrap();
        let second = merger.deduplicate(&again, keys, None).unwrap();
        prop_assert_eq!(second.len(), kept.len());
    }

    #[test]
    fn an_incoming_row_wins_as_in_the_model(rows in rows(), which in 0..5usize) {
        let fields = ORDERINGS[which];
        let merger = merger(fields);
        let (batch, _, _) = batch(&rows);
        let values = merger.ordering(&batch).unwrap();
        for (i, stored) in rows.iter().enumerate() {
            for (j, incoming) in rows.iter().enumerate() {
                let always = incoming.delete && is_default(fields, incoming);
                prop_assert_eq!(
                    merger.wins((&values, i), (&values, j), incoming.delete),
                    always || compare(fields, incoming, stored).is_ge()
                );
            }
        }
    }
}
