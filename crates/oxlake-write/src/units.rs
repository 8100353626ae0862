//! Cutting the rows of a partition into units that fit into memory, and combining the rows of one key.
//!
//! All rows of one key are in one unit, so that a unit can be combined and looked up on its own. A partition that fits
//! is one unit; a larger one is spread over units by a hash of the key.

use std::path::PathBuf;

use arrow::array::{Array, RecordBatch, StringArray, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::SchemaRef;
use oxlake_merge::{Deduplicator, Merger};

use crate::Result;
use crate::intake::split_key_column;
use crate::rows::Rows;
use crate::spill::SpillMap;

/// Most units of one partition; beyond that units outgrow their size.
const MOST_UNITS: u64 = 4096;

/// Rows of one partition in units of about `unit_bytes`. The second value is the number of bytes that went through
/// files for it.
pub(crate) fn cut_into_units(
    rows: Rows,
    schema: &SchemaRef,
    unit_bytes: u64,
    spill_folder: Option<&PathBuf>,
) -> Result<(Vec<Rows>, u64)> {
    let count = rows
        .bytes()
        .div_ceil(unit_bytes.max(1))
        .clamp(1, MOST_UNITS);
    if count == 1 {
        return Ok((vec![rows], 0));
    }
    let mut units = SpillMap::new(SchemaRef::clone(schema), unit_bytes, spill_folder.cloned());
    for batch in rows.into_batches() {
        let batch = batch?;
        let (_, keys) = split_key_column(&batch)?;
        for (unit, rows) in rows_by_unit(&keys, count).into_iter().enumerate() {
            if !rows.is_empty() {
                units.append(&unit, take_record_batch(&batch, &UInt32Array::from(rows))?)?;
            }
        }
    }
    let keys = units.keys();
    let cut = keys.iter().map(|unit| units.take(unit)).collect();
    Ok((cut, units.spilled_bytes()))
}

fn rows_by_unit(keys: &StringArray, count: u64) -> Vec<Vec<u32>> {
    let mut units = vec![Vec::new(); usize::try_from(count).unwrap_or(1)];
    for (row, key) in (0..).zip(keys.iter()) {
        let unit = usize::try_from(hash(key.unwrap_or_default()) % count).unwrap_or_default();
        if let Some(rows) = units.get_mut(unit) {
            rows.push(row);
        }
    }
    units
}

/// FNV-1a of 64 bits, mixed once more so that its low bits are good: the same on every machine and in every run.
fn hash(key: &str) -> u64 {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17
}

/// The rows of a unit, one for each key if `merger` is given.
pub(crate) fn load_unit(unit: Rows, merger: Option<&Merger>) -> Result<Vec<RecordBatch>> {
    let batches = unit.into_batches().collect::<Result<Vec<_>>>()?;
    let Some(merger) = merger else {
        return Ok(batches);
    };
    let mut deduplicator = Deduplicator::new(merger);
    for batch in &batches {
        let (columns, keys) = split_key_column(batch)?;
        deduplicator.push(&columns, &keys, None)?;
    }
    let survivors = deduplicator.finish();
    let batches = batches
        .iter()
        .zip(&survivors)
        .filter(|(_, rows)| !rows.is_empty());
    let taken = batches.map(|(batch, rows)| keep(batch, rows));
    taken.collect()
}

fn keep(batch: &RecordBatch, rows: &UInt32Array) -> Result<RecordBatch> {
    if rows.len() == batch.num_rows() {
        return Ok(batch.clone());
    }
    Ok(take_record_batch(batch, rows)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array};
    use arrow::datatypes::{DataType, Field, Schema};

    fn batch(rows: &[(&str, i64)]) -> RecordBatch {
        let schema = Schema::new(vec![
            Field::new("ts", DataType::Int64, false),
            Field::new("_hoodie_record_key", DataType::Utf8, false),
        ]);
        let times: ArrayRef =
            Arc::new(rows.iter().map(|(_, ts)| Some(*ts)).collect::<Int64Array>());
        let keys: ArrayRef = Arc::new(
            rows.iter()
                .map(|(key, _)| Some(*key))
                .collect::<StringArray>(),
        );
        RecordBatch::try_new(Arc::new(schema), vec![times, keys]).unwrap()
    }

    fn all_rows(batches: &[RecordBatch]) -> Vec<(String, i64)> {
        let rows = batches.iter().flat_map(|batch| {
            let times = batch
                .column(0)
                .as_any()
                .downcast_ref::<Int64Array>()
                .unwrap()
                .clone();
            let (_, keys) = split_key_column(batch).unwrap();
            (0..batch.num_rows()).map(move |row| (keys.value(row).to_owned(), times.value(row)))
        });
        rows.collect()
    }

    #[test]
    fn every_key_is_in_one_unit() {
        let names: Vec<String> = (0..200).map(|n| format!("key-{}", n % 50)).collect();
        let rows: Vec<(&str, i64)> = names
            .iter()
            .zip(0..)
            .map(|(name, n)| (name.as_str(), n))
            .collect();
        let input = batch(&rows);
        let mut map = SpillMap::new(input.schema(), 1 << 20, None);
        map.append(&0, input.clone()).unwrap();
        let (units, spilled) = cut_into_units(map.take(&0), &input.schema(), 1000, None).unwrap();
        assert!(units.len() > 2 && spilled > 0);
        let mut seen = BTreeSet::new();
        let mut count = 0;
        for unit in units {
            let rows = all_rows(&load_unit(unit, None).unwrap());
            count += rows.len();
            let keys: BTreeSet<String> = rows.into_iter().map(|(key, _)| key).collect();
            assert!(
                keys.iter().all(|key| seen.insert(key.clone())),
                "a key in two units"
            );
        }
        assert_eq!((count, seen.len()), (200, 50));
    }

    #[test]
    fn the_winner_of_each_key_stays_across_batches() {
        let schema = batch(&[]).schema();
        let merger = Merger::event_time(&["ts".to_owned()], &schema).unwrap();
        let mut map = SpillMap::new(schema, 1 << 20, None);
        for rows in [
            &[("a", 1), ("b", 9)][..],
            &[("a", 3), ("b", 2)],
            &[("a", 2)],
        ] {
            map.append(&0, batch(rows)).unwrap();
        }
        let rows = all_rows(&load_unit(map.take(&0), Some(&merger)).unwrap());
        assert_eq!(rows, [("b".to_owned(), 9), ("a".to_owned(), 3)]);
    }
}
