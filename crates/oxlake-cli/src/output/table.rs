//! Rows as aligned columns that fit the terminal.
//!
//! Only the first and the last rows of a long answer are kept and shown. Columns are narrowed,
//! widest first, until the line fits; when even that is not enough, columns in the middle are left
//! out. Whatever is not shown is counted in the last line.

mod layout;

use std::collections::VecDeque;
use std::io::Write;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use console::{measure_text_width, style};

use self::layout::{Column, Layout};
use super::{RowSink, cells};
use crate::error::Result;

/// How wide, how long, and where a table is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableOptions {
    /// Columns of text to fit into.
    pub(crate) width: usize,
    /// Rows to show at most; `None`: all.
    pub(crate) max_rows: Option<usize>,
    /// Blanks before each line.
    pub(crate) indent: usize,
    /// Whether a last line counts the rows.
    pub(crate) footer: bool,
}

impl TableOptions {
    /// Rows shown of an answer whose length nobody limited.
    pub(crate) const MAX_ROWS: usize = 100;

    /// All rows, at the width of the terminal.
    pub(crate) fn new() -> Self {
        Self {
            width: super::display_width(),
            max_rows: None,
            indent: 0,
            footer: true,
        }
    }
}

/// Keeps the rows to show and draws them at the end.
pub(super) struct TableSink<'a> {
    schema: SchemaRef,
    options: TableOptions,
    out: Box<dyn Write + 'a>,
    head: Vec<RecordBatch>,
    head_rows: usize,
    tail: VecDeque<RecordBatch>,
    tail_rows: usize,
    total_rows: usize,
}

impl<'a> TableSink<'a> {
    pub(super) fn new(
        schema: &SchemaRef,
        options: &TableOptions,
        out: Box<dyn Write + 'a>,
    ) -> Self {
        Self {
            schema: SchemaRef::clone(schema),
            options: *options,
            out,
            head: Vec::new(),
            head_rows: 0,
            tail: VecDeque::new(),
            tail_rows: 0,
            total_rows: 0,
        }
    }

    /// Rows shown from the start and from the end of the answer.
    fn window(&self) -> (usize, usize) {
        match self.options.max_rows {
            None => (usize::MAX, 0),
            Some(rows) => (rows.div_ceil(2), rows / 2),
        }
    }
}

impl RowSink for TableSink<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> Result<()> {
        let (head_max, tail_max) = self.window();
        self.total_rows += batch.num_rows();
        let for_head = batch.num_rows().min(head_max - self.head_rows);
        if for_head > 0 {
            self.head.push(batch.slice(0, for_head));
            self.head_rows += for_head;
        }
        if for_head < batch.num_rows() {
            self.tail
                .push_back(batch.slice(for_head, batch.num_rows() - for_head));
            self.tail_rows += batch.num_rows() - for_head;
        }
        while self
            .tail
            .front()
            .is_some_and(|first| self.tail_rows - first.num_rows() >= tail_max)
        {
            self.tail_rows -= self.tail.pop_front().map_or(0, |first| first.num_rows());
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let (_, tail_max) = self.window();
        let mut grid = Grid::new(&self.schema);
        self.head.iter().try_for_each(|batch| grid.push(batch))?;
        let mut to_skip = self.tail_rows.saturating_sub(tail_max);
        for batch in &self.tail {
            let skipped = to_skip.min(batch.num_rows());
            to_skip -= skipped;
            grid.push(&batch.slice(skipped, batch.num_rows() - skipped))?;
        }
        let cut = (grid.rows.len() < self.total_rows).then_some(self.head_rows);
        grid.draw(self.options, self.total_rows, cut, &mut self.out)?;
        Ok(self.out.flush()?)
    }
}

/// The cells to show.
struct Grid {
    names: Vec<String>,
    is_number: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    fn new(schema: &SchemaRef) -> Self {
        let fields = schema.fields();
        Self {
            names: fields
                .iter()
                .map(|field| cells::sanitize(field.name()).into_owned())
                .collect(),
            is_number: fields
                .iter()
                .map(|field| is_number(field.data_type()))
                .collect(),
            rows: Vec::new(),
        }
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let start = self.rows.len();
        self.rows.resize_with(start + batch.num_rows(), || {
            Vec::with_capacity(self.names.len())
        });
        for column in batch.columns() {
            let texts = cells::column_texts(column)?;
            for (row, text) in self.rows.iter_mut().skip(start).zip(texts) {
                row.push(text);
            }
        }
        Ok(())
    }

    fn draw(
        &self,
        options: TableOptions,
        total_rows: usize,
        cut_after: Option<usize>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let layout = Layout::fit(self.columns(), options.width.saturating_sub(options.indent));
        let indent = " ".repeat(options.indent);
        writeln!(
            out,
            "{indent}{}",
            layout.line(&self.names, &self.is_number, true)
        )?;
        writeln!(out, "{indent}{}", layout.rule())?;
        for (index, row) in self.rows.iter().enumerate() {
            if cut_after == Some(index) {
                writeln!(out, "{indent}{}", layout.gap())?;
            }
            writeln!(out, "{indent}{}", layout.line(row, &self.is_number, false))?;
        }
        if options.footer {
            let footer = self.footer(total_rows, &layout);
            writeln!(out, "{indent}{}", style(footer).dim())?;
        }
        Ok(())
    }

    /// The widths that show everything, and those that still show enough: numbers are never cut,
    /// only their names are.
    fn columns(&self) -> Vec<Column> {
        let mut widths = vec![0; self.names.len()];
        for row in &self.rows {
            for (width, text) in widths.iter_mut().zip(row) {
                *width = measure_text_width(text).max(*width);
            }
        }
        let columns = widths
            .into_iter()
            .zip(&self.names)
            .zip(&self.is_number)
            .enumerate();
        columns
            .map(|(index, ((cells, name), is_number))| {
                let name = measure_text_width(name);
                let width = cells.max(name);
                let least = if *is_number {
                    cells.max(name.min(Column::SHORT_NAME))
                } else {
                    width.min(Column::ENOUGH_TEXT)
                };
                Column {
                    index,
                    width,
                    least,
                }
            })
            .collect()
    }

    fn footer(&self, total_rows: usize, layout: &Layout) -> String {
        let plural = if total_rows == 1 { "" } else { "s" };
        let rows = format!("{} row{plural}", thousands(total_rows as u64));
        let hides_rows = self.rows.len() < total_rows;
        let rows_shown = if hides_rows {
            format!(" ({} shown)", self.rows.len())
        } else {
            String::new()
        };
        let (columns, columns_shown) = (self.names.len(), layout.shown_count());
        let hides_columns = columns_shown < columns;
        let columns_shown = if hides_columns {
            format!(", {columns} columns ({columns_shown} shown)")
        } else {
            String::new()
        };
        let remedy = if hides_rows || hides_columns {
            "; --format csv or json prints all"
        } else {
            ""
        };
        format!("{rows}{rows_shown}{columns_shown}{remedy}")
    }
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric()
}

#[cfg(test)]
mod tests;

/// A number with commas between groups of three digits.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
