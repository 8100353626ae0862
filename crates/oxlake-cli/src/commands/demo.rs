//! `oxlake demo`: a week of real events becomes a table, and the table is asked about its past.
//!
//! The events are replayed on a clock of their own: the table's instants are the hours of January
//! 2013 at which the events became known, so that `--as-of 2013-01-04` means what it says.

mod page;
mod picture;
mod replay;

use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use clap::Args;
use oxlake::{QueryKind, Table};
use tempfile::TempDir;

use self::page::Page;
use self::picture::Picture;
use self::replay::{Replay, Replayed};
use super::timeline_show;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::{Format, thousands};

/// A week of flight events becomes a table; then its present, past and history
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  oxlake demo\n  oxlake demo --dir flights\n\n\
    With --format json or csv it prints the table's timeline, as `oxlake timeline show` does."
)]
pub(crate) struct Demo {
    /// Keeps the table in this folder, which must be new or empty [default: a temporary folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// The hour and the moment looked at; the replay commits hourly on that day.
const HOUR_FROM: &str = "2013-01-03 17:00";
const HOUR_TO: &str = "2013-01-03 18:00";
const THIRD_DAY_OVER: &str = "2013-01-04";

impl Demo {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let place = Place::new(self.dir)?;
        let replay = Replay::new()?;
        let page = Page::new(&place.name);
        if context.format == Format::Table {
            introduce(&replay)?;
        }
        let (table, replayed) = replay.run(&place.url(), context).await?;
        if context.format != Format::Table {
            return timeline_show::print(context, &timeline_show::lines(&table).await?);
        }
        tell(&page, &table, &replayed).await?;
        page.farewell(place.is_kept())
    }
}

fn introduce(replay: &Replay) -> Result<()> {
    Page::headline(
        "A week of flights out of New York, 1 to 7 January 2013, as a stream of events",
    )?;
    Page::text(&format!(
        "{} events: a flight is scheduled, departs, lands, or is cancelled. They are\n\
         upserted in the order in which they became known, one commit every six hours\n\
         and one every hour on 3 January, dated as if it were then. Key flight_id,\n\
         ordering event_time, partition flight_date.",
        thousands(replay.row_count()),
    ))
}

async fn tell(page: &Page, table: &Table, replayed: &Replayed) -> Result<()> {
    let tenths = replayed.elapsed_ms / 100;
    Page::text(&format!(
        "Done: {} commits in {}.{} s.",
        replayed.commit_count,
        tenths / 10,
        tenths % 10
    ))?;

    Page::chapter(1, "Snapshot: how the week ended")?;
    page.command("query TABLE")?;
    Page::rows(&by_day(table, QueryKind::Snapshot).await?)?;

    Page::chapter(
        2,
        "Incremental: what changed on 3 January between 17:00 and 18:00",
    )?;
    page.command(&format!(
        "query TABLE --from '{HOUR_FROM}' --to '{HOUR_TO}'"
    ))?;
    let hour = QueryKind::Incremental {
        from: Some(table.parse_time(HOUR_FROM)?),
        to: Some(table.parse_time(HOUR_TO)?),
    };
    Page::rows(&latest_news(table, hour.clone()).await?)?;
    Page::text(&hour_in_words(&by_status(table, hour).await?))?;

    Page::chapter(3, "Time travel: the same week as the third day closed")?;
    page.command(&format!("query TABLE --as-of {THIRD_DAY_OVER}"))?;
    let then = QueryKind::TimeTravel(table.parse_time(THIRD_DAY_OVER)?);
    Page::rows(&by_day(table, then).await?)?;

    Page::chapter(
        4,
        "Timeline: every commit, at the hour at which it was made",
    )?;
    page.command("timeline show TABLE")?;
    let lines = timeline_show::lines(table).await?;
    Page::lines(&Picture::new(&lines)?.draw())?;
    let around: Vec<_> = lines
        .into_iter()
        .filter(|line| ("201301031659".."201301031860").contains(&line.instant.requested.as_str()))
        .collect();
    Page::rows(&[timeline_show::for_people(&around)?.project(&[0, 1, 2, 3, 4])?])
}

