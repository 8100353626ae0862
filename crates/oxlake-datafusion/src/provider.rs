//! One query type on one table, as a DataFusion table.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use chrono::DateTime;
use datafusion::catalog::{Session, TableProvider};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use object_store::ObjectMeta;
use oxlake_model::Predicate;
use oxlake_scan::{FileSliceScan, Query, QueryKind, ScanPlan, plan_scan};
use oxlake_table::MetaClient;

use crate::error::Result;
use crate::predicate::translate;
use crate::source::SliceSource;

/// A table as one query type shows it: its latest snapshot, a moment of its past, or what changed
/// in a range.
///
/// The columns are fixed when the table is made; which files are read is decided anew for each
/// query, so a session that keeps the table sees later commits.
pub struct QueryTable {
    meta: Arc<MetaClient>,
    kind: QueryKind,
    schema: SchemaRef,
}

impl QueryTable {
    /// A table that answers queries of `kind`. Nothing but the timeline is read: whether the query
    /// can be answered (files may have been cleaned, a feature not be built) shows when it is run.
    ///
    /// # Errors
    /// [`Error::Table`](crate::Error::Table) if the timeline cannot be read, or the table has no schema yet.
    pub async fn try_new(meta: Arc<MetaClient>, kind: QueryKind) -> Result<Self> {
        let schema = match &kind {
            QueryKind::TimeTravel(time) => meta.table_schema_at(time).await?,
            _ => meta.table_schema().await?,
        };
        Ok(Self {
            meta,
            kind,
            schema: schema.arrow,
        })
    }

    /// The columns, meta columns first.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn plan(&self, filters: &[Expr], limit: Option<usize>) -> Result<ScanPlan> {
        let translated = filters
            .iter()
            .filter_map(|filter| translate(filter, &self.schema));
        let predicate = translated.fold(Predicate::True, Predicate::and);
        let predicate = (predicate != Predicate::True).then_some(predicate);
        let query = Query {
            predicate,
            limit,
            ..Query::new(self.kind.clone())
        };
        Ok(plan_scan(&self.meta, &query).await?)
    }

    /// The slice as a file of the plan: named by its base file, whole in the extension.
    fn file(&self, scan: &FileSliceScan) -> Result<PartitionedFile> {
        let slice = &scan.slice;
        let (path, size_bytes) = match &slice.base_file {
            Some(base) => (base.path(), base.size_bytes),
            None => (format!("{}/{}", slice.partition, slice.file_id), 0),
        };
        let location = self.meta.storage().location(&path)?;
        let mut file = PartitionedFile::new_from_meta(ObjectMeta {
            location,
            size: size_bytes,
            last_modified: DateTime::UNIX_EPOCH,
            e_tag: None,
            version: None,
        });
        file.extensions.insert(scan.clone());
        Ok(file)
    }
}

#[async_trait]
impl TableProvider for QueryTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> DataFusionResult<Vec<TableProviderFilterPushDown>> {
        let support = |filter: &&Expr| match translate(filter, &self.schema) {
            Some(_) => TableProviderFilterPushDown::Exact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let plan = self.plan(filters, limit).await?;
        if plan.slices.is_empty() {
            let schema = match projection {
                Some(columns) => Arc::new(self.schema.project(columns)?),
                None => Arc::clone(&self.schema),
            };
            return Ok(Arc::new(EmptyExec::new(schema)));
        }
        let storage = self.meta.storage();
        let url = ObjectStoreUrl::parse(storage.object_store_url())?;
        if state.runtime_env().object_store(&url).is_err() {
            state
                .runtime_env()
                .register_object_store(url.as_ref(), storage.object_store());
        }
        let files = plan
            .slices
            .iter()
            .map(|slice| self.file(slice))
            .collect::<Result<Vec<_>>>()?;
        let source = Arc::new(SliceSource::new(&plan, Arc::clone(&self.schema)));
        let config = FileScanConfigBuilder::new(url, source)
            .with_file_groups(
                files
                    .into_iter()
                    .map(|file| FileGroup::new(vec![file]))
                    .collect(),
            )
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            // No partition takes files of another: rows keep the order of the slices.
            .with_preserve_order(true)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}

impl fmt::Debug for QueryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryTable")
            .field("table", &self.meta.storage().url())
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
