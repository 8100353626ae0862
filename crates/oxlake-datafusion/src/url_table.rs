//! Tables named by a path or URL in quotes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::UrlTableFactory;
use datafusion::datasource::TableProvider;
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::error::Result as DataFusionResult;
use oxlake_env::Env;
use oxlake_model::ErrorKind;
use oxlake_scan::QueryKind;
use oxlake_storage::Storage;
use oxlake_table::MetaClient;

use crate::error::Result;
use crate::provider::QueryTable;

/// Opens what a quoted name in SQL points to.
pub(crate) struct PathTables {
    env: Env,
    conf: BTreeMap<String, String>,
    files: Arc<DynamicListTableFactory>,
}

impl PathTables {
    pub(crate) fn new(
        env: Env,
        conf: BTreeMap<String, String>,
        files: Arc<DynamicListTableFactory>,
    ) -> Self {
        Self { env, conf, files }
    }

    async fn open_table(&self, url: &str) -> Result<QueryTable> {
        let storage = Storage::open(url, &self.conf)?;
        let meta = MetaClient::open(storage, self.env.clone()).await?;
        QueryTable::try_new(Arc::new(meta), QueryKind::Snapshot).await
    }
}

/// Settings may hold credentials and are not shown.
impl fmt::Debug for PathTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathTables").finish_non_exhaustive()
    }
}

#[async_trait]
impl UrlTableFactory for PathTables {
    async fn try_new(&self, url: &str) -> DataFusionResult<Option<Arc<dyn TableProvider>>> {
        if names_a_file(url) {
            return self.files.try_new(url).await;
        }
        match self.open_table(url).await {
            Ok(table) => Ok(Some(Arc::new(table))),
            // A bare word that is no folder: DataFusion knows best what was meant.
            Err(error) if error.kind() == ErrorKind::NotFound && !looks_like_a_path(url) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A data file rather than the folder of a table.
fn names_a_file(url: &str) -> bool {
    const EXTENSIONS: [&str; 4] = [".parquet", ".csv", ".json", ".ndjson"];
    let name = url.to_ascii_lowercase();
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

fn looks_like_a_path(name: &str) -> bool {
    name.contains(['/', '.', ':'])
}
