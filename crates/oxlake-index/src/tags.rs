//! What an index answers.

use std::collections::BTreeSet;

/// A row whose key is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// Which file, as a position in [`crate::IndexInput::files`].
    pub file: usize,
    /// Which batch of keys, as a position in [`crate::IndexInput::keys`].
    pub batch: usize,
    /// Which row of that batch.
    pub row: usize,
}

/// Which files hold which rows' keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    matches: BTreeSet<Match>,
    files_read: usize,
}

impl Tags {
    pub(crate) fn new(matches: BTreeSet<Match>, files_read: usize) -> Self {
        Self {
            matches,
            files_read,
        }
    }

    /// All matches, by file, then batch, then row; a row is named once a file however many copies that file has.
    pub fn matches(&self) -> impl Iterator<Item = Match> {
        self.matches.iter().copied()
    }

    /// How many there are.
    pub fn match_count(&self) -> usize {
        self.matches.len()
    }

    /// Batches and rows whose key is in at least one file.
    pub fn known(&self) -> BTreeSet<(usize, usize)> {
        self.matches
            .iter()
            .map(|found| (found.batch, found.row))
            .collect()
    }

    /// How many files' key columns were read to find out.
    pub fn files_read(&self) -> usize {
        self.files_read
    }
}
