//! What a command prints: rows on standard output, in the format the user asked for.
//!
//! Rows are Arrow batches. A [`RowSink`] takes them one by one, so that `json` and `csv` run in
//! constant memory whatever the length of the answer; `table` keeps only the rows it is going to
//! show.

mod cells;
mod csv;
mod json;
mod table;

use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use clap::ValueEnum;
use console::Term;

pub(crate) use self::table::{TableOptions, thousands};
use self::{csv::CsvSink, json::JsonSink, table::TableSink};
use crate::error::Result;

/// How rows are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // Aligned columns for people, cut to the width of the terminal
    #[default]
    Table,
    // One JSON object a line
    Json,
    // Comma-separated values with a header line
    Csv,
}

/// Takes the rows of one answer.
pub(crate) trait RowSink {
    /// Takes the next batch; all batches have the schema the sink was made with.
    fn batch(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Hands on what can be printed already; a table is drawn at the end only.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Prints what is still held back. Rows are complete only after this.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// A sink for rows of `schema` that writes to `out`.
pub(crate) fn sink<'a>(
    format: Format,
    schema: &SchemaRef,
    options: &TableOptions,
    out: Box<dyn Write + 'a>,
) -> Result<Box<dyn RowSink + 'a>> {
    Ok(match format {
        Format::Table => Box::new(TableSink::new(schema, options, out)),
        Format::Json => Box::new(JsonSink::new(out)),
        Format::Csv => Box::new(CsvSink::new(schema, out)?),
    })
}

/// Columns of text the reader can see: the terminal's width, else `COLUMNS`, else 100.
pub(crate) fn display_width() -> usize {
    const WITHOUT_TERMINAL: usize = 100;
    const NARROWEST: usize = 40;
    let columns = Term::stdout()
        .size_checked()
        .map(|(_, columns)| usize::from(columns));
    #[expect(clippy::disallowed_methods, reason = "a face reads the environment")]
    let variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    columns
        .or_else(variable)
        .unwrap_or(WITHOUT_TERMINAL)
        .max(NARROWEST)
}
