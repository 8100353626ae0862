//! [`MetaClient`]: the handle on a table.

use std::sync::Arc;

use oxlake_config::{TableConfig, TableSpec};
use oxlake_env::Env;
use oxlake_model::{FileSystemView, InstantTime, PartitionPath, Timeline};
use oxlake_storage::Storage;
use oxlake_timeline::TimelineStore;

use crate::{
    Error, FileLister, Result, StorageLister, TableSchema, TableSnapshot, load_view,
    properties_file, snapshot, table_folders, table_schema,
};

/// The table format that is described by the table itself, not by a plug-in.
const NATIVE: &str = "native";

/// An opened table. Cheap to clone; the settings are those of the moment it was opened.
///
/// ```
/// # use oxlake_table::MetaClient;
/// # async fn run(storage: oxlake_storage::Storage) -> oxlake_table::Result<()> {
/// let table = MetaClient::open(storage, oxlake_env::Env::system()).await?;
/// let snapshot = table.load_snapshot().await?;
/// let view = table.load_view(&snapshot, None).await?;
/// println!("{} slices", view.latest_slices().len());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct MetaClient {
    storage: Storage,
    env: Env,
    config: Arc<TableConfig>,
    timeline_store: Arc<TimelineStore>,
}

impl MetaClient {
    /// Opens the table in the folder of `storage`.
    ///
    /// Reads `hoodie.properties`, or its backup while somebody updates it (spec 01 §2.3).
    ///
    /// # Errors
    /// [`Error::NotATable`]; [`Error::Properties`] when they and their backup are damaged; unknown table versions
    /// and layouts and plug-in formats are refused by name; those of storage. A table with files that cannot
    /// be read opens: [`TableConfig::check_readable`] tells.
    #[tracing::instrument(name = "open", skip_all, fields(table = storage.url()))]
    pub async fn open(storage: Storage, env: Env) -> Result<Self> {
        let properties = properties_file::read(&storage, &env).await?;
        let config = TableConfig::try_from_properties(properties)?;
        if config.table_format() != NATIVE {
            config.check_readable()?;
        }
        Ok(Self::with_config(storage, env, config))
    }

    /// Makes a new table: its folders where folders exist, and last `hoodie.properties`, which of several
    /// creators only one can write.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] when there is a table; a spec that cannot be; those of storage.
    #[tracing::instrument(name = "create", skip_all, fields(table = storage.url()))]
    pub async fn create(storage: Storage, env: Env, spec: TableSpec) -> Result<Self> {
        if properties_file::exists(&storage).await? {
            return Err(Error::AlreadyExists {
                url: storage.url().to_owned(),
            });
        }
        let properties = spec.to_properties()?;
        let config = TableConfig::try_from_properties(properties.clone())?;
        table_folders::create(&storage, &config).await?;
        properties_file::create(&storage, &env, &properties).await?;
        Ok(Self::with_config(storage, env, config))
    }

    fn with_config(storage: Storage, env: Env, config: TableConfig) -> Self {
        let timeline_store = TimelineStore::new(storage.clone(), &config, env.clone());
        Self {
            storage,
            env,
            config: Arc::new(config),
            timeline_store: Arc::new(timeline_store),
        }
    }

    /// Reads the properties again, as a long-lived writer must before each write: another engine may have upgraded
    /// the table or given it a metadata table meanwhile. What is cached of the timeline stays while they are equal.
    ///
    /// # Errors
    /// As [`MetaClient::open`].
    pub async fn refresh(&mut self) -> Result<()> {
        let properties = properties_file::read(&self.storage, &self.env).await?;
        if properties != *self.config.properties() {
            let config = TableConfig::try_from_properties(properties)?;
            config.check_readable()?;
            *self = Self::with_config(self.storage.clone(), self.env.clone(), config);
        }
        Ok(())
    }

    /// Settings of the table.
    pub fn config(&self) -> &Arc<TableConfig> {
        &self.config
    }

    /// The folder of the table.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The files of the timeline.
    pub fn timeline_store(&self) -> &Arc<TimelineStore> {
        &self.timeline_store
    }

    /// The world.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// The state of the table now: one listing of the timeline, and the plans and replace commits it names.
    ///
    /// # Errors
    /// A downgrade that stopped half way, damaged plans and metadata; those of storage.
    #[tracing::instrument(skip_all, fields(table = self.storage.url()))]
    pub async fn load_snapshot(&self) -> Result<TableSnapshot> {
        snapshot::load(self).await
    }

    /// The state of the table at a timeline that the caller has just listed: only the plans and replace commits
    /// it names are read.
    ///
    /// # Errors
    /// As [`MetaClient::load_snapshot`].
    pub async fn snapshot_of(&self, timeline: Timeline) -> Result<TableSnapshot> {
        snapshot::of(self, timeline).await
    }

    /// The newest schema, over a snapshot loaded for it.
    ///
    /// # Errors
    /// As [`MetaClient::snapshot_schema`].
    pub async fn table_schema(&self) -> Result<TableSchema> {
        self.snapshot_schema(&self.load_snapshot().await?, None)
            .await
    }

    /// The schema as of an instant, over a snapshot loaded for it.
    ///
    /// # Errors
    /// As [`MetaClient::snapshot_schema`].
    pub async fn table_schema_at(&self, at: &InstantTime) -> Result<TableSchema> {
        self.snapshot_schema(&self.load_snapshot().await?, Some(at))
            .await
    }

    /// The newest schema of a snapshot, or that of the newest write requested at or before `at`. Before the
    /// first write it is the one the table was made with, else the newest.
    ///
    /// # Errors
    /// [`Error::NoSchema`] for a table that never had one; damaged metadata; those of storage.
    #[tracing::instrument(skip_all, fields(table = self.storage.url()))]
    pub async fn snapshot_schema(
        &self,
        snapshot: &TableSnapshot,
        at: Option<&InstantTime>,
    ) -> Result<TableSchema> {
        table_schema::resolve(self, snapshot, at).await
    }

    /// A lister that looks at storage, for one view.
    pub fn lister(&self) -> StorageLister {
        StorageLister::new(self.storage.clone(), self.env.limits.io_concurrency)
    }

    /// The file groups of some partitions, or of all.
    ///
    /// # Errors
    /// Those of storage, and of the history when log files of archived instants need it.
    #[tracing::instrument(skip_all, fields(table = self.storage.url()))]
    pub async fn load_view(
        &self,
        snapshot: &TableSnapshot,
        partitions: Option<&[PartitionPath]>,
    ) -> Result<FileSystemView> {
        let lister = self.lister();
        if let Some(partitions) = partitions {
            return self.load_view_with(snapshot, &lister, partitions).await;
        }
        let partitions = lister.partitions(&|_| true).await?;
        self.load_view_with(snapshot, &lister, &partitions).await
    }

    /// The file groups of some partitions as a lister knows them.
    ///
    /// # Errors
    /// As [`MetaClient::load_view`].
    pub async fn load_view_with(
        &self,
        snapshot: &TableSnapshot,
        lister: &dyn FileLister,
        partitions: &[PartitionPath],
    ) -> Result<FileSystemView> {
        load_view::load(self, snapshot, lister, partitions).await
    }
}
