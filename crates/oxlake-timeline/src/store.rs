//! The timeline of one table on storage.

use std::sync::Arc;

use bytes::Bytes;
use oxlake_config::{TableConfig, TimelineZone};
use oxlake_env::Env;
use oxlake_model::{
    Action, CommitMetadata, Instant, InstantContent, InstantFileName, InstantTime, TableVersion,
    Timeline, TimelineEntry, TimelineLayout,
};
use oxlake_storage::{FileInfo, Storage};

use crate::archive::{self, ArchiveQuery, ArchivedTimeline};
use crate::cache::CommitCache;
use crate::{Error, Result};

/// Where the instants of layout 1 lie, and of every layout the folders of the timeline.
const METADATA_FOLDER: &str = ".hoodie";
/// Where schema commits lie, in both layouts.
const SCHEMA_FOLDER: &str = ".hoodie/.schema";

/// Loads and stores the instants of one table. Cheap to clone; clones share the cache of decoded metadata.
#[derive(Clone, Debug)]
pub struct TimelineStore {
    pub(crate) storage: Storage,
    pub(crate) env: Env,
    version: TableVersion,
    zone: TimelineZone,
    folder: String,
    archive_folder: String,
    /// The version the table was created with; decides whether names of history files can be trusted.
    pub(crate) initial_version: Option<u32>,
    cache: Arc<CommitCache>,
}

impl TimelineStore {
    /// The timeline of the table at the root of `storage`.
    pub fn new(storage: Storage, config: &TableConfig, env: Env) -> Self {
        let version = config.version();
        let archive_folder = if version.history_is_lsm() {
            config.history_path()
        } else {
            config.archive_folder()
        };
        let initial_version = config.properties().get("hoodie.table.initial.version");
        Self {
            storage,
            env,
            version,
            zone: config.timeline_zone(),
            folder: config.timeline_path(),
            archive_folder,
            initial_version: initial_version.and_then(|text| text.trim().parse().ok()),
            cache: Arc::default(),
        }
    }

    /// How timeline files of this table are named.
    pub fn layout(&self) -> TimelineLayout {
        self.version.layout()
    }

    /// The folder of the active timeline, relative to the table.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The folder of the archived timeline, relative to the table.
    pub fn archive_folder(&self) -> &str {
        &self.archive_folder
    }

    /// The file of an instant, relative to the table.
    pub fn path(&self, instant: &Instant) -> String {
        let folder = match instant.action {
            Action::SchemaCommit => SCHEMA_FOLDER,
            _ => &self.folder,
        };
        let name = InstantFileName::print(self.layout(), instant);
        format!("{folder}/{name}")
    }

    /// The active timeline, from one listing of its folder (spec 01 §3.5).
    ///
    /// # Errors
    /// [`Error::HalfDoneDowngrade`] for a table that looks empty because its instants have been moved to where
    /// version 6 has them (spec 01 §10.3); [`Error::Storage`].
    #[tracing::instrument(level = "debug", skip(self), fields(table = self.storage.url()))]
    pub async fn load_active(&self) -> Result<Timeline> {
        let listed = self.storage.list_dir(&self.folder).await?;
        let entries = listed.files.iter().map(|file| self.entry(file));
        let timeline = Timeline::from_listing(self.layout(), entries);
        if timeline.is_empty() && self.layout() == TimelineLayout::V2 {
            self.check_not_downgraded().await?;
        }
        Ok(timeline)
    }

    /// The instants archived from the active timeline, with everything known about them.
    ///
    /// # Errors
    /// [`Error::DamagedArchive`] and the other errors of archive files, [`Error::HistoryMoves`],
    /// [`Error::Storage`].
    pub async fn load_archived(&self) -> Result<ArchivedTimeline> {
        self.load_archived_where(&ArchiveQuery::everything()).await
    }

    /// The archived instants in a range of requested times, with as much about them as asked for.
    ///
    /// # Errors
    /// As [`load_archived`](Self::load_archived).
    #[tracing::instrument(level = "debug", skip(self), fields(table = self.storage.url()))]
    pub async fn load_archived_where(&self, query: &ArchiveQuery) -> Result<ArchivedTimeline> {
        if self.version.history_is_lsm() {
            archive::lsm::load(self, query).await
        } else {
            archive::log::load(self, query).await
        }
    }

    /// The bytes of an instant's file; none for the empty files most requested instants have.
    ///
    /// # Errors
    /// [`Error::Storage`] of kind not found when the instant is gone.
    pub async fn read(&self, instant: &Instant) -> Result<Bytes> {
        let path = self.path(instant);
        match self.storage.read(&path).await {
            Err(error) if error.is_not_found() && self.may_lack_completion_in_name(instant) => {
                let name = InstantFileName::print(TimelineLayout::V1, instant);
                let read = self.storage.read(&format!("{}/{name}", self.folder)).await;
                read.map_err(|_| error.into())
            }
            read => Ok(read?),
        }
    }

