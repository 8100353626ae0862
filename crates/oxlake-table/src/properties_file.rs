//! `hoodie.properties` and its backup: reading them while somebody updates them, and the first write
//! (spec 01 §2.1–§2.3).
//!
//! An updater writes the backup, deletes the file and writes it anew. Which of the two counts is decided by
//! [`choose_properties`]; when neither does, an update may be under way, and both are read again a few times.

use std::time::Duration;

use bytes::Bytes;
use oxlake_config::{Properties, choose_properties, java_date_line, java_instant};
use oxlake_env::Env;
use oxlake_model::ErrorKind;
use oxlake_storage::Storage;

use crate::{Error, Result};

const PROPERTIES: &str = ".hoodie/hoodie.properties";
const BACKUP: &str = ".hoodie/hoodie.properties.backup";

/// How often damaged files are read before the damage is believed.
const ATTEMPTS: u32 = 4;
const RETRY_WAIT: Duration = Duration::from_millis(250);

/// Reads the properties by the read rule.
///
/// # Errors
/// [`Error::NotATable`] when there is neither file, [`Error::Properties`] when both are damaged.
pub(crate) async fn read(storage: &Storage, env: &Env) -> Result<Properties> {
    let mut attempt = 1;
    loop {
        let main = content(storage, PROPERTIES).await?;
        let backup = content(storage, BACKUP).await?;
        let error = match choose_properties(main.as_deref(), backup.as_deref()) {
            Ok(chosen) => return Ok(chosen.properties),
            Err(error) => error,
        };
        let is_missing = main.is_none() && backup.is_none();
        match (is_missing, attempt) {
            // One more look, in case both were missed while an updater exchanged them.
            (true, 1) => {}
            (true, _) => {
                return Err(Error::NotATable {
                    url: storage.url().to_owned(),
                });
            }
            (false, attempt) if attempt < ATTEMPTS => env.clock.sleep(RETRY_WAIT).await,
            (false, _) => {
                return Err(Error::Properties {
                    url: storage.url().to_owned(),
                    source: error,
                });
            }
        }
        attempt += 1;
    }
}

/// Whether there is a table, as far as the two files tell.
pub(crate) async fn exists(storage: &Storage) -> Result<bool> {
    for path in [PROPERTIES, BACKUP] {
        if storage.head(path).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes the properties of a new table.
///
/// # Errors
/// [`Error::AlreadyExists`] when somebody else was faster; those of storage.
pub(crate) async fn create(storage: &Storage, env: &Env, properties: &Properties) -> Result<()> {
    let now_ms = env.clock.now_ms();
    let comment = format!("Properties saved on {}", java_instant(now_ms));
    let text = properties.print(&comment, &java_date_line(now_ms));
    match storage.create(PROPERTIES, Bytes::from(text)).await {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Error::AlreadyExists {
            url: storage.url().to_owned(),
        }),
        done => Ok(done?),
    }
}

async fn content(storage: &Storage, path: &str) -> Result<Option<Bytes>> {
    match storage.read(path).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
