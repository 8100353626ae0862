//! A store that counts what is asked of the one below.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result, UploadPart,
};

/// Requests and bytes since the start or the last [`CountingStore::reset`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Single puts.
    pub put: u64,
    /// Multipart uploads started.
    pub multipart: u64,
    /// Parts of multipart uploads.
    pub part: u64,
    /// Reads of whole objects or ranges; several ranges of one object in one call count once.
    pub get: u64,
    /// Requests for size and age only.
    pub head: u64,
    /// Listings, of one level or of all.
    pub list: u64,
    /// Objects deleted.
    pub delete: u64,
    /// Copies and renames.
    pub copy: u64,
    /// Bytes asked to be read, as far as the request tells.
    pub bytes_read: u64,
    /// Bytes sent.
    pub bytes_written: u64,
}

impl Counts {
    /// All requests together.
    pub fn requests(&self) -> u64 {
        self.put
            + self.multipart
            + self.part
            + self.get
            + self.head
            + self.list
            + self.delete
            + self.copy
    }
}

#[derive(Debug, Default)]
struct Counters {
    put: AtomicU64,
    multipart: AtomicU64,
    part: AtomicU64,
    get: AtomicU64,
    head: AtomicU64,
    list: AtomicU64,
    delete: AtomicU64,
    copy: AtomicU64,
    bytes_read: AtomicU64,
    bytes_written: AtomicU64,
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// Passes every request on and counts it.
#[derive(Debug)]
pub struct CountingStore {
    inner: Arc<dyn ObjectStore>,
    counters: Arc<Counters>,
}

impl CountingStore {
    /// Counts from zero.
    pub fn new(inner: Arc<dyn ObjectStore>) -> Self {
        Self {
            inner,
            counters: Arc::default(),
        }
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let c = &self.counters;
        Counts {
            put: get(&c.put),
            multipart: get(&c.multipart),
            part: get(&c.part),
            get: get(&c.get),
            head: get(&c.head),
            list: get(&c.list),
            delete: get(&c.delete),
            copy: get(&c.copy),
            bytes_read: get(&c.bytes_read),
            bytes_written: get(&c.bytes_written),
        }
    }

    /// Starts again from zero; the answer is what was counted before.
    pub fn reset(&self) -> Counts {
        let counts = self.counts();
        let c = &self.counters;
        for counter in [
            &c.put,
            &c.multipart,
            &c.part,
            &c.get,
            &c.head,
            &c.list,
            &c.delete,
            &c.copy,
            &c.bytes_read,
            &c.bytes_written,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        counts
    }
}

impl std::fmt::Display for CountingStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "counting {}", self.inner)
    }
}

#[async_trait]
impl ObjectStore for CountingStore {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        add(&self.counters.put, 1);
        add(
            &self.counters.bytes_written,
            payload.content_length() as u64,
        );
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        add(&self.counters.multipart, 1);
        let inner = self.inner.put_multipart_opts(location, options).await?;
        Ok(Box::new(CountingUpload {
            inner,
            counters: Arc::clone(&self.counters),
        }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if options.head {
            add(&self.counters.head, 1);
            return self.inner.get_opts(location, options).await;
        }
        add(&self.counters.get, 1);
        let result = self.inner.get_opts(location, options).await?;
        add(
            &self.counters.bytes_read,
            result.range.end - result.range.start,
        );
        Ok(result)
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        add(&self.counters.get, 1);
        add(
            &self.counters.bytes_read,
            ranges.iter().map(|range| range.end - range.start).sum(),
        );
        self.inner.get_ranges(location, ranges).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let counters = Arc::clone(&self.counters);
        let counted = locations.inspect(move |_| add(&counters.delete, 1)).boxed();
        self.inner.delete_stream(counted)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        add(&self.counters.list, 1);
        self.inner.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        add(&self.counters.list, 1);
        self.inner.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        add(&self.counters.list, 1);
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        add(&self.counters.copy, 1);
        self.inner.copy_opts(from, to, options).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        add(&self.counters.copy, 1);
        self.inner.rename_opts(from, to, options).await
    }
}

#[derive(Debug)]
struct CountingUpload {
    inner: Box<dyn MultipartUpload>,
    counters: Arc<Counters>,
}

#[async_trait]
impl MultipartUpload for CountingUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        add(&self.counters.part, 1);
        add(&self.counters.bytes_written, data.content_length() as u64);
        self.inner.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.inner.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.inner.abort().await
    }
}
