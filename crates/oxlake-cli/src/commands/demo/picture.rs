//! The timeline as a picture: a line for each day, a block for each commit.

use chrono::{DateTime, NaiveDate, TimeDelta, Timelike, Utc};
use console::style;

use super::super::timeline_show::Line;
use crate::error::{Error, Result};
use crate::output::thousands;

/// Characters for the name of a day.
const DAY_WIDTH: usize = 11;
/// Characters for one hour.
const HOUR_WIDTH: usize = 2;
/// Hours of the longest block.
const LONGEST_HOURS: i64 = 6;
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Commits as blocks on lines of days.
pub(super) struct Picture {
    blocks: Vec<Block>,
}

/// One commit: from the hour of the one before to its own.
struct Block {
    day: NaiveDate,
    from_hour: usize,
    to_hour: usize,
    inserted: u64,
    updated: u64,
}

impl Picture {
    pub(super) fn new(lines: &[Line]) -> Result<Self> {
        let mut blocks = Vec::new();
        let mut before: Option<DateTime<Utc>> = None;
        for line in lines {
            let Some(stats) = line.stats() else { continue };
            let made = time_of(line)?;
            let earliest = made - TimeDelta::hours(LONGEST_HOURS);
            let from = before.map_or(earliest, |before| before.max(earliest));
            let to_hour = made.hour() as usize + 1;
            let from_hour = if from.date_naive() == made.date_naive() {
                from.hour() as usize + 1
            } else {
                0
            };
            blocks.push(Block {
                day: made.date_naive(),
                from_hour: from_hour.min(to_hour - 1),
                to_hour,
                inserted: stats.inserted_count,
                updated: stats.updated_count,
            });
            before = Some(made);
        }
        Ok(Self { blocks })
    }

    /// The picture, line by line.
    pub(super) fn draw(&self) -> Vec<String> {
        let mut days: Vec<NaiveDate> = self.blocks.iter().map(|block| block.day).collect();
        days.dedup();
        let highest = self
            .blocks
            .iter()
            .map(Block::rate)
            .max()
            .unwrap_or(0)
            .max(1);
        let mut lines = vec![format!(
            "{:DAY_WIDTH$}{}  {:>5}  {:>7}",
            "",
            hours(),
            "new",
            "changed"
        )];
        for day in days {
            lines.push(self.draw_day(day, highest));
            lines.extend(notes(day));
        }
        lines.push(String::new());
        lines.push(
            style("a block is a commit; its height, the events of an hour")
                .dim()
                .to_string(),
        );
        lines
    }

    fn draw_day(&self, day: NaiveDate, highest: u64) -> String {
        let blocks: Vec<&Block> = self
            .blocks
            .iter()
            .filter(|block| block.day == day)
            .collect();
        let mut cells = vec![' '; 24 * HOUR_WIDTH];
        for block in &blocks {
            let level = (block.rate() * HEIGHTS.len() as u64).div_ceil(highest);
            let level = usize::try_from(level).unwrap_or(1);
            let bar = HEIGHTS
                .get(level.clamp(1, HEIGHTS.len()) - 1)
                .copied()
                .unwrap_or(' ');
            // The last cell stays empty: the end of the commit.
            let end = block.to_hour * HOUR_WIDTH - 1;
            cells
                .iter_mut()
                .take(end)
                .skip(block.from_hour * HOUR_WIDTH)
                .for_each(|cell| *cell = bar);
        }
        let bars: String = cells.into_iter().collect();
        let sum =
            |count: fn(&Block) -> u64| thousands(blocks.iter().map(|block| count(block)).sum());
        format!(
            "{:DAY_WIDTH$}{}  {:>5}  {:>7}",
            day.format("%a %e %b").to_string(),
            style(bars).cyan(),
            sum(|block| block.inserted),
            sum(|block| block.updated),
        )
    }
}

/// The scale above the blocks.
fn hours() -> String {
    let mut scale = vec![' '; 24 * HOUR_WIDTH];
    for hour in (0..24).step_by(6) {
        let label = format!("{hour}:00");
        for (cell, c) in scale.iter_mut().skip(hour * HOUR_WIDTH).zip(label.chars()) {
            *cell = c;
        }
    }
    scale.into_iter().collect()
}

impl Block {
    /// Rows an hour.
    fn rate(&self) -> u64 {
        (self.inserted + self.updated) / (self.to_hour - self.from_hour).max(1) as u64
    }
}

/// What chapters 2 and 3 looked at, below the third day.
fn notes(day: NaiveDate) -> Option<String> {
    if day != NaiveDate::from_ymd_opt(2013, 1, 3)? {
        return None;
    }
    let hour = DAY_WIDTH + 17 * HOUR_WIDTH;
    let midnight = DAY_WIDTH + 24 * HOUR_WIDTH - 1;
    let (left, right) = ("2 incremental ▲", "▲ 3 time travel");
    let between = midnight - hour - 1;
    let note = format!("{left:>width$}{:between$}{right}", "", width = hour + 1);
    Some(style(note).yellow().to_string())
}

fn time_of(line: &Line) -> Result<DateTime<Utc>> {
    let instant = &line.instant.requested;
    let time = instant
        .to_epoch_millis(0)
        .and_then(DateTime::from_timestamp_millis);
    time.ok_or_else(|| Error::told(format!("{instant} is no time"), "report this"))
}
