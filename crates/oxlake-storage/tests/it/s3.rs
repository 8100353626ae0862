//! The contract over a real S3 protocol, and how its refusals read.

use std::time::{Duration, Instant};

use oxlake_model::ErrorKind;
use oxlake_storage::{Error, Storage};

use crate::contract;
use crate::service::S3Service;

/// One server for all: starting it is the slow part. Another server of the same kind (with real
/// access control, say) is tested by `OXLAKE_S3_SERVICE=s3-versitygw`.
#[tokio::test(flavor = "multi_thread")]
async fn s3_keeps_the_contract_and_refuses_in_words() {
    let name = std::env::var("OXLAKE_S3_SERVICE").unwrap_or_else(|_| "s3".to_owned());
    let service = S3Service::start(&name);
    let conf = service.conf();

    contract::check_all(&Storage::open(&service.url("some 100%25/table"), &conf).unwrap()).await;
    by_the_other_scheme(&service).await;
    folder_marks_of_hadoop_are_not_files(&service).await;
    more_files_than_a_page(&service).await;
    missing_bucket(&service).await;
    if name != "s3" {
        wrong_key(&service).await;
    }
}

async fn by_the_other_scheme(service: &S3Service) {
    let url = service.url("scheme").replace("s3://", "s3a://");
    let storage = Storage::open(&url, &service.conf()).unwrap();
    storage.create("f", "x".into()).await.unwrap();
    let plain = Storage::open(&service.url("scheme"), &service.conf()).unwrap();
    assert_eq!(plain.read("f").await.unwrap(), "x");
    assert_eq!(storage.file_uri("f"), format!("{url}/f"));
}

async fn folder_marks_of_hadoop_are_not_files(service: &S3Service) {
    let storage = Storage::open(&service.url("marks"), &service.conf()).unwrap();
    storage.create("p/f", "x".into()).await.unwrap();
    let endpoint = &service.env["AWS_ENDPOINT_URL"];
    for mark in ["marks/", "marks/p/"] {
        let url = format!("{endpoint}/{}/{mark}", service.env["S3_BUCKET"]);
        let key = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request";
        let status = std::process::Command::new("curl")
            .args([
                "-s",
                "-f",
                "-X",
                "PUT",
                "-H",
                &format!("Authorization: {key}"),
                &url,
            ])
            .status()
            .unwrap();
        if !status.success() {
            return; // a server that checks signatures
        }
    }
    let files: Vec<String> = storage
        .list("")
        .await
        .unwrap()
        .into_iter()
        .map(|f| f.path)
        .collect();
    assert_eq!(files, ["p/f"]);
    let top = storage.list_dir("").await.unwrap();
    assert_eq!((top.folders, top.files), (vec!["p".to_owned()], vec![]));
}

async fn more_files_than_a_page(service: &S3Service) {
    let storage = Storage::open(&service.url("pages"), &service.conf()).unwrap();
    let names: Vec<String> = (0..1005).map(|i| format!("f{i:05}")).collect();
    let mut puts = futures::stream::FuturesUnordered::new();
    for name in &names {
        puts.push(storage.create(name, "x".into()));
        if puts.len() == 16 {
            futures::StreamExt::next(&mut puts).await.unwrap().unwrap();
        }
    }
    while let Some(put) = futures::StreamExt::next(&mut puts).await {
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

async fn missing_bucket(service: &S3Service) {
    let storage = Storage::open("s3://there-is-no-such-bucket/t", &service.conf()).unwrap();
    let check = |error: Error| {
        assert!(matches!(error, Error::BucketMissing { .. }), "{error:?}");
        assert_eq!(error.kind(), ErrorKind::Config);
        let text = error.to_string();
        assert!(text.contains("there-is-no-such-bucket"), "{text}");
        assert!(text.contains(&service.env["AWS_ENDPOINT_URL"]), "{text}");
        assert!(text.contains("AWS_REGION"), "{text}");
    };
    let start = Instant::now();
    check(storage.read("f").await.unwrap_err());
    check(storage.list("").await.unwrap_err());
    check(storage.list_dir("").await.unwrap_err());
    check(storage.create("f", "x".into()).await.unwrap_err());
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

async fn wrong_key(service: &S3Service) {
    let mut conf = service.conf();
    conf.insert("aws_access_key_id".into(), "nobody".into());
    conf.insert("fs.s3a.secret.key".into(), "hush".into());
    let error = Storage::open(&service.url("t"), &conf)
        .unwrap()
        .read("f")
        .await
        .unwrap_err();
    assert!(matches!(error, Error::AccessDenied { .. }), "{error:?}");
    assert!(error.to_string().contains("AWS_ACCESS_KEY_ID"), "{error}");
    assert!(!format!("{error:?}").contains("hush"));
}
