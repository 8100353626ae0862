//! The history of a table as an immutable sorted value.

use std::collections::BTreeMap;

use crate::{Action, Instant, InstantFileName, InstantTime, State, TimelineLayout};

/// One file of the timeline folder, as listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// The file's name without folder.
    pub name: String,
    /// When it was last modified, in the zone of the writers; in layout 1 this is the completion time.
    pub modified: Option<InstantTime>,
}

/// The instants of a table, one entry an action in its highest state, sorted (spec 01 §3.5).
///
/// Filters return a `Timeline` that still knows where the whole one starts, so that
/// [`contains_or_before_start`](Self::contains_or_before_start) answers the same on all of them.
///
/// ```
/// use oxlake_model::{Timeline, TimelineEntry, TimelineLayout};
/// let names = ["20260307162434124.commit.requested", "20260307162434124.inflight",
///              "20260307162434124_20260307162438653.commit", "hoodie.properties"];
/// let entries = names.map(|name| TimelineEntry { name: name.into(), modified: None });
/// let timeline = Timeline::from_listing(TimelineLayout::V2, entries);
/// assert_eq!(timeline.instants().len(), 1);
/// assert!(timeline.last_completed_commit().is_some());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    instants: Vec<Instant>,
    start: Option<InstantTime>,
}

impl Timeline {
    /// Builds the timeline from the files of its folder; files that are no instants are ignored.
    ///
    /// Of several files of one action the highest state counts, of several completions (two processes may have
    /// finished the same plan in layout 2, spec 01 §3.6) the latest. In layout 1, and for a completed file of
    /// layout 2 without completion time, that time is `modified`.
    pub fn from_listing(
        layout: TimelineLayout,
        entries: impl IntoIterator<Item = TimelineEntry>,
    ) -> Self {
        Self::from_instants(entries.into_iter().filter_map(|entry| {
            let mut instant = InstantFileName::parse(layout, &entry.name)?;
            if instant.is_completed() && instant.completed.is_none() {
                instant.completed = entry.modified;
            }
            Some(instant)
        }))
    }

