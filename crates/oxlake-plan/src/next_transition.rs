//! The legal steps of an instant on the timeline (spec 01 §3.4, §3.6).
//!
//! ```text
//!             Start            Complete
//! REQUESTED ────────► INFLIGHT ────────► COMPLETED
//!     ▲  │                │ │
//!     │  └── Discard ──►  │ └── Discard ──►  (gone: a rolled back write)
//!     └─── Reschedule ────┘      compaction, log compaction and clustering only
//! ```
//!
//! A savepoint begins inflight. Nothing leaves the completed state: undoing a completed commit is the work of a
//! restore, which has its own plan.

use oxlake_model::{Action, State};

/// What is about to happen to an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The work begins.
    Start,
    /// The work is done and becomes visible.
    Complete,
    /// The work is abandoned and its plan is kept for another try.
    Reschedule,
    /// The instant is undone and leaves the timeline.
    Discard,
}

/// Where an event leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// A new file with this action and state is created; the earlier files stay.
    Create(Action, State),
    /// The inflight file is deleted.
    BackToRequested,
    /// All files of the instant are deleted, the inflight one before the requested one.
    Gone,
}

/// A step that the timeline does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a {action:?} instant in state {state:?} does not allow {event:?}")]
pub struct IllegalTransition {
    /// Action of the instant.
    pub action: Action,
    /// State of the instant.
    pub state: State,
    /// The refused event.
    pub event: Event,
}

/// The step that `event` makes from an instant of `action` in `state`.
///
/// # Errors
/// [`IllegalTransition`] for every pair that is not an edge of the picture above.
pub fn next_transition(
    action: Action,
    state: State,
    event: Event,
) -> Result<Transition, IllegalTransition> {
    let has_requested = action != Action::Savepoint;
    match (state, event) {
        (State::Requested, Event::Start) if has_requested => {
            Ok(Transition::Create(action, State::Inflight))
        }
        (State::Inflight, Event::Complete) => {
            Ok(Transition::Create(action.completes_as(), State::Completed))
        }
        (State::Inflight, Event::Reschedule) if is_rescheduled(action) => {
            Ok(Transition::BackToRequested)
        }
        (State::Requested, Event::Discard) if has_requested => Ok(Transition::Gone),
        (State::Inflight, Event::Discard) => Ok(Transition::Gone),
        _ => Err(IllegalTransition {
            action,
            state,
            event,
        }),
    }
}

fn is_rescheduled(action: Action) -> bool {
    matches!(
        action,
        Action::Compaction | Action::LogCompaction | Action::Clustering
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EVENTS: [Event; 4] = [
        Event::Start,
        Event::Complete,
        Event::Reschedule,
        Event::Discard,
    ];

    fn legal(action: Action) -> Vec<(State, Event, Transition)> {
        let all = State::ALL
            .into_iter()
            .flat_map(|state| EVENTS.map(|event| (state, event)));
        all.filter_map(|(state, event)| {
            next_transition(action, state, event)
                .ok()
                .map(|to| (state, event, to))
        })
        .collect()
    }

    #[test]
    fn a_commit_has_four_edges_and_a_compaction_five() {
        let commit = [
            (
                State::Requested,
                Event::Start,
                Transition::Create(Action::Commit, State::Inflight),
            ),
            (State::Requested, Event::Discard, Transition::Gone),
            (
                State::Inflight,
                Event::Complete,
                Transition::Create(Action::Commit, State::Completed),
            ),
            (State::Inflight, Event::Discard, Transition::Gone),
        ];
        assert_eq!(legal(Action::Commit), commit);
        let compaction = legal(Action::Compaction);
        assert_eq!(compaction.len(), 5);
        let completed = Transition::Create(Action::Commit, State::Completed);
        assert!(compaction.contains(&(State::Inflight, Event::Complete, completed)));
        assert!(compaction.contains(&(
            State::Inflight,
            Event::Reschedule,
            Transition::BackToRequested
        )));
    }

    #[test]
    fn a_savepoint_begins_inflight() {
        assert!(
            legal(Action::Savepoint)
                .iter()
                .all(|(state, ..)| *state == State::Inflight)
        );
    }

    #[test]
    fn nothing_leaves_the_completed_state() {
        for action in Action::ALL {
            assert!(
                legal(action)
                    .iter()
                    .all(|(state, ..)| *state != State::Completed)
            );
        }
    }

    proptest! {
        #[test]
        fn any_walk_completes_at_most_once(
            action in prop::sample::select(Action::ALL.to_vec()),
            events in prop::collection::vec(prop::sample::select(EVENTS.to_vec()), 0..12),
        ) {
            let mut state = Some(if action == Action::Savepoint { State::Inflight } else { State::Requested });
            let mut completions = 0;
            for event in events {
                let Some(now) = state else { break };
                match next_transition(action, now, event) {
                    Ok(Transition::Create(_, to)) => {
                        prop_assert!(to > now);
                        completions += u32::from(to == State::Completed);
                        state = Some(to);
                    }
                    Ok(Transition::BackToRequested) => state = Some(State::Requested),
                    Ok(Transition::Gone) => state = None,
                    Err(refused) => prop_assert_eq!(refused.state, now),
                }
            }
            prop_assert!(completions <= 1);
        }
    }
}
