//! The plan that undoes a failed write: the files to delete, and how they were found (spec 04 §2.2, §2.4).
//!
//! From table version 8 on every file, log files included, belongs to one instant, so undoing a write means
//! deleting its files. The markers of the write name them; when the markers are gone, a listing is searched for
//! names that carry the instant. The two forms differ in the plan as they do in the reference: from markers one
//! request per file with its file id, the undone instant and the full URI; from a listing empty ids and a path
//! without scheme (spec 01 §4.7).

use std::collections::{BTreeMap, BTreeSet};

use oxlake_model::metadata::{InstantInfo, RollbackPlan, RollbackRequest, file_name_of};
use oxlake_model::{BaseFileName, Instant, InstantTime, LogFileName, PartitionPath};

/// How the files of the failed write were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RollbackEvidence {
    /// Partition and data file of every marker of the write.
    Markers(BTreeSet<(PartitionPath, String)>),
    /// All data file names of the partitions that the write may have touched.
    Listing(BTreeMap<PartitionPath, Vec<String>>),
}

/// Plans the rollback of `target`. `uri` turns a path relative to the table into a full URI. Requests are in the
/// order of partition and file name. Planning decides nothing about the state of `target`: the executor checks,
/// right before it deletes, that the target is still pending.
pub fn plan_rollback(
    target: &Instant,
    evidence: &RollbackEvidence,
    uri: impl Fn(&str) -> String,
) -> RollbackPlan {
    let requests = match evidence {
        RollbackEvidence::Markers(files) => files
            .iter()
            .map(|(partition, name)| marker_request(target, partition, name, &uri))
            .collect(),
        RollbackEvidence::Listing(partitions) => {
            listing_requests(&target.requested, partitions, &uri)
        }
    };
    RollbackPlan {
        instant_to_rollback: Some(InstantInfo {
            commit_time: target.requested.to_string(),
            action: target.action.as_str().to_owned(),
        }),
        rollback_requests: Some(requests),
        version: Some(1),
    }
}

fn marker_request(
    target: &Instant,
    partition: &PartitionPath,
    name: &str,
    uri: &impl Fn(&str) -> String,
) -> RollbackRequest {
    RollbackRequest {
        partition_path: partition.as_str().to_owned(),
        file_id: Some(file_id_of(name)),
        latest_base_instant: Some(target.requested.to_string()),
        files_to_be_deleted: vec![uri(&partition.join(name))],
        log_blocks_to_be_deleted: Some(BTreeMap::new()),
    }
}

fn listing_requests(
    target: &InstantTime,
    partitions: &BTreeMap<PartitionPath, Vec<String>>,
    uri: &impl Fn(&str) -> String,
) -> Vec<RollbackRequest> {
    let mut requests = Vec::new();
    for (partition, names) in partitions {
        let mine: BTreeSet<&String> = names
            .iter()
            .filter(|name| instant_of(name).as_ref() == Some(target))
            .collect();
        for name in mine {
            requests.push(RollbackRequest {
                partition_path: partition.as_str().to_owned(),
                file_id: Some(String::new()),
                latest_base_instant: Some(String::new()),
                files_to_be_deleted: vec![without_scheme(&uri(&partition.join(name)))],
                log_blocks_to_be_deleted: Some(BTreeMap::new()),
            });
        }
    }
    requests
}

/// Where the files of a plan are, relative to the table: the plan may have been written when the table lay
/// elsewhere, so only the partition and the last part of each stored path count (spec 01 §13 trap 6).
///
/// # Errors
/// [`ForeignFile`] when a name does not carry the instant `target`. Whatever a plan says, the file of another
/// instant, perhaps a completed one, is not deleted.
pub fn files_of_plan(
    plan: &RollbackPlan,
    target: &InstantTime,
) -> Result<Vec<PlannedFile>, ForeignFile> {
    let mut files = Vec::new();
    for request in plan.rollback_requests.iter().flatten() {
        let partition = PartitionPath::from(request.partition_path.as_str());
        for stored in &request.files_to_be_deleted {
            let name = file_name_of(stored);
            if instant_of(name).as_ref() != Some(target) {
                return Err(ForeignFile {
                    target: target.clone(),
                    stored: stored.clone(),
                });
            }
            files.push(PlannedFile {
                path: partition.join(name),
                partition: partition.clone(),
                stored: stored.clone(),
            });
        }
    }
    Ok(files)
}

/// A plan wants to delete a file that the instant it takes back did not write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the rollback of {target} would delete '{stored}', which that instant did not write")]
pub struct ForeignFile {
    /// Requested time of the instant to take back.
    pub target: InstantTime,
    /// The text in the plan.
    pub stored: String,
}

/// One file of a rollback plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Partition of the file.
    pub partition: PartitionPath,
    /// Path relative to the table.
    pub path: String,
    /// The text in the plan, which the rollback metadata repeats.
    pub stored: String,
}

fn file_id_of(name: &str) -> String {
    let base = BaseFileName::parse(name).map(|name| name.file_id);
    let log = || LogFileName::parse(name).map(|name| name.file_id);
    base.or_else(log)
        .map(|id| id.as_str().to_owned())
        .unwrap_or_default()
}

