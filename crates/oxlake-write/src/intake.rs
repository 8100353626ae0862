//! Taking the input in: rows in the table's form, with their keys, grouped by partition.
//!
//! Nothing of the table is touched here, so an error of the input leaves nothing behind.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow::compute::{filter_record_batch, not, take_record_batch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use futures::StreamExt;
use futures::stream::BoxStream;
use oxlake_keygen::KeyGenerator;
use oxlake_merge::Merger;
use oxlake_model::PartitionPath;
use oxlake_model::columns::RECORD_KEY;

use crate::conform::{Conformer, Extra};
use crate::spill::SpillMap;
use crate::{Error, InputError, Result};

/// The input of a write.
pub(crate) type Input<'a> = BoxStream<'a, Result<RecordBatch, InputError>>;

/// The rows of the input by partition; the last column is the record key.
#[derive(Debug)]
pub(crate) struct Intake {
    /// Columns of the rows, the key last.
    pub(crate) schema: SchemaRef,
    /// The rows.
    pub(crate) rows: SpillMap<PartitionPath>,
    /// How many there are.
    pub(crate) row_count: u64,
}

/// What the rows are turned into.
#[derive(Debug)]
pub(crate) struct IntakeOptions<'a> {
    /// Columns without keys.
    pub(crate) columns: SchemaRef,
    /// What happens to other columns.
    pub(crate) extra: Extra,
    /// Makes keys and partitions.
    pub(crate) keys: &'a KeyGenerator,
    /// Leaves out rows that say they are deletes, for operations that only add rows.
    pub(crate) delete_filter: Option<&'a Merger>,
    /// Bytes to buffer.
    pub(crate) budget_bytes: u64,
    /// Where to spill.
    pub(crate) spill_folder: Option<PathBuf>,
}

impl Intake {
    /// Reads `first`, if any, and then `input` to the end.
    pub(crate) async fn load(
        first: Option<RecordBatch>,
        input: &mut Input<'_>,
        options: &IntakeOptions<'_>,
    ) -> Result<Self> {
        let schema = with_key_column(&options.columns);
        let folder = options.spill_folder.clone();
        let rows = SpillMap::new(Arc::clone(&schema), options.budget_bytes, folder);
        let mut intake = Self {
            schema,
            rows,
            row_count: 0,
        };
        let mut conformer = None;
        let mut next = first;
        loop {
            let batch = match next.take() {
                Some(batch) => batch,
                None => match input.next().await {
                    Some(Ok(batch)) => batch,
                    Some(Err(source)) => {
                        return Err(Error::Input {
                            row_count: intake.row_count,
                            source,
                        });
                    }
                    None => return Ok(intake),
                },
            };
            let conformer = conformer_for(&mut conformer, &batch, options)?;
            let rows = conformer.conform(&batch, intake.row_count)?;
            let rows = match options.delete_filter {
                Some(merger) => without_deletes(rows, merger)?,
                None => rows,
            };
            intake.add(&rows, options.keys)?;
            intake.row_count += batch.num_rows() as u64;
        }
    }

    fn add(&mut self, batch: &RecordBatch, keys: &KeyGenerator) -> Result<()> {
        let keys = keys.generate(batch)?;
        let mut columns = batch.columns().to_vec();
        columns.push(Arc::new(keys.record_keys) as ArrayRef);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        for (partition, rows) in rows_by_partition(&keys.partition_paths) {
            let part = if rows.len() == batch.num_rows() {
                batch.clone()
            } else {
                take_record_batch(&batch, &UInt32Array::from(rows))?
            };
            self.rows.append(&PartitionPath::from(partition), part)?;
        }
        Ok(())
    }
}

/// The rows that are not deletes (spec 02 §6.7).
pub(crate) fn without_deletes(batch: RecordBatch, merger: &Merger) -> Result<RecordBatch> {
    match merger.deletes(&batch)? {
        Some(deletes) if deletes.true_count() > 0 => {
            Ok(filter_record_batch(&batch, &not(&deletes)?)?)
        }
        _ => Ok(batch),
    }
}

/// The conformer of the batch's schema: batches of one stream may differ in it.
fn conformer_for<'a>(
    current: &'a mut Option<Conformer>,
    batch: &RecordBatch,
    options: &IntakeOptions<'_>,
) -> Result<&'a Conformer> {
    let schema = batch.schema();
    let fitting = current.take().filter(|conformer| conformer.takes(&schema));
    let conformer = match fitting {
        Some(conformer) => conformer,
        None => Conformer::try_new(schema, Arc::clone(&options.columns), options.extra)?,
    };
    Ok(current.insert(conformer))
}

fn rows_by_partition(partitions: &StringArray) -> BTreeMap<&str, Vec<u32>> {
    let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (row, partition) in (0..).zip(partitions.iter()) {
        let partition = partition.unwrap_or_default();
        match groups.get_mut(partition) {
            Some(rows) => rows.push(row),
            None => {
                groups.insert(partition, vec![row]);
            }
        }
    }
    groups
}

/// The columns and, last, the record key.
fn with_key_column(columns: &Schema) -> SchemaRef {
    let mut fields: Vec<_> = columns.fields().iter().cloned().collect();
    fields.push(Arc::new(Field::new(RECORD_KEY, DataType::Utf8, false)));
    Arc::new(Schema::new(fields))
}

/// Splits a batch of the intake into its columns and its keys.
pub(crate) fn split_key_column(batch: &RecordBatch) -> Result<(RecordBatch, StringArray)> {
    let missing = || Error::Internal {
        what: "a batch of the intake has no key column".to_owned(),
    };
    let last = batch.num_columns().checked_sub(1).ok_or_else(missing)?;
    let keys = batch
        .column(last)
        .as_any()
        .downcast_ref::<StringArray>()
        .ok_or_else(missing)?;
    let columns: Vec<usize> = (0..last).collect();
    Ok((batch.project(&columns)?, keys.clone()))
}
