//! `oxlake commit show`: what one commit wrote, file by file.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use clap::Args;
use oxlake::{CommitMetadata, Instant, Table, WriteStat};

use super::query::time;
use crate::context::{self, Context};
use crate::error::{Error, Result};
use crate::output::Format;

/// What one commit wrote, file by file
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  oxlake commit show trips 20260307162434124\n\n\
    `oxlake timeline show` lists the instants."
)]
pub(crate) struct CommitShow {
    /// Folder or URL of the table
    table: String,
    /// The commit's instant
    #[arg(value_name = "TIME")]
    instant: String,
}

impl CommitShow {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let table = context.open(&self.table).await?;
        let instant = self.find(&table).await?;
        let commit = table.commit_metadata(&instant).await?;
        if context.format == Format::Table {
            context::note(&headline(&instant, &commit))?;
        }
        let all = batch(&commit)?;
        context.print_batch(&all, &all.project(&[0, 1, 3, 4, 5, 6, 7])?)
    }

    async fn find(&self, table: &Table) -> Result<Instant> {
        let wanted = time(table, "TIME", &self.instant)?;
        let timeline = table.timeline().await?;
        let found = timeline.find(&wanted).cloned();
        let told = |message: String| {
            Error::told(
                message,
                format!("oxlake timeline show {} lists the commits", self.table),
            )
        };
        match found {
            None => Err(told(format!("there is no commit at {wanted}"))),
            Some(instant) if !instant.is_completed() => Err(told(format!(
                "the {} at {wanted} is not completed",
                instant.action
            ))),
            Some(instant) if !instant.is_write() => Err(told(format!(
                "the {} at {wanted} writes no rows",
                instant.action
            ))),
            Some(instant) => Ok(instant),
        }
    }
}

fn headline(instant: &Instant, commit: &CommitMetadata) -> String {
    let operation = commit
        .operation_type
        .map_or("commit", |operation| operation.as_str())
        .to_lowercase();
    let completed = instant
        .completed
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    format!(
        "{operation} requested {}, completed {completed}",
        instant.requested
    )
}

fn batch(commit: &CommitMetadata) -> Result<RecordBatch> {
    let stats: Vec<&WriteStat> = commit.partition_to_write_stats.values().flatten().collect();
    let text = |value: fn(&WriteStat) -> Option<String>| -> ArrayRef {
        Arc::new(
            stats
                .iter()
                .map(|stat| value(stat))
                .collect::<StringArray>(),
        )
    };
    let count = |value: fn(&WriteStat) -> Option<i64>| -> ArrayRef {
        Arc::new(stats.iter().map(|stat| value(stat)).collect::<Int64Array>())
    };
    Ok(RecordBatch::try_from_iter_with_nullable([
        ("partition", text(|stat| stat.partition_path.clone()), true),
        ("file_id", text(|stat| stat.file_id.clone()), true),
        ("previous", text(|stat| stat.prev_commit.clone()), true),
        ("rows", count(|stat| stat.num_writes), true),
        ("inserted", count(|stat| stat.num_inserts), true),
        ("updated", count(|stat| stat.num_update_writes), true),
        ("deleted", count(|stat| stat.num_deletes), true),
        ("bytes", count(|stat| stat.total_write_bytes), true),
        ("path", text(|stat| stat.path.clone()), true),
    ])?)
}
