//! Marker folders that a crash left behind.
//!
//! The folder of a write goes after its completion or its rollback has been recorded. A crash in between leaves a
//! folder that no pending instant owns; the next writer removes it.

use oxlake_model::{InstantTime, Timeline};
use oxlake_table::{MarkerStore, MetaClient};

use crate::Result;

/// The marker folders of a table, listed *before* the timeline: a write creates its instant before its folder, so a
/// folder seen first and then not pending on the timeline belongs to no running write.
#[derive(Debug)]
pub struct StaleMarkers {
    instants: Vec<InstantTime>,
}

impl StaleMarkers {
    /// Lists the marker folders.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn load(meta: &MetaClient) -> Result<Self> {
        let listed = meta.storage().list_dir(".hoodie/.temp").await?;
        let instants = listed.folders.iter().filter_map(|folder| {
            InstantTime::parse(folder.rsplit('/').next().unwrap_or_default()).ok()
        });
        Ok(Self {
            instants: instants.collect(),
        })
    }

    /// Deletes the folders whose instant is not pending on `timeline`.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn delete_unless_pending(self, meta: &MetaClient, timeline: &Timeline) -> Result<()> {
        let is_pending =
            |time: &InstantTime| timeline.find(time).is_some_and(|it| !it.is_completed());
        for instant in self.instants.into_iter().filter(|time| !is_pending(time)) {
            MarkerStore::new(meta.storage().clone(), instant)
                .delete_all()
                .await?;
        }
        Ok(())
    }
}
