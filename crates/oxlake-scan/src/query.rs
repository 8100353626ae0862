//! What a caller wants to read.

use oxlake_model::{InstantTime, Predicate};

/// A query over one table.
///
/// ```
/// use oxlake_scan::{Query, QueryKind};
///
/// let query = Query::snapshot().with_columns(["id", "name"]).with_limit(10);
/// assert_eq!(query.kind, QueryKind::Snapshot);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Which state, or which changes.
    pub kind: QueryKind,
    /// The columns of the answer in order; `None` is all of them.
    pub columns: Option<Vec<String>>,
    /// Only rows for which this is true.
    pub predicate: Option<Predicate>,
    /// At most so many rows.
    pub limit: Option<usize>,
    /// Rows in a batch at most; `None` leaves it to the reader.
    pub batch_size: Option<usize>,
}

/// Which rows a query is about (spec 04 §6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum QueryKind {
    /// The newest state.
    #[default]
    Snapshot,
    /// The newest base files only. On a copy-on-write table the same as [`QueryKind::Snapshot`].
    ReadOptimized,
    /// The state as of a requested time, in the schema of that time. Before the first write it is empty.
    TimeTravel(InstantTime),
    /// The rows changed by the writes of a range, each in its newest state of the range. The bounds are
    /// completion times from version 8 on, requested times before.
    Incremental {
        /// Exclusive; `None` is the beginning of the table.
        from: Option<InstantTime>,
        /// Inclusive; `None` is now.
        to: Option<InstantTime>,
    },
    /// All changes of a range with their images before and after. Refused for now.
    Cdc {
        /// Exclusive; `None` is the beginning of the table.
        from: Option<InstantTime>,
        /// Inclusive; `None` is now.
        to: Option<InstantTime>,
    },
}

impl Query {
    /// All rows and columns of a kind.
    pub fn new(kind: QueryKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// The newest state.
    pub fn snapshot() -> Self {
        Self::default()
    }

    /// The state as of a requested time.
    pub fn as_of(time: InstantTime) -> Self {
        Self::new(QueryKind::TimeTravel(time))
    }

    /// The rows changed after `from` and up to `to`.
    pub fn incremental(from: Option<InstantTime>, to: Option<InstantTime>) -> Self {
        Self::new(QueryKind::Incremental { from, to })
    }

    /// Only these columns, in this order.
    #[must_use]
    pub fn with_columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Only rows for which `predicate` is true, besides those asked for so far.
    #[must_use]
    pub fn with_predicate(mut self, predicate: Predicate) -> Self {
        self.predicate = Some(match self.predicate.take() {
            None => predicate,
            Some(before) => before.and(predicate),
        });
        self
    }

    /// At most so many rows.
    #[must_use]
    pub fn with_limit(mut self, rows: usize) -> Self {
        self.limit = Some(rows);
        self
    }

    /// Rows in a batch at most.
    #[must_use]
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = Some(rows);
        self
    }
}
