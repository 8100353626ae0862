//! From an address to a store: one file a scheme.

mod azure;
mod client;
mod gcs;
mod memory;
mod s3;

use std::collections::BTreeMap;
use std::path::{Component, PathBuf};
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::path::Path;
use oxlake_env::RandomIds;

use crate::error::Origin;
use crate::folders::Folders;
use crate::local::DurableLocal;
use crate::storage::{Shared, Storage};
use crate::{Error, Result};

/// A store that was opened, and what to say when it does not answer.
struct Opened {
    store: Arc<dyn ObjectStore>,
    origin: Origin,
}

/// Opens the folder at an address; see [`Storage::open`].
pub(crate) fn open(url: &str, conf: &BTreeMap<String, String>) -> Result<Storage> {
    let Some(address) = Address::parse(url)? else {
        return open_local(url);
    };
    let opened = match address.scheme.as_str() {
        "file" => return open_local(&address.path),
        "memory" => memory::open(&address),
        "s3" | "s3a" | "s3n" => s3::open(&address, conf)?,
        "gs" => gcs::open(&address, conf)?,
        "az" | "abfs" | "abfss" => azure::open(&address, conf)?,
        scheme => {
            let reason = format!(
                "the scheme '{scheme}' is not known (known: a path, file, memory, s3, s3a, gs, az, abfs, abfss)"
            );
            return Err(address.refuse(&reason));
        }
    };
    let turns_backslashes = matches!(address.scheme.as_str(), "az" | "abfs" | "abfss");
    if turns_backslashes {
        crate::path::refuse_backslashes(&address.path)?;
    }
    let root = crate::path::join(&Path::ROOT, address.path.trim_matches('/'))?;
    let shared = Shared {
        store: opened.store,
        store_url: address.store_url(),
        origin: opened.origin,
        ids: Arc::new(RandomIds),
        marks_creations: true,
        folders: None,
        turns_backslashes,
    };
    let url = format!("{}{}", address.store_url(), root);
    Ok(Storage::new(shared, root, &url))
}

/// The address without its path: what a store is registered under.
pub(crate) fn store_url(url: &str) -> String {
    match Address::parse(url) {
        Ok(Some(address)) if address.scheme != "file" => address.store_url(),
        _ => "file:///".to_owned(),
    }
}

fn open_local(path: &str) -> Result<Storage> {
    open_local_with(path, Folders::default())
}

/// As [`open`] for a path, with folders of the caller's.
pub(crate) fn open_local_with(path: &str, folders: Folders) -> Result<Storage> {
    let refuse = |reason: &str| Error::InvalidUrl {
        url: path.to_owned(),
        reason: reason.to_owned(),
    };
    if path.is_empty() {
        return Err(refuse("it is empty"));
    }
    let absolute = std::path::absolute(path).map_err(|error| refuse(&error.to_string()))?;
    let plain = without_dots(&absolute);
    let text = plain
        .to_str()
        .ok_or_else(|| refuse("it is not valid UTF-8"))?;
    let root = crate::path::join(&Path::ROOT, text.trim_matches('/'))?;
    let url = format!("file:///{root}");
    let shared = Shared {
        store: Arc::new(DurableLocal::new(folders.clone())),
        store_url: "file:///".to_owned(),
        origin: Origin::plain(text),
        ids: Arc::new(RandomIds),
        marks_creations: false,
        folders: Some(folders),
        turns_backslashes: false,
    };
    Ok(Storage::new(shared, root, &url))
}

