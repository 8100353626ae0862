//! `oxlake load`: rows of a file into a table.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use clap::{Args, ValueEnum};
use oxlake::{Commit, ErrorKind, Table};

use super::create::Definition;
use crate::context::{self, Context, no_table};
use crate::error::{Error, Result};
use crate::feed::Feed;
use crate::input::{self, InputFormat, Source};
use crate::output::{self, Format, RowSink, TableOptions};
use crate::progress::Progress;
use crate::schema_file::{self, SchemaText};

/// Rows of a file into a table; makes the table if --key is given
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    oxlake load trips trips.csv --key id --ordering ts --partition city\n  \
    oxlake load trips more.parquet --batch-rows 100000\n  \
    gunzip -c news.json.gz | oxlake load trips -\n\nModes:\n  \
    upsert       adds rows of new keys, and replaces stored rows of known keys that are older\n  \
    insert       adds all rows without looking for their keys\n  \
    bulk_insert  the same, into new files only; for large first loads\n  \
    delete       removes the rows with these keys\n\n\
    Reads Parquet, CSV with a header line, and JSON objects one a line. Each commit is printed when it is visible; \
    after a failure the commits before it stay.")]
pub(crate) struct Load {
    /// Folder or URL of the table
    table: String,
    /// File with the rows; `-` is standard input
    #[arg(allow_hyphen_values = true)]
    file: String,
    /// What is done with the rows
    #[arg(long, value_enum, default_value_t = Mode::Upsert)]
    mode: Mode,
    /// Rows of one commit [default: all rows in one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    batch_rows: Option<u64>,
    /// What the file is [default: by its name, or its first bytes]
    #[arg(long, value_enum, value_name = "FORMAT")]
    input_format: Option<InputFormat>,
    #[command(flatten)]
    definition: Definition,
}

/// What is done with the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Mode {
    // New keys are added, rows of known keys replaced if they are older
    Upsert,
    // All rows are added, keys are not looked for
    Insert,
    // As insert, into new files only; for large first loads
    BulkInsert,
    // Rows with these keys are removed
    Delete,
}

impl Load {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let source = Source::parse(&self.file);
        let found = self.find(context).await?;
        let known = match &found {
            Some(table) => table.columns().await?,
            None => None,
        };
        let given = self
            .definition
            .schema
            .as_deref()
            .map(schema_file::read)
            .transpose()?;
        let wanted = match (&known, &given) {
            (None, Some(SchemaText::Arrow(schema))) => Some(schema),
            (known, _) => known.as_ref(),
        };
        let input = input::open(&source, self.input_format, wanted.map(AsRef::as_ref))?;
        let feed = Feed::new(input.batches);
        // Before a table is made for it.
        if !feed.has_more().await? {
            return Err(Error::told(
                format!("{source} has no rows"),
                "check the file; nothing was written",
            ));
        }
        let table = if let Some(table) = found {
            if !self.definition.key.is_empty() {
                context::note("the table exists: --key and what else makes a new one is not used")?;
            }
            table
        } else {
            let columns = given.unwrap_or(SchemaText::Arrow(input.schema));
            let spec = self.definition.spec(&self.table, columns, context)?;
            context.at(&self.table).create(spec).await?
        };
        let progress = Progress::rows(input.row_count);
        let mut report = Report::new(context, self.mode);
        let outcome = self.write(&table, &feed, &progress, &mut report).await;
        drop(progress);
        report.finish()?;
        outcome
    }

    /// The table, or nothing if there is none and this command may make it.
    async fn find(&self, context: &Context) -> Result<Option<Table>> {
        match context.at(&self.table).open().await {
            Ok(table) => Ok(Some(table)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if self.definition.key.is_empty() {
                    let hint = "--key id (and --ordering, --partition) makes it from the columns of the file";
                    return Err(Error::told(error.to_string(), hint));
                }
                if self.mode == Mode::Delete {
                    return Err(no_table(&error));
                }
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn write(
        &self,
        table: &Table,
        feed: &Feed,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<()> {
        while feed.has_more().await? {
            let (rows, counted) = feed.take(self.batch_rows, progress.counter());
            let commit = match self.mode {
                Mode::Upsert => table.upsert(rows).await?,
                Mode::Insert => table.insert(rows).await?,
                Mode::BulkInsert => table.bulk_insert(rows).await?,
                Mode::Delete => table.delete(rows).await?,
            };
            report.add(&commit, counted.get())?;
            progress.commits(report.commit_count);
        }
        Ok(())
    }
}

/// One line for each commit; nothing at all before the first.
struct Report {
    mode: Mode,
    format: Format,
    sink: Option<Box<dyn RowSink>>,
    commit_count: usize,
}

impl Report {
    fn new(context: &Context, mode: Mode) -> Self {
        Self {
            mode,
            format: context.format,
            sink: None,
            commit_count: 0,
        }
    }

    fn add(&mut self, commit: &Commit, row_count: u64) -> Result<()> {
        self.commit_count += 1;
        let line = batch(self.format, self.mode, commit, row_count)?;
        let sink = if let Some(sink) = &mut self.sink {
            sink
        } else {
            let mut options = TableOptions::new();
            options.max_rows = Some(TableOptions::MAX_ROWS);
            let out = Box::new(std::io::stdout());
            self.sink
                .insert(output::sink(self.format, line.schema_ref(), &options, out)?)
        };
        sink.batch(&line)?;
        sink.flush()
    }

    fn finish(self) -> Result<()> {
        self.sink.map_or(Ok(()), RowSink::finish)
    }
}

/// A commit and the number of rows read for it as a line; as a table without what is in the
/// command.
fn batch(format: Format, mode: Mode, commit: &Commit, row_count: u64) -> Result<RecordBatch> {
    let text = |value: String| -> ArrayRef { Arc::new(StringArray::from(vec![value])) };
    let count = |value: u64| -> ArrayRef { Arc::new(UInt64Array::from(vec![value])) };
    let operation = mode
        .to_possible_value()
        .map(|value| value.get_name().to_owned());
    let all = RecordBatch::try_from_iter([
        ("commit", text(commit.instant.to_string())),
        ("completed", text(commit.completed.to_string())),
        ("operation", text(operation.unwrap_or_default())),
        ("rows", count(row_count)),
        ("inserted", count(commit.stats.inserted_count)),
        ("updated", count(commit.stats.updated_count)),
        ("deleted", count(commit.stats.deleted_count)),
        ("files", count(commit.stats.file_count)),
        ("bytes", count(commit.stats.written_bytes)),
    ])?;
    match format {
        Format::Table => Ok(all.project(&[0, 3, 4, 5, 6, 7, 8])?),
        Format::Json | Format::Csv => Ok(all),
    }
}
