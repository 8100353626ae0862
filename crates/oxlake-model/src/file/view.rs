//! The file groups of a table as of its timeline, a value built from a listing.

use std::collections::BTreeMap;

use crate::{
    BaseFile, BaseFileExtension, BaseFileName, FileGroup, FileGroupId, FileSlice, InstantTime,
    LogFile, LogFileName, PartitionPath, TableVersion, Timeline,
};

/// A file of a partition, as listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListedFile {
    /// The file's name without folder.
    pub name: String,
    /// Its length.
    pub size_bytes: u64,
}

/// What a [`FileSystemView`] is built from.
#[derive(Clone, Debug)]
pub struct ViewInput<'a> {
    /// The files of the partitions to look at; files that are neither base nor log file are ignored.
    pub files: BTreeMap<PartitionPath, Vec<ListedFile>>,
    /// The whole active timeline.
    pub timeline: &'a Timeline,
    /// Decides how log files are assigned to slices.
    pub version: TableVersion,
    /// The only base-file format that counts; `None` accepts all
    /// (`hoodie.table.multiple.base.file.formats.enable`).
    pub base_format: Option<BaseFileExtension>,
    /// The file groups in a compaction plan that is not completed, with the time of the plan.
    pub pending_compactions: BTreeMap<FileGroupId, InstantTime>,
    /// The file groups replaced by a completed replace commit, with its requested time.
    pub replaced: BTreeMap<FileGroupId, InstantTime>,
    /// Completion times of archived instants by requested time. An archived instant that is missing here counts
    /// as completed when it was requested.
    pub archived_completions: BTreeMap<InstantTime, InstantTime>,
}

impl<'a> ViewInput<'a> {
    /// An input without files, plans and replaced groups, for the Parquet format.
    pub fn new(timeline: &'a Timeline, version: TableVersion) -> Self {
        Self {
            files: BTreeMap::new(),
            timeline,
            version,
            base_format: Some(BaseFileExtension::Parquet),
            pending_compactions: BTreeMap::new(),
            replaced: BTreeMap::new(),
            archived_completions: BTreeMap::new(),
        }
    }

    /// Whether data written at `time` is committed.
    fn is_committed(&self, time: &InstantTime) -> bool {
        self.timeline.contains_or_before_start(time) || self.archived_completions.contains_key(time)
    }

    /// When a committed instant completed.
    fn completion_time<'b>(&'b self, time: &'b InstantTime) -> &'b InstantTime {
        let known = self.timeline.completion_time(time);
        known
            .or_else(|| self.archived_completions.get(time))
            .unwrap_or(time)
    }
}

/// File groups with their slices, of committed files only (spec 02 §1.5, §1.6).
///
/// Files of instants that are pending, failed or unknown are left out, with one exception: a log file of a
/// version-6 table is named after its slice, so its blocks, not its name, say what is committed.
///
/// ```
/// # use oxlake_model::*;
/// let name = |name: &str| TimelineEntry { name: name.into(), modified: None };
/// let timeline = Timeline::from_listing(TimelineLayout::V2, [name("1_2.commit"), name("3.inflight")]);
/// let mut input = ViewInput::new(&timeline, TableVersion::V9);
/// input.files.insert("city=sf".into(), vec![
///     ListedFile { name: "a-0_0-1-2_1.parquet".into(), size_bytes: 10 },
///     ListedFile { name: "a-0_0-1-2_3.parquet".into(), size_bytes: 10 },
/// ]);
/// let slices = FileSystemView::build(&input).latest_slices();
/// assert_eq!(slices[0].base_instant.as_str(), "1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystemView {
    groups: Vec<FileGroup>,
    version: TableVersion,
    pending_compactions: BTreeMap<FileGroupId, InstantTime>,
    replaced: BTreeMap<FileGroupId, InstantTime>,
}

