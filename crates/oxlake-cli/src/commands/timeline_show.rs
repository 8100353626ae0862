//! `oxlake timeline show`: what happened to a table, instant by instant.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use clap::Args;
use futures::{StreamExt, TryStreamExt};
use oxlake::{Action, CommitMetadata, CommitStats, Instant, Table};

use crate::context::Context;
use crate::error::Result;

/// What happened to a table, oldest first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  oxlake timeline show trips\n\n\
    An instant is the time at which an action was requested; `completed` is when it became visible, which is what \
    `query --from` and `--to` go by.")]
pub(crate) struct TimelineShow {
    /// Folder or URL of the table
    table: String,
}

impl TimelineShow {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let table = context.open(&self.table).await?;
        print(context, &lines(&table).await?)
    }
}

/// One instant with what its metadata says.
pub(super) struct Line {
    pub(super) instant: Instant,
    commit: Option<Arc<CommitMetadata>>,
}

impl Line {
    /// What the commit changed, if it is a completed one.
    pub(super) fn stats(&self) -> Option<CommitStats> {
        self.commit.as_deref().map(CommitStats::from_metadata)
    }

    /// How the rows of a commit were written, as in `hoodie.datasource.write.operation`.
    fn operation(&self) -> Option<String> {
        Some(
            self.commit
                .as_ref()?
                .operation_type?
                .as_str()
                .to_lowercase(),
        )
    }

    /// The operation of a plain commit; the action, with the operation if there is one, of others.
    fn action_in_words(&self) -> String {
        match (self.instant.action, self.operation()) {
            (Action::Commit, Some(operation)) => operation,
            (action, Some(operation)) => format!("{operation} ({action})"),
            (action, None) => action.to_string(),
        }
    }
}

/// The active timeline, oldest first.
pub(super) async fn lines(table: &Table) -> Result<Vec<Line>> {
    /// Metadata files read at once.
    const READS: usize = 16;
    let timeline = table.timeline().await?;
    let lines = futures::stream::iter(timeline.instants().to_vec()).map(|instant| async move {
        let commit = if instant.is_completed() && instant.is_write() {
            Some(table.commit_metadata(&instant).await?)
        } else {
            None
        };
        Ok(Line { instant, commit })
    });
    lines.buffered(READS).try_collect().await
}

/// Prints the lines.
pub(super) fn print(context: &Context, lines: &[Line]) -> Result<()> {
    context.print_batch(&batch(lines)?, &for_people(lines)?)
}

/// The lines with everything that is known.
fn batch(lines: &[Line]) -> Result<RecordBatch> {
    let text = |value: fn(&Line) -> Option<String>| texts(lines, value);
    let count = |value: fn(&CommitStats) -> u64| counts(lines, value);
    Ok(RecordBatch::try_from_iter_with_nullable([
        (
            "instant",
            text(|line| Some(line.instant.requested.to_string())),
            false,
        ),
        (
            "completed",
            text(|line| line.instant.completed.as_ref().map(ToString::to_string)),
            true,
        ),
        (
            "action",
            text(|line| Some(line.instant.action.to_string())),
            false,
        ),
        (
            "state",
            text(|line| Some(line.instant.state.to_string())),
            false,
        ),
        ("operation", text(Line::operation), true),
        ("inserted", count(|stats| stats.inserted_count), true),
        ("updated", count(|stats| stats.updated_count), true),
        ("deleted", count(|stats| stats.deleted_count), true),
        ("files", count(|stats| stats.file_count), true),
        ("bytes", count(|stats| stats.written_bytes), true),
    ])?)
}

/// The lines in the width of a terminal: one word for what was done, and the state instead of the
/// completion time while there is none.
pub(super) fn for_people(lines: &[Line]) -> Result<RecordBatch> {
    let text = |value: fn(&Line) -> Option<String>| texts(lines, value);
    let count = |value: fn(&CommitStats) -> u64| counts(lines, value);
    let completed = |line: &Line| match &line.instant.completed {
        Some(time) => Some(time.to_string()),
        None => Some(line.instant.state.to_string()),
    };
    Ok(RecordBatch::try_from_iter_with_nullable([
        (
            "instant",
            text(|line| Some(line.instant.requested.to_string())),
            false,
        ),
        ("completed", text(completed), false),
        ("action", text(|line| Some(line.action_in_words())), false),
        ("inserted", count(|stats| stats.inserted_count), true),
        ("updated", count(|stats| stats.updated_count), true),
        ("deleted", count(|stats| stats.deleted_count), true),
        ("files", count(|stats| stats.file_count), true),
    ])?)
}

fn texts(lines: &[Line], value: fn(&Line) -> Option<String>) -> ArrayRef {
    Arc::new(lines.iter().map(value).collect::<StringArray>())
}

fn counts(lines: &[Line], value: fn(&CommitStats) -> u64) -> ArrayRef {
    let stats = lines.iter().map(Line::stats);
    Arc::new(
        stats
            .map(|stats| stats.as_ref().map(value))
            .collect::<UInt64Array>(),
    )
}
