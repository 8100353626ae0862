//! How far a long command is: a bar on standard error, if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Rows done, of a known or unknown number.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for `total` rows, or a counter if nobody knows how many come.
    pub(crate) fn rows(total: Option<u64>) -> Self {
        const BAR: &str = "{bar:32.cyan/dim} {human_pos} of {human_len} rows, {msg} {eta} left";
        const COUNTER: &str = "{spinner:.cyan} {human_pos} rows, {msg} {elapsed}";
        let (bar, template) = match total {
            Some(total) => (ProgressBar::new(total), BAR),
            None => (ProgressBar::new_spinner(), COUNTER),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }

    /// To be called with the number of rows that were read.
    pub(crate) fn counter(&self) -> impl Fn(usize) + Send + 'static {
        let bar = self.bar.clone();
        move |rows| bar.inc(rows as u64)
    }

    /// Another commit is complete.
    pub(crate) fn commits(&self, count: usize) {
        let plural = if count == 1 { "" } else { "s" };
        self.bar.set_message(format!("{count} commit{plural},"));
    }
}

/// The bar vanishes: what is worth keeping is printed as rows.
impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
