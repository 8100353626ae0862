//! The contract over a real Azure Blob protocol: Azurite, which checks signatures.

use crate::remote::{self, Remote};
use crate::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn azure_keeps_the_contract_and_refuses_in_words() {
    let service = Service::start("azurite");
    let endpoint = service.value("AZURE_ENDPOINT").to_owned();
    let account = service.value("AZURE_STORAGE_ACCOUNT_NAME").to_owned();
    let container = service.value("AZURE_CONTAINER").to_owned();
    let with_key = |key: &str| {
        crate::conf(&[
            ("azure_endpoint", &endpoint),
            ("azure_storage_account_name", &account),
            ("azure_storage_account_key", key),
        ])
    };
    let remote = Remote {
        conf: with_key(service.value("AZURE_STORAGE_ACCOUNT_KEY")),
        bucket_url: format!("az://{container}"),
        other_url: Some(format!(
            "abfss://{container}@{account}.dfs.core.windows.net"
        )),
        missing_url: "az://there-is-no-such-bucket".to_owned(),
        endpoint: endpoint.clone(),
        address_option: "azure_endpoint",
        denied: Some((format!("az://{container}/t"), with_key("aHVzaA=="))),
        credentials_variable: "AZURE_STORAGE_ACCOUNT_KEY",
        keeps_backslashes: false,
        // A page has 5,000 names here, and Azurite needs minutes to delete so many; deletions go by 256.
        batch_files: 300,
    };
    remote::check_all(&remote).await;
}
