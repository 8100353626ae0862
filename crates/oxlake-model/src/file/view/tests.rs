use proptest::prelude::*;

use super::*;
use crate::{TimelineEntry, TimelineLayout};

fn time(text: &str) -> InstantTime {
    InstantTime::parse(text).unwrap()
}

fn timeline(layout: TimelineLayout, names: &[&str]) -> Timeline {
    let entry = |name: &&str| TimelineEntry {
        name: (*name).to_owned(),
        modified: Some(time("99")),
    };
    Timeline::from_listing(layout, names.iter().map(entry))
}

fn listed(names: &[&str]) -> Vec<ListedFile> {
    let file = |name: &&str| ListedFile {
        name: (*name).to_owned(),
        size_bytes: 1,
    };
    names.iter().map(file).collect()
}

fn input<'a>(timeline: &'a Timeline, version: TableVersion, files: &[&str]) -> ViewInput<'a> {
    let mut input = ViewInput::new(timeline, version);
    input.files.insert("p".into(), listed(files));
    input
}

/// `base_instant: token of the base file + names of the logs`, one line a slice.
fn show(slices: &[FileSlice]) -> Vec<String> {
    slices
        .iter()
        .map(|slice| {
            let base = slice
                .base_file
                .as_ref()
                .map_or("-", |b| b.name.write_token.as_str());
            let logs: Vec<String> = slice
                .log_files
                .iter()
                .map(|log| format!("{}.{}", log.name.instant, log.name.version))
                .collect();
            format!(
                "{} {}: {base} {}",
                slice.file_id,
                slice.base_instant,
                logs.join(" ")
            )
        })
        .collect()
}

#[test]
fn the_worked_example_of_the_specification() {
    let t = timeline(
        TimelineLayout::V2,
        &[
            "20251220210108078_20251220210109593.deltacommit",
            "20251220210125441_20251220210126002.deltacommit",
            "20251220210129235_20251220210129883.commit",
            "20251220210130911_20251220210131755.deltacommit",
        ],
    );
    let view = FileSystemView::build(&input(
        &t,
        TableVersion::V8,
        &[
            "a-0_0-1-1_20251220210108078.parquet",
            ".a-0_20251220210125441.log.1_0-1-2",
            "a-0_0-1-3_20251220210129235.parquet",
            ".a-0_20251220210130911.log.1_0-1-4",
        ],
    ));
    assert_eq!(
        show(&view.latest_slices()),
        ["a-0 20251220210129235: 0-1-3 20251220210130911.1"]
    );
    assert_eq!(
        show(&view.latest_slices_at(&time("20251220210126000"))),
        ["a-0 20251220210108078: 0-1-1 20251220210125441.1"]
    );
    assert_eq!(view.all_slices().len(), 2);
    assert!(view.latest_slices_at(&time("20251220210108077")).is_empty());
}

#[test]
fn a_log_that_completes_after_a_compaction_was_requested_belongs_to_the_new_slice() {
    let names = [
        "10_11.deltacommit",
        "12_16.deltacommit",
        "14.compaction.requested",
    ];
    let t = timeline(TimelineLayout::V2, &names);
    let mut input = input(
        &t,
        TableVersion::V9,
        &[
            "a-0_0-1-1_10.parquet",
            ".a-0_12.log.1_0-1-2",
            "a-0_0-9-9_14.parquet",
        ],
    );
    input
        .pending_compactions
        .insert(FileGroupId::new("p", "a-0"), time("14"));
    let view = FileSystemView::build(&input);
    let slices: Vec<FileSlice> = view.all_slices().into_iter().cloned().collect();
    assert_eq!(show(&slices), ["a-0 14: - 12.1", "a-0 10: 0-1-1 "]);
    assert_eq!(
        show(&view.latest_slices()),
        ["a-0 10: 0-1-1 12.1"],
        "merged while pending"
    );
    assert_eq!(
        show(&view.latest_slices_at(&time("13"))),
        ["a-0 10: 0-1-1 12.1"]
    );
}

