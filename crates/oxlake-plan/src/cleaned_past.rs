//! Which moments of the past can no longer be read because the cleaner took their files (spec 04 §6.2).
//!
//! A commit-based clean says up to when the past is kept. A clean that keeps a number of file versions does
//! not, and the reference answers queries before it with whatever is left. So here every deleted file is a
//! hole: from its own instant until the next version of its file group, or the end of the group.
//!
//! ```text
//! group a   v1 ───── v2 ───── v3          clean deletes v1 and v2
//!           [  hole  [  hole  [ readable
//! ```

use std::collections::{BTreeMap, BTreeSet};

use oxlake_model::metadata::CleanMetadata;
use oxlake_model::{BaseFileName, FileGroupId, FileSystemView, InstantTime, PartitionPath};

/// A stretch of the past in which the newest file of a file group is gone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hole {
    /// First requested time that needs the deleted file.
    pub from: InstantTime,
    /// First requested time that does not need it any more.
    pub until: InstantTime,
}

/// The greatest "earliest commit to retain" of some cleans; none when no clean has one.
pub fn retained_since<'a>(
    cleans: impl IntoIterator<Item = &'a CleanMetadata>,
) -> Option<InstantTime> {
    cleans
        .into_iter()
        .filter_map(|clean| InstantTime::parse(&clean.earliest_commit_to_retain).ok())
        .max()
}

/// The holes that some cleans left in the partitions of a view.
///
/// `in_scope` says which partitions the query looks at: a partition that was deleted whole is not in the
/// view and still counts. Files that are listed in spite of having been cleaned leave no hole.
pub fn holes<'a>(
    cleans: impl IntoIterator<Item = &'a CleanMetadata>,
    view: &FileSystemView,
    in_scope: &dyn Fn(&PartitionPath) -> bool,
) -> BTreeSet<Hole> {
    let mut versions: BTreeMap<FileGroupId, Versions> = BTreeMap::new();
    for clean in cleans {
        add_deleted(&mut versions, clean, in_scope);
    }
    for group in view.file_groups() {
        if let Some(versions) = versions.get_mut(&group.id) {
            versions
                .kept
                .extend(group.slices.iter().map(|slice| slice.base_instant.clone()));
        }
    }
    let mut holes = BTreeSet::new();
    for (group, versions) in &versions {
        let replaced = view.replaced_at(group);
        for (from, cleaned) in versions
            .deleted
            .iter()
            .filter(|(t, _)| !versions.kept.contains(t))
        {
            let until = versions
                .next(from)
                .into_iter()
                .chain(replaced)
                .filter(|t| *t > from)
                .min();
            holes.insert(Hole {
                from: from.clone(),
                until: until.unwrap_or(cleaned).clone(),
            });
        }
    }
    holes
}

/// The first moment at or after `time` that lies in no hole; `None` when `time` itself does not.
pub fn first_readable(time: &InstantTime, holes: &BTreeSet<Hole>) -> Option<InstantTime> {
    let mut readable = time.clone();
    // In order of their beginning: a hole that begins later can only begin at or after the end of this one.
    for hole in holes {
        if hole.from <= readable && readable < hole.until {
            readable = hole.until.clone();
        }
    }
    (readable != *time).then_some(readable)
}

/// What is known of one file group.
#[derive(Default)]
struct Versions {
    /// Instants of deleted base files, with a time by which the group could do without.
    deleted: BTreeMap<InstantTime, InstantTime>,
    /// Instants of the slices that are there.
    kept: BTreeSet<InstantTime>,
}

impl Versions {
    fn next(&self, time: &InstantTime) -> Option<&InstantTime> {
        let deleted = self.deleted.keys().find(|other| *other > time);
        deleted
            .into_iter()
            .chain(self.kept.iter().find(|other| *other > time))
            .min()
    }
}

