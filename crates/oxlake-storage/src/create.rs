//! Creating a file exactly once, with lost replies resolved by looking again.
//!
//! A conditional put can succeed at the store while its reply is lost. The client then either reports an
//! error, or repeats the request and is told that the object exists. Both look like a failure and are
//! none. So each creation carries a mark of its own as object metadata; when the reply is anything but
//! "done", the object is looked at again and its mark tells whose it is. Comparing the bytes would not
//! do: the first files of an instant are empty, and two writers would both believe to be the winner.

use bytes::Bytes;
use object_store::path::Path;
use object_store::{
    Attribute, Error as StoreError, GetOptions, ObjectStoreExt, PutMode, PutOptions,
};

use crate::storage::Storage;
use crate::{Error, Result};

/// Name of the mark in the metadata of an object. Azure allows letters, digits and underscores only.
const MARK: &str = "oxlakeput";

/// How often a create is sent when the store says "exists" and then has nothing.
const ATTEMPTS: usize = 3;

/// Whose object is found after a creation that was not confirmed.
enum Owner {
    Us,
    Other,
    Nobody,
}

impl Storage {
    /// Creates a file that must not exist yet. Of all writers exactly one gets `Ok`; when it does, the
    /// bytes are durable.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] when another writer was first; [`Error::OutcomeUnknown`] when the store
    /// confirmed neither the write nor the look at it. After any other error nothing was written, except
    /// that the local file system may have published a file it could not make durable.
    pub async fn create(&self, relative: &str, bytes: Bytes) -> Result<()> {
        let location = self.location(relative)?;
        let mark = self.shared.marks_creations.then(|| self.shared.ids.uuid());
        let mut attempt = 1;
        loop {
            let Err(error) = self
                .put_new(&location, bytes.clone(), mark.as_deref())
                .await
            else {
                return Ok(());
            };
            let Some(mark) = &mark else {
                return Err(self.classify("create", relative, error));
            };
            if had_no_effect(&error) {
                return Err(self.classify("create", relative, error));
            }
            let exists = matches!(error, StoreError::AlreadyExists { .. });
            tracing::debug!(
                path = relative,
                exists,
                "creation was not confirmed, looking again"
            );
            match self.owner(&location, mark, &bytes).await {
                Ok(Owner::Us) => return Ok(()),
                Ok(Owner::Other) => {
                    return Err(Error::AlreadyExists {
                        path: self.describe(relative),
                    });
                }
                Ok(Owner::Nobody) if exists && attempt < ATTEMPTS => attempt += 1,
                Ok(Owner::Nobody) => return Err(self.classify("create", relative, error)),
                Err(_) => {
                    let path = self.describe(relative);
                    return Err(Error::OutcomeUnknown {
                        path,
                        source: Box::new(error),
                    });
                }
            }
        }
    }

    async fn put_new(
        &self,
        location: &Path,
        bytes: Bytes,
        mark: Option<&str>,
    ) -> object_store::Result<()> {
        let mut options = PutOptions::from(PutMode::Create);
        if let Some(mark) = mark {
            options
                .attributes
                .insert(Attribute::Metadata(MARK.into()), mark.to_owned().into());
        }
        self.shared
            .store
            .put_opts(location, bytes.into(), options)
            .await
            .map(drop)
    }

    /// Looks whose object is there. A store that keeps no metadata answers by the bytes, as far as
    /// bytes can tell: equal and not empty.
    async fn owner(
        &self,
        location: &Path,
        mark: &str,
        bytes: &Bytes,
    ) -> object_store::Result<Owner> {
        let options = GetOptions::new().with_head(true);
        let found = match self.shared.store.get_opts(location, options).await {
            Ok(found) => found,
            Err(StoreError::NotFound { .. }) => return Ok(Owner::Nobody),
            Err(error) => return Err(error),
        };
        if let Some(theirs) = found.attributes.get(&Attribute::Metadata(MARK.into())) {
            return Ok(if theirs.as_ref() == mark {
                Owner::Us
            } else {
                Owner::Other
            });
        }
        if bytes.is_empty() || found.meta.size != bytes.len() as u64 {
            return Ok(Owner::Other);
        }
        let stored = self.shared.store.get(location).await?.bytes().await?;
        Ok(if stored == *bytes {
            Owner::Us
        } else {
            Owner::Other
        })
    }
}

/// Errors that say the request was refused before it could change anything.
fn had_no_effect(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::NotFound { .. }
            | StoreError::InvalidPath { .. }
            | StoreError::NotSupported { .. }
            | StoreError::NotImplemented { .. }
            | StoreError::PermissionDenied { .. }
            | StoreError::Unauthenticated { .. }
            | StoreError::UnknownConfigurationKey { .. }
    )
}
