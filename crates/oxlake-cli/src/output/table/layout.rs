//! Which columns are drawn, and how wide.

use console::{measure_text_width, style, truncate_str};

/// A column to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// Its place among all columns.
    pub(super) index: usize,
    /// Characters of a cell.
    pub(super) width: usize,
    /// Fewer would not tell enough.
    pub(super) least: usize,
}

impl Column {
    /// Characters of a text that tell enough.
    pub(super) const ENOUGH_TEXT: usize = 20;
    /// Characters of a name that tell enough above numbers.
    pub(super) const SHORT_NAME: usize = 8;
}

/// Columns side by side; `None` stands for those left out.
pub(super) struct Layout {
    columns: Vec<Option<Column>>,
}

impl Layout {
    /// Between two columns: blank, bar, blank.
    const SEPARATOR: usize = 3;

    /// Narrows columns, widest first, until a line has `width` characters at most. When all are as
    /// narrow as they may be, columns in the middle go, one by one.
    pub(super) fn fit(columns: Vec<Column>, width: usize) -> Self {
        let mut kept: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
        for column in kept.iter_mut().flatten() {
            column.width = column.width.min(width);
            column.least = column.least.min(column.width);
        }
        loop {
            let mut layout = Self {
                columns: kept.clone(),
            };
            if layout.shrink_to(width) || kept.iter().flatten().count() <= 1 {
                return layout;
            }
            leave_one_out(&mut kept);
        }
    }

    pub(super) fn shown_count(&self) -> usize {
        self.columns.iter().flatten().count()
    }

    pub(super) fn line(&self, texts: &[String], is_number: &[bool], bold: bool) -> String {
        let cells = self.columns.iter().map(|column| match column {
            None => "…".to_owned(),
            Some(Column { index, width, .. }) => {
                let text = texts.get(*index).map_or("", String::as_str);
                let right = is_number.get(*index).copied().unwrap_or(false);
                let cell = pad(&truncate_str(text, *width, "…"), *width, right);
                match (bold, text == "NULL") {
                    (true, _) => style(cell).bold().to_string(),
                    (false, true) => style(cell).dim().to_string(),
                    (false, false) => cell,
                }
            }
        });
        joined(cells)
    }

    /// The line below the names.
    pub(super) fn rule(&self) -> String {
        let parts = self.widths().map(|width| "─".repeat(width + 2));
        parts.collect::<Vec<_>>().join("┼")
    }

    /// The line that stands for rows left out.
    pub(super) fn gap(&self) -> String {
        joined(self.widths().map(|width| pad("⋮", width, false)))
    }

    fn widths(&self) -> impl Iterator<Item = usize> {
        self.columns
            .iter()
            .map(|column| column.map_or(1, |column| column.width))
    }

    fn line_width(&self) -> usize {
        self.widths().sum::<usize>() + Self::SEPARATOR * self.columns.len().saturating_sub(1) + 2
    }

    /// Takes characters from the widest columns; false if the line stays too wide.
    fn shrink_to(&mut self, width: usize) -> bool {
        while self.line_width() > width {
            let columns = self.columns.iter_mut().flatten();
            let widest = columns.filter(|column| column.width > column.least);
            match widest.max_by_key(|column| column.width) {
                Some(column) => column.width -= 1,
                None => return false,
            }
        }
        true
    }
}

/// Takes a column out of the middle; the gap stays visible.
fn leave_one_out(columns: &mut Vec<Option<Column>>) {
    let middle = columns.len() / 2;
    match columns.iter().position(Option::is_none) {
        Some(gap) if gap < middle => drop(columns.remove(gap + 1)),
        Some(gap) if gap > 0 => drop(columns.remove(gap - 1)),
        Some(_) => drop(columns.pop()),
        None => {
            if let Some(column) = columns.get_mut(middle) {
                *column = None;
            }
        }
    }
}

fn joined(cells: impl Iterator<Item = String>) -> String {
    let line = format!(" {}", cells.collect::<Vec<_>>().join(" │ "));
    line.trim_end().to_owned()
}

fn pad(text: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(measure_text_width(text)));
    if right {
        format!("{blanks}{text}")
    } else {
        format!("{text}{blanks}")
    }
}