impl FileSystemView {
    /// Builds the view; the order of the listed files does not matter.
    pub fn build(input: &ViewInput<'_>) -> Self {
        let mut groups: BTreeMap<FileGroupId, GroupFiles> = BTreeMap::new();
        for (partition, files) in &input.files {
            for file in files {
                add_file(input, &mut groups, partition, file);
            }
        }
        let mut pending_compactions = input.pending_compactions.clone();
        pending_compactions.retain(|_, time| !input.is_committed(time));
        let groups = groups
            .into_iter()
            .map(|(id, files)| {
                let slices = build_slices(input, &id, files, pending_compactions.get(&id));
                FileGroup { id, slices }
            })
            .filter(|group| !group.slices.is_empty())
            .collect();
        Self {
            groups,
            version: input.version,
            pending_compactions,
            replaced: input.replaced.clone(),
        }
    }

    /// All file groups with committed files, replaced ones included, sorted by id.
    pub fn file_groups(&self) -> &[FileGroup] {
        &self.groups
    }

    /// All slices of all groups as they are on storage: replaced groups included, slices of pending
    /// compactions not merged with their predecessors.
    pub fn all_slices(&self) -> Vec<&FileSlice> {
        self.groups.iter().flat_map(|group| &group.slices).collect()
    }

    /// The slices a snapshot query of now reads, sorted by partition and file id.
    pub fn latest_slices(&self) -> Vec<FileSlice> {
        self.latest(None)
    }

    /// The slices a snapshot query as of the requested time `time` reads.
    ///
    /// In version 6 the log files are those of the slice; blocks later than `time` must be left out by the reader.
    /// In versions 8 and 9 a log file counts by its own instant: one that was requested before `time` but completed
    /// after a compaction had opened a newer slice is still part of what `time` saw. (The JVM loses it.)
    pub fn latest_slices_at(&self, time: &InstantTime) -> Vec<FileSlice> {
        self.latest(Some(time))
    }

    /// The requested time of the replace commit that took a group out of the table.
    pub fn replaced_at(&self, group: &FileGroupId) -> Option<&InstantTime> {
        self.replaced.get(group)
    }

    /// The time of the compaction plan that is pending for a group.
    pub fn pending_compaction(&self, group: &FileGroupId) -> Option<&InstantTime> {
        self.pending_compactions.get(group)
    }

    fn latest(&self, at: Option<&InstantTime>) -> Vec<FileSlice> {
        self.groups
            .iter()
            .filter(|group| !self.is_replaced(&group.id, at))
            .filter_map(|group| self.latest_of_group(group, at))
            .collect()
    }

    fn is_replaced(&self, group: &FileGroupId, at: Option<&InstantTime>) -> bool {
        let replaced = self.replaced.get(group);
        replaced.is_some_and(|replaced| at.is_none_or(|at| replaced <= at))
    }

    fn latest_of_group(&self, group: &FileGroup, at: Option<&InstantTime>) -> Option<FileSlice> {
        let begun = |slice: &&FileSlice| at.is_none_or(|at| slice.base_instant <= *at);
        let mut slices = group.slices.iter().filter(begun);
        let mut latest = slices.next()?.clone();
        if self.pending_compactions.get(&group.id) == Some(&latest.base_instant)
            && let Some(previous) = slices.next()
        {
            latest = merge_pending(previous, latest);
        }
        if let (Some(at), true) = (at, self.version.log_named_by_own_instant()) {
            let newer = group.slices.iter().filter(|slice| !begun(slice));
            latest
                .log_files
                .extend(newer.flat_map(|slice| slice.log_files.iter().cloned()));
            latest.log_files.retain(|log| log.name.instant <= *at);
            latest.log_files.sort_by(|a, b| a.name.cmp(&b.name));
        }
        (!latest.is_empty()).then_some(latest)
    }
}

/// What is on storage for one group: one base file an instant, and the log files that may count.
#[derive(Default)]
struct GroupFiles {
    bases: BTreeMap<InstantTime, BaseFile>,
    logs: Vec<LogFile>,
}

