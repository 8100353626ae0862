//! Folders of the local file system, made, removed and synced so that a power failure does not undo it.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// Makes and removes folders. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Folders {
    /// Makes the names in a folder durable. A part of its own, so that tests can let it fail.
    sync: Arc<SyncFolder>,
}

/// Syncs a folder.
type SyncFolder = dyn Fn(&Path) -> io::Result<()> + Send + Sync;

impl Folders {
    /// Folders that are synced by `sync`.
    pub(crate) fn synced_by(
        sync: impl Fn(&Path) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            sync: Arc::new(sync),
        }
    }

    /// Makes a folder and its missing parents, each synced into the one above. One that cannot be synced
    /// is removed again: whoever tries next would find it and take it for durable.
    pub(crate) fn create(&self, folder: &Path) -> io::Result<()> {
        match std::fs::create_dir(folder) {
            Ok(()) => self.sync_parent(folder).inspect_err(|_| {
                let _ = std::fs::remove_dir(folder);
            }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let Some(parent) = folder.parent() else {
                    return Err(error);
                };
                self.create(parent)?;
                self.create(folder)
            }
            Err(error) => Err(error),
        }
    }

    /// Removes a folder of empty folders, durably; a missing one is fine, a file inside is an error.
    pub(crate) fn remove(&self, folder: &Path) -> io::Result<()> {
        remove_tree(folder)?;
        folder
            .parent()
            .map_or(Ok(()), |parent| self.sync_if_there(parent))
    }

    /// Makes the name of a file or folder durable.
    pub(crate) fn sync_parent(&self, path: &Path) -> io::Result<()> {
        path.parent().map_or(Ok(()), |folder| (self.sync)(folder))
    }

    /// Makes what was deleted in a folder durable; with the folder gone as well there is nothing to do.
    pub(crate) fn sync_if_there(&self, folder: &Path) -> io::Result<()> {
        unless_missing((self.sync)(folder)).map(drop)
    }

    /// Makes a file that is there durable, its bytes and its name.
    pub(crate) fn sync_file(&self, file: &Path) -> io::Result<()> {
        File::open(file)?.sync_all()?;
        self.sync_parent(file)
    }
}

impl Default for Folders {
    fn default() -> Self {
        Self::synced_by(sync_folder)
    }
}

impl fmt::Debug for Folders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Folders")
    }
}

/// Asks the system to write the names in a folder down.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|handle| handle.sync_all()) {
        // Some network file systems cannot sync folders; they have their own idea of durable.
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

fn remove_tree(folder: &Path) -> io::Result<()> {
    let Some(entries) = unless_missing(std::fs::read_dir(folder))? else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_tree(&entry.path())?;
        } else if entry
            .file_name()
            .to_string_lossy()
            .starts_with(".oxlake-tmp#")
        {
            std::fs::remove_file(entry.path())?;
        }
    }
    unless_missing(std::fs::remove_dir(folder)).map(drop)
}

/// Another process may clear away the same things.
fn unless_missing<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_process_removed_first_counts_as_removed() {
        let root = tempfile::tempdir().unwrap();
        let gone = root.path().join("a/b");
        let folders = Folders::default();
        folders.sync_if_there(&gone).unwrap();
        folders.remove(&gone).unwrap();
        folders.create(&gone).unwrap();
        folders.remove(&root.path().join("a")).unwrap();
        assert!(!root.path().join("a").exists());
    }

    #[test]
    fn a_folder_that_cannot_be_synced_is_not_left_for_the_next_try() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        let broken = Folders::synced_by(|_| Err(io::Error::other("broken disk")));
        broken.create(&folder).unwrap_err();
        assert!(!root.path().join("a").exists());
        Folders::default().create(&folder).unwrap();
        assert!(folder.is_dir());
    }
}
