//! Signs of life of other writers (spec 01 §8).
//!
//! A multi-writer client renews the empty file `.hoodie/.heartbeat/<T>` while its write runs; the modification time is
//! the signal. A missing file counts as expired. This engine writes no heartbeats yet; it only looks before it rolls
//! back what another writer began.

use oxlake_model::InstantTime;
use oxlake_table::MetaClient;

use crate::{Error, Result};

/// Age at which a heartbeat counts as expired: three intervals of a minute, the longest of the reference's rules.
const EXPIRY_SECONDS: i64 = 180;

fn path(instant: &InstantTime) -> String {
    format!(".hoodie/.heartbeat/{instant}")
}

/// Fails if the write `instant` has a heartbeat that is not expired.
pub(crate) async fn refuse_if_alive(meta: &MetaClient, instant: &InstantTime) -> Result<bool> {
    let Some(file) = meta.storage().head(&path(instant)).await? else {
        return Ok(false);
    };
    let age_seconds = (meta.env().clock.now_ms() - file.modified_ms).div_euclid(1000);
    if age_seconds >= EXPIRY_SECONDS {
        return Ok(true);
    }
    Err(Error::WriterAlive {
        instant: instant.clone(),
        age_seconds,
        expires_seconds: EXPIRY_SECONDS,
    })
}

/// Removes the heartbeat of a write that was rolled back.
pub(crate) async fn delete(meta: &MetaClient, instant: &InstantTime) -> Result<()> {
    meta.storage().delete(&path(instant)).await?;
    Ok(())
}
