//! The plan of one read: which leaves of which row groups, and how their columns become the output.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch, new_null_array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{and_kleene, filter_record_batch};
use arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};
use oxlake_model::{Predicate, columns};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;

use super::options::{ReadOptions, ScalarText};
use super::pruning::{Facts, Pruner, keep_commit_times};
use crate::convert::{Convert, Planner, constant, leaf_count, repeat};
use crate::error::{Error, Result};
use crate::predicate::evaluate;

/// The plan of one read; made from the footer before any row is read.
#[derive(Debug)]
pub(crate) struct ReadPlan {
    path: Arc<str>,
    /// Wanted columns first, then those that only filters look at.
    schema: SchemaRef,
    columns: Vec<Source>,
    output: SchemaRef,
    predicate: Option<Predicate>,
    commit_times: Option<Arc<BTreeSet<String>>>,
    pub(crate) projection: ProjectionMask,
    pub(crate) row_groups: Vec<usize>,
}

/// Where a column comes from.
#[derive(Debug)]
enum Source {
    /// The column at `index` among those read.
    File { index: usize, convert: Convert },
    /// One value for all rows.
    Constant(ArrayRef),
    /// Null in all rows.
    Missing,
}

/// A column of the file: its field, and its first leaf.
struct FileColumn<'a> {
    field: &'a Field,
    first_leaf: usize,
}

impl ReadPlan {
    pub(crate) fn try_new(
        path: &Arc<str>,
        file: &ArrowReaderMetadata,
        options: &ReadOptions,
    ) -> Result<Self> {
        let schema = full_schema(options)?;
        let in_file = file_columns(file.schema());
        let mut planner = Planner::new(path);
        let mut columns = Vec::with_capacity(schema.fields().len());
        let mut read = BTreeSet::new();
        for field in schema.fields() {
            columns.push(
                match (
                    options.constants.get(field.name()),
                    in_file.get(field.name().as_str()),
                ) {
                    (Some(text), _) => Source::Constant(constant_of(path, field, text)?),
                    (None, None) => {
                        planner.require_nullable(field.name(), field)?;
                        Source::Missing
                    }
                    (None, Some(column)) => {
                        let convert =
                            planner.column(field.name(), column.field, field, column.first_leaf)?;
                        read.insert(column.first_leaf);
                        Source::File {
                            index: column.first_leaf,
                            convert,
                        }
                    }
                },
            );
        }
        // Columns are read in the order of the file; until here their first leaf stood for them.
        for column in &mut columns {
            if let Source::File { index, .. } = column {
                *index = read.range(..*index).count();
            }
        }
        let projection = ProjectionMask::leaves(file.parquet_schema(), planner.leaves);
        let mut plan = Self {
            path: Arc::clone(path),
            schema,
            columns,
            output: Arc::clone(&options.schema),
            predicate: options.predicate.clone().filter(|p| *p != Predicate::True),
            commit_times: options.commit_times.clone(),
            projection,
            row_groups: Vec::new(),
        };
        plan.row_groups = plan.prune(file, &in_file, &options.constants)?;
        Ok(plan)
    }

    fn prune(
        &self,
        file: &ArrowReaderMetadata,
        in_file: &BTreeMap<&str, FileColumn<'_>>,
        constants: &BTreeMap<String, ScalarText>,
    ) -> Result<Vec<usize>> {
        let metadata = file.metadata();
        let row_counts: Vec<u64> = metadata
            .row_groups()
            .iter()
            .map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX))
            .collect();
        let mut keep: Vec<bool> = row_counts.iter().map(|rows| *rows > 0).collect();
        let facts = |column: &str| -> Result<Arc<Facts>> {
            let Ok(wanted) = self.schema.field_with_name(column) else {
                return Ok(Arc::new(Facts::Unknown));
            };
            if constants.contains_key(column) {
                return Ok(Arc::new(Facts::Unknown));
            }
            Ok(Arc::new(match in_file.get(column) {
                None => Facts::AllNull,
                Some(column) => Facts::load(
                    metadata,
                    column.first_leaf,
                    column.field,
                    wanted.data_type(),
                ),
            }))
        };
        if let Some(predicate) = &self.predicate {
            let pruner = Pruner {
                row_counts: row_counts.clone(),
                facts: &facts,
            };
            and(&mut keep, &pruner.keep(predicate)?);
        }
        if let Some(times) = &self.commit_times {
            let facts = facts(columns::COMMIT_TIME)?;
            and(
                &mut keep,
                &keep_commit_times(&facts, row_counts.len(), times)?,
            );
        }
        Ok(keep
            .iter()
            .enumerate()
            .filter(|(_, keep)| **keep)
            .map(|(group, _)| group)
            .collect())
    }

    /// A batch as decoded to the rows and columns asked for; `None` when no row is left.
    pub(crate) fn apply(&self, read: &RecordBatch) -> Result<Option<RecordBatch>> {
        let rows = read.num_rows();
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (source, field) in self.columns.iter().zip(self.schema.fields()) {
            arrays.push(self.column(source, field, read)?);
        }
        let row_count = arrow::array::RecordBatchOptions::new().with_row_count(Some(rows));
        let full = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &row_count)
            .map_err(|error| self.value_error("", error.to_string()))?;
        let full = match self.mask(&full)? {
            Some(mask) if mask.true_count() == 0 => return Ok(None),
            Some(mask) if mask.true_count() < rows => filter_record_batch(&full, &mask)
                .map_err(|error| Error::internal(format!("filtering a batch: {error}")))?,
            _ => full,
        };
        if full.num_rows() == 0 {
            return Ok(None);
        }
        let wanted: Vec<usize> = (0..self.output.fields().len()).collect();
        let narrow = full
            .project(&wanted)
            .and_then(|batch| batch.with_schema(Arc::clone(&self.output)))
            .map_err(|error| Error::internal(format!("projecting a batch: {error}")))?;
        Ok(Some(narrow))
    }

    fn column(&self, source: &Source, field: &FieldRef, read: &RecordBatch) -> Result<ArrayRef> {
        match source {
            Source::Missing => Ok(new_null_array(field.data_type(), read.num_rows())),
            Source::Constant(one) => repeat(one, read.num_rows())
                .map_err(|detail| self.value_error(field.name(), detail)),
            Source::File { index, convert } => {
                let array = read.columns().get(*index).ok_or_else(|| {
                    Error::internal(format!("column '{}' was not decoded", field.name()))
                })?;
                let column =
                    convert
                        .apply(array, field.data_type())
                        .map_err(|(path, detail)| {
                            self.value_error(&format!("{}{path}", field.name()), detail)
                        })?;
                if !field.is_nullable() && column.null_count() > 0 {
                    let detail = "null in a column that the table declares as required";
                    return Err(self.value_error(field.name(), detail.to_owned()));
                }
                Ok(column)
            }
        }
    }

    /// The rows that pass all filters; `None` when there is no filter.
    fn mask(&self, full: &RecordBatch) -> Result<Option<BooleanArray>> {
        let mut mask = match &self.predicate {
            Some(predicate) => Some(no_nulls(&evaluate(predicate, full)?)),
            None => None,
        };
        if let Some(times) = &self.commit_times {
            let written = written_at(full, times)?;
            mask = Some(match mask {
                Some(mask) => and_kleene(&mask, &written)
                    .map_err(|error| Error::internal(format!("combining filters: {error}")))?,
                None => written,
            });
        }
        Ok(mask)
    }

    fn value_error(&self, column: &str, detail: String) -> Error {
        Error::Value {
            path: self.path.to_string(),
            column: column.to_owned(),
            detail,
        }
    }
}

