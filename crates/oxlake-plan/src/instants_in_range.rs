//! Which completed writes an incremental query is about (spec 04 §6.3, §6.4).
//!
//! ```text
//! layout 2   begin < completion time <= end    a slow writer that finishes late is still seen
//! layout 1   begin < requested time  <= end    only sound while no older write is pending: see first_hollow
//! ```

use std::collections::BTreeSet;

use oxlake_model::{Instant, InstantTime, TableVersion};

/// The bounds of an incremental query. Completion times from version 8 on, requested times before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstantRange {
    /// Exclusive; `None` is the beginning of the table.
    pub after: Option<InstantTime>,
    /// Inclusive; `None` is now.
    pub until: Option<InstantTime>,
}

impl InstantRange {
    /// Whether a time lies inside.
    pub fn contains(&self, time: &InstantTime) -> bool {
        self.after.as_ref().is_none_or(|after| after < time)
            && self.until.as_ref().is_none_or(|until| time <= until)
    }
}

/// The writes of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstantsInRange {
    /// Completed writes inside the range, in the order that the bounds are about.
    pub instants: Vec<Instant>,
    /// No completed write lies behind the range: the latest snapshot is the state at its end.
    pub reaches_latest: bool,
    /// Layout 1: the first pending write with a completed one behind it inside the range. When it
    /// completes later, a reader that has gone past it will never see its rows.
    pub first_hollow: Option<Instant>,
}

impl InstantsInRange {
    /// The values of `_hoodie_commit_time` that rows written in the range carry.
    pub fn commit_times(&self) -> BTreeSet<String> {
        self.instants
            .iter()
            .map(|instant| instant.requested.as_str().to_owned())
            .collect()
    }
}

/// Picks from the `completed` writes of a table, active and archived, those of the range.
///
/// `pending` are the writes that may still complete, without pending compactions and clusterings, which
/// bring no rows of their own. The input may be in any order and may name an instant twice (a crash while
/// archiving leaves it in both places).
pub fn instants_in_range(
    version: TableVersion,
    completed: impl IntoIterator<Item = Instant>,
    pending: impl IntoIterator<Item = Instant>,
    range: &InstantRange,
) -> InstantsInRange {
    let by_completion = version.completion_time_in_name();
    let time_of = |instant: &Instant| match &instant.completed {
        Some(completed) if by_completion => completed.clone(),
        _ => instant.requested.clone(),
    };
    let completed: BTreeSet<(InstantTime, Instant)> = completed
        .into_iter()
        .filter(|instant| instant.is_completed() && instant.is_write())
        .map(|instant| (time_of(&instant), instant))
        .collect();

    let reaches_latest = completed
        .iter()
        .all(|(time, _)| range.until.as_ref().is_none_or(|until| time <= until));
    let mut seen = BTreeSet::new();
    let instants: Vec<Instant> = completed
        .into_iter()
        .filter(|(time, instant)| range.contains(time) && seen.insert(instant.requested.clone()))
        .map(|(_, instant)| instant)
        .collect();
    let first_hollow = if by_completion {
        None
    } else {
        first_hollow(&instants, pending, range)
    };
    InstantsInRange {
        instants,
        reaches_latest,
        first_hollow,
    }
}

fn first_hollow(
    instants: &[Instant],
    pending: impl IntoIterator<Item = Instant>,
    range: &InstantRange,
) -> Option<Instant> {
    let last = &instants.last()?.requested;
    pending
        .into_iter()
        .filter(|instant| range.contains(&instant.requested) && instant.requested < *last)
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_model::Action;
    use proptest::prelude::*;

    fn time(n: u32) -> InstantTime {
        InstantTime::parse(&format!("{n:017}")).unwrap()
    }

    fn commit(requested: u32, completed: u32) -> Instant {
        Instant::completed(time(requested), Action::Commit, time(completed))
    }

    fn range(after: Option<u32>, until: Option<u32>) -> InstantRange {
        InstantRange {
            after: after.map(time),
            until: until.map(time),
        }
    }

    fn requested(found: &InstantsInRange) -> Vec<u32> {
        found
            .instants
            .iter()
            .map(|instant| instant.requested.as_str().parse().unwrap())
            .collect()
    }

    #[test]
    fn layout_2_sees_a_slow_writer_by_its_completion() {
        let all = [commit(1, 9), commit(2, 3), commit(4, 5)];
        let found = instants_in_range(TableVersion::V9, all.clone(), [], &range(Some(5), None));
        assert_eq!(requested(&found), [1]);
        assert!(found.reaches_latest);
        let found = instants_in_range(TableVersion::V8, all, [], &range(Some(3), Some(5)));
        assert_eq!(requested(&found), [4], "begin exclusive, end inclusive");
        assert!(!found.reaches_latest);
    }

    #[test]
    fn layout_1_goes_by_requested_time_and_names_a_hollow_commit() {
        let all = [commit(1, 9), commit(2, 3), commit(4, 5)];
        let pending = [Instant::inflight(time(3), Action::Commit)];
        let found = instants_in_range(TableVersion::V6, all, pending, &range(Some(1), None));
        assert_eq!(requested(&found), [2, 4]);
        assert_eq!(found.first_hollow.map(|i| i.requested), Some(time(3)));
    }

    #[test]
    fn a_pending_write_behind_the_last_completed_one_is_no_hole() {
        let pending = [Instant::inflight(time(3), Action::Commit)];
        let found = instants_in_range(
            TableVersion::V6,
            [commit(1, 1)],
            pending,
            &InstantRange::default(),
        );
        assert_eq!(found.first_hollow, None);
    }

    #[test]
    fn only_completed_writes_count_and_each_once() {
        let clean = Instant::completed(time(2), Action::Clean, time(3));
        let pending = Instant::inflight(time(4), Action::Commit);
        let all = [commit(1, 1), commit(1, 1), clean, pending];
        let found = instants_in_range(TableVersion::V9, all, [], &InstantRange::default());
        assert_eq!(requested(&found), [1]);
    }

    proptest! {
        /// Reading from checkpoint to checkpoint sees every write exactly once.
        #[test]
        fn consecutive_ranges_partition_the_timeline(
            times in prop::collection::btree_map(0u32..40, 0u32..40, 0..12),
            mut cuts in prop::collection::vec(0u32..80, 0..4),
            version in prop::sample::select(TableVersion::ALL.to_vec()),
        ) {
            let all: Vec<_> = times.iter().map(|(r, d)| commit(*r, r + d)).collect();
            cuts.sort_unstable();
            let bounds: Vec<Option<u32>> =
                std::iter::once(None).chain(cuts.into_iter().map(Some)).chain([None]).collect();
            let mut seen: Vec<u32> = bounds
                .windows(2)
                .flat_map(|b| {
                    requested(&instants_in_range(version, all.clone(), [], &range(b[0], b[1])))
                })
                .collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, times.keys().copied().collect::<Vec<_>>());
        }
    }
}