    /// Builds the timeline from instants in any order and any number of states each.
    pub fn from_instants(instants: impl IntoIterator<Item = Instant>) -> Self {
        let mut groups: BTreeMap<(InstantTime, &'static str), Instant> = BTreeMap::new();
        for instant in instants {
            let action = instant.action.completes_as().as_str();
            let key = (instant.requested.clone(), action);
            match groups.get(&key) {
                Some(kept) if *kept >= instant => {}
                _ => {
                    groups.insert(key, instant);
                }
            }
        }
        let instants: Vec<Instant> = groups.into_values().collect();
        let start = start_of(&instants);
        Self { instants, start }
    }

    /// All instants, sorted by requested time.
    pub fn instants(&self) -> &[Instant] {
        &self.instants
    }

    /// How many instants there are.
    pub fn len(&self) -> usize {
        self.instants.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.instants.is_empty()
    }

    /// The instants `keep` holds for.
    #[must_use]
    pub fn filter(&self, mut keep: impl FnMut(&Instant) -> bool) -> Self {
        Self {
            instants: self.instants.iter().filter(|i| keep(i)).cloned().collect(),
            start: self.start.clone(),
        }
    }

    /// The completed instants of all actions.
    pub fn completed(&self) -> impl DoubleEndedIterator<Item = &Instant> {
        self.instants
            .iter()
            .filter(|instant| instant.is_completed())
    }

    /// The completed commits, delta commits and replace commits.
    #[must_use]
    pub fn completed_commits(&self) -> Self {
        self.filter(|instant| instant.is_completed() && instant.is_write())
    }

    /// The completed commits, delta commits and replace commits in order of completion.
    ///
    /// An instant without completion time counts as completed when it was requested.
    pub fn commits_by_completion(&self) -> Vec<&Instant> {
        let mut commits: Vec<&Instant> = self.completed().filter(|i| i.is_write()).collect();
        commits.sort_by_key(|i| (i.completed.as_ref().unwrap_or(&i.requested), *i));
        commits
    }

    /// The instants that are not completed.
    #[must_use]
    pub fn pending(&self) -> Self {
        self.filter(|instant| !instant.is_completed())
    }

    /// The commits, delta commits and replace commits that are not completed, without table services.
    ///
    /// A clustering of layout 1 is called `replacecommit` while pending; only its content tells.
    #[must_use]
    pub fn pending_writes(&self) -> Self {
        self.filter(|instant| {
            !instant.is_completed()
                && matches!(
                    instant.action,
                    Action::Commit | Action::DeltaCommit | Action::ReplaceCommit
                )
        })
    }

    /// The instants of one action, as named by their files.
    #[must_use]
    pub fn of_action(&self, action: Action) -> Self {
        self.filter(|instant| instant.action == action)
    }

    /// The instant requested at `time`. Where a commit and something else share a time (a savepoint has that of
    /// its commit), the commit.
    pub fn find(&self, time: &InstantTime) -> Option<&Instant> {
        let from = self.instants.partition_point(|i| i.requested < *time);
        let same = || {
            let rest = self.instants.get(from..).unwrap_or_default();
            rest.iter().take_while(|i| i.requested == *time)
        };
        same().find(|i| i.is_write()).or_else(|| same().next())
    }

    /// Whether the instant requested at `time` is there and completed.
    pub fn is_completed(&self, time: &InstantTime) -> bool {
        self.find(time).is_some_and(Instant::is_completed)
    }

    /// Whether data written at `time` is committed: the instant is completed, or so old that it has been
    /// archived (spec 01 §3.5).
    ///
    /// Archived means older than the first write on the whole timeline that is not held there by a savepoint.
    /// A pending write is never passed over by archival, so it counts as a start.
    pub fn contains_or_before_start(&self, time: &InstantTime) -> bool {
        match self.find(time) {
            Some(instant) => instant.is_completed(),
            None => self.start.as_ref().is_some_and(|start| time < start),
        }
    }

    /// When the instant requested at `time` completed.
    pub fn completion_time(&self, time: &InstantTime) -> Option<&InstantTime> {
        self.find(time)?.completed.as_ref()
    }

    /// The completed commit, delta commit or replace commit with the greatest requested time.
    pub fn last_completed_commit(&self) -> Option<&Instant> {
        self.completed().rfind(|instant| instant.is_write())
    }

    /// The requested time before which everything has been archived.
    pub fn start(&self) -> Option<&InstantTime> {
        self.start.as_ref()
    }

    /// The first completed commit, delta commit or replace commit.
    pub fn first_commit(&self) -> Option<&Instant> {
        self.completed().find(|instant| instant.is_write())
    }

    /// The greatest of all requested and completion times: a new instant must be later (spec 01 §3.2).
    pub fn max_time(&self) -> Option<InstantTime> {
        let times = self.instants.iter();
        times
            .flat_map(|i| std::iter::once(&i.requested).chain(i.completed.as_ref()))
            .max()
            .cloned()
    }

    /// The greatest of all requested times. In layout 1 a new instant must be later than this only: what stands for
    /// completion times there is when files were modified, by the clock of the storage or of whoever copied the table.
    pub fn max_requested(&self) -> Option<&InstantTime> {
        self.instants.last().map(|instant| &instant.requested)
    }
}

fn start_of(instants: &[Instant]) -> Option<InstantTime> {
    let savepoints: Vec<&InstantTime> = instants
        .iter()
        .filter(|i| i.action == Action::Savepoint && i.state == State::Completed)
        .map(|i| &i.requested)
        .collect();
    let first = instants
        .iter()
        .find(|i| i.is_write() && savepoints.binary_search(&&i.requested).is_err());
    first.map(|i| i.requested.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn time(text: &str) -> InstantTime {
        InstantTime::parse(text).unwrap()
    }

    fn timeline(layout: TimelineLayout, names: &[&str]) -> Timeline {
        Timeline::from_listing(
            layout,
            names.iter().map(|name| TimelineEntry {
                name: (*name).to_owned(),
                modified: Some(time("99")),
            }),
        )
    }

    #[test]
    fn the_highest_state_of_an_action_wins_across_action_names() {
        let t = timeline(
            TimelineLayout::V2,
            &[
                "1.compaction.requested",
                "1.compaction.inflight",
                "1_5.commit",
                "2.clustering.requested",
                "2.clustering.inflight",
                "3.commit.requested",
                "3.inflight",
            ],
        );
        let texts: Vec<String> = t.instants().iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "[1__5__commit__COMPLETED]",
                "[2__clustering__INFLIGHT]",
                "[3__commit__INFLIGHT]"
            ]
        );
        assert_eq!(t.pending().len(), 2);
        assert_eq!(t.pending_writes().len(), 1);
        assert_eq!(t.max_time(), Some(time("5")));
    }

