//! One action on the timeline in one of its states.

use std::cmp::Ordering;
use std::fmt;

use crate::InstantTime;

/// What an instant does to the table (spec 01 §3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Writes base files.
    Commit,
    /// Writes log files (and base files for inserts) of a merge-on-read table.
    DeltaCommit,
    /// Merges log files into new base files; completes as [`Action::Commit`].
    Compaction,
    /// Merges log files into larger log files; completes as [`Action::DeltaCommit`].
    LogCompaction,
    /// Replaces file groups: insert overwrite, delete partition, completed clustering.
    ReplaceCommit,
    /// Rewrites file groups by size and order; completes as [`Action::ReplaceCommit`].
    Clustering,
    /// Deletes files no query needs any more.
    Clean,
    /// Takes back one failed or completed instant.
    Rollback,
    /// Protects the files of a commit from the cleaner.
    Savepoint,
    /// Takes the table back to a savepoint.
    Restore,
    /// Builds partitions of the metadata table.
    Indexing,
    /// Stores the schema-on-read history; lies in `.hoodie/.schema`.
    SchemaCommit,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 12] = [
        Self::Commit,
        Self::DeltaCommit,
        Self::Compaction,
        Self::LogCompaction,
        Self::ReplaceCommit,
        Self::Clustering,
        Self::Clean,
        Self::Rollback,
        Self::Savepoint,
        Self::Restore,
        Self::Indexing,
        Self::SchemaCommit,
    ];

    /// The name in file names and stored records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::DeltaCommit => "deltacommit",
            Self::Compaction => "compaction",
            Self::LogCompaction => "logcompaction",
            Self::ReplaceCommit => "replacecommit",
            Self::Clustering => "clustering",
            Self::Clean => "clean",
            Self::Rollback => "rollback",
            Self::Savepoint => "savepoint",
            Self::Restore => "restore",
            Self::Indexing => "indexing",
            Self::SchemaCommit => "schemacommit",
        }
    }

    /// The action with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// The action under which this one completes; also the one by which instants of different states are
    /// recognised as the same (spec 01 §3.5).
    #[must_use]
    pub fn completes_as(self) -> Self {
        match self {
            Self::Compaction => Self::Commit,
            Self::LogCompaction => Self::DeltaCommit,
            Self::Clustering => Self::ReplaceCommit,
            other => other,
        }
    }

    /// Whether it completes as a commit, delta commit or replace commit: it adds or replaces data files.
    pub fn is_write(self) -> bool {
        matches!(
            self.completes_as(),
            Self::Commit | Self::DeltaCommit | Self::ReplaceCommit
        )
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How far an action has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Planned.
    Requested,
    /// Begun; files may lie about.
    Inflight,
    /// Done and visible.
    Completed,
}

impl State {
    /// All states, in order.
    pub const ALL: [Self; 3] = [Self::Requested, Self::Inflight, Self::Completed];

    /// The name in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Inflight => "inflight",
            Self::Completed => "completed",
        }
    }

    /// The name stored in Avro records, in upper case.
    pub fn as_upper_str(self) -> &'static str {
        match self {
            Self::Requested => "REQUESTED",
            Self::Inflight => "INFLIGHT",
            Self::Completed => "COMPLETED",
        }
    }

    /// The state with this upper-case name.
    pub fn parse_upper(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_upper_str() == name)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One action on the timeline in one of its states.
///
/// Ordered as a timeline is: by requested time, then the name of the action it completes as, then state. A
/// completion time is there only for completed instants, and may be unknown in layout 1.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Instant {
    /// When it was requested; its identity.
    pub requested: InstantTime,
    /// What it does. A completed compaction says `commit` here, as its file name does.
    pub action: Action,
    /// How far it has come.
    pub state: State,
    /// When it completed.
    pub completed: Option<InstantTime>,
}

impl Instant {
    /// An instant that has been requested.
    pub fn requested(time: InstantTime, action: Action) -> Self {
        Self::pending(time, action, State::Requested)
    }

    /// An instant that is being executed.
    pub fn inflight(time: InstantTime, action: Action) -> Self {
        Self::pending(time, action, State::Inflight)
    }

    /// An instant that completed at `completed`; the action becomes the one it completes as.
    pub fn completed(time: InstantTime, action: Action, completed: InstantTime) -> Self {
        Self {
            requested: time,
            action: action.completes_as(),
            state: State::Completed,
            completed: Some(completed),
        }
    }

    /// Whether it is completed.
    pub fn is_completed(&self) -> bool {
        self.state == State::Completed
    }

    /// Whether it adds or replaces data files when completed.
    pub fn is_write(&self) -> bool {
        self.action.is_write()
    }

    fn pending(requested: InstantTime, action: Action, state: State) -> Self {
        Self {
            requested,
            action,
            state,
            completed: None,
        }
    }

    fn sort_key(
        &self,
    ) -> (
        &InstantTime,
        &'static str,
        State,
        Action,
        Option<&InstantTime>,
    ) {
        (
            &self.requested,
            self.action.completes_as().as_str(),
            self.state,
            self.action,
            self.completed.as_ref(),
        )
    }
}

impl Ord for Instant {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sort_key().cmp(&other.sort_key())
    }
}

impl PartialOrd for Instant {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// For logs and messages, as the JVM prints it: `[20260307162434124__20260307162438653__commit__COMPLETED]`.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.requested)?;
        if let Some(completed) = &self.completed {
            write!(f, "__{completed}")?;
        }
        write!(f, "__{}__{}]", self.action, self.state.as_upper_str())
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
