//! Instants that have left the active timeline.

pub(crate) mod log;
pub(crate) mod lsm;

use std::collections::BTreeMap;

use bytes::Bytes;
use oxlake_model::{Action, Error, Instant, InstantContent, InstantTime, Result, State, Timeline};

/// Which archived instants to load, and how much about each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveQuery {
    /// The least requested time wanted.
    pub from: Option<InstantTime>,
    /// The greatest requested time wanted.
    pub to: Option<InstantTime>,
    /// Whether to load what completed instants did.
    pub metadata: bool,
    /// Whether to load what they had planned.
    pub plan: bool,
}

impl ArchiveQuery {
    /// All instants with their content.
    pub fn everything() -> Self {
        Self {
            metadata: true,
            plan: true,
            ..Self::default()
        }
    }

    /// All instants, times only.
    pub fn times() -> Self {
        Self::default()
    }

    pub(crate) fn contains(&self, time: &InstantTime) -> bool {
        self.from.as_ref().is_none_or(|from| from <= time)
            && self.to.as_ref().is_none_or(|to| time <= to)
    }
}

/// The archived instants of a table, each once, sorted by requested time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchivedTimeline {
    /// The instants.
    pub instants: Vec<ArchivedInstant>,
}

/// An archived instant and the bytes of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedInstant {
    /// The instant. Only the archive of version 6 can hold one that never completed.
    pub instant: Instant,
    /// What it did: the content of its completed file, or the bare datum of it.
    pub metadata: Option<Bytes>,
    /// What it had planned: the content of its requested or inflight file, or the bare datum of it.
    pub plan: Option<Bytes>,
}

impl ArchivedInstant {
    /// What it did; [`InstantContent::Empty`] or default metadata when that was not loaded.
    ///
    /// # Errors
    /// The bytes are not what stands in such a file.
    pub fn content(&self) -> Result<InstantContent> {
        let bytes = self.metadata.as_deref().unwrap_or_default();
        InstantContent::decode(&self.instant, bytes)
    }

    /// What it had planned: a compaction or clustering plan, a cleaner plan, or the workload profile of an insert
    /// overwrite (spec 01 §5.1).
    ///
    /// # Errors
    /// The bytes are none of these.
    pub fn plan_content(&self) -> Result<InstantContent> {
        let Some(bytes) = self.plan.as_deref() else {
            return Ok(InstantContent::Empty);
        };
        let requested = |action| Instant::requested(self.instant.requested.clone(), action);
        let decode = |action| InstantContent::decode(&requested(action), bytes);
        match self.instant.action {
            Action::Commit => decode(Action::Compaction),
            Action::DeltaCommit => decode(Action::LogCompaction),
            Action::ReplaceCommit => {
                decode(Action::ReplaceCommit).or_else(|_: Error| decode(Action::Commit))
            }
            action => decode(action),
        }
    }
}

impl ArchivedTimeline {
    /// The instants as a timeline.
    pub fn timeline(&self) -> Timeline {
        Timeline::from_instants(
            self.instants
                .iter()
                .map(|archived| archived.instant.clone()),
        )
    }

    /// When the archived commits, delta commits and replace commits completed, by requested time: what a
    /// file-system view needs.
    pub fn completion_times(&self) -> BTreeMap<InstantTime, InstantTime> {
        let instants = self.instants.iter().map(|archived| &archived.instant);
        let writes = instants.filter(|instant| instant.is_write());
        writes
            .filter_map(|i| Some((i.requested.clone(), i.completed.clone()?)))
            .collect()
    }

    /// Instants with several rows or entries become one: the greatest state and latest completion counts.
    pub(crate) fn from_parts(parts: impl IntoIterator<Item = ArchivedInstant>) -> Self {
        let mut merged: BTreeMap<(InstantTime, &'static str), ArchivedInstant> = BTreeMap::new();
        for part in parts {
            let action = part.instant.action.completes_as().as_str();
            let key = (part.instant.requested.clone(), action);
            match merged.remove(&key) {
                None => merged.insert(key, part),
                Some(other) => merged.insert(key, merge(other, part)),
            };
        }
        Self {
            instants: merged.into_values().collect(),
        }
    }
}

fn merge(one: ArchivedInstant, other: ArchivedInstant) -> ArchivedInstant {
    let (older, newer) = if one.instant <= other.instant {
        (one, other)
    } else {
        (other, one)
    };
    let both_completed = older.instant.state == State::Completed;
    ArchivedInstant {
        metadata: newer
            .metadata
            .or(if both_completed { older.metadata } else { None }),
        plan: newer.plan.or(older.plan),
        instant: newer.instant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(
        state: State,
        metadata: Option<&'static str>,
        plan: Option<&'static str>,
    ) -> ArchivedInstant {
        let time = |text: &str| InstantTime::parse(text).unwrap();
        ArchivedInstant {
            instant: Instant {
                requested: time("1"),
                action: if state == State::Completed {
                    Action::Commit
                } else {
                    Action::Compaction
                },
                state,
                completed: (state == State::Completed).then(|| time("2")),
            },
            metadata: metadata.map(|text| Bytes::from_static(text.as_bytes())),
            plan: plan.map(|text| Bytes::from_static(text.as_bytes())),
        }
    }

    #[test]
    fn three_entries_of_an_action_become_one_in_any_order() {
        let parts = [
            part(State::Requested, None, Some("plan")),
            part(State::Inflight, None, None),
            part(State::Completed, Some("metadata"), None),
        ];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let timeline = ArchivedTimeline::from_parts(order.map(|i| parts[i].clone()));
            let [one] = timeline.instants.as_slice() else {
                panic!("{timeline:?}")
            };
            assert_eq!(one, &part(State::Completed, Some("metadata"), Some("plan")));
            assert_eq!(timeline.completion_times().len(), 1);
        }
    }

    #[test]
    fn a_range_holds_its_ends() {
        let time = |text: &str| InstantTime::parse(text).unwrap();
        let query = ArchiveQuery {
            from: Some(time("2")),
            to: Some(time("4")),
            ..ArchiveQuery::times()
        };
        let inside = ["1", "2", "3", "4", "5"].map(|text| query.contains(&time(text)));
        assert_eq!(inside, [false, true, true, true, false]);
    }
}
