//! `gs://bucket/path`: Google Cloud Storage.

use std::collections::BTreeMap;
use std::sync::Arc;

use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder, GoogleConfigKey as Key};
use object_store::{ClientConfigKey, StaticCredentialProvider};

use super::client::{self, Translated};
use super::{Address, Opened};
use crate::Result;
use crate::error::Origin;

const CREDENTIALS: &str = "set GOOGLE_APPLICATION_CREDENTIALS (or --conf google_service_account=…) to \
    the file of an account that may read and write there";

const WHERE: &str = "check the network and the proxy (--conf google_proxy_url=…), or set --conf \
    google_base_url=… for another store than Google's";

pub(super) fn open(address: &Address, conf: &BTreeMap<String, String>) -> Result<Opened> {
    if address.host.is_empty() {
        return Err(address.refuse("the bucket is missing: gs://bucket/path"));
    }
    let mut builder = GoogleCloudStorageBuilder::from_env()
        .with_config(
            Key::Client(ClientConfigKey::ConnectTimeout),
            client::CONNECT_TIMEOUT,
        )
        .with_retry(client::retry(conf)?);
    for (key, value) in conf {
        builder = match client::hadoop_name(key) {
            "fs.gs.auth.service.account.json.keyfile"
            | "google.cloud.auth.service.account.json.keyfile" => {
                builder.with_config(Key::ServiceAccount, value)
            }
            _ => match client::translate(key, value, "google_") {
                Translated::Option(option, value) => builder.with_config(option, value),
                Translated::Unknown => return Err(client::unknown(key)),
                Translated::Foreign => builder,
            },
        };
    }
    if builder.get_config_value(&Key::SkipSignature).as_deref() == Some("true") {
        // Without this the client still looks for credentials before it writes or deletes, and asks the
        // metadata service of a cloud machine for them.
        let nobody = GcpCredential {
            bearer: String::new(),
        };
        builder = builder.with_credentials(Arc::new(StaticCredentialProvider::new(nobody)));
    }
    let endpoint = builder.get_config_value(&Key::BaseUrl);
    let store = builder
        .with_bucket_name(&address.host)
        .build()
        .map_err(|error| client::refused("google_*", &error))?;
    let origin = Origin {
        address: endpoint.unwrap_or_else(|| "https://storage.googleapis.com".into()),
        bucket: address.host.clone(),
        credentials_remedy: CREDENTIALS,
        address_remedy: WHERE,
        anonymous_remedy: CREDENTIALS,
    };
    Ok(Opened {
        store: Arc::new(store),
        origin,
    })
}
