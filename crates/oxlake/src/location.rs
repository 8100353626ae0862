//! Where a table is, or will be.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use oxlake_config::TableSpec;
use oxlake_env::Env;
use oxlake_model::ErrorKind;
use oxlake_storage::Storage;
use oxlake_table::MetaClient;

use crate::error::Result;
use crate::table::Table;

/// A place with settings: opens the table there, or makes one.
///
/// ```no_run
/// # async fn example() -> oxlake::Result<()> {
/// use oxlake::Table;
///
/// let table = Table::at("s3://lake/trips")
///     .conf("aws_endpoint", "http://127.0.0.1:9000")
///     .conf("hoodie.parquet.max.file.size", "67108864")
///     .open()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Location {
    url: String,
    conf: BTreeMap<String, String>,
    env: Env,
}

impl Location {
    pub(crate) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            conf: BTreeMap::new(),
            env: Env::system(),
        }
    }

    /// A setting: of the storage (credentials, endpoint) or of writers (`hoodie.…`).
    #[must_use]
    pub fn conf(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.conf.insert(key.into(), value.into());
        self
    }

    /// All settings at once, in place of those given before.
    #[must_use]
    pub fn with_conf(mut self, conf: BTreeMap<String, String>) -> Self {
        self.conf = conf;
        self
    }

    /// Another clock, source of ids or limits than the system's.
    #[must_use]
    pub fn with_env(mut self, env: Env) -> Self {
        self.env = env;
        self
    }

    /// Opens the table.
    ///
    /// # Errors
    /// Kind `NotFound` if there is no table, `Unsupported` if it is of a version that is not known,
    /// `Unavailable` or `Config` if the storage cannot be used.
    pub async fn open(self) -> Result<Table> {
        let storage = Storage::open(&self.url, &self.conf)?;
        let meta = MetaClient::open(storage, self.env).await?;
        Ok(Table::new(Arc::new(meta), self.conf))
    }

    /// Makes an empty table.
    ///
    /// # Errors
    /// Kind `AlreadyExists` if there is a table already.
    pub async fn create(self, spec: TableSpec) -> Result<Table> {
        let storage = Storage::open(&self.url, &self.conf)?;
        let meta = MetaClient::create(storage, self.env, spec).await?;
        Ok(Table::new(Arc::new(meta), self.conf))
    }

    /// Opens the table, or makes it if there is none. Two callers at once get the same table.
    ///
    /// # Errors
    /// As [`Location::open`]. A table that exists is not compared with `spec`.
    pub async fn open_or_create(self, spec: TableSpec) -> Result<Table> {
        match self.clone().open().await {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        match self.clone().create(spec).await {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.open().await,
            created => created,
        }
    }
}

/// Settings may hold credentials and are not shown.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Location")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}
