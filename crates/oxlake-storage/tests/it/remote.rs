//! What every store across a network must do beyond the contract, and how its refusals read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use oxlake_model::ErrorKind;
use oxlake_storage::{Error, Storage};

use crate::contract;

/// Longest time for four refusals in a row.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store that is up, and how it is reached.
pub(crate) struct Remote {
    /// Options that lead to it, without the process's environment.
    pub(crate) conf: BTreeMap<String, String>,
    /// The address of its bucket, without a slash at the end.
    pub(crate) bucket_url: String,
    /// The same bucket by another scheme, if there is one.
    pub(crate) other_url: Option<String>,
    /// A bucket that is not there.
    pub(crate) missing_url: String,
    /// What messages call the address.
    pub(crate) endpoint: String,
    /// The option a message names when nothing is found at the address.
    pub(crate) address_option: &'static str,
    /// An address and options that are refused, if the store checks any.
    pub(crate) denied: Option<(String, BTreeMap<String, String>)>,
    /// The variable a message names when access is denied.
    pub(crate) credentials_variable: &'static str,
    /// Whether a backslash in a name stays one; a name with one is refused otherwise.
    pub(crate) keeps_backslashes: bool,
    /// More files than fit into one request that lists or deletes.
    pub(crate) batch_files: usize,
}

impl Remote {
    /// A folder of the bucket.
    pub(crate) fn open(&self, folder: &str) -> Storage {
        Storage::open(&format!("{}/{folder}", self.bucket_url), &self.conf).unwrap()
    }
}

/// The contract and everything below. One server for all: starting it is the slow part.
pub(crate) async fn check_all(remote: &Remote) {
    let odd: Vec<&str> = contract::ODD_NAMES
        .into_iter()
        .filter(|name| remote.keeps_backslashes || !name.contains('\\'))
        .collect();
    contract::check_with_names(&remote.open("some 100%25/table"), &odd).await;
    backslashes(remote).await;
    by_the_other_scheme(remote).await;
    more_files_than_a_request(remote).await;
    missing_bucket(remote).await;
    wrong_credentials(remote).await;
}

async fn backslashes(remote: &Remote) {
    let storage = remote.open("backslash");
    let created = storage.create("a\\b/f", "x".into()).await;
    if remote.keeps_backslashes {
        created.unwrap();
        return;
    }
    assert!(matches!(created, Err(Error::InvalidPath { .. })));
    let read = storage.read("a\\b/f").await;
    assert!(matches!(read, Err(Error::InvalidPath { .. })));
    assert!(storage.list("").await.unwrap().is_empty());
}

async fn by_the_other_scheme(remote: &Remote) {
    let Some(other) = &remote.other_url else {
        return;
    };
    let url = format!("{other}/scheme");
    let storage = Storage::open(&url, &remote.conf).unwrap();
    storage.create("f", "x".into()).await.unwrap();
    assert_eq!(remote.open("scheme").read("f").await.unwrap(), "x");
    let again = remote.open("scheme").create("f", "y".into()).await;
    assert!(again.unwrap_err().is_already_exists());
    assert_eq!(storage.file_uri("f"), format!("{url}/f"));
}

async fn more_files_than_a_request(remote: &Remote) {
    let storage = remote.open("pages");
    let names: Vec<String> = (0..remote.batch_files)
        .map(|i| format!("f{i:05}"))
        .collect();
    let mut puts = FuturesUnordered::new();
    for name in &names {
        puts.push(storage.create(name, "x".into()));
        if puts.len() == 16 {
            puts.next().await.unwrap().unwrap();
        }
    }
    while let Some(put) = puts.next().await {
        put.unwrap();
    }
    drop(puts);
    let listed: Vec<String> = storage
        .list("")
        .await
        .unwrap()
        .into_iter()
        .map(|f| f.path)
        .collect();
    assert_eq!(listed, names);
    assert_eq!(storage.list_dir("").await.unwrap().files.len(), names.len());
    assert_eq!(storage.delete_folder("").await.unwrap(), names.len());
    assert!(storage.list("").await.unwrap().is_empty());
}

async fn missing_bucket(remote: &Remote) {
    let url = format!("{}/t", remote.missing_url);
    let storage = Storage::open(&url, &remote.conf).unwrap();
    let check = |error: Error| {
        assert!(matches!(error, Error::BucketMissing { .. }), "{error:?}");
        assert_eq!(error.kind(), ErrorKind::Config);
        let text = error.to_string();
        assert!(text.contains("there-is-no-such-bucket"), "{text}");
        assert!(text.contains(&remote.endpoint), "{text}");
        assert!(text.contains(remote.address_option), "{text}");
    };
    let start = Instant::now();
    check(storage.read("f").await.unwrap_err());
    check(storage.list("").await.unwrap_err());
    check(storage.list_dir("").await.unwrap_err());
    check(storage.create("f", "x".into()).await.unwrap_err());
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

async fn wrong_credentials(remote: &Remote) {
    let Some((url, conf)) = &remote.denied else {
        return;
    };
    let storage = Storage::open(url, conf).unwrap();
    let start = Instant::now();
    let read = storage.read("f").await.unwrap_err();
    let head = storage.head("f").await.unwrap_err();
    let list = storage.list_dir("").await.unwrap_err();
    let create = storage.create("f", "x".into()).await.unwrap_err();
    for error in [read, head, list, create] {
        assert!(matches!(error, Error::AccessDenied { .. }), "{error:?}");
        assert_eq!(error.kind(), ErrorKind::Config);
        let text = error.to_string();
        assert!(text.contains(remote.credentials_variable), "{text}");
        assert!(text.contains(&remote.endpoint), "{text}");
        assert!(!format!("{error:?}").contains("aHVzaA"), "a secret");
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}
