//! [`Storage`]: a folder in an object store, and the operations a table needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions};
use oxlake_env::{IdGenerator, RandomIds};

use crate::error::Origin;
use crate::folders::Folders;
use crate::writer::FileWriter;
use crate::{Error, Result, local, open, path};

/// A folder in an object store. Cheap to clone.
///
/// Every path argument is relative to the folder, `/`-separated and verbatim; the empty text is the
/// folder itself. A path with `..`, an empty segment or a control character is
/// [`Error::InvalidPath`].
#[derive(Clone)]
pub struct Storage {
    pub(crate) shared: Arc<Shared>,
    pub(crate) root: Path,
    url: String,
}

/// What a storage and all its children have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) store_url: String,
    pub(crate) origin: Origin,
    pub(crate) ids: Arc<dyn IdGenerator>,
    /// Whether created objects carry a mark of who made them.
    pub(crate) marks_creations: bool,
    /// Set when the store is the local file system: folders are then things of their own.
    pub(crate) folders: Option<Folders>,
    /// Set when the store takes a backslash in a name for a slash: the file would be another one.
    pub(crate) turns_backslashes: bool,
}

/// A file as a listing or a head request tells it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileInfo {
    /// Relative to the storage that was asked.
    pub path: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Time of the last change, milliseconds since the epoch.
    pub modified_ms: i64,
}

impl FileInfo {
    /// The last segment of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// One level of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// Folders, relative to the storage that was asked (like the paths of the files), sorted.
    pub folders: Vec<String>,
    /// Files, sorted by path.
    pub files: Vec<FileInfo>,
}

impl Storage {
    /// Opens the folder at a path or URL.
    ///
    /// Known schemes: none and `file`, `memory`, `s3` and `s3a`, `gs`, `az`, `abfs` and `abfss`. `conf`
    /// takes the option names of the store's client (`aws_endpoint`, `azure_storage_account_key`,
    /// `google_service_account`, …) and the Hadoop names users know (`fs.s3a.access.key`, …); the
    /// usual environment variables are read first. Keys of other kinds (`hoodie.*`) are ignored.
    ///
    /// The folder need not exist, and nothing is asked over the network yet.
    ///
    /// # Errors
    /// [`Error::InvalidUrl`], [`Error::Config`] for an unknown or bad option,
    /// [`Error::ConditionalPutDisabled`].
    pub fn open(url: &str, conf: &BTreeMap<String, String>) -> Result<Self> {
        open::open(url, conf)
    }

    /// A storage over a store of the caller's, in the folder `root` of it. `url` is used for messages
    /// and for [`Storage::file_uri`].
    ///
    /// # Errors
    /// [`Error::InvalidPath`] when `root` is not a path.
    pub fn from_store(store: Arc<dyn ObjectStore>, root: &str, url: &str) -> Result<Self> {
        let root = path::join(&Path::ROOT, root)?;
        let store_url = open::store_url(url);
        let marks_creations = !store_url.starts_with("file:");
        let shared = Shared {
            store,
            origin: Origin::plain(url),
            store_url,
            ids: Arc::new(RandomIds),
            marks_creations,
            folders: None,
            turns_backslashes: false,
        };
        Ok(Self::new(shared, root, url))
    }

    pub(crate) fn new(shared: Shared, root: Path, url: &str) -> Self {
        let url = url.trim_end_matches('/').to_owned();
        Self {
            shared: Arc::new(shared),
            root,
            url,
        }
    }

    /// The address of the folder with its scheme, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The absolute address of a file as the JVM engine prints it: `file:/abs/x`, `s3://bucket/x`.
    pub fn file_uri(&self, relative: &str) -> String {
        let base = match self.url.strip_prefix("file://") {
            Some(absolute) => format!("file:{absolute}"),
            None => self.url.clone(),
        };
        if relative.is_empty() {
            base
        } else {
            format!("{base}/{relative}")
        }
    }

    /// The folder `relative` as a storage of its own, over the same store.
    ///
    /// # Errors
    /// [`Error::InvalidPath`].
    pub fn child(&self, relative: &str) -> Result<Self> {
        let root = self.location(relative)?;
        let url = self.describe(relative);
        Ok(Self {
            shared: Arc::clone(&self.shared),
            root,
            url,
        })
    }