fn instant_of(name: &str) -> Option<InstantTime> {
    let base = BaseFileName::parse(name).map(|name| name.instant);
    base.or_else(|| LogFileName::parse(name).map(|name| name.instant))
}

/// `file:/a/b` and `file:///a/b` become `/a/b`, `s3://bucket/a` becomes `/a`.
fn without_scheme(uri: &str) -> String {
    let Some((_, rest)) = uri.split_once(":/") else {
        return uri.to_owned();
    };
    match rest.strip_prefix('/') {
        Some(rest) => {
            let path = rest.split_once('/').map_or("", |(_authority, path)| path);
            format!("/{path}")
        }
        None => format!("/{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_model::Action;
    use proptest::prelude::*;

    const URL: &str = "file:/tables/t";

    fn uri(path: &str) -> String {
        format!("{URL}/{path}")
    }

    fn target() -> Instant {
        Instant::inflight(
            InstantTime::parse("20260102000000000").unwrap(),
            Action::Commit,
        )
    }

    fn name(group: u8, instant: u8) -> String {
        format!("{group:08}-0_0-1-0_2026010{instant}000000000.parquet")
    }

    #[test]
    fn from_markers_a_request_names_group_instant_and_uri() {
        let marked = (PartitionPath::from("city=sf"), name(7, 2));
        let plan = plan_rollback(&target(), &RollbackEvidence::Markers([marked].into()), uri);
        assert_eq!(plan.instant_to_rollback.as_ref().unwrap().action, "commit");
        let requests = plan.rollback_requests.unwrap();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].file_id.as_deref(), Some("00000007-0"));
        assert_eq!(
            requests[0].latest_base_instant.as_deref(),
            Some("20260102000000000")
        );
        assert_eq!(
            requests[0].files_to_be_deleted,
            ["file:/tables/t/city=sf/00000007-0_0-1-0_20260102000000000.parquet"]
        );
    }

    #[test]
    fn from_a_listing_a_request_has_empty_ids_and_no_scheme() {
        let listing = BTreeMap::from([(PartitionPath::root(), vec![name(1, 1), name(2, 2)])]);
        let plan = plan_rollback(&target(), &RollbackEvidence::Listing(listing), uri);
        let requests = plan.rollback_requests.unwrap();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].file_id.as_deref(), Some(""));
        assert_eq!(
            requests[0].files_to_be_deleted,
            [format!("/tables/t/{}", name(2, 2))]
        );
    }

    #[test]
    fn a_plan_that_names_a_file_of_another_instant_is_refused() {
        for foreign in [
            name(7, 1),
            "hoodie.properties".to_owned(),
            ".a-0_20260101000000000.log.1_0-1-0".to_owned(),
        ] {
            let marked = [name(7, 2), foreign.clone()].map(|it| (PartitionPath::root(), it));
            let plan = plan_rollback(&target(), &RollbackEvidence::Markers(marked.into()), uri);
            let refused = files_of_plan(&plan, &target().requested).unwrap_err();
            assert_eq!(refused.stored, uri(&foreign));
        }
    }

    #[test]
    fn schemes_and_buckets_are_cut_off() {
        for (uri, expected) in [
            ("file:/a/b", "/a/b"),
            ("file:///a/b", "/a/b"),
            ("s3://bucket/a/b", "/a/b"),
            ("s3://bucket", "/"),
            ("/a/b", "/a/b"),
        ] {
            assert_eq!(without_scheme(uri), expected, "{uri}");
        }
    }

    proptest! {
        /// Whatever prefix of a write happened, the plan deletes its files and no other, wherever the table lies now.
        #[test]
        fn the_plan_names_exactly_the_files_of_the_target(
            files in prop::collection::btree_set(("[ab]?", 0u8..4, 1u8..4), 0..20),
            from_markers: bool,
        ) {
            let mut listing: BTreeMap<PartitionPath, Vec<String>> = BTreeMap::new();
            let mut markers = BTreeSet::new();
            let mut expected = BTreeSet::new();
            for (partition, group, instant) in &files {
                let partition = PartitionPath::from(partition.as_str());
                let file = name(*group, *instant);
                if *instant == 2 {
                    expected.insert(partition.join(&file));
                    markers.insert((partition.clone(), file.clone()));
                }
                listing.entry(partition).or_default().push(file);
            }
            let evidence = if from_markers {
                RollbackEvidence::Markers(markers)
            } else {
                RollbackEvidence::Listing(listing)
            };
            let plan = plan_rollback(&target(), &evidence, uri);
            let stored = plan.encode_avro([7; 16]).unwrap();
            prop_assert_eq!(&RollbackPlan::decode(&stored).unwrap(), &plan);
            let files = files_of_plan(&plan, &target().requested).unwrap();
            let planned: BTreeSet<String> = files.into_iter().map(|file| file.path).collect();
            prop_assert_eq!(planned, expected);
            prop_assert_eq!(plan_rollback(&target(), &evidence, uri), plan);
        }
    }
}
