//! What every command needs: the format of its rows, settings, and the world.

use std::collections::BTreeMap;
use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use console::style;
use futures::{Stream, StreamExt};
use oxlake::{Env, ErrorKind, Table};

use crate::args::Global;
use crate::error::{Error, Result};
use crate::output::{self, Format, TableOptions};

/// Passed to the command that runs.
pub(crate) struct Context {
    /// How rows are printed.
    pub(crate) format: Format,
    /// Settings given by `--conf`.
    pub(crate) conf: BTreeMap<String, String>,
    /// Clock, ids and limits.
    pub(crate) env: Env,
}

/// The next step when there is no table.
pub(crate) fn no_table(error: &oxlake::Error) -> Error {
    Error::told(
        error.to_string(),
        "`oxlake create` and `oxlake load` make tables; `oxlake demo --dir flights` one to look at",
    )
}

impl Context {
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            format: global.format,
            conf: global.conf(),
            env: Env::system(),
        }
    }

    /// Opens the table at `url`.
    pub(crate) async fn open(&self, url: &str) -> Result<Table> {
        match self.at(url).open().await {
            Err(error) if error.kind() == ErrorKind::NotFound => Err(no_table(&error)),
            opened => Ok(opened?),
        }
    }

    /// The place `url` with our settings, where a table may be.
    pub(crate) fn at(&self, url: &str) -> oxlake::Location {
        Table::at(url)
            .with_conf(self.conf.clone())
            .with_env(self.env.clone())
    }

    /// Prints rows as they come.
    pub(crate) async fn print(
        &self,
        schema: &SchemaRef,
        options: &TableOptions,
        mut batches: impl Stream<Item = Result<RecordBatch>> + Unpin,
    ) -> Result<()> {
        let mut sink = output::sink(self.format, schema, options, Box::new(std::io::stdout()))?;
        while let Some(batch) = batches.next().await {
            sink.batch(&batch?)?;
        }
        sink.finish()
    }

    /// Prints one batch: `all` as data, or as a table what people look for first.
    pub(crate) fn print_batch(&self, all: &RecordBatch, for_people: &RecordBatch) -> Result<()> {
        let batch = if self.format == Format::Table {
            for_people
        } else {
            all
        };
        let out = Box::new(std::io::stdout());
        let options = TableOptions::new();
        let mut sink = output::sink(self.format, batch.schema_ref(), &options, out)?;
        sink.batch(batch)?;
        sink.finish()
    }
}

/// A message for people, on standard error.
pub(crate) fn note(text: &str) -> Result<()> {
    let mut stderr = std::io::stderr().lock();
    writeln!(stderr, "{}", style(text).for_stderr().dim()).map_err(Error::from)
}
