//! The merge rule of a table.

use arrow::array::{BooleanArray, RecordBatch, StringArray, UInt32Array};
use arrow::datatypes::SchemaRef;
use oxlake_config::{MergeMode, TableConfig};

use crate::deduplicate::Deduplicator;
use crate::deletes::DeleteRule;
use crate::error::{Error, Result};
use crate::ordering::{OrderingEncoder, OrderingValues};

/// Decides which of two rows with the same key survives (spec 02 §6.5).
///
/// Commit-time ordering: the later row. Event-time ordering: the row with the greater ordering value,
/// the later one on a tie, where null is smallest; a delete without an ordering value always wins.
#[derive(Debug, Clone)]
pub struct Merger {
    ordering: OrderingEncoder,
    deletes: DeleteRule,
}

impl Merger {
    /// The rule of a table for rows of `schema` (with or without meta columns).
    ///
    /// # Errors
    ///
    /// [`Error::CustomMerge`] for a rule that is a JVM class, [`Error::MissingColumn`] and
    /// [`Error::ColumnType`] for an ordering field that cannot be used, [`Error::DeleteMarker`] when
    /// only one half of a custom delete marker is set.
    pub fn try_new(config: &TableConfig, schema: &SchemaRef) -> Result<Self> {
        let fields = match config.merge_mode() {
            MergeMode::CommitTime => &[],
            MergeMode::EventTime => config.ordering_fields(),
            MergeMode::Custom {
                strategy_id,
                payload_class,
            } => {
                let rule = payload_class.as_ref().or(strategy_id.as_ref());
                let rule = rule.map_or("CUSTOM", String::as_str).to_owned();
                return Err(Error::CustomMerge { rule });
            }
        };
        let property = |name: &str| {
            let prefixed = format!("hoodie.record.merge.property.{name}");
            config
                .properties()
                .get(&prefixed)
                .or_else(|| config.properties().get(name))
        };
        if let Some(mode) = config.partial_update_mode() {
            return Err(Error::CustomMerge {
                rule: format!("partial update mode {mode:?}"),
            });
        }
        let deletes = DeleteRule::try_new(
            schema,
            property("hoodie.payload.delete.field"),
            property("hoodie.payload.delete.marker"),
        )?;
        Ok(Self {
            ordering: OrderingEncoder::try_new(fields, schema)?,
            deletes,
        })
    }

    /// Commit-time ordering without custom delete markers: the later row always wins.
    ///
    /// # Errors
    ///
    /// None today; it has the signature of its siblings.
    pub fn commit_time(schema: &SchemaRef) -> Result<Self> {
        Self::event_time(&[], schema)
    }

    /// Event-time ordering by `fields`, without custom delete markers.
    ///
    /// # Errors
    ///
    /// Those of [`Merger::try_new`] about ordering fields.
    pub fn event_time(fields: &[String], schema: &SchemaRef) -> Result<Self> {
        Ok(Self {
            ordering: OrderingEncoder::try_new(fields, schema)?,
            deletes: DeleteRule::try_new(schema, None, None)?,
        })
    }

    /// The ordering values of a batch, to be compared with others of this merger.
    ///
    /// An ordering field that the batch lacks counts as null, so a batch of bare keys has the default.
    ///
    /// # Errors
    ///
    /// [`Error::Arrow`] when a value does not fit the type the merger was made for.
    pub fn ordering(&self, batch: &RecordBatch) -> Result<OrderingValues> {
        self.ordering.encode(batch)
    }

    /// Which rows of a batch are deletes (spec 02 §6.7); `None` when none can be.
    ///
    /// # Errors
    ///
    /// [`Error::ColumnType`] when the marker's column has no text.
    pub fn deletes(&self, batch: &RecordBatch) -> Result<Option<BooleanArray>> {
        self.deletes.rows(batch)
    }

    /// Whether an incoming row wins over the stored row of the same key.
    pub fn wins(
        &self,
        (stored, stored_row): (&OrderingValues, usize),
        (incoming, incoming_row): (&OrderingValues, usize),
        incoming_is_delete: bool,
    ) -> bool {
        (incoming_is_delete && incoming.is_default(incoming_row))
            || incoming.compare(incoming_row, stored, stored_row).is_ge()
    }

    /// The rows of `batch` that survive, one for each key (and partition), ascending.
    ///
    /// Rows later in the batch count as later. Deletes take part.
    ///
    /// # Errors
    ///
    /// [`Error::NullKey`] and [`Error::Length`] for keys that do not fit the batch.
    pub fn deduplicate(
        &self,
        batch: &RecordBatch,
        keys: &StringArray,
        partitions: Option<&StringArray>,
    ) -> Result<UInt32Array> {
        let mut rows = Deduplicator::new(self);
        rows.push(batch, keys, partitions)?;
        Ok(rows
            .finish()
            .into_iter()
            .next()
            .unwrap_or_else(|| UInt32Array::from(Vec::<u32>::new())))
    }