    /// When the file of an instant was last modified, in the zone of the timeline; `None` when there is no file. In
    /// layout 1 this is when a completed instant completed (spec 01 §3.3).
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn modified(&self, instant: &Instant) -> Result<Option<InstantTime>> {
        let file = self.storage.head(&self.path(instant)).await?;
        Ok(file.map(|file| self.instant_time(file.modified_ms)))
    }

    /// What an instant's file says.
    ///
    /// # Errors
    /// [`Error::Content`] when the bytes are not what stands in such a file; those of [`read`](Self::read).
    pub async fn content(&self, instant: &Instant) -> Result<InstantContent> {
        let bytes = self.read(instant).await?;
        InstantContent::decode(instant, &bytes)
            .map_err(|source| self.content_error(instant, source))
    }

    /// What a commit, delta commit or replace commit did. Metadata of completed instants is kept, so asking
    /// again is cheap.
    ///
    /// # Errors
    /// As [`content`](Self::content).
    pub async fn commit_metadata(&self, instant: &Instant) -> Result<Arc<CommitMetadata>> {
        let path = self.path(instant);
        if let Some(metadata) = self.cache.get(&path) {
            return Ok(metadata);
        }
        let bytes = self.read(instant).await?;
        let metadata = CommitMetadata::decode(&bytes);
        let metadata = Arc::new(metadata.map_err(|source| self.content_error(instant, source))?);
        if instant.is_completed() {
            self.cache.put(path, &metadata);
        }
        Ok(metadata)
    }

    /// Creates the file of an instant that must not exist yet; when it returns, the instant is durable. Of all
    /// writers exactly one succeeds for one name, so in layout 1 an instant completes once. In layout 2 the name of a
    /// completed instant has its completion time in it, so this alone does not keep two writers from completing the
    /// same instant (spec 01 §3.6).
    ///
    /// # Errors
    /// [`Error::InstantExists`]; [`Error::Storage`], among them the unknown outcome of a lost reply.
    #[tracing::instrument(level = "debug", skip(self, content), fields(table = self.storage.url()))]
    pub async fn create(&self, instant: &Instant, content: Bytes) -> Result<()> {
        let path = self.path(instant);
        match self.storage.create(&path, content).await {
            Err(error) if error.is_already_exists() => Err(Error::InstantExists {
                instant: Box::new(instant.clone()),
                path,
            }),
            created => Ok(created?),
        }
    }

    /// Makes sure that an instant whose file was found after a failed [`create`](Self::create) survives a power
    /// failure.
    ///
    /// # Errors
    /// [`Error::Storage`]; whether it survives is then not known.
    #[tracing::instrument(level = "debug", skip(self), fields(table = self.storage.url()))]
    pub async fn make_durable(&self, instant: &Instant) -> Result<()> {
        Ok(self.storage.make_durable(&self.path(instant)).await?)
    }

    /// Deletes the file of an instant. `false` when there was none, as far as the store can tell.
    ///
    /// # Errors
    /// [`Error::Storage`].
    #[tracing::instrument(level = "debug", skip(self), fields(table = self.storage.url()))]
    pub async fn delete(&self, instant: &Instant) -> Result<bool> {
        let path = self.path(instant);
        self.cache.remove(&path);
        Ok(self.storage.delete(&path).await?)
    }

    /// The time `epoch_ms` in the zone of this table's timeline (spec 01 §3.2).
    pub fn instant_time(&self, epoch_ms: i64) -> InstantTime {
        let offset_seconds = match self.zone {
            TimelineZone::Utc => 0,
            TimelineZone::Local => self.env.clock.local_offset_seconds(epoch_ms),
        };
        InstantTime::from_epoch_millis(epoch_ms, offset_seconds)
    }

    /// The JVM shows file times in its own zone, whatever that of the table. In a table that says UTC we keep to it:
    /// times of one timeline in two zones could not be compared.
    fn entry(&self, file: &FileInfo) -> TimelineEntry {
        TimelineEntry {
            name: file.name().to_owned(),
            modified: Some(self.instant_time(file.modified_ms)),
        }
    }

    async fn check_not_downgraded(&self) -> Result<()> {
        let listed = self.storage.list_dir(METADATA_FOLDER).await?;
        let names = listed.files.iter().map(FileInfo::name);
        let mut names =
            names.filter(|name| InstantFileName::parse(TimelineLayout::V1, name).is_some());
        match names.next() {
            None => Ok(()),
            Some(example) => Err(Error::HalfDoneDowngrade {
                version: self.version,
                folder: self.folder.clone(),
                example: example.to_owned(),
                others: names.count(),
            }),
        }
    }

    /// A half-upgraded table of layout 2 has completed files named as in layout 1 (spec 01 §3.3).
    fn may_lack_completion_in_name(&self, instant: &Instant) -> bool {
        self.layout() == TimelineLayout::V2
            && instant.is_completed()
            && instant.action != Action::SchemaCommit
    }

    fn content_error(&self, instant: &Instant, source: oxlake_model::Error) -> Error {
        Error::Content {
            instant: Box::new(instant.clone()),
            path: self.path(instant),
            source: Box::new(source),
        }
    }
}