fn add_file(
    input: &ViewInput<'_>,
    groups: &mut BTreeMap<FileGroupId, GroupFiles>,
    partition: &PartitionPath,
    file: &ListedFile,
) {
    let size_bytes = file.size_bytes;
    let partition = partition.clone();
    if let Some(name) = BaseFileName::parse(&file.name) {
        let accepted = input
            .base_format
            .is_none_or(|format| format == name.extension);
        if accepted && input.is_committed(&name.instant) {
            let base = BaseFile {
                partition,
                name,
                size_bytes,
            };
            let bases = &mut groups.entry(base.file_group_id()).or_default().bases;
            // Two attempts of one task: the greater name stays, as if files came sorted.
            match bases.get(base.instant()) {
                Some(kept) if kept.name >= base.name => {}
                _ => {
                    bases.insert(base.instant().clone(), base);
                }
            }
        }
    } else if let Some(name) = LogFileName::parse(&file.name)
        && (!input.version.log_named_by_own_instant() || input.is_committed(&name.instant))
    {
        let log = LogFile {
            partition,
            name,
            size_bytes,
        };
        let group = groups.entry(log.file_group_id()).or_default();
        group.logs.push(log);
    }
}

/// Slices of one group, newest first.
fn build_slices(
    input: &ViewInput<'_>,
    id: &FileGroupId,
    files: GroupFiles,
    pending_compaction: Option<&InstantTime>,
) -> Vec<FileSlice> {
    let mut slices: BTreeMap<InstantTime, FileSlice> = BTreeMap::new();
    for (instant, base) in files.bases {
        let slice = slice_entry(&mut slices, id, &instant);
        slice.base_file = Some(base);
    }
    if let Some(instant) = pending_compaction {
        slice_entry(&mut slices, id, instant);
    }
    let mut logs = files.logs;
    logs.sort_by(|a, b| a.name.cmp(&b.name));
    for log in logs {
        let key = if input.version.log_named_by_own_instant() {
            slice_by_completion(input, &slices, &log.name.instant)
        } else {
            slice_by_name(input, &slices, &log.name.instant)
        };
        slice_entry(&mut slices, id, &key).log_files.push(log);
    }
    // Only version 6 can have slices here whose instant is not committed: log files of a failed insert.
    slices.retain(|key, slice| {
        pending_compaction == Some(key) || (input.is_committed(key) && !slice.is_empty())
    });
    slices.into_values().rev().collect()
}

fn slice_entry<'a>(
    slices: &'a mut BTreeMap<InstantTime, FileSlice>,
    id: &FileGroupId,
    instant: &InstantTime,
) -> &'a mut FileSlice {
    slices
        .entry(instant.clone())
        .or_insert_with(|| FileSlice::new(id, instant.clone()))
}

/// The completion-time rule of versions 8 and 9: the newest slice whose base instant was requested before the
/// delta commit completed (spec 02 §1.5 step 3).
fn slice_by_completion(
    input: &ViewInput<'_>,
    slices: &BTreeMap<InstantTime, FileSlice>,
    instant: &InstantTime,
) -> InstantTime {
    let completed = input.completion_time(instant);
    let begun_before = |base: &&InstantTime| {
        let same_length = base.as_str().len() == completed.as_str().len();
        **base <= *(if same_length { completed } else { instant })
    };
    let newest = slices.keys().rev().find(begun_before);
    newest.unwrap_or(instant).clone()
}

/// The rule of version 6: a log file is named after the slice it belongs to.
///
/// A table that was taken down from version 8 keeps log files named after their own delta commit. In a group that
/// has older slices such a name can be nothing else, and the file belongs to the newest of them.
fn slice_by_name(
    input: &ViewInput<'_>,
    slices: &BTreeMap<InstantTime, FileSlice>,
    instant: &InstantTime,
) -> InstantTime {
    if slices.contains_key(instant) || !input.is_committed(instant) {
        return instant.clone();
    }
    let older = slices.range(..instant).next_back();
    older.map_or(instant, |(base, _)| base).clone()
}

/// A pending compaction opened `newest`; until it completes, readers see it on top of `previous`.
fn merge_pending(previous: &FileSlice, newest: FileSlice) -> FileSlice {
    let mut merged = previous.clone();
    merged.log_files.extend(newest.log_files);
    merged.log_files.sort_by(|a, b| a.name.cmp(&b.name));
    merged
}

#[cfg(test)]
mod tests;
