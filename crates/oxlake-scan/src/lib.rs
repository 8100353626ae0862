//! From a query to a scan plan, and from the plan to streams of batches.
//!
//! ```text
//! Query ── plan_scan ──► ScanPlan ── stream / execute(i) ──► batches
//!             │             schema, slices in order of (partition, file id), what was pruned
//!             ├ snapshot_scan      newest slices, now or as of an instant
//!             ├ incremental_scan   newest files of the writes in a range, rows by commit time
//!             └ partition_filter   which folders can hold a matching row
//! ```
//!
//! Which rows a query means is decided here and in `oxlake-plan`; how a file becomes rows in
//! `oxlake-file-group`. Log files and change data capture are refused with a typed error.
//!
//! ```
//! # use futures::TryStreamExt;
//! # use oxlake_scan::{Query, plan_scan};
//! # async fn run(table: &oxlake_table::MetaClient) -> oxlake_scan::Result<()> {
//! let plan = plan_scan(table, &Query::snapshot().with_limit(10)).await?;
//! let batches: Vec<_> = plan.stream().try_collect().await?;
//! # Ok(()) }
//! ```
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod error;
mod incremental_scan;
mod ordered;
mod parse_time;
mod partition_filter;
mod plan_scan;
mod projection;
mod query;
mod range_commits;
mod scan_plan;
mod snapshot_scan;
mod watching_lister;

pub use error::{Error, Result};
pub use parse_time::{parse_begin, parse_time};
pub use plan_scan::plan_scan;
pub use query::{Query, QueryKind};
pub use scan_plan::{BatchStream, FileSliceScan, PruningReport, ScanPlan};
