//! How a scan is run: one file slice is one file, and one file is one partition.
//!
//! This is the shape that engines which distribute a plan split correctly: a [`DataSourceExec`]
//! over a [`FileScanConfig`] whose files carry their slice as an extension. A slice is read as a
//! whole; an engine that cuts a file into byte ranges would read it several times, so a range is
//! refused.
//!
//! [`DataSourceExec`]: datafusion::datasource::source::DataSourceExec

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::internal_datafusion_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{
    FileOpenFuture, FileOpener, FileScanConfig, FileSource,
};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::DisplayFormatType;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::future::ready;
use futures::{FutureExt, StreamExt, TryStreamExt};
use object_store::ObjectStore;
use oxlake_scan::{FileSliceScan, ScanPlan};

use crate::error::Error;
use crate::predicate::Sql;

/// Reads the slices of one [`ScanPlan`].
#[derive(Clone)]
pub(crate) struct SliceSource {
    /// What to read of each slice; the slices themselves travel with the files.
    plan: Arc<ScanPlan>,
    table_schema: TableSchema,
    projection: SplitProjection,
    batch_size: Option<usize>,
    metrics: ExecutionPlanMetricsSet,
}

impl SliceSource {
    /// A source of all columns of `schema`, for slices of `plan`.
    pub(crate) fn new(plan: &ScanPlan, schema: SchemaRef) -> Self {
        let table_schema = TableSchema::from(schema);
        let mut plan = plan.clone();
        plan.slices.clear();
        Self {
            plan: Arc::new(plan),
            projection: SplitProjection::unprojected(&table_schema),
            table_schema,
            batch_size: None,
            metrics: ExecutionPlanMetricsSet::new(),
        }
    }

    /// The columns read, in the order of the table.
    fn read_schema(&self) -> DataFusionResult<SchemaRef> {
        let schema = self
            .table_schema
            .file_schema()
            .project(&self.projection.file_indices)?;
        Ok(Arc::new(schema))
    }
}

impl FileSource for SliceSource {
    fn create_file_opener(
        &self,
        _object_store: Arc<dyn ObjectStore>,
        _config: &FileScanConfig,
        _partition: usize,
    ) -> DataFusionResult<Arc<dyn FileOpener>> {
        let mut plan = ScanPlan::clone(&self.plan);
        plan.schema = self.read_schema()?;
        plan.batch_size = self.batch_size;
        let opener = SliceOpener { plan };
        let file_schema = self.table_schema.file_schema();
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), file_schema)
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(Self {
            batch_size: Some(batch_size),
            ..self.clone()
        })
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn try_pushdown_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> DataFusionResult<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.table_schema.file_schema(), &merged);
        Ok(Some(Arc::new(Self {
            projection,
            ..self.clone()
        })))
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &'static str {
        "hudi"
    }

    fn fmt_extra(&self, _kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.plan.report;
        if let Some(instant) = &self.plan.instant {
            write!(f, ", instant={instant}")?;
        }
        if let Some(predicate) = &self.plan.predicate {
            write!(f, ", predicate={}", Sql(predicate))?;
        }
        write!(
            f,
            ", partitions={}, pruned={}",
            report.partition_count, report.pruned_partition_count
        )
    }

    /// A slice is read by one task.
    fn supports_repartitioning(&self) -> bool {
        false
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        let mut step = TreeNodeRecursion::Continue;
        for projected in &self.projection.source {
            step = f(&projected.expr)?;
            if step == TreeNodeRecursion::Stop {
                break;
            }
        }
        Ok(step)
    }
}

/// Opens one slice.
struct SliceOpener {
    /// The plan with the columns to read, without slices.
    plan: ScanPlan,
}

impl FileOpener for SliceOpener {
    fn open(&self, file: PartitionedFile) -> DataFusionResult<FileOpenFuture> {
        let path = &file.object_meta.location;
        if let Some(range) = &file.range {
            return Err(internal_datafusion_err!(
                "a file slice is read as a whole, but bytes {} to {} of {path} were asked for; the engine \
                 that runs this plan must not split files by size",
                range.start,
                range.end
            ));
        }
        let slice = file
            .extensions
            .get::<FileSliceScan>()
            .cloned()
            .ok_or_else(|| {
                internal_datafusion_err!("the file {path} of the plan carries no file slice")
            })?;
        let mut plan = self.plan.clone();
        plan.slices.push(slice);
        let batches = plan
            .execute(0)
            .map_err(|error| Error::from(error).into())
            .boxed();
        Ok(ready(Ok(batches)).boxed())
    }
}