#[test]
fn version_6_attaches_logs_by_base_instant() {
    let names = [
        "10.deltacommit",
        "12.deltacommit",
        "14.compaction.requested",
    ];
    let t = timeline(TimelineLayout::V1, &names);
    let mut input = input(
        &t,
        TableVersion::V6,
        &[
            "a-0_0-1-1_10.parquet",
            ".a-0_10.log.2_0-1-2",
            ".a-0_10.log.1_0-1-2",
            ".a-0_14.log.1_0-1-2",
        ],
    );
    input
        .pending_compactions
        .insert(FileGroupId::new("p", "a-0"), time("14"));
    let view = FileSystemView::build(&input);
    assert_eq!(
        show(&view.latest_slices()),
        ["a-0 10: 0-1-1 10.1 10.2 14.1"]
    );
    assert_eq!(
        show(&view.latest_slices_at(&time("12"))),
        ["a-0 10: 0-1-1 10.1 10.2"]
    );
}

#[test]
fn a_table_taken_down_to_version_6_keeps_logs_named_by_their_own_instant() {
    let t = timeline(
        TimelineLayout::V1,
        &["10.commit", "12.deltacommit", "14.deltacommit", "16.commit"],
    );
    let view = FileSystemView::build(&input(
        &t,
        TableVersion::V6,
        &[
            "a-0_0-1-1_10.parquet",
            ".a-0_12.log.1_0-1-2",
            ".a-0_14.log.1_0-1-2",
            "a-0_0-1-1_16.parquet",
            ".b-0_12.log.1_0-1-2",
            ".b-0_12.log.2_0-1-2",
        ],
    ));
    assert_eq!(
        show(&view.latest_slices()),
        ["a-0 16: 0-1-1 ", "b-0 12: - 12.1 12.2"]
    );
    let view_at = view.latest_slices_at(&time("15"));
    assert_eq!(
        show(&view_at),
        ["a-0 10: 0-1-1 12.1 14.1", "b-0 12: - 12.1 12.2"]
    );
}

#[test]
fn files_of_pending_and_unknown_instants_are_invisible() {
    let t = timeline(
        TimelineLayout::V2,
        &["10_11.commit", "12.inflight", "20_21.commit"],
    );
    let files = [
        "a-0_0-1-1_10.parquet",
        "a-0_0-1-1_12.parquet",
        "a-0_0-1-1_15.parquet",
        "b-0_0-1-1_12.parquet",
        ".a-0_12.log.1_0-1-2",
        ".c-0_16.log.1_0-1-2",
        "d-0_0-1-1_05.parquet",
        "e-0_0-1-1_10.orc",
    ];
    let view = FileSystemView::build(&input(&t, TableVersion::V9, &files));
    assert_eq!(
        show(&view.latest_slices()),
        ["a-0 10: 0-1-1 ", "d-0 05: 0-1-1 "],
        "older than the timeline is archived, another format is not ours"
    );
}

#[test]
fn replaced_groups_are_seen_before_their_replacement_only() {
    let t = timeline(TimelineLayout::V2, &["10_11.commit", "20_21.replacecommit"]);
    let mut input = input(
        &t,
        TableVersion::V9,
        &["a-0_0-1-1_10.parquet", "b-0_0-1-1_20.parquet"],
    );
    input
        .replaced
        .insert(FileGroupId::new("p", "a-0"), time("20"));
    let view = FileSystemView::build(&input);
    assert_eq!(show(&view.latest_slices()), ["b-0 20: 0-1-1 "]);
    assert_eq!(
        show(&view.latest_slices_at(&time("19"))),
        ["a-0 10: 0-1-1 "]
    );
    assert_eq!(view.file_groups().len(), 2);
}

