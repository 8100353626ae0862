//! A session whose SQL reads tables by their path or URL.
//!
//! `select … from '/data/trips'` and `… from "s3://bucket/trips"` open the table there and read its
//! latest snapshot. A path that ends in `.parquet`, `.csv` or `.json` is read as such a file, so
//! that tables can be joined with files.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::catalog::{DynamicFileCatalog, UrlTableFactory};
use datafusion::datasource::TableProvider;
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::execution::context::{SQLOptions, SessionContext};
use datafusion::prelude::{DataFrame, Expr, SessionConfig, ident};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use oxlake_env::Env;

use crate::error::{Error, Result};
use crate::provider::QueryTable;
use crate::url_table::PathTables;

/// A DataFusion session over tables in any storage.
///
/// Cheap to clone; clones share what is registered.
#[derive(Clone)]
pub struct Session {
    context: SessionContext,
}

/// The answer of a query: its columns, and its rows as they come.
pub struct Rows {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows, in the order of the query.
    pub batches: BoxStream<'static, Result<RecordBatch>>,
}

/// DataFusion's own session, in which a path or URL in quotes is a table; storages get their
/// settings from the process's environment.
pub fn session(env: &Env) -> SessionContext {
    Session::new(env, &BTreeMap::new()).context
}

impl Session {
    /// A session in the world of `env`; `conf` holds the options of storages (credentials,
    /// endpoints).
    pub fn new(env: &Env, conf: &BTreeMap<String, String>) -> Self {
        let config = SessionConfig::new()
            .with_information_schema(true)
            .with_target_partitions(env.limits.write_concurrency.max(1));
        let context = SessionContext::new_with_config(config);
        let files = Arc::new(DynamicListTableFactory::default());
        let paths = PathTables::new(env.clone(), conf.clone(), Arc::clone(&files));
        let catalogs = Arc::clone(context.state_ref().read().catalog_list());
        let catalogs =
            DynamicFileCatalog::new(catalogs, Arc::new(paths) as Arc<dyn UrlTableFactory>);
        let state = context
            .into_state_builder()
            .with_catalog_list(Arc::new(catalogs))
            .build();
        let context = SessionContext::new_with_state(state);
        files.session_store().with_state(context.state_weak_ref());
        Self { context }
    }

    /// The session as DataFusion's own type, to register functions and tables or to build plans.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Gives a table a name of its own in this session's SQL.
    ///
    /// # Errors
    /// [`Error::DataFusion`] if the name is taken.
    pub fn register(&self, name: &str, table: QueryTable) -> Result<()> {
        self.context.register_table(name, Arc::new(table))?;
        Ok(())
    }

    /// Runs one query. Statements that change anything are refused.
    ///
    /// # Errors
    /// [`Error::DataFusion`] if the text is not a query or names what does not exist; errors of
    /// reading come with the rows.
    pub async fn sql(&self, text: &str) -> Result<Rows> {
        let read_only = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        Self::run(self.context.sql_with_options(text, read_only).await?).await
    }

    /// Reads `columns` of the rows of `table` for which the SQL condition `filter` holds.
    ///
    /// Conditions and columns are pushed into the scan as far as it can use them.
    ///
    /// # Errors
    /// [`Error::Filter`] for a condition that is not SQL or names unknown columns,
    /// [`Error::DataFusion`] for an unknown column; errors of reading come with the rows.
    pub async fn select(
        &self,
        table: QueryTable,
        filter: Option<&str>,
        columns: Option<&[String]>,
        limit: Option<usize>,
    ) -> Result<Rows> {
        let mut frame = self
            .context
            .read_table(Arc::new(table) as Arc<dyn TableProvider>)?;
        if let Some(text) = filter {
            let condition = self.condition(text, &frame)?;
            frame = frame.filter(condition)?;
        }
        if let Some(columns) = columns {
            frame = frame.select(columns.iter().map(ident).collect::<Vec<Expr>>())?;
        }
        Self::run(frame.limit(0, limit)?).await
    }

    fn condition(&self, text: &str, frame: &DataFrame) -> Result<Expr> {
        self.context
            .parse_sql_expr(text, frame.schema())
            .map_err(|error| Error::Filter {
                text: text.to_owned(),
                problem: crate::error::plain_message(&error),
            })
    }

    async fn run(frame: DataFrame) -> Result<Rows> {
        let stream = frame.execute_stream().await?;
        Ok(Rows {
            schema: stream.schema(),
            batches: stream.map_err(Error::from).boxed(),
        })
    }
}

impl Rows {
    /// All rows at once; for answers known to be small.
    ///
    /// # Errors
    /// The first error of reading.
    pub async fn collect(self) -> Result<Vec<RecordBatch>> {
        self.batches.try_collect().await
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.context.session_id())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
