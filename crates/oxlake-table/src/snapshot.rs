//! The state of a table at one moment: its timeline and what the timeline says about file groups.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use oxlake_config::TableConfig;
use oxlake_model::metadata::InstantContent;
use oxlake_model::{Action, FileGroupId, Instant, InstantTime, State, Timeline};

use crate::{MetaClient, Result};

/// What one listing of the timeline tells. Immutable and cheap to clone.
#[derive(Debug, Clone)]
pub struct TableSnapshot {
    /// Settings of the table.
    pub config: Arc<TableConfig>,
    /// The active timeline.
    pub timeline: Arc<Timeline>,
    /// File groups replaced by completed replace commits of the active timeline, and when (spec 01 §4.4).
    pub replaced: Arc<BTreeMap<FileGroupId, InstantTime>>,
    /// File groups with a compaction that is not completed, and its instant.
    pub pending_compactions: Arc<BTreeMap<FileGroupId, InstantTime>>,
    /// File groups that a clustering which is not completed will replace, and its instant.
    pub pending_clustering: Arc<BTreeMap<FileGroupId, InstantTime>>,
}

impl TableSnapshot {
    /// Pending writes whose rows may still appear: no compactions, log compactions or clusterings, which
    /// only rearrange rows. In layout 1 a clustering is a replace commit; its plan tells it apart.
    pub fn pending_writes(&self) -> impl Iterator<Item = &Instant> {
        let clustering: Vec<&InstantTime> = self.pending_clustering.values().collect();
        self.timeline.instants().iter().filter(move |instant| {
            !instant.is_completed()
                && matches!(
                    instant.action,
                    Action::Commit | Action::DeltaCommit | Action::ReplaceCommit
                )
                && !clustering.contains(&&instant.requested)
        })
    }
}

/// Lists the timeline and reads the plans and replace commits on it.
pub(crate) async fn load(client: &MetaClient) -> Result<TableSnapshot> {
    let timeline = client.timeline_store().load_active().await?;
    of(client, timeline).await
}

/// The state of the table at a timeline that was just listed.
pub(crate) async fn of(client: &MetaClient, timeline: Timeline) -> Result<TableSnapshot> {
    let facts = futures::stream::iter(timeline.instants().to_vec())
        .map(|instant| facts_of(client, instant))
        .buffered(client.env().limits.io_concurrency.max(1))
        .try_collect::<Vec<Facts>>()
        .await?;

    let mut replaced = BTreeMap::new();
    let mut pending_compactions = BTreeMap::new();
    let mut pending_clustering = BTreeMap::new();
    for fact in facts {
        let (target, groups) = match fact {
            Facts::Nothing => continue,
            Facts::Replaced(groups) => (&mut replaced, groups),
            Facts::Compaction(groups) => (&mut pending_compactions, groups),
            Facts::Clustering(groups) => (&mut pending_clustering, groups),
        };
        for (group, time) in groups {
            // A group is replaced once; should a damaged timeline say so twice, the first counts.
            target.entry(group).or_insert(time);
        }
    }
    Ok(TableSnapshot {
        config: Arc::clone(client.config()),
        timeline: Arc::new(timeline),
        replaced: Arc::new(replaced),
        pending_compactions: Arc::new(pending_compactions),
        pending_clustering: Arc::new(pending_clustering),
    })
}

/// What one instant says about file groups.
enum Facts {
    Nothing,
    Replaced(Vec<(FileGroupId, InstantTime)>),
    Compaction(Vec<(FileGroupId, InstantTime)>),
    Clustering(Vec<(FileGroupId, InstantTime)>),
}

async fn facts_of(client: &MetaClient, instant: Instant) -> Result<Facts> {
    match (instant.action, instant.state) {
        (Action::ReplaceCommit, State::Completed) => replaced_groups(client, &instant).await,
        (Action::Compaction, State::Requested | State::Inflight) => {
            compaction_groups(client, &instant).await
        }
        (Action::Clustering | Action::ReplaceCommit, State::Requested | State::Inflight) => {
            clustering_groups(client, &instant).await
        }
        _ => Ok(Facts::Nothing),
    }
}

async fn replaced_groups(client: &MetaClient, instant: &Instant) -> Result<Facts> {
    let metadata = client.timeline_store().commit_metadata(instant).await?;
    Ok(Facts::Replaced(at(
        instant,
        metadata.replaced_file_groups(),
    )))
}

async fn compaction_groups(client: &MetaClient, instant: &Instant) -> Result<Facts> {
    match plan_of(client, instant).await? {
        InstantContent::CompactionPlan(plan) => {
            Ok(Facts::Compaction(at(instant, plan.file_group_ids())))
        }
        _ => Ok(Facts::Nothing),
    }
}

async fn clustering_groups(client: &MetaClient, instant: &Instant) -> Result<Facts> {
    match plan_of(client, instant).await? {
        InstantContent::RequestedReplace(plan) => {
            Ok(Facts::Clustering(at(instant, plan.file_group_ids())))
        }
        _ => Ok(Facts::Nothing),
    }
}

fn at(
    instant: &Instant,
    groups: impl Iterator<Item = FileGroupId>,
) -> Vec<(FileGroupId, InstantTime)> {
    groups
        .map(|group| (group, instant.requested.clone()))
        .collect()
}

/// The plan of a pending instant lies in its requested file, however far the instant has come.
async fn plan_of(client: &MetaClient, instant: &Instant) -> Result<InstantContent> {
    let requested = Instant::requested(instant.requested.clone(), instant.action);
    Ok(client.timeline_store().content(&requested).await?)
}
