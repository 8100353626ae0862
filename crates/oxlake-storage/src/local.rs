//! The local file system with durable writes.
//!
//! Reading and listing are `object_store`'s. Writing is ours: the bytes go to a temporary file in the same
//! folder, that file is synced, published under its name in one step (without replacing, for a creation),
//! and then the folder is synced, so that after a power failure a file is there whole or not at all, and
//! is there if its writer was told so. A temporary file that a crash left behind has a name that
//! no listing shows and no path can address.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result,
    UploadPart,
};
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;

use crate::folders::Folders;

/// The whole local file system; a location is an absolute path without its first slash.
#[derive(Debug)]
pub(crate) struct DurableLocal {
    inner: LocalFileSystem,
    folders: Folders,
}

impl DurableLocal {
    pub(crate) fn new(folders: Folders) -> Self {
        Self {
            inner: LocalFileSystem::default(),
            folders,
        }
    }
}

impl std::fmt::Display for DurableLocal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("local files")
    }
}

#[async_trait]
impl ObjectStore for DurableLocal {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        if matches!(options.mode, PutMode::Update(_)) || !options.attributes.is_empty() {
            return self.inner.put_opts(location, payload, options).await;
        }
        let target = self.inner.path_to_filesystem(location)?;
        let create = matches!(options.mode, PutMode::Create);
        let folders = self.folders.clone();
        let written = blocking(move || {
            let mut temporary = Temporary::beside(&target, folders)?;
            for chunk in &payload {
                temporary.file.write_all(chunk)?;
            }
            temporary.publish(&target, create)
        });
        written
            .await
            .map_err(|error| store_error(location, error))?;
        Ok(PutResult {
            e_tag: None,
            version: None,
        })
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        if !options.attributes.is_empty() {
            return self.inner.put_multipart_opts(location, options).await;
        }
        let target = self.inner.path_to_filesystem(location)?;
        let (beside, folders) = (target.clone(), self.folders.clone());
        let temporary = blocking(move || Temporary::beside(&beside, folders)).await;
        let temporary = temporary.map_err(|error| store_error(location, error))?;
        Ok(Box::new(LocalUpload {
            location: location.clone(),
            target,
            temporary: Some(Arc::new(temporary)),
            offset: 0,
        }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.inner.get_opts(location, options).await
    }

    async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[std::ops::Range<u64>],
    ) -> Result<Vec<bytes::Bytes>> {
        self.inner.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        // A deletion that a power failure takes back would bring a rolled back file to life again.
        let (inner, syncing) = (self.inner.clone(), self.folders.clone());
        let folders = self
            .inner
            .delete_stream(locations)
            .collect::<Vec<_>>()
            .then(move |replies| async move {
                let folders: std::collections::BTreeSet<PathBuf> = replies
                    .iter()
                    .filter_map(|reply| inner.path_to_filesystem(reply.as_ref().ok()?).ok())
                    .filter_map(|path| path.parent().map(FsPath::to_owned))
                    .collect();
                let synced = blocking(move || {
                    let mut folders = folders.iter();
                    folders.try_for_each(|path| syncing.sync_if_there(path))
                });
                match synced.await {
                    Ok(()) => replies,
                    Err(error) => vec![Err(store_error(&Path::ROOT, error))],
                }
            });
        folders.map(futures::stream::iter).flatten_stream().boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await?;
        self.sync_parent(to).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.inner.rename_opts(from, to, options).await?;
        self.sync_parent(to).await?;
        self.sync_parent(from).await
    }
}

impl DurableLocal {
    async fn sync_parent(&self, location: &Path) -> Result<()> {
        let path = self.inner.path_to_filesystem(location)?;
        let folders = self.folders.clone();
        blocking(move || folders.sync_parent(&path))
            .await
            .map_err(|error| store_error(location, error))
    }
}

/// A multipart upload: all parts go to one temporary file at their offsets.
#[derive(Debug)]
struct LocalUpload {
    location: Path,
    target: PathBuf,
    temporary: Option<Arc<Temporary>>,
    offset: u64,
}

#[async_trait]
impl MultipartUpload for LocalUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let start = self.offset;
        self.offset += data.content_length() as u64;
        let Some(temporary) = self.temporary.clone() else {
            return futures::future::ready(Err(ended(&self.location))).boxed();
        };
        let location = self.location.clone();
        let written = blocking(move || {
            let mut at = start;
            for chunk in &data {
                temporary.file.write_all_at(chunk, at)?;
                at += chunk.len() as u64;
            }
            Ok(())
        });
        written
            .map(move |done| done.map_err(|error| store_error(&location, error)))
            .boxed()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let temporary = self.temporary.take().ok_or_else(|| ended(&self.location))?;
        let target = self.target.clone();
        let published = blocking(move || temporary.publish(&target, false));
        published
            .await
            .map_err(|error| store_error(&self.location, error))?;
        Ok(PutResult {
            e_tag: None,
            version: None,
        })
    }

    async fn abort(&mut self) -> Result<()> {
        let Some(temporary) = self.temporary.take() else {
            return Ok(());
        };
        // A part still being written keeps the file open, not its name.
        blocking(move || std::fs::remove_file(&temporary.path))
            .await
            .map_err(|error| store_error(&self.location, error))
    }
}

/// A file that is not published yet. Dropping it removes it.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    file: File,
    published: std::sync::atomic::AtomicBool,
    folders: Folders,
}

impl Temporary {
    /// Opens one in the folder of `target`, which is made when missing.
    fn beside(target: &FsPath, folders: Folders) -> io::Result<Self> {
        let folder = target.parent().unwrap_or(FsPath::new("/"));
        let mut folder_made = false;
        loop {
            let path = folder.join(temporary_name());
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    return Ok(Self {
                        path,
                        file,
                        published: false.into(),
                        folders,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == ErrorKind::NotFound && !folder_made => {
                    folders.create(folder)?;
                    folder_made = true;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives the file its name, durably. With `create` an existing file is left alone and the error is
    /// `AlreadyExists`.
    fn publish(&self, target: &FsPath, create: bool) -> io::Result<()> {
        self.file.sync_all()?;
        if create {
            rename_without_replacing(&self.path, target)?;
        } else {
            std::fs::rename(&self.path, target)?;
        }
        self.published.store(true, Ordering::Release);
        self.folders.sync_parent(target)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.published.load(Ordering::Acquire) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A name that no other process or thread uses: `object_store` hides what ends in `#` and digits.
fn temporary_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!(".oxlake-tmp#{}{count:010}", std::process::id())
}

fn rename_without_replacing(from: &FsPath, to: &FsPath) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        // Not every file system knows the flag; a hard link refuses an existing name on all that have links.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            std::fs::hard_link(from, to)?;
            std::fs::remove_file(from)
        }
        Err(error) => Err(error.into()),
    }
}

/// Runs blocking work on the threads for it, or in place outside of a runtime.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => runtime
            .spawn_blocking(work)
            .await
            .map_err(io::Error::other)?,
        Err(_) => work(),
    }
}

fn store_error(location: &Path, error: io::Error) -> object_store::Error {
    let path = format!("/{location}");
    match error.kind() {
        ErrorKind::AlreadyExists => object_store::Error::AlreadyExists {
            path,
            source: Box::new(error),
        },
        ErrorKind::PermissionDenied => object_store::Error::PermissionDenied {
            path,
            source: Box::new(error),
        },
        _ => object_store::Error::Generic {
            store: "local files",
            source: Box::new(error),
        },
    }
}

fn ended(location: &Path) -> object_store::Error {
    store_error(location, io::Error::other("the upload has ended"))
}
