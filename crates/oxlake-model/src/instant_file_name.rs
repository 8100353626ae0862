//! The one table between an instant and the name of its file (spec 01 §3.4).
//!
//! ```text
//!              requested             inflight             completed, layout 1   layout 2
//! commit       T.commit.requested    T.inflight           T.commit              T_C.commit
//! compaction   T.compaction.req…     T.compaction.inf…    T.commit              T_C.commit
//! clustering   T.clustering.req…     T.clustering.inf…    T.replacecommit       T_C.replacecommit
//! others       T.<action>.req…       T.<action>.inf…      T.<action>            T_C.<action>
//! ```
//!
//! In layout 1 a pending clustering is called `replacecommit`.

use crate::{Action, Instant, InstantTime, State, TimelineLayout};

/// Reads and prints the names of timeline files.
#[derive(Clone, Copy, Debug)]
pub struct InstantFileName;

impl InstantFileName {
    /// The instant a file of the timeline folder stands for; `None` for every other file.
    ///
    /// A completed file of layout 2 without completion time (a half-upgraded table) is accepted; its
    /// `completed` is `None`, as it always is in layout 1.
    pub fn parse(layout: TimelineLayout, name: &str) -> Option<Instant> {
        let (times, extension) = name.split_once('.')?;
        let (action, state) = parse_extension(layout, extension)?;
        let (requested, completed) = match times.split_once('_') {
            Some(_) if layout == TimelineLayout::V1 || state != State::Completed => return None,
            Some((requested, completed)) => (requested, Some(InstantTime::parse(completed).ok()?)),
            None => (times, None),
        };
        Some(Instant {
            requested: InstantTime::parse(requested).ok()?,
            action,
            state,
            completed,
        })
    }

    /// The name of the file of an instant.
    ///
    /// The completion time becomes part of the name in layout 2 only. A completed instant of layout 2 whose
    /// completion time is unknown gets the layout-1 name it must have been read from.
    pub fn print(layout: TimelineLayout, instant: &Instant) -> String {
        let requested = &instant.requested;
        match (instant.state, pending_action(layout, instant.action)) {
            (State::Inflight, Action::Commit) => format!("{requested}.inflight"),
            (State::Requested | State::Inflight, action) => {
                format!("{requested}.{action}.{}", instant.state)
            }
            (State::Completed, action) => {
                let action = action.completes_as();
                match (&instant.completed, layout) {
                    (Some(completed), TimelineLayout::V2) => {
                        format!("{requested}_{completed}.{action}")
                    }
                    _ => format!("{requested}.{action}"),
                }
            }
        }
    }
}

fn parse_extension(layout: TimelineLayout, extension: &str) -> Option<(Action, State)> {
    if extension == "inflight" {
        return Some((Action::Commit, State::Inflight));
    }
    let (action, state) = match extension.split_once('.') {
        Some((action, "requested")) => (action, State::Requested),
        Some((action, "inflight")) => (action, State::Inflight),
        Some(_) => return None,
        None => (extension, State::Completed),
    };
    let action = Action::parse(action)?;
    let exists = match state {
        State::Requested => action != Action::Savepoint,
        State::Inflight => action != Action::Commit,
        State::Completed => action.completes_as() == action,
    };
    (exists && pending_action(layout, action) == action).then_some((action, state))
}

