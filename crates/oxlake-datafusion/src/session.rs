//! A session whose SQL reads tables by their path or URL.
//!
//! `select … from '/data/trips'` and `… from "s3://bucket/trips"` open the table there and read its
//! latest snapshot. A path that ends in `.parquet`, `.csv` or `.json` is read as such a file, so
//! that tables can be joined with files.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use datafusion::catalog::{DynamicFileCatalog, UrlTableFactory};
use datafusion::datasource::TableProvider;
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::{SQLOptions, SessionContext};
use datafusion::prelude::{DataFrame, Expr, SessionConfig, ident};
use oxlake_env::Env;

use crate::error::{Error, Result};
use crate::provider::QueryTable;
use crate::rows::Rows;
use crate::url_table::PathTables;

/// A DataFusion session over tables in any storage.
///
/// Cheap to clone; clones share what is registered.
#[derive(Clone)]
pub struct Session {
    context: SessionContext,
    /// Partitions read at once.
    concurrency: usize,
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
        let concurrency = env.limits.write_concurrency.max(1);
        let config = SessionConfig::new()
            .with_information_schema(true)
            .with_target_partitions(concurrency);
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
        Self {
            context,
            concurrency,
        }
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
        let frame = self.context.sql_with_options(text, read_only).await?;
        Ok(Rows::of_stream(frame.execute_stream().await?))
    }

    /// Reads `columns` of the rows of `table` for which the SQL condition `filter` holds.
    ///
    /// Conditions and columns are pushed into the scan as far as it can use them. The rows come by
    /// partition and file id, in the order of the files: the same question has the same answer.
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
        let context = self.ordered();
        let mut frame = context.read_table(Arc::new(table) as Arc<dyn TableProvider>)?;
        if let Some(text) = filter {
            let condition = self.condition(text, &frame)?;
            frame = frame.filter(condition)?;
        }
        if let Some(columns) = columns {
            frame = frame.select(columns.iter().map(ident).collect::<Vec<Expr>>())?;
        }
        let schema = Arc::clone(frame.schema().inner());
        let partitions = frame.execute_stream_partitioned().await?;
        Ok(Rows::of_partitions(
            schema,
            partitions,
            self.concurrency,
            limit,
        ))
    }

    /// The session without what mixes the rows of partitions.
    fn ordered(&self) -> SessionContext {
        let state = self.context.state();
        let config = state.config().clone().with_round_robin_repartition(false);
        SessionStateBuilder::new_from_existing(state)
            .with_config(config)
            .build()
            .into()
    }

    fn condition(&self, text: &str, frame: &DataFrame) -> Result<Expr> {
        self.context
            .parse_sql_expr(text, frame.schema())
            .map_err(|error| Error::Filter {
                text: text.to_owned(),
                problem: crate::error::plain_message(&error),
            })
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.context.session_id())
            .finish_non_exhaustive()
    }
}
