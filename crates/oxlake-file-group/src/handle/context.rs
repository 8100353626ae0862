//! What all handles of one write share.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use oxlake_config::{TableConfig, WriteOptions};
use oxlake_env::Env;
use oxlake_merge::Merger;
use oxlake_model::{InstantTime, META_COLUMNS};
use oxlake_storage::Storage;

use crate::base::{BaseFileSchema, BaseFileWriterOptions};
use crate::error::Result;

/// What all handles of one write share; cheap to clone.
#[derive(Debug, Clone)]
pub struct HandleContext {
    /// The table's storage.
    pub storage: Storage,
    /// Clock, ids and limits.
    pub env: Env,
    /// The instant of the write.
    pub instant: InstantTime,
    /// The schema of the files.
    pub schema: Arc<BaseFileSchema>,
    /// The columns that incoming rows have: those of the files without the meta columns.
    pub data_schema: SchemaRef,
    /// Which of two rows with one key survives.
    pub merger: Arc<Merger>,
    /// How files are encoded.
    pub writer_options: BaseFileWriterOptions,
}

impl HandleContext {
    /// A context for one write.
    ///
    /// `arrow` is the table schema with the five meta columns first, `avro` the same without them.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`](crate::Error::Schema) and [`Error::ColumnType`](crate::Error::ColumnType) for a
    /// schema that base files cannot have, [`Error::Merge`](crate::Error::Merge) for a merge rule we do
    /// not have.
    pub fn try_new(
        storage: Storage,
        env: Env,
        config: &TableConfig,
        options: &WriteOptions,
        instant: InstantTime,
        avro: &oxlake_avro::Schema,
        arrow: SchemaRef,
    ) -> Result<Self> {
        let data_fields: Vec<_> = arrow
            .fields()
            .iter()
            .skip(META_COLUMNS.len())
            .cloned()
            .collect();
        let merger = Merger::try_new(config, &arrow)?;
        let limits = &env.limits;
        // A writer holds the encoded row group and a copy while it is handed over.
        let share = limits.memory_bytes / (4 * limits.write_concurrency.max(1) as u64);
        let mut writer_options = BaseFileWriterOptions::from(options);
        let parquet = &mut writer_options.parquet;
        parquet.block_size_bytes = parquet.block_size_bytes.min(share.max(4 << 20));
        Ok(Self {
            storage,
            env,
            instant,
            schema: Arc::new(BaseFileSchema::try_new(arrow, avro)?),
            data_schema: Arc::new(Schema::new(data_fields)),
            merger: Arc::new(merger),
            writer_options,
        })
    }
}
