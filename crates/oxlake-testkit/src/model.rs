//! The reference model: a table in memory that keeps every state it ever had.
//!
//! It follows the rules of the table format in the plainest way, with no files, no file groups and no sharing, so that it
//! can be checked by reading it. Whatever writes a table is compared with it: apply the same changes to both, then
//! compare snapshot, time travel and incremental answers.
//!
//! ```
//! use oxlake_testkit::model::{Change, Merge, Model, Row};
//!
//! let mut model = Model::new(Merge::EventTime);
//! model.commit("001", "002", Change::Upsert(vec![Row::new("p", "k", 5, "old")]))?;
//! model.commit("003", "004", Change::Upsert(vec![Row::new("p", "k", 4, "late")]))?;
//! assert_eq!(model.snapshot()[&("p".into(), "k".into())].payload, "old");
//! # Ok::<(), oxlake_testkit::Error>(())
//! ```

use std::collections::BTreeMap;

use crate::{Error, Result};

/// Partition path and record key: what a row is found by.
pub type Key = (String, String);

/// A state of the table.
pub type State<P> = BTreeMap<Key, Row<P>>;

/// Which of two rows with one key stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// The one written later.
    CommitTime,
    /// The one with the greater ordering value; the later one when they are equal.
    EventTime,
}

/// A row: where it belongs, its ordering value, and whatever else the test wants to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<P> {
    /// Partition path, empty in a table without partitions.
    pub partition: String,
    /// Record key.
    pub key: String,
    /// Ordering value.
    pub ordering: i64,
    /// The rest of the row.
    pub payload: P,
    /// Requested time of the commit that wrote it; set by the model.
    pub commit_time: String,
}

impl<P> Row<P> {
    /// A row not yet written.
    pub fn new(
        partition: impl Into<String>,
        key: impl Into<String>,
        ordering: i64,
        payload: P,
    ) -> Self {
        Self {
            partition: partition.into(),
            key: key.into(),
            ordering,
            payload,
            commit_time: String::new(),
        }
    }

    fn id(&self) -> Key {
        (self.partition.clone(), self.key.clone())
    }
}

/// What one commit does.
#[derive(Debug, Clone)]
pub enum Change<P> {
    /// Rows with new keys. Insert and bulk insert do not look for the key, so a key that exists, or comes twice, makes a
    /// table with duplicates, which this model does not describe: it is refused.
    Insert(Vec<Row<P>>),
    /// Rows with new or existing keys. Several rows of one key are merged first, in their order.
    Upsert(Vec<Row<P>>),
    /// Keys, present or not. A delete without an ordering value always wins.
    Delete(Vec<Key>),
}

/// A commit and the state after it.
#[derive(Debug, Clone)]
struct Commit<P> {
    requested: String,
    completed: String,
    state: State<P>,
}

/// The reference table.
#[derive(Debug, Clone)]
pub struct Model<P> {
    merge: Merge,
    commits: Vec<Commit<P>>,
    empty: State<P>,
}

impl<P: Clone> Model<P> {
    /// An empty table.
    pub fn new(merge: Merge) -> Self {
        Self {
            merge,
            commits: Vec::new(),
            empty: State::new(),
        }
    }

    /// Applies a change as one commit.
    ///
    /// # Errors
    /// [`Error::Model`] when the times do not grow, or the change has no single right result.
    pub fn commit(
        &mut self,
        requested: impl Into<String>,
        completed: impl Into<String>,
        change: Change<P>,
    ) -> Result<()> {
        let (requested, completed) = (requested.into(), completed.into());
        if let Some(last) = self.commits.last()
            && (requested <= last.requested || completed <= last.completed)
        {
            return refuse(format!(
                "commit {requested} after {}: one writer's times grow",
                last.requested
            ));
        }
        let mut state = self.snapshot().clone();
        match change {
            Change::Insert(rows) => insert(&mut state, rows, &requested)?,
            Change::Upsert(rows) => upsert(&mut state, rows, &requested, self.merge),
            Change::Delete(keys) => {
                for key in keys {
                    state.remove(&key);
                }
            }
        }
        self.commits.push(Commit {
            requested,
            completed,
            state,
        });
        Ok(())
    }

    /// The table now.
    pub fn snapshot(&self) -> &State<P> {
        self.commits.last().map_or(&self.empty, |c| &c.state)
    }

    /// The table as of a requested time: after the last commit not younger than it.
    pub fn as_of(&self, time: &str) -> &State<P> {
        let visible = self.commits.iter().rfind(|c| c.requested.as_str() <= time);
        visible.map_or(&self.empty, |c| &c.state)
    }

    /// Rows of the last state in the range that were written by a commit completed after `from` and not after `to`.
    ///
    /// The state is that of the last commit in the range; without one there are no rows.
    pub fn incremental(&self, from: Option<&str>, to: Option<&str>) -> State<P> {
        let inside = |c: &&Commit<P>| {
            from.is_none_or(|from| c.completed.as_str() > from)
                && to.is_none_or(|to| c.completed.as_str() <= to)
        };
        let commits: Vec<_> = self.commits.iter().filter(inside).collect();
        let Some(last) = commits.last() else {
            return State::new();
        };
        let written = |row: &Row<P>| commits.iter().any(|c| c.requested == row.commit_time);
        let rows = last.state.iter().filter(|(_, row)| written(row));
        rows.map(|(key, row)| (key.clone(), row.clone())).collect()
    }