    /// The store below.
    pub fn object_store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.shared.store)
    }

    /// The address of the store below, without the path: `file:///`, `s3://bucket/`.
    pub fn object_store_url(&self) -> &str {
        &self.shared.store_url
    }

    /// The place of a file in the store below.
    ///
    /// # Errors
    /// [`Error::InvalidPath`].
    pub fn location(&self, relative: &str) -> Result<Path> {
        if self.shared.turns_backslashes {
            path::refuse_backslashes(relative)?;
        }
        path::join(&self.root, relative)
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn read(&self, relative: &str) -> Result<Bytes> {
        let location = self.location(relative)?;
        let read = async { self.shared.store.get(&location).await?.bytes().await };
        read.await
            .map_err(|error| self.classify("read", relative, error))
    }

    /// Reads a part of a file. A range that ends behind the file is cut there; an empty range reads
    /// nothing and asks nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Store`] when the range starts behind the file.
    pub async fn read_range(&self, relative: &str, range: Range<u64>) -> Result<Bytes> {
        let location = self.location(relative)?;
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let options = object_store::GetOptions::new().with_range(Some(range));
        let read = async {
            self.shared
                .store
                .get_opts(&location, options)
                .await?
                .bytes()
                .await
        };
        read.await
            .map_err(|error| self.classify("read", relative, error))
    }

    /// Size and age of a file; `None` when there is none.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn head(&self, relative: &str) -> Result<Option<FileInfo>> {
        let location = self.location(relative)?;
        match self.shared.store.head(&location).await {
            Ok(meta) => Ok(Some(info(relative.to_owned(), &meta))),
            Err(error) => match self.classify("look at", relative, error) {
                Error::NotFound { .. } => Ok(None),
                error => Err(error),
            },
        }
    }

    /// Writes a file whether it exists or not. Atomic: a reader sees the old bytes or the new ones.
    /// Durable when it returns.
    ///
    /// # Errors
    /// Those of the store; the file may then be the old or the new one.
    pub async fn overwrite(&self, relative: &str, bytes: Bytes) -> Result<()> {
        let location = self.location(relative)?;
        let options = PutOptions::from(PutMode::Overwrite);
        let put = self.shared.store.put_opts(&location, bytes.into(), options);
        put.await
            .map(drop)
            .map_err(|error| self.classify("write", relative, error))
    }

    /// Starts writing a file of unknown size; it appears, whole, when the writer is finished.
    ///
    /// # Errors
    /// [`Error::InvalidPath`]; the store is not asked yet.
    pub fn writer(&self, relative: &str) -> Result<FileWriter> {
        Ok(FileWriter::new(
            self.clone(),
            relative.to_owned(),
            self.location(relative)?,
        ))
    }

    /// Deletes a file. `false` when there was none, as far as the store can tell (S3 cannot).
    ///
    /// # Errors
    /// Those of the store; the file may then be gone or not.
    pub async fn delete(&self, relative: &str) -> Result<bool> {
        let location = self.location(relative)?;
        match self.shared.store.delete(&location).await {
            Ok(()) => Ok(true),
            Err(error) => match self.classify("delete", relative, error) {
                Error::NotFound { .. } => Ok(false),
                error => Err(error),
            },
        }
    }

    /// Deletes files, in bulk where the store can. Missing ones count as deleted.
    ///
    /// # Errors
    /// The first error of the store; any of the files may then be gone or not.
    pub async fn delete_many(&self, relatives: Vec<String>) -> Result<()> {
        let locations: Vec<_> = relatives
            .iter()
            .map(|relative| self.location(relative))
            .collect::<Result<_>>()?;
        let requests = stream::iter(locations.into_iter().map(Ok)).boxed();
        let mut replies = self.shared.store.delete_stream(requests);
        while let Some(reply) = replies.next().await {
            if let Err(error) = reply {
                match self.classify("delete files of", "", error) {
                    Error::NotFound { .. } => {}
                    error => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// All files below a folder, at any depth, sorted by path. A missing folder has none.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(&self, relative: &str) -> Result<Vec<FileInfo>> {
        let location = self.location(relative)?;
        let prefix = (!location.is_root()).then_some(&location);
        let found: Vec<ObjectMeta> = match self.shared.store.list(prefix).try_collect().await {
            Ok(found) => found,
            Err(error) => match self.classify("list", relative, error) {
                Error::NotFound { .. } => Vec::new(),
                error => return Err(error),
            },
        };
        let mut files = self.infos(&location, &found);
        drop_folder_marks(&mut files);
        Ok(files)
    }

    /// The files and folders directly in a folder. A missing folder is empty.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list_dir(&self, relative: &str) -> Result<Directory> {
        let location = self.location(relative)?;
        let prefix = (!location.is_root()).then_some(&location);
        let found = match self.shared.store.list_with_delimiter(prefix).await {
            Ok(found) => found,
            Err(error) => match self.classify("list", relative, error) {
                Error::NotFound { .. } => return Ok(Directory::default()),
                error => return Err(error),
            },
        };
        let inside = |folder: &Path| path::relative(&self.root, folder).map(str::to_owned);
        let folders: BTreeSet<String> = found.common_prefixes.iter().filter_map(inside).collect();
        let files = self.infos(&location, &found.objects);
        Ok(Directory {
            folders: folders.into_iter().collect(),
            files,
        })
    }

    /// Makes an empty folder where folders exist by themselves (the local file system), durable when
    /// it returns; elsewhere does nothing, as a folder there is only the common part of its files.
    ///
    /// # Errors
    /// [`Error::Folder`].
    pub async fn ensure_folder(&self, relative: &str) -> Result<()> {
        self.on_disk("make the folder", relative, Folders::create)
            .await
    }

    /// Makes sure that a file which is there survives a power failure. A file that was found after a
    /// failed [`Storage::create`] or [`Storage::overwrite`] need not on local files; elsewhere a file that
    /// can be read is durable, and nothing is done.
    ///
    /// # Errors
    /// [`Error::Folder`]; whether the file survives is then not known.
    pub async fn make_durable(&self, relative: &str) -> Result<()> {
        self.on_disk("make durable", relative, Folders::sync_file)
            .await
    }

    /// Deletes everything below a folder, and the folder itself where folders exist by themselves.
    /// The answer is the number of files; a missing folder has none.
    ///
    /// # Errors
    /// Those of the store; [`Error::Folder`] when a file was made there meanwhile.
    pub async fn delete_folder(&self, relative: &str) -> Result<usize> {
        let files = self.list(relative).await?;
        let count = files.len();
        self.delete_many(files.into_iter().map(|file| file.path).collect())
            .await?;
        self.on_disk("remove the folder", relative, Folders::remove)
            .await?;
        Ok(count)
    }

    /// Takes the marks of [`Storage::create`] from these ids instead of from the system.
    ///
    /// Only before the storage is cloned; a shared one is left as it is.
    #[must_use]
    pub fn with_ids(mut self, ids: Arc<dyn IdGenerator>) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.ids = ids;
        }
        self
    }

    pub(crate) fn classify(
        &self,
        operation: &'static str,
        relative: &str,
        error: object_store::Error,
    ) -> Error {
        self.shared
            .origin
            .classify(operation, self.describe(relative), error)
    }

    /// How messages name a file.
    pub(crate) fn describe(&self, relative: &str) -> String {
        if relative.is_empty() {
            self.url.clone()
        } else {
            format!("{}/{relative}", self.url)
        }
    }

    /// Does something to a path of the local file system; elsewhere nothing.
    async fn on_disk(
        &self,
        operation: &'static str,
        relative: &str,
        work: fn(&Folders, &std::path::Path) -> std::io::Result<()>,
    ) -> Result<()> {
        let path = PathBuf::from(format!("/{}", self.location(relative)?));
        let Some(folders) = self.shared.folders.clone() else {
            return Ok(());
        };
        let shown = path.display().to_string();
        let done = local::blocking(move || work(&folders, &path)).await;
        done.map_err(|source| Error::Folder {
            operation,
            path: shown,
            source,
        })
    }

    fn infos(&self, asked: &Path, found: &[ObjectMeta]) -> Vec<FileInfo> {
        let mut files: Vec<FileInfo> = found
            .iter()
            .filter(|meta| meta.location != *asked)
            .filter_map(|meta| {
                let relative = path::relative(&self.root, &meta.location)?;
                Some(info(relative.to_owned(), meta))
            })
            .collect();
        files.sort();
        files
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Storage").field(&self.url).finish()
    }
}

fn info(path: String, meta: &ObjectMeta) -> FileInfo {
    FileInfo {
        path,
        size_bytes: meta.size,
        modified_ms: meta.last_modified.timestamp_millis(),
    }
}

/// Hadoop marks folders on object stores by empty objects whose name ends in a slash; the slash is gone
/// when they arrive here, so an empty "file" with files below it is such a mark.
fn drop_folder_marks(files: &mut Vec<FileInfo>) {
    if files.iter().all(|file| file.size_bytes > 0) {
        return;
    }
    let folders: BTreeSet<String> = files
        .iter()
        .flat_map(|file| {
            file.path
                .match_indices('/')
                .filter_map(|(at, _)| file.path.get(..at))
        })
        .map(str::to_owned)
        .collect();
    files.retain(|file| file.size_bytes > 0 || !folders.contains(&file.path));
}