/// The name a pending action goes by: layout 1 has no `clustering`.
fn pending_action(layout: TimelineLayout, action: Action) -> Action {
    match (layout, action) {
        (TimelineLayout::V1, Action::Clustering) => Action::ReplaceCommit,
        _ => action,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layouts() -> impl Strategy<Value = TimelineLayout> {
        prop_oneof![Just(TimelineLayout::V1), Just(TimelineLayout::V2)]
    }

    fn check(
        layout: TimelineLayout,
        name: &str,
        expected: Option<(&str, Action, State, Option<&str>)>,
    ) {
        let found = InstantFileName::parse(layout, name);
        let found = found.as_ref().map(|i| {
            let completed = i.completed.as_ref().map(InstantTime::as_str);
            (i.requested.as_str(), i.action, i.state, completed)
        });
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn names_of_both_layouts() {
        use Action::{Clean, Clustering, Commit, Compaction, ReplaceCommit, Savepoint};
        use State::{Completed, Inflight, Requested};
        use TimelineLayout::{V1, V2};
        check(
            V1,
            "1.commit.requested",
            Some(("1", Commit, Requested, None)),
        );
        check(V1, "1.inflight", Some(("1", Commit, Inflight, None)));
        check(V2, "1.inflight", Some(("1", Commit, Inflight, None)));
        check(V1, "1.commit", Some(("1", Commit, Completed, None)));
        check(V2, "1_2.commit", Some(("1", Commit, Completed, Some("2"))));
        check(V2, "1.commit", Some(("1", Commit, Completed, None)));
        check(
            V2,
            "1_2.replacecommit",
            Some(("1", ReplaceCommit, Completed, Some("2"))),
        );
        check(
            V2,
            "1.compaction.requested",
            Some(("1", Compaction, Requested, None)),
        );
        check(
            V2,
            "1.clustering.inflight",
            Some(("1", Clustering, Inflight, None)),
        );
        check(
            V2,
            "1.savepoint.inflight",
            Some(("1", Savepoint, Inflight, None)),
        );
        check(V2, "1_2.clean", Some(("1", Clean, Completed, Some("2"))));
    }

    #[test]
    fn everything_else_in_the_folder_is_ignored() {
        use TimelineLayout::{V1, V2};
        check(V1, "1_2.commit", None);
        check(V1, "1.clustering.requested", None);
        check(V2, "1_2.commit.requested", None);
        for name in [
            "hoodie.properties",
            "1.commit.tmp",
            ".1.commit.crc",
            "1.commit.requested.tmp",
            "history",
            "",
            ".",
            "1.",
            "1.requested",
            "1.commit.inflight",
            "1.compaction",
            "1.logcompaction",
            "1.clustering",
            "1.savepoint.requested",
            "_1.commit",
            "1_.commit",
            "1_2_3.commit",
            "x.commit",
            "1.COMMIT",
            "1.commit ",
            "1.commit.completed",
        ] {
            check(V1, name, None);
            check(V2, name, None);
        }
    }

    proptest! {
        #[test]
        fn print_then_parse_gives_the_canonical_instant(
            layout in layouts(),
            requested in "[0-9]{1,20}",
            completed in "[0-9]{17}",
            action in prop::sample::select(Action::ALL.to_vec()),
            state in prop::sample::select(State::ALL.to_vec()),
        ) {
            prop_assume!(!(action == Action::Savepoint && state == State::Requested));
            let time = |text: &str| InstantTime::parse(text).unwrap();
            let done = state == State::Completed;
            let instant = Instant {
                requested: time(&requested),
                action: if done { action.completes_as() } else { pending_action(layout, action) },
                state,
                completed: (done && layout == TimelineLayout::V2).then(|| time(&completed)),
            };
            let raw = Instant { action, ..instant.clone() };
            let name = InstantFileName::print(layout, &raw);
            prop_assert_eq!(InstantFileName::parse(layout, &name), Some(instant), "{}", name);
        }

        #[test]
        fn parse_then_print_gives_the_name_and_garbage_never_panics(
            layout in layouts(),
            name in prop_oneof![
                ".{0,40}",
                "[0-9_]{0,20}\\.(commit|inflight|clean|compaction|savepoint|replacecommit)?(\\.requested|\\.inflight)?",
            ],
        ) {
            if let Some(instant) = InstantFileName::parse(layout, &name) {
                prop_assert_eq!(InstantFileName::print(layout, &instant), name);
            }
        }
    }
}