/// Resolves `..` by the text alone, as a shell's `cd` does.
fn without_dots(path: &std::path::Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// A URL taken apart; the path stays as it is written, percent signs and all.
#[derive(Debug, PartialEq, Eq)]
struct Address {
    scheme: String,
    /// Text before an `@`: the container of an Azure address.
    user: Option<String>,
    host: String,
    path: String,
}

impl Address {
    /// `None` when the text is a plain path.
    fn parse(url: &str) -> Result<Option<Self>> {
        if let Some(path) = url
            .strip_prefix("file:")
            .filter(|rest| rest.starts_with('/'))
        {
            let path = path.strip_prefix("//").unwrap_or(path);
            if !path.starts_with('/') {
                let reason = "a file address has three slashes or one: file:///folder".to_owned();
                return Err(Error::InvalidUrl {
                    url: url.to_owned(),
                    reason,
                });
            }
            let path = path.to_owned();
            return Ok(Some(Self {
                scheme: "file".into(),
                user: None,
                host: String::new(),
                path,
            }));
        }
        let Some((scheme, rest)) = url.split_once("://") else {
            return Ok(None);
        };
        if scheme.is_empty()
            || !scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
        {
            return Ok(None);
        }
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user.to_owned()), host),
            None => (None, authority),
        };
        let address = Self {
            scheme: scheme.to_ascii_lowercase(),
            user,
            host: host.to_owned(),
            path: path.to_owned(),
        };
        let holds_secret = address.user.as_ref().is_some_and(|user| user.contains(':'));
        if holds_secret || (address.user.is_some() && !address.scheme.starts_with("abfs")) {
            let reason = "keys do not belong into an address; set them by environment or option";
            return Err(address.refuse(reason));
        }
        Ok(Some(address))
    }

    fn store_url(&self) -> String {
        match &self.user {
            Some(user) => format!("{}://{user}@{}/", self.scheme, self.host),
            None => format!("{}://{}/", self.scheme, self.host),
        }
    }

    /// The error that refuses this address; what may be a secret is left out.
    fn refuse(&self, reason: &str) -> Error {
        let url = format!("{}://{}/{}", self.scheme, self.host, self.path);
        Error::InvalidUrl {
            url,
            reason: reason.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_plain(url: &str) -> Result<Storage> {
        open(url, &BTreeMap::new())
    }

    #[test]
    fn addresses_keep_their_path_verbatim() {
        let cases = [
            (
                "/tmp/a%20b/c d",
                "file:///tmp/a%20b/c d",
                "file:/tmp/a%20b/c d/x",
                "file:///",
            ),
            (
                "file:///tmp/t/",
                "file:///tmp/t",
                "file:/tmp/t/x",
                "file:///",
            ),
            ("file:/tmp/t", "file:///tmp/t", "file:/tmp/t/x", "file:///"),
            (
                "/tmp/a/../t/./u",
                "file:///tmp/t/u",
                "file:/tmp/t/u/x",
                "file:///",
            ),
            (
                "s3://b/a%2Fb/é",
                "s3://b/a%2Fb/é",
                "s3://b/a%2Fb/é/x",
                "s3://b/",
            ),
            ("s3a://b", "s3a://b", "s3a://b/x", "s3a://b/"),
            ("gs://b/t/", "gs://b/t", "gs://b/t/x", "gs://b/"),
            (
                "abfss://c@acc.dfs.core.windows.net/p/q",
                "abfss://c@acc.dfs.core.windows.net/p/q",
                "abfss://c@acc.dfs.core.windows.net/p/q/x",
                "abfss://c@acc.dfs.core.windows.net/",
            ),
            ("memory:///t", "memory:///t", "memory:///t/x", "memory:///"),
        ];
        for (given, url, file_uri, store_url) in cases {
            let storage = open_plain(given).unwrap_or_else(|error| panic!("{given}: {error}"));
            assert_eq!(storage.url(), url);
            assert_eq!(storage.file_uri("x"), file_uri);
            assert_eq!(storage.object_store_url(), store_url);
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(
            open_plain("some/t").unwrap().url(),
            format!("file://{}/some/t", here.display())
        );
    }

    #[test]
    fn bad_addresses_are_refused_without_showing_keys() {
        for url in [
            "ftp://h/x",
            "http://h/x",
            "s3://AKIA:secret@b/x",
            "s3:///x",
            "",
            "az://a.b/x",
        ] {
            let error = open_plain(url).unwrap_err();
            assert!(
                matches!(error, Error::InvalidUrl { .. }),
                "{url}: {error:?}"
            );
            assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
        }
        assert!(matches!(
            open_plain("s3://b/a//b"),
            Err(Error::InvalidPath { .. })
        ));
        assert!(matches!(
            open_plain("s3://b/../b"),
            Err(Error::InvalidPath { .. })
        ));
        open_plain("s3://b/a\\b").unwrap();
        assert!(matches!(
            open_plain("abfss://c@acc.dfs.core.windows.net/a\\b"),
            Err(Error::InvalidPath { .. })
        ));
    }

    #[test]
    fn options_with_a_typing_error_are_refused_and_foreign_ones_ignored() {
        let open_with = |url: &str, key: &str, value: &str| {
            open(url, &BTreeMap::from([(key.to_owned(), value.to_owned())]))
        };
        for (url, key) in [
            ("s3://b/t", "aws_acess_key_id"),
            ("az://c/t", "azure_storage_acount_key"),
            ("gs://b/t", "google_service_acount"),
        ] {
            let error = open_with(url, key, "hush").unwrap_err();
            assert!(
                matches!(&error, Error::Config { key: named, .. } if named == key),
                "{error:?}"
            );
            assert!(!format!("{error:?}{error}").contains("hush"));
        }
        for key in [
            "hoodie.parquet.small.file.limit",
            "fs.s3a.threads.max",
            "azure_client_id",
        ] {
            open_with("s3://b/t", key, "1").unwrap();
        }
        assert!(matches!(
            open_with("s3://b/t", "aws_conditional_put", "disabled"),
            Err(Error::ConditionalPutDisabled { .. })
        ));
        assert!(matches!(
            open_with("s3://b/t", "aws_allow_http", "perhaps"),
            Err(Error::Config { .. })
        ));
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let conf = [("aws_access_key_id", "AKIA"), ("fs.s3a.secret.key", "hush")];
        let conf = conf.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let storage = open("s3://b/t", &BTreeMap::from(conf)).unwrap();
        assert_eq!(format!("{storage:?}"), "Storage(\"s3://b/t\")");
    }
}
