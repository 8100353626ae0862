//! The contract over a real S3 protocol.

use crate::remote::{self, Remote};
use crate::service::Service;

/// Another server of the same kind (with real access control, say) is tested by
/// `OXLAKE_S3_SERVICE=s3-versitygw`.
#[tokio::test(flavor = "multi_thread")]
async fn s3_keeps_the_contract_and_refuses_in_words() {
    let name = std::env::var("OXLAKE_S3_SERVICE").unwrap_or_else(|_| "s3".to_owned());
    let service = Service::start(&name);
    let endpoint = service.value("AWS_ENDPOINT_URL").to_owned();
    let bucket = service.value("S3_BUCKET").to_owned();
    let with_key = |id: &str, secret: &str| {
        crate::conf(&[
            ("aws_endpoint", &endpoint),
            ("aws_access_key_id", id),
            ("fs.s3a.secret.key", secret),
        ])
    };
    let remote = Remote {
        conf: with_key(
            service.value("AWS_ACCESS_KEY_ID"),
            service.value("AWS_SECRET_ACCESS_KEY"),
        ),
        bucket_url: format!("s3://{bucket}"),
        other_url: Some(format!("s3a://{bucket}")),
        missing_url: "s3://there-is-no-such-bucket".to_owned(),
        endpoint: endpoint.clone(),
        address_option: "AWS_REGION",
        // The default server takes any key; denial over S3 is tested in `errors` too.
        denied: (name != "s3").then(|| (format!("s3://{bucket}/t"), with_key("nobody", "aHVzaA"))),
        credentials_variable: "AWS_ACCESS_KEY_ID",
        keeps_backslashes: true,
        batch_files: 1_005,
    };
    remote::check_all(&remote).await;
    folder_marks_of_hadoop_are_not_files(&remote, &bucket).await;
}

async fn folder_marks_of_hadoop_are_not_files(remote: &Remote, bucket: &str) {
    let storage = remote.open("marks");
    storage.create("p/f", "x".into()).await.unwrap();
    for mark in ["marks/", "marks/p/"] {
        let url = format!("{}/{bucket}/{mark}", remote.endpoint);
        let key = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request";
        let status = std::process::Command::new("curl")
            .args(["-s", "-f", "-X", "PUT", "-H"])
            .args([&format!("Authorization: {key}"), &url])
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
