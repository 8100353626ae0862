//! Writing a file of unknown size.

use std::fmt;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt, UploadPart};

use crate::Result;
use crate::storage::Storage;

/// Size of a part. All parts but the last have it: some stores insist on equal parts.
const PART_BYTES: usize = 8 << 20;

/// Parts on their way at once.
const PARTS_IN_FLIGHT: usize = 4;

/// Writes one file. Nothing is visible until [`FileWriter::finish`]; then the whole file is there and
/// durable. A file of that name that existed before is replaced.
///
/// Holds at most five parts of 8 MiB. A writer that is dropped without `finish` leaves no file; on some
/// stores the parts sent stay behind until the bucket's rule for unfinished uploads removes them, so
/// call [`FileWriter::abort`] when giving up.
pub struct FileWriter {
    storage: Storage,
    relative: String,
    location: Path,
    buffer: BytesMut,
    written: u64,
    upload: Option<Box<dyn MultipartUpload>>,
    parts: FuturesUnordered<UploadPart>,
}

impl FileWriter {
    pub(crate) fn new(storage: Storage, relative: String, location: Path) -> Self {
        Self {
            storage,
            relative,
            location,
            buffer: BytesMut::new(),
            written: 0,
            upload: None,
            parts: FuturesUnordered::new(),
        }
    }

    /// The path being written, relative to the storage.
    pub fn path(&self) -> &str {
        &self.relative
    }

    /// Bytes taken so far.
    pub fn bytes_written(&self) -> u64 {
        self.written
    }

    /// Takes the next bytes; waits when enough are on their way.
    ///
    /// # Errors
    /// Those of the store. After one the writer can only be aborted.
    pub async fn write(&mut self, bytes: Bytes) -> Result<()> {
        self.written += bytes.len() as u64;
        self.buffer.extend_from_slice(&bytes);
        while self.buffer.len() >= PART_BYTES {
            let part = self.buffer.split_to(PART_BYTES).freeze();
            self.send(part).await?;
        }
        Ok(())
    }

    /// Publishes the file; the answer is its size in bytes.
    ///
    /// # Errors
    /// Those of the store; the file may then be there or not.
    pub async fn finish(mut self) -> Result<u64> {
        let rest = self.buffer.split().freeze();
        if self.upload.is_none() {
            let put = self
                .storage
                .shared
                .store
                .put(&self.location, rest.into())
                .await;
            put.map_err(|error| self.storage.classify("write", &self.relative, error))?;
            return Ok(self.written);
        }
        if !rest.is_empty() {
            self.send(rest).await?;
        }
        self.wait_until_in_flight(0).await?;
        if let Some(mut upload) = self.upload.take() {
            let done = upload.complete().await;
            done.map_err(|error| self.storage.classify("write", &self.relative, error))?;
        }
        Ok(self.written)
    }

    /// Gives up: what was sent is removed as far as the store can.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn abort(mut self) -> Result<()> {
        self.parts.clear();
        match self.upload.take() {
            Some(mut upload) => upload.abort().await.map_err(|error| {
                self.storage
                    .classify("abort writing", &self.relative, error)
            }),
            None => Ok(()),
        }
    }

    async fn send(&mut self, part: Bytes) -> Result<()> {
        self.wait_until_in_flight(PARTS_IN_FLIGHT - 1).await?;
        let upload = match &mut self.upload {
            Some(upload) => upload,
            slot => {
                let started = self
                    .storage
                    .shared
                    .store
                    .put_multipart(&self.location)
                    .await;
                slot.insert(
                    started
                        .map_err(|error| self.storage.classify("write", &self.relative, error))?,
                )
            }
        };
        self.parts.push(upload.put_part(part.into()));
        // Ask once, so that the part starts on its way while the caller prepares the next.
        if let std::task::Poll::Ready(Some(reply)) = futures::poll!(self.parts.next()) {
            reply.map_err(|error| self.storage.classify("write", &self.relative, error))?;
        }
        Ok(())
    }

    async fn wait_until_in_flight(&mut self, count: usize) -> Result<()> {
        while self.parts.len() > count {
            if let Some(reply) = self.parts.next().await {
                reply.map_err(|error| self.storage.classify("write", &self.relative, error))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for FileWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileWriter")
            .field("path", &self.relative)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}