    /// Requested times of all commits, oldest first.
    pub fn commit_times(&self) -> impl Iterator<Item = &str> {
        self.commits.iter().map(|c| c.requested.as_str())
    }

    /// Completion time of a commit.
    pub fn completion_time(&self, requested: &str) -> Option<&str> {
        let commit = self.commits.iter().find(|c| c.requested == requested);
        commit.map(|c| c.completed.as_str())
    }
}

fn insert<P: Clone>(state: &mut State<P>, rows: Vec<Row<P>>, commit_time: &str) -> Result<()> {
    for mut row in rows {
        row.commit_time = commit_time.into();
        if let Some(there) = state.insert(row.id(), row) {
            return refuse(format!("insert of key {} that exists", there.key));
        }
    }
    Ok(())
}

fn upsert<P: Clone>(state: &mut State<P>, rows: Vec<Row<P>>, commit_time: &str, merge: Merge) {
    let wins = |incoming: &Row<P>, there: &Row<P>| match merge {
        Merge::CommitTime => true,
        Merge::EventTime => incoming.ordering >= there.ordering,
    };
    let mut batch = State::new();
    for mut row in rows {
        row.commit_time = commit_time.into();
        if batch.get(&row.id()).is_none_or(|there| wins(&row, there)) {
            batch.insert(row.id(), row);
        }
    }
    for (key, row) in batch {
        if state.get(&key).is_none_or(|there| wins(&row, there)) {
            state.insert(key, row);
        }
    }
}

fn refuse<T>(reason: String) -> Result<T> {
    Err(Error::Model { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, ordering: i64, payload: &'static str) -> Row<&'static str> {
        Row::new("p", key, ordering, payload)
    }

    fn payloads(state: &State<&'static str>) -> Vec<&'static str> {
        state.values().map(|row| row.payload).collect()
    }

    fn history(merge: Merge) -> Model<&'static str> {
        let mut model = Model::new(merge);
        model
            .commit(
                "01",
                "02",
                Change::Insert(vec![row("a", 5, "a1"), row("b", 5, "b1")]),
            )
            .unwrap();
        model
            .commit(
                "03",
                "04",
                Change::Upsert(vec![row("a", 4, "a2"), row("c", 1, "c2")]),
            )
            .unwrap();
        model
            .commit("05", "06", Change::Delete(vec![("p".into(), "b".into())]))
            .unwrap();
        model
    }

    #[test]
    fn by_commit_time_the_later_row_wins() {
        assert_eq!(
            payloads(history(Merge::CommitTime).snapshot()),
            ["a2", "c2"]
        );
    }

    #[test]
    fn by_event_time_a_late_row_loses_and_an_equal_one_wins() {
        let mut model = history(Merge::EventTime);
        assert_eq!(payloads(model.snapshot()), ["a1", "c2"]);
        model
            .commit("07", "08", Change::Upsert(vec![row("a", 5, "tie")]))
            .unwrap();
        assert_eq!(payloads(model.snapshot()), ["tie", "c2"]);
    }

    #[test]
    fn rows_of_one_key_in_a_batch_are_merged_in_order() {
        let batch = || {
            Change::Upsert(vec![
                row("a", 2, "new"),
                row("a", 1, "late"),
                row("a", 2, "tie"),
            ])
        };
        let mut by_event = Model::new(Merge::EventTime);
        by_event.commit("01", "02", batch()).unwrap();
        assert_eq!(payloads(by_event.snapshot()), ["tie"]);
    }

    #[test]
    fn time_travel_shows_the_state_of_the_time() {
        let model = history(Merge::CommitTime);
        assert!(model.as_of("00").is_empty());
        assert_eq!(payloads(model.as_of("02")), ["a1", "b1"]);
        assert_eq!(payloads(model.as_of("03")), ["a2", "b1", "c2"]);
        assert_eq!(payloads(model.as_of("99")), ["a2", "c2"]);
    }

    #[test]
    fn incremental_shows_the_rows_written_in_the_range() {
        let model = history(Merge::CommitTime);
        assert_eq!(payloads(&model.incremental(Some("02"), None)), ["a2", "c2"]);
        assert_eq!(payloads(&model.incremental(None, Some("02"))), ["a1", "b1"]);
        assert!(model.incremental(Some("04"), None).is_empty());
        assert_eq!(
            payloads(&model.incremental(None, None)),
            payloads(model.snapshot())
        );
    }

    #[test]
    fn an_insert_of_an_existing_key_is_refused() {
        let mut model = history(Merge::CommitTime);
        let error = model
            .commit("07", "08", Change::Insert(vec![row("a", 1, "x")]))
            .unwrap_err();
        assert!(error.to_string().contains("key a"));
    }
}
