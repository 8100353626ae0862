//! The contract over the XML API of Google Cloud Storage.

use oxlake_storage::Storage;

use crate::gcs_double::{BUCKET, CLOSED_BUCKET, GcsDouble};
use crate::remote::{self, Remote};

async fn start() -> (GcsDouble, Remote) {
    let (double, endpoint) = GcsDouble::start().await;
    let conf = crate::conf(&[
        ("google_base_url", &endpoint),
        ("google_skip_signature", "true"),
    ]);
    let remote = Remote {
        conf: conf.clone(),
        bucket_url: format!("gs://{BUCKET}"),
        other_url: None,
        missing_url: "gs://there-is-no-such-bucket".to_owned(),
        endpoint,
        address_option: "google_base_url",
        denied: Some((format!("gs://{CLOSED_BUCKET}/t"), conf)),
        credentials_variable: "GOOGLE_APPLICATION_CREDENTIALS",
        keeps_backslashes: true,
        batch_files: 1_005,
    };
    (double, remote)
}

#[tokio::test(flavor = "multi_thread")]
async fn gcs_keeps_the_contract_and_refuses_in_words() {
    let (_double, remote) = start().await;
    remote::check_all(&remote).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_losing_creation_leaves_the_first_generation_alone() {
    let (double, remote) = start().await;
    let storage: Storage = remote.open("t");
    storage.create("f", "".into()).await.unwrap();
    let first = double.generation("t/f").unwrap();
    assert!(
        storage
            .create("f", "".into())
            .await
            .unwrap_err()
            .is_already_exists()
    );
    assert_eq!(double.generation("t/f"), Some(first));
    storage.overwrite("f", "x".into()).await.unwrap();
    assert!(double.generation("t/f").unwrap() > first);
}

#[tokio::test(flavor = "multi_thread")]
async fn our_creation_is_known_again_by_its_mark_when_the_reply_is_lost() {
    let (double, remote) = start().await;
    let storage = remote.open("t");
    for (name, body) in [("empty", ""), ("full", "bytes")] {
        double.lose_the_next_reply();
        storage.create(name, body.into()).await.unwrap();
        assert_eq!(storage.read(name).await.unwrap(), body);
        let again = storage.create(name, body.into()).await;
        assert!(again.unwrap_err().is_already_exists());
    }
}
