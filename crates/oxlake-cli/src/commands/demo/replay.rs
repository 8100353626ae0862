//! The events, and the clock on which they are replayed.

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema, TimeUnit, TimestampMicrosecondType};
use bytes::Bytes;
use oxlake::{Env, ManualClock, Table, TableSpec, WithColumns};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// 18,262 events of the flights of 1 to 7 January 2013; see `fixtures/flights/README.md`.
const EVENTS: &[u8] = include_bytes!("../../../../../fixtures/flights/events-week1.parquet");

const HOUR_MS: i64 = 3_600_000;
/// 2013-01-03, the day that is committed hour by hour.
const CLOSE_DAY_MS: i64 = 1_357_171_200_000;

/// Events in the order in which they became known.
pub(super) struct Replay {
    events: RecordBatch,
    /// When each event became known.
    times_ms: Vec<i64>,
}

/// What a replay did.
pub(super) struct Replayed {
    pub(super) commit_count: usize,
    pub(super) elapsed_ms: i64,
}

impl Replay {
    pub(super) fn new() -> Result<Self> {
        let events = read()?;
        let known = events
            .column_by_name("event_time")
            .and_then(|times| times.as_primitive_opt::<TimestampMicrosecondType>())
            .ok_or_else(|| Error::told("the demo's events have no event_time", "report this"))?;
        let times_ms = known
            .values()
            .iter()
            .map(|micros| micros.div_euclid(1000))
            .collect();
        Ok(Self { events, times_ms })
    }

    pub(super) fn row_count(&self) -> u64 {
        self.events.num_rows() as u64
    }

    /// Makes the table and upserts the events, each part at its own time.
    pub(super) async fn run(&self, url: &str, context: &Context) -> Result<(Table, Replayed)> {
        let clock = Arc::new(ManualClock::new(
            self.times_ms.first().copied().unwrap_or(0),
            0,
        ));
        let env = Env {
            clock: Arc::<ManualClock>::clone(&clock),
            ..context.env.clone()
        };
        let spec = TableSpec::new("flights")
            .record_key_fields(["flight_id"])
            .ordering_fields(["event_time"])
            .partition_fields(["flight_date"])
            .hive_style_partitioning(true)
            .with_columns(&self.events.schema())?;
        let started_ms = context.env.clock.now_ms();
        let table = Table::at(url)
            .with_conf(context.conf.clone())
            .with_env(env)
            .create(spec)
            .await?;
        let progress = Progress::rows(Some(self.row_count()));
        let count_rows = progress.counter();
        let mut commit_count = 0;
        for part in parts(&self.times_ms) {
            // A second before the hour is full: the commit belongs to the hour whose events it
            // brings.
            clock.set(part.closed_ms - 1000);
            table
                .upsert(self.events.slice(part.start, part.len))
                .await?;
            commit_count += 1;
            count_rows(part.len);
            progress.commits(commit_count);
        }
        let elapsed_ms = context.env.clock.now_ms() - started_ms;
        Ok((
            table,
            Replayed {
                commit_count,
                elapsed_ms,
            },
        ))
    }
}

/// Events that are committed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    start: usize,
    len: usize,
    /// The full hour that closes it.
    closed_ms: i64,
}

/// Cuts growing times at every sixth hour, and at every hour of the close day.
fn parts(times_ms: &[i64]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (index, time_ms) in times_ms.iter().enumerate() {
        let is_close = (CLOSE_DAY_MS..CLOSE_DAY_MS + 24 * HOUR_MS).contains(time_ms);
        let step = if is_close { HOUR_MS } else { 6 * HOUR_MS };
        let closed_ms = (time_ms.div_euclid(step) + 1) * step;
        match parts.last_mut() {
            Some(part) if part.closed_ms >= closed_ms => part.len += 1,
            _ => parts.push(Part {
                start: index,
                len: 1,
                closed_ms,
            }),
        }
    }
    parts
}

/// All events as one batch, their times as moments in UTC.
fn read() -> Result<RecordBatch> {
    let unreadable = |error: parquet::errors::ParquetError| Error::Input {
        path: "the demo's events".to_owned(),
        source: error.into(),
    };
    let bytes = Bytes::from_static(EVENTS);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).map_err(unreadable)?;
    let schema = Arc::clone(reader.schema());
    let batches = reader
        .build()
        .map_err(unreadable)?
        .collect::<Result<Vec<_>, _>>()?;
    in_utc(&concat_batches(&schema, &batches)?)
}

fn in_utc(events: &RecordBatch) -> Result<RecordBatch> {
    let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let schema = events.schema();
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (field, column) in schema.fields().iter().zip(events.columns()) {
        let data_type = match field.data_type() {
            DataType::Timestamp(..) => &utc,
            other => other,
        };
        columns.push(cast(column, data_type)?);
        fields.push(Field::new(
            field.name(),
            data_type.clone(),
            field.is_nullable(),
        ));
    }
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_cut_at_hours_and_none_is_lost() {
        let replay = Replay::new().unwrap();
        let parts = parts(&replay.times_ms);
        assert_eq!(replay.row_count(), 18_262);
        assert_eq!(parts.iter().map(|part| part.len).sum::<usize>(), 18_262);
        let on_close_day = parts.iter().filter(|part| {
            (CLOSE_DAY_MS + 1..=CLOSE_DAY_MS + 24 * HOUR_MS).contains(&part.closed_ms)
        });
        assert_eq!((parts.len(), on_close_day.count()), (52, 24));
        for part in parts {
            let times = &replay.times_ms[part.start..part.start + part.len];
            assert!(times.is_sorted() && times.iter().all(|time| *time < part.closed_ms));
        }
    }
}
