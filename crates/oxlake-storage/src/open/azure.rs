//! `az://container/path` and `abfss://container@account.dfs.core.windows.net/path`: Azure Blob Storage.

use std::collections::BTreeMap;
use std::sync::Arc;

use object_store::ClientConfigKey;
use object_store::azure::{AzureConfigKey as Key, MicrosoftAzureBuilder};

use super::client::{self, Translated};
use super::{Address, Opened};
use crate::Result;
use crate::error::Origin;

const CREDENTIALS: &str = "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY (or --conf \
    azure_storage_account_name=… --conf azure_storage_account_key=…), or a token by \
    AZURE_STORAGE_SAS_TOKEN";

const WHERE: &str = "set --conf azure_endpoint=… for another address; for the emulator --conf \
    azure_storage_use_emulator=true and AZURITE_BLOB_STORAGE_URL";

/// The part of Hadoop's option for an account's key that comes before the account.
const HADOOP_KEY: &str = "fs.azure.account.key";

pub(super) fn open(address: &Address, conf: &BTreeMap<String, String>) -> Result<Opened> {
    let account = address
        .user
        .as_ref()
        .and_then(|_| address.host.split('.').next());
    let container = address.user.as_ref().unwrap_or(&address.host);
    if container.is_empty() || container.contains('.') {
        return Err(address.refuse(
            "the container is missing: az://container/path or abfss://container@account.dfs.core.windows.net/path",
        ));
    }
    let mut builder = MicrosoftAzureBuilder::from_env()
        .with_config(
            Key::Client(ClientConfigKey::ConnectTimeout),
            client::CONNECT_TIMEOUT,
        )
        .with_retry(client::retry(conf)?);
    for (key, value) in conf {
        if hadoop_account_key(key, account) {
            builder = builder.with_config(Key::AccessKey, value);
            continue;
        }
        builder = match client::translate(key, value, "azure_") {
            Translated::Option(option, value) => builder.with_config(option, value),
            Translated::Unknown => return Err(client::unknown(key)),
            Translated::Foreign => builder,
        };
    }
    if let Some(account) = account {
        builder = builder.with_account(account);
    }
    if address.host.ends_with(".fabric.microsoft.com") {
        builder = builder.with_use_fabric_endpoint(true);
    }
    let shown = shown_address(&builder);
    if shown.starts_with("http://") {
        builder = builder.with_allow_http(true);
    }
    let store = builder
        .with_container_name(container)
        .build()
        .map_err(|error| client::refused("azure_*", &error))?;
    let origin = Origin {
        address: shown,
        bucket: container.clone(),
        credentials_remedy: CREDENTIALS,
        address_remedy: WHERE,
        anonymous_remedy: CREDENTIALS,
    };
    Ok(Opened {
        store: Arc::new(store),
        origin,
    })
}

// The emulator's address is an environment variable of the client library, not an option.
#[allow(clippy::disallowed_methods)]
fn shown_address(builder: &MicrosoftAzureBuilder) -> String {
    if builder.get_config_value(&Key::UseEmulator).as_deref() == Some("true") {
        let address = std::env::var("AZURITE_BLOB_STORAGE_URL");
        return address.unwrap_or_else(|_| "http://127.0.0.1:10000".to_owned());
    }
    builder.get_config_value(&Key::Endpoint).unwrap_or_else(|| {
        let account = builder
            .get_config_value(&Key::AccountName)
            .unwrap_or_default();
        format!("https://{account}.blob.core.windows.net")
    })
}

/// `fs.azure.account.key` or `fs.azure.account.key.<account>.dfs.core.windows.net` of this account.
fn hadoop_account_key(key: &str, account: Option<&str>) -> bool {
    match client::hadoop_name(key).strip_prefix(HADOOP_KEY) {
        Some("") => true,
        Some(rest) => {
            let named = rest
                .strip_prefix('.')
                .and_then(|rest| rest.split('.').next());
            named.is_some() && (account.is_none() || named == account)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hadoop_account_keys_count_for_their_account_only() {
        let key = "fs.azure.account.key.acc.dfs.core.windows.net";
        assert!(hadoop_account_key(key, Some("acc")));
        assert!(!hadoop_account_key(key, Some("other")));
        assert!(hadoop_account_key(
            "spark.hadoop.fs.azure.account.key",
            Some("other")
        ));
        assert!(!hadoop_account_key("fs.azure.account.keys", None));
    }
}
