//! [`plan_scan`]: from a query to a plan.

use std::sync::Arc;

use oxlake_model::{Action, FileSlice, InstantTime, TableType, Timeline};
use oxlake_plan::InstantRange;
use oxlake_table::{MetaClient, TableSnapshot};

use crate::partition_filter::PartitionFilter;
use crate::scan_plan::{FileSliceScan, PruningReport, ScanPlan};
use crate::{Error, Query, QueryKind, Result, incremental_scan, projection, snapshot_scan};

/// How often a plan is made again because a cleaner was at work meanwhile.
const ATTEMPTS: usize = 3;

/// Plans a query: loads the timeline once, resolves the schema, lists the partitions that can matter and picks
/// the slices. No data file is opened. When files turn up that the timeline does not know yet, and a cleaner has
/// come in between, it begins again: the answer is always one state of the table.
///
/// # Errors
/// [`Error::UnknownColumn`]; [`Error::Cleaned`] and [`Error::RangeCleaned`] when the past is gone;
/// [`Error::HollowCommit`]; [`Error::NoCommitTimes`]; [`Error::Unsupported`] for what is not built yet; those of
/// the table.
#[tracing::instrument(skip_all, fields(table = table.storage().url()))]
pub async fn plan_scan(table: &MetaClient, query: &Query) -> Result<ScanPlan> {
    refuse_what_is_not_built(table, query)?;
    let mut snapshot = table.load_snapshot().await?;
    let mut attempt = 1;
    loop {
        let (plan, met_unknown) = plan_at(table, &snapshot, query).await?;
        if !met_unknown || attempt >= ATTEMPTS {
            return Ok(plan);
        }
        let newer = table.load_snapshot().await?;
        if !has_other_cleans(&snapshot.timeline, &newer.timeline) {
            return Ok(plan);
        }
        snapshot = newer;
        attempt += 1;
    }
}

/// Whether a cleaner may have taken files that the older timeline needs. New commits alone do no harm: their
/// files are not part of the older state.
fn has_other_cleans(older: &Timeline, newer: &Timeline) -> bool {
    let cleans = newer
        .instants()
        .iter()
        .filter(|instant| instant.action == Action::Clean);
    cleans
        .into_iter()
        .any(|clean| older.find(&clean.requested).is_none())
}

/// Plans over one state of the timeline; also says whether files were met that it does not know.
async fn plan_at(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    query: &Query,
) -> Result<(ScanPlan, bool)> {
    let as_of = match &query.kind {
        QueryKind::TimeTravel(at) => Some(at),
        _ => None,
    };
    let resolved = table.snapshot_schema(snapshot, as_of).await?;
    if resolved.by_id {
        return Err(Error::Unsupported {
            what: "tables with schema-on-read (columns renamed, retyped or dropped by ALTER TABLE) are".to_owned(),
            remedy: "read it with an engine that knows its schema history",
        });
    }
    let table_schema = resolved.arrow;
    let schema = projection::output_schema(&table_schema, query.columns.as_deref())?;
    if let Some(predicate) = &query.predicate {
        projection::check_predicate(&table_schema, predicate)?;
    }
    let filter = PartitionFilter::new(&snapshot.config, &table_schema, query.predicate.as_ref());
    let chosen = choose(table, snapshot, query, &filter).await?;

    let mut report = chosen.report;
    let slices = chosen
        .slices
        .into_iter()
        .map(|slice| {
            let constants = projection::constants(&snapshot.config, &slice.partition)?;
            Ok(FileSliceScan { slice, constants })
        })
        .collect::<Result<Vec<_>>>()?;
    let files = slices
        .iter()
        .filter_map(|scan| scan.slice.base_file.as_ref());
    report.file_count = files.clone().count();
    report.size_bytes = files.map(|file| file.size_bytes).sum();
    let plan = ScanPlan {
        schema,
        table_schema,
        slices,
        predicate: query.predicate.clone(),
        commit_times: chosen.commit_times.map(Arc::new),
        limit: query.limit,
        batch_size: query.batch_size,
        instant: chosen.instant,
        report,
        storage: table.storage().clone(),
        concurrency: table.env().limits.io_concurrency,
    };
    Ok((plan, chosen.met_unknown))
}

/// The slices of a query, by partition and file id.
struct Chosen {
    slices: Vec<FileSlice>,
    commit_times: Option<std::collections::BTreeSet<String>>,
    instant: Option<InstantTime>,
    report: PruningReport,
    met_unknown: bool,
}

async fn choose(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    query: &Query,
    filter: &PartitionFilter,
) -> Result<Chosen> {
    match &query.kind {
        QueryKind::Incremental { from, to } => {
            let range = InstantRange {
                after: from.clone(),
                until: to.clone(),
            };
            choose_changes(table, snapshot, filter, &range).await
        }
        kind => choose_state(table, snapshot, filter, kind).await,
    }
}

async fn choose_state(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    filter: &PartitionFilter,
    kind: &QueryKind,
) -> Result<Chosen> {
    let listed = snapshot_scan::list(table, snapshot, filter).await?;
    let as_of = match kind {
        QueryKind::TimeTravel(at) => Some(at),
        _ => None,
    };
    let slices = match as_of {
        Some(at) => snapshot_scan::slices_at(table, snapshot, filter, &listed.view, at).await?,
        None => listed.view.latest_slices(),
    };
    let slices = snapshot_scan::base_files_only(slices)?;
    let writes = snapshot
        .timeline
        .completed()
        .filter(|instant| instant.is_write());
    let mut times = writes.map(|instant| &instant.requested);
    let instant = times.rfind(|time| as_of.is_none_or(|at| *time <= at));
    Ok(Chosen {
        slices,
        commit_times: None,
        instant: instant.cloned(),
        report: PruningReport {
            partition_count: listed.partition_count,
            pruned_partition_count: listed.pruned_count,
            ..PruningReport::default()
        },
        met_unknown: listed.met_unknown,
    })
}

async fn choose_changes(
    table: &MetaClient,
    snapshot: &TableSnapshot,
    filter: &PartitionFilter,
    range: &InstantRange,
) -> Result<Chosen> {
    let found = incremental_scan::plan(table, snapshot, filter, range).await?;
    Ok(Chosen {
        slices: found.slices,
        commit_times: Some(found.commit_times),
        instant: found.last,
        report: PruningReport {
            partition_count: found.partition_count,
            pruned_partition_count: found.pruned_count,
            full_scan_reason: found.full_scan_reason,
            ..PruningReport::default()
        },
        met_unknown: found.met_unknown,
    })
}

fn refuse_what_is_not_built(table: &MetaClient, query: &Query) -> Result<()> {
    let config = table.config();
    config.check_readable()?;
    match &query.kind {
        QueryKind::Cdc { .. } => Err(Error::Unsupported {
            what: "change data capture queries are".to_owned(),
            remedy: "an incremental query gives the newest state of the changed rows",
        }),
        QueryKind::ReadOptimized if config.table_type() == TableType::MergeOnRead => {
            Err(Error::Unsupported {
                what: "read-optimized queries of merge-on-read tables are".to_owned(),
                remedy: "a snapshot query works as long as the table has no log files",
            })
        }
        QueryKind::Incremental { .. } if !config.populate_meta_fields() => {
            Err(Error::NoCommitTimes)
        }
        _ => Ok(()),
    }
}