    #[test]
    fn the_later_of_two_completions_wins() {
        let t = timeline(TimelineLayout::V2, &["1_5.clean", "1_7.clean", "1_6.clean"]);
        assert_eq!(t.len(), 1);
        assert_eq!(t.completion_time(&time("1")), Some(&time("7")));
    }

    #[test]
    fn layout_1_completes_at_the_modification_time() {
        let t = timeline(TimelineLayout::V1, &["1.commit", "2.inflight"]);
        assert_eq!(t.completion_time(&time("1")), Some(&time("99")));
        assert_eq!(t.completion_time(&time("2")), None);
    }

    #[test]
    fn a_savepoint_shares_its_time_with_a_commit() {
        let t = timeline(
            TimelineLayout::V2,
            &["1_2.commit", "1_9.savepoint", "3_4.commit"],
        );
        assert_eq!(t.find(&time("1")).unwrap().action, Action::Commit);
        assert_eq!(
            t.start(),
            Some(&time("3")),
            "a savepointed commit does not start the timeline"
        );
        assert!(
            t.contains_or_before_start(&time("2")),
            "archived between savepoint and start"
        );
    }

    #[test]
    fn archived_is_older_than_the_first_write_of_any_state() {
        let t = timeline(
            TimelineLayout::V2,
            &["10_11.clean", "20.commit.requested", "30_31.commit"],
        );
        assert!(
            t.contains_or_before_start(&time("15")),
            "cleans do not start a timeline"
        );
        assert!(!t.contains_or_before_start(&time("20")), "pending");
        assert!(
            !t.contains_or_before_start(&time("25")),
            "unknown after the start"
        );
        assert!(t.contains_or_before_start(&time("30")));
        assert!(
            t.completed_commits().contains_or_before_start(&time("15")),
            "filters keep the start"
        );
        assert!(!timeline(TimelineLayout::V2, &[]).contains_or_before_start(&time("1")));
    }

    #[test]
    fn completion_order_differs_from_request_order() {
        let t = timeline(
            TimelineLayout::V2,
            &["1_9.commit", "2_5.commit", "3_7.clean"],
        );
        let order: Vec<&str> = t
            .commits_by_completion()
            .iter()
            .map(|i| i.requested.as_str())
            .collect();
        assert_eq!(order, ["2", "1"]);
        assert_eq!(t.last_completed_commit().unwrap().requested, time("2"));
        assert_eq!(t.first_commit().unwrap().requested, time("1"));
    }

    proptest! {
        #[test]
        fn independent_of_the_order_of_the_listing(
            (names, shuffled) in prop::collection::vec(
                "[1-4](_[1-9])?\\.(commit|deltacommit|replacecommit|clean|compaction|savepoint|clustering|x)?(\\.requested|\\.inflight)?",
                0..20,
            ).prop_flat_map(|names| (Just(names.clone()), Just(names).prop_shuffle())),
            layout in prop_oneof![Just(TimelineLayout::V1), Just(TimelineLayout::V2)],
        ) {
            let build = |names: &[String]| Timeline::from_listing(layout, names.iter().map(|name| {
                TimelineEntry { name: name.clone(), modified: Some(time("8")) }
            }));
            let t = build(&names);
            prop_assert_eq!(&t, &build(&shuffled));
            prop_assert!(t.instants().is_sorted());
            for i in t.instants() {
                prop_assert_eq!(i.completed.is_some(), i.is_completed());
            }
        }
    }
}
