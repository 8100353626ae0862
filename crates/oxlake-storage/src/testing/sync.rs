//! Local files whose folders cannot be synced for a while, as on a disk that fails.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::folders::{Folders, sync_folder};
use crate::{Result, Storage, open};

/// Lets syncs of folders fail on purpose. Everything else of the local file system works.
#[derive(Clone, Default)]
pub struct FailingSync {
    left: Arc<AtomicUsize>,
}

impl FailingSync {
    /// The storage of a local folder. No sync fails until [`FailingSync::fail`].
    ///
    /// # Errors
    /// As [`Storage::open`].
    pub fn open(&self, folder: &str) -> Result<Storage> {
        let left = Arc::clone(&self.left);
        let folders = Folders::synced_by(move |folder: &Path| {
            let take = |count: usize| count.checked_sub(1);
            match left.fetch_update(Ordering::AcqRel, Ordering::Acquire, take) {
                Ok(_) => Err(io::Error::other("syncing failed on purpose")),
                Err(_) => sync_folder(folder),
            }
        });
        open::open_local_with(folder, folders)
    }

    /// The next `count` syncs fail.
    pub fn fail(&self, count: usize) {
        self.left.store(count, Ordering::Release);
    }

    /// How many syncs will still fail.
    pub fn left(&self) -> usize {
        self.left.load(Ordering::Acquire)
    }
}

impl fmt::Debug for FailingSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FailingSync").field(&self.left()).finish()
    }
}
