//! Creating an instant file exactly once, also when the reply is lost.
//!
//! A request that reached the storage may fail on the way back: the file may exist or not. The name and the bytes of
//! the file are then tried again. Creating is put-if-absent and the bytes are unlike all others (every Avro container
//! has a random marker), so each further answer can be told apart: created, already there and ours, already there and
//! not ours. The JSON of version 6 has no marker; there it names the files of one write of one process, and bytes that
//! are the same say the same about the same instant.
//!
//! A file that is found need not be durable: on local files the failure may have been that of making it so. It is made
//! durable before it counts.

use bytes::Bytes;
use oxlake_model::{ErrorKind, Instant};
use oxlake_timeline::TimelineStore;

/// Whose file it is in the end.
#[derive(Debug)]
pub(crate) enum Creation {
    /// The file exists with our bytes, durably.
    Ours,
    /// The file exists with other bytes.
    Foreign,
    /// The file does not exist, and the storage says why not.
    Refused(oxlake_timeline::Error),
    /// The storage does not answer, or cannot make durable what it has.
    Unknown(oxlake_timeline::Error),
}

/// Attempts before the answer is given up. Storage requests have retries of their own below this.
const ATTEMPTS: usize = 3;

/// Creates the file of `instant` with `bytes`, which must be unique to this call.
pub(crate) async fn create_once(
    store: &TimelineStore,
    instant: &Instant,
    bytes: Bytes,
) -> Creation {
    let mut attempt = 1;
    loop {
        let Err(failure) = store.create(instant, bytes.clone()).await else {
            return Creation::Ours;
        };
        match store.read(instant).await {
            Ok(found) if found == bytes => {
                return match store.make_durable(instant).await {
                    Ok(()) => Creation::Ours,
                    Err(failure) => Creation::Unknown(failure),
                };
            }
            Ok(_) => return Creation::Foreign,
            Err(missing) if missing.kind() != ErrorKind::NotFound => {
                return Creation::Unknown(failure);
            }
            // The request may still be under way: asking again settles it, since the file is created once.
            Err(_) if attempt < ATTEMPTS => {
                tracing::warn!(%instant, attempt, error = %failure, "creating again after a failure");
            }
            Err(_) if failure.kind() == ErrorKind::Unavailable => {
                return Creation::Unknown(failure);
            }
            Err(_) => return Creation::Refused(failure),
        }
        attempt += 1;
    }
}