#[test]
fn a_log_only_group_starts_at_its_first_log() {
    let t = timeline(
        TimelineLayout::V2,
        &["10_11.deltacommit", "12_13.deltacommit"],
    );
    let view = FileSystemView::build(&input(
        &t,
        TableVersion::V9,
        &[".a-0_12.log.1_0-1-2", ".a-0_10.log.1_0-1-2"],
    ));
    assert_eq!(show(&view.latest_slices()), ["a-0 10: - 10.1 12.1"]);
    assert_eq!(
        show(&view.latest_slices_at(&time("10"))),
        ["a-0 10: - 10.1"]
    );
}

#[test]
fn completion_times_of_archived_instants_count() {
    let t = timeline(TimelineLayout::V2, &["40_41.commit"]);
    let files = [
        "a-0_0-1-1_10.parquet",
        ".a-0_12.log.1_0-1-2",
        "a-0_0-1-1_14.parquet",
    ];
    let mut input = input(&t, TableVersion::V9, &files);
    input.archived_completions.insert(time("12"), time("16"));
    let view = FileSystemView::build(&input);
    assert_eq!(show(&view.latest_slices()), ["a-0 14: 0-1-1 12.1"]);
    input.archived_completions.clear();
    let view = FileSystemView::build(&input);
    assert_eq!(
        show(&view.latest_slices()),
        ["a-0 14: 0-1-1 "],
        "unknown: completed when requested"
    );
}

proptest! {
    #[test]
    fn order_insensitive_and_only_committed_files_are_visible(
        (files, shuffled) in prop::collection::vec(
            "[ab]-0_[01]-1-1_[1-6]\\.parquet|\\.[ab]-0_[1-6]\\.log\\.[12]_[01]-1-1", 0..16,
        ).prop_flat_map(|files| (Just(files.clone()), Just(files).prop_shuffle())),
        instants in prop::collection::btree_map(1u32..7, (any::<bool>(), 0u32..4), 0..6),
        compaction in prop::option::of(1u32..7),
        v6 in any::<bool>(),
        at in prop::option::of(0u32..8),
    ) {
        let (layout, version) = if v6 {
            (TimelineLayout::V1, TableVersion::V6)
        } else {
            (TimelineLayout::V2, TableVersion::V9)
        };
        let names: Vec<String> = instants.iter().map(|(t, (done, lag))| match (done, v6) {
            (true, true) => format!("{t}.deltacommit"),
            (true, false) => format!("{t}_{}.deltacommit", t + lag),
            (false, _) => format!("{t}.deltacommit.inflight"),
        }).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let t = timeline(layout, &names);
        let build = |files: &[String]| {
            let names: Vec<&str> = files.iter().map(String::as_str).collect();
            let mut input = input(&t, version, &names);
            if let Some(c) = compaction {
                input.pending_compactions.insert(FileGroupId::new("p", "a-0"), time(&c.to_string()));
            }
            FileSystemView::build(&input)
        };
        let mut unique = files.clone();
        unique.sort();
        unique.dedup();
        let mut unique_shuffled = shuffled.clone();
        unique_shuffled.retain({
            let mut seen = std::collections::BTreeSet::new();
            move |name| seen.insert(name.clone())
        });
        let view = build(&unique);
        prop_assert_eq!(&view, &build(&unique_shuffled));
        let at = at.map(|at| time(&at.to_string()));
        let slices = at.as_ref().map_or_else(|| view.latest_slices(), |at| view.latest_slices_at(at));
        let mut seen = std::collections::BTreeSet::new();
        for slice in slices {
            prop_assert!(seen.insert(slice.file_group_id()), "one slice a group");
            prop_assert!(!slice.is_empty());
            if let Some(base) = &slice.base_file {
                prop_assert!(t.contains_or_before_start(base.instant()));
                prop_assert!(at.as_ref().is_none_or(|at| base.instant() <= at));
            }
            prop_assert!(slice.log_files.is_sorted_by(|a, b| a.name <= b.name));
            if !v6 {
                for log in &slice.log_files {
                    prop_assert!(t.contains_or_before_start(&log.name.instant));
                    prop_assert!(at.as_ref().is_none_or(|at| log.name.instant <= *at));
                }
            }
        }
    }
}
