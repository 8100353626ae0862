//! Which data files of a write are strays: announced by a marker, but not part of the commit.
//!
//! A task that was tried twice leaves the file of the lost attempt behind. Just before a commit completes, the
//! files that have a marker and no write stat are deleted (spec 04 §1.14 step 7).

use std::collections::BTreeSet;

use oxlake_model::CommitMetadata;

/// Paths (relative to the table) that are `marked` and that `commit` does not name, each once, sorted. A path that
/// the commit names is never in the answer.
pub fn reconcile_markers(
    marked: impl IntoIterator<Item = String>,
    commit: &CommitMetadata,
) -> Vec<String> {
    let named: BTreeSet<&str> = commit
        .write_stats()
        .filter_map(|(_, stat)| stat.path.as_deref())
        .collect();
    let marked: BTreeSet<String> = marked.into_iter().collect();
    marked
        .into_iter()
        .filter(|path| !named.contains(path.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_model::WriteStat;
    use proptest::prelude::*;

    fn commit(paths: &BTreeSet<String>) -> CommitMetadata {
        let stat = |path: &String| WriteStat {
            path: Some(path.clone()),
            ..WriteStat::default()
        };
        let mut commit = CommitMetadata::default();
        commit
            .partition_to_write_stats
            .insert("p".to_owned(), paths.iter().map(stat).collect());
        commit
    }

    proptest! {
        #[test]
        fn strays_are_the_exact_difference(
            marked in prop::collection::vec("[a-d]{1,2}", 0..20),
            named in prop::collection::btree_set("[a-d]{1,2}", 0..10),
        ) {
            let strays = reconcile_markers(marked.clone(), &commit(&named));
            let marked: BTreeSet<String> = marked.into_iter().collect();
            let expected: Vec<String> = marked.difference(&named).cloned().collect();
            prop_assert!(strays.iter().all(|path| !named.contains(path)));
            prop_assert_eq!(strays, expected);
        }
    }
}
