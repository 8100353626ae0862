//! The expected size of a row on storage, from the newest commits (spec 04 §1.7).

use oxlake_model::CommitMetadata;

/// Settings of the estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSizeOptions {
    /// Answer without a usable commit (`hoodie.copyonwrite.record.size.estimate`).
    pub default_bytes: u64,
    /// A commit counts only if it wrote more than this: threshold times the small file limit.
    pub least_commit_bytes: u64,
    /// Bytes of a commit that are not rows (`hoodie.record.size.estimator.average.metadata.size`).
    pub metadata_bytes: u64,
    /// Number of commits looked at (`_hoodie.record.size.estimator.max.commits`).
    pub max_commits: usize,
}

/// Total bytes by total rows of the newest commits, given newest first; each commit must have written enough to
/// be typical. Replace commits are left out by the caller: clustered files compress better than fresh ones.
pub fn average_record_size<'a>(
    newest_first: impl IntoIterator<Item = &'a CommitMetadata>,
    options: &RecordSizeOptions,
) -> u64 {
    let (bytes, rows) = newest_first
        .into_iter()
        .take(options.max_commits)
        .map(written)
        .filter(|(bytes, rows)| {
            *bytes > options.least_commit_bytes && *bytes > options.metadata_bytes && *rows > 0
        })
        .fold((0, 0), |(bytes, rows), (b, r)| {
            (bytes + b - options.metadata_bytes, rows + r)
        });
    bytes
        .checked_div(rows)
        .filter(|size| *size > 0)
        .unwrap_or(options.default_bytes)
}

/// Bytes and rows that a commit wrote.
fn written(commit: &CommitMetadata) -> (u64, u64) {
    commit
        .write_stats()
        .fold((0, 0), |(bytes, rows), (_, stat)| {
            (
                bytes + positive(stat.total_write_bytes),
                rows + positive(stat.num_writes),
            )
        })
}

fn positive(value: Option<i64>) -> u64 {
    value
        .and_then(|value| u64::try_from(value).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_model::WriteStat;
    use proptest::prelude::*;

    fn commit((bytes, rows): (i64, i64)) -> CommitMetadata {
        let stat = WriteStat {
            total_write_bytes: Some(bytes),
            num_writes: Some(rows),
            ..WriteStat::default()
        };
        let mut commit = CommitMetadata::default();
        commit
            .partition_to_write_stats
            .insert(String::new(), vec![stat]);
        commit
    }

    fn options(least_commit_bytes: u64) -> RecordSizeOptions {
        RecordSizeOptions {
            default_bytes: 1024,
            least_commit_bytes,
            metadata_bytes: 0,
            max_commits: 5,
        }
    }

    #[test]
    fn small_and_empty_commits_do_not_count() {
        let commits = [(50, 1), (1000, 10), (3000, 10), (0, 0)].map(commit);
        assert_eq!(average_record_size(&commits, &options(100)), 200);
        assert_eq!(average_record_size(&commits, &options(5000)), 1024);
        assert_eq!(average_record_size(&[], &options(0)), 1024);
        assert_eq!(
            average_record_size(&[commit((1, 5))], &options(0)),
            1024,
            "never zero"
        );
    }

    proptest! {
        #[test]
        fn the_answer_lies_between_the_samples(
            samples in prop::collection::vec((1i64..1_000_000, 1i64..1000), 1..8),
        ) {
            let commits: Vec<_> = samples.iter().copied().map(commit).collect();
            let size = average_record_size(&commits, &options(0));
            let sizes = || samples.iter().take(5).map(|(bytes, rows)| (bytes / rows).cast_unsigned());
            let (least, most) = (sizes().min().unwrap(), sizes().max().unwrap());
            prop_assert!(size == 1024 || (least..=most).contains(&size));
        }
    }
}