/// Flights of each day by their state.
async fn by_day(table: &Table, kind: QueryKind) -> Result<Vec<RecordBatch>> {
    ask(
        table,
        kind,
        "select cast(flight_date as varchar) as flight_date,
                count(*) filter (where status = 'scheduled') as scheduled,
                count(*) filter (where status = 'departed') as departed,
                count(*) filter (where status = 'landed') as landed,
                count(*) filter (where status = 'cancelled') as cancelled,
                count(*) as flights
         from flights group by flight_date
         union all
         select 'all', count(*) filter (where status = 'scheduled'), count(*) filter (where status = 'departed'),
                count(*) filter (where status = 'landed'), count(*) filter (where status = 'cancelled'), count(*)
         from flights
         order by flight_date",
    )
    .await
}

/// The last events of a range.
async fn latest_news(table: &Table, kind: QueryKind) -> Result<Vec<RecordBatch>> {
    ask(
        table,
        kind,
        "select flight_id, status, origin || ' to ' || dest as route, arr_delay_min,
                to_char(event_time, '%H:%M') as known_at
         from flights order by event_time desc, flight_id limit 6",
    )
    .await
}

async fn by_status(table: &Table, kind: QueryKind) -> Result<Vec<RecordBatch>> {
    ask(
        table,
        kind,
        "select count(*), count(*) filter (where status = 'scheduled'), count(*) filter (where status = 'departed'),
                count(*) filter (where status = 'landed'), count(*) filter (where status = 'cancelled')
         from flights",
    )
    .await
}

fn hour_in_words(counts: &[RecordBatch]) -> String {
    use arrow::array::AsArray;
    use arrow::datatypes::Int64Type;
    let count = |column: usize| {
        let batch = counts.iter().find(|batch| batch.num_rows() > 0);
        batch.map_or(0, |batch| {
            batch.column(column).as_primitive::<Int64Type>().value(0)
        })
    };
    format!(
        "{} flights changed in that hour, the last six are shown: {} were scheduled,\n\
         {} departed, {} landed, {} were cancelled.",
        count(0),
        count(1),
        count(2),
        count(3),
        count(4),
    )
}

async fn ask(table: &Table, kind: QueryKind, sql: &str) -> Result<Vec<RecordBatch>> {
    let session = table.session();
    session
        .register("flights", table.view(kind).await?)
        .map_err(oxlake::Error::from)?;
    let rows = session.sql(sql).await.map_err(oxlake::Error::from)?;
    Ok(rows.collect().await.map_err(oxlake::Error::from)?)
}

/// Where the table goes.
struct Place {
    /// As the user would write it.
    name: String,
    folder: PathBuf,
    temporary: Option<TempDir>,
}

impl Place {
    fn new(dir: Option<PathBuf>) -> Result<Self> {
        match dir {
            Some(folder) if is_in_use(&folder)? => Err(Error::told(
                format!("{} is not empty", folder.display()),
                "name a new folder for the demo's table",
            )),
            Some(folder) => Ok(Self {
                name: folder.display().to_string(),
                folder,
                temporary: None,
            }),
            None => {
                let temporary = tempfile::Builder::new().prefix("oxlake-demo-").tempdir()?;
                let folder = temporary.path().join("flights");
                Ok(Self {
                    name: "flights".to_owned(),
                    folder,
                    temporary: Some(temporary),
                })
            }
        }
    }

    fn url(&self) -> String {
        self.folder.display().to_string()
    }

    fn is_kept(&self) -> bool {
        self.temporary.is_none()
    }
}

fn is_in_use(folder: &Path) -> Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::Input {
            path: folder.display().to_string(),
            source: error.into(),
        }),
    }
}