fn and(all: &mut [bool], one: &[bool]) {
    for (all, one) in all.iter_mut().zip(one) {
        *all &= one;
    }
}

/// The columns wanted, then those that only the predicate and the commit-time filter look at.
fn full_schema(options: &ReadOptions) -> Result<SchemaRef> {
    let mut fields: Vec<FieldRef> = options.schema.fields().iter().cloned().collect();
    let has = |fields: &[FieldRef], name: &str| fields.iter().any(|f| f.name() == name);
    for column in options.predicate.iter().flat_map(Predicate::columns) {
        let root = column.split('.').next().unwrap_or(column);
        if has(&fields, column) || (options.schema.field_with_name(root).is_ok() && root != column)
        {
            continue;
        }
        let known = options.table_schema.as_ref().and_then(|schema| {
            let named = |name| schema.fields().iter().find(|f| f.name() == name);
            named(column).or_else(|| named(root))
        });
        let field = known.ok_or_else(|| Error::UnknownColumn {
            column: column.to_owned(),
        })?;
        if !has(&fields, field.name()) {
            fields.push(Arc::clone(field));
        }
    }
    if options.commit_times.is_some() && !has(&fields, columns::COMMIT_TIME) {
        let text = arrow::datatypes::DataType::Utf8;
        fields.push(Arc::new(Field::new(columns::COMMIT_TIME, text, true)));
    }
    Ok(Arc::new(Schema::new(fields)))
}

fn file_columns(schema: &Schema) -> BTreeMap<&str, FileColumn<'_>> {
    let mut first_leaf = 0;
    let mut found = BTreeMap::new();
    for field in schema.fields() {
        found
            .entry(field.name().as_str())
            .or_insert(FileColumn { field, first_leaf });
        first_leaf += leaf_count(field.data_type());
    }
    found
}

fn constant_of(path: &Arc<str>, field: &Field, text: &ScalarText) -> Result<ArrayRef> {
    let value = constant(text.as_deref(), field.data_type()).map_err(|detail| Error::Value {
        path: path.to_string(),
        column: field.name().clone(),
        detail,
    })?;
    if value.null_count() > 0 && !field.is_nullable() {
        return Err(Error::MissingColumn {
            path: path.to_string(),
            column: field.name().clone(),
        });
    }
    Ok(value)
}

fn no_nulls(mask: &BooleanArray) -> BooleanArray {
    match mask.nulls() {
        Some(nulls) => BooleanArray::new(mask.values() & nulls.inner(), None),
        None => mask.clone(),
    }
}

/// Rows whose commit time is one of `times`. Equal times come in runs: one look-up for each run.
fn written_at(batch: &RecordBatch, times: &BTreeSet<String>) -> Result<BooleanArray> {
    let column = batch.column_by_name(columns::COMMIT_TIME);
    let texts = column
        .and_then(|column| column.as_string_opt::<i32>())
        .ok_or_else(|| Error::internal("no commit times to filter by"))?;
    let mut last: Option<(&str, bool)> = None;
    let set = BooleanBuffer::collect_bool(texts.len(), |row| {
        if texts.is_null(row) {
            return false;
        }
        let time = texts.value(row);
        match last {
            Some((before, answer)) if before == time => answer,
            _ => {
                let answer = times.contains(time);
                last = Some((time, answer));
                answer
            }
        }
    });
    Ok(BooleanArray::new(set, None))
}
