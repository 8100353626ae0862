//! Commit metadata already decoded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use oxlake_model::CommitMetadata;

/// Metadata by path of its file. Completed files never change, so nothing here goes stale; when it is full the
/// oldest instants leave first.
#[derive(Debug, Default)]
pub(crate) struct CommitCache(Mutex<BTreeMap<String, Arc<CommitMetadata>>>);

impl CommitCache {
    const MAX_ENTRIES: usize = 256;

    pub(crate) fn get(&self, path: &str) -> Option<Arc<CommitMetadata>> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(path).map(Arc::clone)
    }

    pub(crate) fn put(&self, path: String, metadata: &Arc<CommitMetadata>) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(path, Arc::clone(metadata));
        if entries.len() > Self::MAX_ENTRIES {
            entries.pop_first();
        }
    }

    pub(crate) fn remove(&self, path: &str) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_leave_first() {
        let cache = CommitCache::default();
        for number in 0..=CommitCache::MAX_ENTRIES {
            cache.put(format!("{number:04}"), &Arc::default());
        }
        assert!(cache.get("0000").is_none());
        assert!(cache.get("0001").is_some());
        cache.remove("0001");
        assert!(cache.get("0001").is_none());
    }
}
