//! What the clients of all remote stores share: timeouts, retries, reading of options.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use object_store::{BackoffConfig, RetryConfig};

use crate::{Error, Result};

/// An address where nobody listens is given up after this.
pub(super) const CONNECT_TIMEOUT: &str = "3s";

/// No request is repeated when this time has passed since its start.
const RETRY_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a request is repeated at most.
const RETRIES: usize = 6;

/// Raises the time for repeating requests, for stores that throttle.
const RETRY_TIMEOUT_KEY: &str = "oxlake.storage.retry.timeout.ms";

/// Raises the number of repetitions.
const RETRIES_KEY: &str = "oxlake.storage.retry.max";

/// Retries that end within seconds unless the options say otherwise.
pub(super) fn retry(conf: &BTreeMap<String, String>) -> Result<RetryConfig> {
    let timeout = number(conf, RETRY_TIMEOUT_KEY)?.map_or(RETRY_TIMEOUT, Duration::from_millis);
    let retries = number(conf, RETRIES_KEY)?;
    Ok(RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(2),
            base: 2.0,
        },
        max_retries: retries
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(RETRIES),
        retry_timeout: timeout,
    })
}

fn number(conf: &BTreeMap<String, String>, key: &str) -> Result<Option<u64>> {
    let parse = |text: &String| {
        text.trim().parse().map_err(|_| Error::Config {
            key: key.to_owned(),
            reason: "it takes a whole number".to_owned(),
        })
    };
    conf.get(key).map(parse).transpose()
}

/// One option of a user, in the words of the store's client.
pub(super) enum Translated<K> {
    /// An option of this client.
    Option(K, String),
    /// A name of this store's family that does not exist: a typing error.
    Unknown,
    /// An option of somebody else.
    Foreign,
}

/// Reads an option by the names the store's client knows. `prefix` marks the names that nobody else can
/// mean, so a wrong one is an error.
pub(super) fn translate<K: FromStr>(key: &str, value: &str, prefix: &str) -> Translated<K> {
    let key = key.to_ascii_lowercase();
    match key.parse() {
        Ok(option) => Translated::Option(option, value.to_owned()),
        Err(_) if key.starts_with(prefix) => Translated::Unknown,
        Err(_) => Translated::Foreign,
    }
}

/// An option's name without the prefix Spark gives to Hadoop's options.
pub(super) fn hadoop_name(key: &str) -> &str {
    key.strip_prefix("spark.hadoop.").unwrap_or(key)
}

/// The error for a name that does not exist.
pub(super) fn unknown(key: &str) -> Error {
    Error::Config {
        key: key.to_owned(),
        reason: "there is no such option".to_owned(),
    }
}

/// The error for options the client does not take together.
pub(super) fn refused(family: &str, error: &object_store::Error) -> Error {
    Error::Config {
        key: family.to_owned(),
        reason: error.to_string(),
    }
}
