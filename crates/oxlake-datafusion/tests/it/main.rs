//! Tables through DataFusion: the JVM's answers, filters, projections, SQL by path.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod filters;
mod golden;
mod plans;
mod sql;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use oxlake_datafusion::{QueryTable, Result, Session};
use oxlake_env::Env;
use oxlake_scan::QueryKind;
use oxlake_storage::Storage;
use oxlake_table::MetaClient;
use oxlake_testkit::Fixture;

async fn meta(fixture: &Fixture) -> Arc<MetaClient> {
    let storage = Storage::open(&fixture.url(), &BTreeMap::new()).unwrap();
    Arc::new(MetaClient::open(storage, Env::system()).await.unwrap())
}

fn session() -> Session {
    Session::new(&Env::system(), &BTreeMap::new())
}

async fn table(fixture: &Fixture, kind: QueryKind) -> Result<QueryTable> {
    QueryTable::try_new(meta(fixture).await, kind).await
}

async fn sql(session: &Session, text: &str) -> Vec<RecordBatch> {
    session.sql(text).await.unwrap().collect().await.unwrap()
}

fn row_count(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// Runs an explain and gives its text.
async fn explain(session: &Session, text: &str) -> String {
    let frame = session
        .context()
        .sql(&format!("explain {text}"))
        .await
        .unwrap();
    let batches = frame.collect().await.unwrap();
    arrow::util::pretty::pretty_format_batches(&batches)
        .unwrap()
        .to_string()
}