    /// Whether `new` replaces `old`, both rows of one input (spec 02 §6.5, `deltaMerge`).
    pub(crate) fn replaces(
        (old, old_row, old_deletes): (&OrderingValues, usize, bool),
        (new, new_row, new_deletes): (&OrderingValues, usize, bool),
    ) -> bool {
        let old_always_wins = old_deletes && old.is_default(old_row);
        let new_always_wins = new_deletes && new.is_default(new_row);
        if new_deletes && old_always_wins {
            return false;
        }
        old_always_wins || new_always_wins || new.compare(new_row, old, old_row).is_ge()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, StringArray};
    use arrow::datatypes::{DataType, Field, Schema};
    use oxlake_config::{Properties, TableSpec};

    use super::*;

    fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("ts", DataType::Int64, true),
            Field::new("op", DataType::Utf8, true),
        ]))
    }

    fn config(extra: &[(&str, &str)]) -> TableConfig {
        let spec = TableSpec::new("t")
            .record_key_fields(["id"])
            .ordering_fields(["ts"]);
        let mut text = spec.to_properties().unwrap().print("", "");
        for (key, value) in extra {
            text += &[*key, "=", *value, "\n"].concat();
        }
        TableConfig::try_from_properties(Properties::parse(text.as_bytes()).unwrap()).unwrap()
    }

    fn rows(rows: &[(&str, Option<i64>, &str)]) -> (RecordBatch, StringArray) {
        let keys: StringArray = rows.iter().map(|row| Some(row.0)).collect();
        let columns = vec![
            Arc::new(keys.clone()) as _,
            Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>()) as _,
            Arc::new(rows.iter().map(|row| Some(row.2)).collect::<StringArray>()) as _,
        ];
        (RecordBatch::try_new(schema(), columns).unwrap(), keys)
    }

    #[test]
    fn one_row_of_a_key_is_kept_by_event_time() {
        // Cases U12 and U33b.
        let merger = Merger::try_new(&config(&[]), &schema()).unwrap();
        let (batch, keys) = rows(&[
            ("k", Some(1), ""),
            ("k", Some(3), ""),
            ("n", None, ""),
            ("k", Some(2), ""),
            ("n", None, ""),
            ("k", None, ""),
        ]);
        let kept = merger.deduplicate(&batch, &keys, None).unwrap();
        assert_eq!(kept.values().to_vec(), [1, 4]);
    }

    #[test]
    fn a_custom_delete_marker_makes_deletes() {
        let both = [
            (
                "hoodie.record.merge.property.hoodie.payload.delete.field",
                "op",
            ),
            (
                "hoodie.record.merge.property.hoodie.payload.delete.marker",
                "D",
            ),
        ];
        let merger = Merger::try_new(&config(&both), &schema()).unwrap();
        let (batch, _) = rows(&[("a", None, "D"), ("b", None, "I")]);
        let deletes = merger.deletes(&batch).unwrap().unwrap();
        assert!(deletes.value(0) && !deletes.value(1));
        let error = Merger::try_new(&config(&both[..1]), &schema()).unwrap_err();
        assert!(matches!(error, Error::DeleteMarker), "{error}");
    }

    #[test]
    fn rules_that_are_classes_are_refused_by_name() {
        let custom = config(&[
            ("hoodie.record.merge.mode", "CUSTOM"),
            (
                "hoodie.record.merge.strategy.id",
                "00000000-0000-0000-0000-000000000000",
            ),
            ("hoodie.compaction.payload.class", "com.example.Mine"),
        ]);
        let error = Merger::try_new(&custom, &schema()).unwrap_err();
        assert!(error.to_string().contains("com.example.Mine"), "{error}");
        let partial = config(&[("hoodie.table.partial.update.mode", "IGNORE_DEFAULTS")]);
        assert!(matches!(
            Merger::try_new(&partial, &schema()),
            Err(Error::CustomMerge { .. })
        ));
    }

    #[test]
    fn keys_must_fit_the_batch() {
        let merger = Merger::commit_time(&schema()).unwrap();
        let (batch, _) = rows(&[("a", None, ""), ("b", None, "")]);
        let short = StringArray::from(vec!["a"]);
        assert!(matches!(
            merger.deduplicate(&batch, &short, None),
            Err(Error::Length { .. })
        ));
        let null = StringArray::from(vec![Some("a"), None]);
        let error = merger.deduplicate(&batch, &null, None).unwrap_err();
        assert!(matches!(error, Error::NullKey { row: 1 }));
    }
}