fn add_deleted(
    versions: &mut BTreeMap<FileGroupId, Versions>,
    clean: &CleanMetadata,
    in_scope: &dyn Fn(&PartitionPath) -> bool,
) {
    // What the clean kept was enough for the newest commit it knew.
    let kept_since = InstantTime::parse(&clean.last_completed_commit_timestamp)
        .or_else(|_| InstantTime::parse(&clean.start_clean_time));
    let Ok(kept_since) = kept_since else { return };
    for (partition, deleted) in &clean.partition_metadata {
        let partition = PartitionPath::from(partition.as_str());
        if !in_scope(&partition) {
            continue;
        }
        for path in &deleted.success_delete_files {
            // Version 1 of the metadata stored full paths.
            let name = path.rsplit('/').next().unwrap_or(path);
            if let Some(file) = BaseFileName::parse(name) {
                let group = FileGroupId::new(partition.clone(), file.file_id);
                let until = kept_since.clone().max(file.instant.clone());
                versions
                    .entry(group)
                    .or_default()
                    .deleted
                    .insert(file.instant, until);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_model::metadata::CleanPartitionMetadata;
    use oxlake_model::{Action, Instant, ListedFile, TableVersion, Timeline, ViewInput};
    use proptest::prelude::*;

    fn time(n: u32) -> InstantTime {
        InstantTime::parse(&format!("{n:02}")).unwrap()
    }

    fn file(group: &str, instant: u32) -> String {
        format!("{group}_0-1-2_{}.parquet", time(instant))
    }

    fn clean(last_commit: u32, deleted: &[(&str, u32)]) -> CleanMetadata {
        let mut clean = CleanMetadata {
            start_clean_time: time(98).as_str().to_owned(),
            last_completed_commit_timestamp: time(last_commit).as_str().to_owned(),
            ..CleanMetadata::default()
        };
        let partition = CleanPartitionMetadata {
            success_delete_files: deleted.iter().map(|(g, t)| file(g, *t)).collect(),
            ..CleanPartitionMetadata::default()
        };
        clean.partition_metadata.insert("p".into(), partition);
        clean
    }

    fn view(kept: &[(&str, u32)], replaced: &[(&str, u32)]) -> FileSystemView {
        let commits = (1..98).map(|n| Instant::completed(time(n), Action::Commit, time(n)));
        let timeline = Timeline::from_instants(commits);
        let mut input = ViewInput::new(&timeline, TableVersion::V9);
        let listed = |(g, t): &(&str, u32)| ListedFile {
            name: file(g, *t),
            size_bytes: 1,
        };
        input
            .files
            .insert("p".into(), kept.iter().map(listed).collect());
        input.replaced = replaced
            .iter()
            .map(|(g, t)| (FileGroupId::new("p", *g), time(*t)))
            .collect();
        FileSystemView::build(&input)
    }

    fn readable(at: u32, holes: &BTreeSet<Hole>) -> u32 {
        let first = first_readable(&time(at), holes).unwrap_or_else(|| time(at));
        first.as_str().parse().unwrap()
    }

    #[test]
    fn each_deleted_version_is_a_hole_until_the_next_one() {
        let holes = holes(
            &[clean(9, &[("a", 2), ("a", 4)])],
            &view(&[("a", 6)], &[]),
            &|_| true,
        );
        let answers: Vec<u32> = (1..8).map(|at| readable(at, &holes)).collect();
        assert_eq!(
            answers,
            [1, 6, 6, 6, 6, 6, 7],
            "before the group existed nothing is missing"
        );
    }

    #[test]
    fn a_group_that_is_gone_is_a_hole_until_it_was_replaced() {
        let cleans = [clean(9, &[("a", 2)])];
        assert_eq!(
            readable(3, &holes(&cleans, &view(&[], &[("a", 5)]), &|_| true)),
            5
        );
        let unknown = holes(&cleans, &view(&[], &[]), &|_| true);
        assert_eq!(
            readable(3, &unknown),
            9,
            "at the latest when the clean looked"
        );
        assert!(
            holes(&cleans, &view(&[], &[]), &|_| false).is_empty(),
            "not asked for"
        );
    }

    #[test]
    fn a_file_that_is_still_there_leaves_no_hole() {
        let holes = holes(
            &[clean(9, &[("a", 2)])],
            &view(&[("a", 2), ("a", 5)], &[]),
            &|_| true,
        );
        assert!(holes.is_empty());
    }

    #[test]
    fn commit_based_cleans_say_since_when() {
        let mut with = clean(9, &[]);
        with.earliest_commit_to_retain = "05".into();
        assert_eq!(retained_since(&[with, clean(9, &[])]), Some(time(5)));
        assert_eq!(retained_since(&[clean(9, &[])]), None);
    }

    proptest! {
        /// A moment is readable exactly when no file of the snapshot at that moment was deleted.
        #[test]
        fn readable_means_that_the_snapshot_is_whole(
            versions in prop::collection::btree_map("[ab]-0", prop::collection::btree_set(1u32..12, 1..5), 1..3),
            delete in prop::collection::vec(any::<bool>(), 12),
            at in 1u32..14,
        ) {
            let (mut kept, mut deleted) = (Vec::new(), Vec::new());
            for (group, times) in &versions {
                // A cleaner never takes the newest version.
                let newest = times.iter().max().unwrap();
                for t in times {
                    let gone = t != newest && delete[*t as usize];
                    if gone { &mut deleted } else { &mut kept }.push((group.as_str(), *t));
                }
            }
            let holes = holes(&[clean(12, &deleted)], &view(&kept, &[]), &|_| true);
            let whole = |at: u32| versions.iter().all(|(group, times)| {
                let newest = times.iter().filter(|t| **t <= at).max();
                newest.is_none_or(|t| !deleted.contains(&(group.as_str(), *t)))
            });
            let first = (at..99).find(|at| whole(*at)).unwrap();
            prop_assert_eq!(readable(at, &holes), first);
        }
    }
}
