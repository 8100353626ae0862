//! The demo's way of telling: chapters, commands to try, tables.

use std::io::Write;

use arrow::array::RecordBatch;
use console::style;

use crate::error::Result;
use crate::output::{self, Format, TableOptions};

/// Writes to standard output.
pub(super) struct Page {
    /// The table in the commands shown.
    table: String,
}

const INDENT: &str = "  ";

impl Page {
    pub(super) fn new(table: &str) -> Self {
        let needs_quotes = table.contains(|c: char| c.is_whitespace());
        Self {
            table: if needs_quotes {
                format!("'{table}'")
            } else {
                table.to_owned()
            },
        }
    }

    pub(super) fn headline(text: &str) -> Result<()> {
        write(&format!("\n{}\n", style(text).bold()))
    }

    pub(super) fn chapter(number: usize, title: &str) -> Result<()> {
        write(&format!(
            "\n\n{} {}\n",
            style(number).cyan().bold(),
            style(title).bold()
        ))
    }

    /// A paragraph.
    pub(super) fn text(text: &str) -> Result<()> {
        let indented = |line: &str| format!("{INDENT}{line}").trim_end().to_owned() + "\n";
        let lines: Vec<String> = text.lines().map(indented).collect();
        write(&format!("\n{}", lines.concat()))
    }

    /// Lines as they are.
    pub(super) fn lines(lines: &[String]) -> Result<()> {
        Self::text(&lines.join("\n"))
    }

    /// The command that does the same; `TABLE` stands for the table.
    pub(super) fn command(&self, command: &str) -> Result<()> {
        let command = format!("$ oxlake {}", command.replace("TABLE", &self.table));
        write(&format!("{INDENT}{}\n", style(command).dim()))
    }

    pub(super) fn rows(batches: &[RecordBatch]) -> Result<()> {
        let Some(first) = batches.first() else {
            return Ok(());
        };
        write("\n")?;
        let options = TableOptions {
            indent: INDENT.len(),
            footer: false,
            ..TableOptions::new()
        };
        let out = Box::new(std::io::stdout());
        let mut sink = output::sink(Format::Table, &first.schema(), &options, out)?;
        batches.iter().try_for_each(|batch| sink.batch(batch))?;
        sink.finish()
    }

    /// What to do next.
    pub(super) fn farewell(&self, is_kept: bool) -> Result<()> {
        write(&format!("\n\n{}\n", style("Go on").bold()))?;
        if !is_kept {
            Self::text("The table was in a temporary folder. To keep it and ask it yourself:")?;
            return write(&format!("\n{INDENT}$ oxlake demo --dir flights\n\n"));
        }
        Self::text("The table is any Hudi engine's to read and write. Ask it yourself:")?;
        let table = &self.table;
        let sql =
            format!("select dest, avg(arr_delay_min) from '{table}' group by dest order by 2");
        write(&format!(
            "\n{INDENT}$ oxlake sql \"{sql}\"\n\
             {INDENT}$ oxlake query {table} --as-of '2013-01-05 12:00' --where \"dest = 'SFO'\"\n\
             {INDENT}$ oxlake file-group list {table}\n\n"
        ))
    }
}

fn write(text: &str) -> Result<()> {
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}
