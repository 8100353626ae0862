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
            custom => return Err(Error::CustomMerge { rule: format!("{custom:?}") }),
        };
        let property = |name: &str| {
            let prefixed = format!("hoodie.record.merge.property.{name}");
            config.properties().get(&prefixed).or_else(|| config.properties().get(name))
        };
        if let Some(mode) = config.properties().get("hoodie.table.partial.update.mode") {
            return Err(Error::CustomMerge { rule: format!("partial update mode {mode}") });
        }
        let deletes = DeleteRule::try_new(
            schema,
            property("hoodie.payload.delete.field"),
            property("hoodie.payload.delete.marker"),
        )?;
        Ok(Self { ordering: OrderingEncoder::try_new(fields, schema)?, deletes })
    }

    /// Commit-time ordering without custom delete markers: the later row always wins.
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
    pub fn ordering(&self, batch: &RecordBatch) -> Result<OrderingValues> {
        self.ordering.encode(batch)
    }

    /// Which rows of a batch are deletes (spec 02 §6.7); `None` when none can be.
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
        Ok(rows.finish().into_iter().next().unwrap_or_else(|| UInt32Array::from(Vec::<u32>::new())))
    }

    /// Whether `new` replaces `old`, both rows of one input (spec 02 §6.5, `deltaMerge`).
    pub(crate) fn replaces(
        &self,
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
