//! Stores that do not answer, do not let us in, or do not have the bucket: errors within seconds that say
//! where and what to set.

use std::time::{Duration, Instant};

use oxlake_model::ErrorKind;
use oxlake_storage::{Error, Storage};

/// Longest time a user waits for such an error.
const PATIENCE: Duration = Duration::from_secs(12);

async fn failing(storage: &Storage) -> Error {
    let start = Instant::now();
    let error = storage.read("x").await.unwrap_err();
    assert!(start.elapsed() < PATIENCE, "{:?}: {error}", start.elapsed());
    error
}

/// A port where nobody listens: it was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_endpoint_is_named_within_seconds() {
    let endpoint = format!("http://127.0.0.1:{}", free_port());
    let s3 = crate::conf(&[
        ("aws_endpoint", &endpoint),
        ("aws_access_key_id", "k"),
        ("aws_secret_access_key", "hush"),
    ]);
    let azure = crate::conf(&[
        ("azure_endpoint", &endpoint),
        ("azure_storage_account_name", "acc"),
        ("azure_storage_account_key", "aHVzaA=="),
    ]);
    let gcs = crate::conf(&[
        ("google_base_url", &endpoint),
        ("google_skip_signature", "true"),
    ]);
    let cases = [
        ("s3://bucket/t", s3, "AWS_ENDPOINT_URL"),
        (
            "abfss://c@acc.dfs.core.windows.net/t",
            azure,
            "azure_endpoint",
        ),
        ("gs://bucket/t", gcs, "google_base_url"),
    ];
    let checks = cases.into_iter().map(|(url, conf, remedy)| {
        let endpoint = endpoint.clone();
        async move {
            let storage = Storage::open(url, &conf).unwrap();
            let error = failing(&storage).await;
            assert!(
                matches!(error, Error::Unreachable { .. }),
                "{url}: {error:?}"
            );
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            let text = error.to_string();
            assert!(text.contains(&endpoint) && text.contains(remedy), "{text}");
            assert!(!format!("{error:?}").contains("hush"));
            let started = Instant::now();
            let create = storage.create("x", "y".into()).await.unwrap_err();
            assert!(started.elapsed() < 2 * PATIENCE);
            assert_eq!(create.kind(), ErrorKind::Unavailable, "{create:?}");
        }
    });
    futures::future::join_all(checks).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_credentials_are_named_within_seconds() {
    // The metadata service of a cloud machine, asked as the last resort, is a dead port here.
    let metadata = format!("http://127.0.0.1:{}", free_port());
    let conf = crate::conf(&[("aws_metadata_endpoint", &metadata)]);
    if std::env::var_os("AWS_ACCESS_KEY_ID").is_some() {
        return;
    }
    let error = failing(&Storage::open("s3://bucket/t", &conf).unwrap()).await;
    assert!(matches!(error, Error::AccessDenied { .. }), "{error:?}");
    assert!(error.to_string().contains("AWS_ACCESS_KEY_ID"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_access_names_the_address_and_the_variables() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 8192];
            let _ = stream.read(&mut request).await;
            let reply = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(reply.as_bytes()).await;
        }
    });
    let conf = crate::conf(&[
        ("fs.s3a.endpoint", &endpoint),
        ("fs.s3a.access.key", "nobody"),
        ("fs.s3a.secret.key", "hush"),
    ]);
    let storage = Storage::open("s3a://bucket/t", &conf).unwrap();
    let head = storage.head("x").await.map(drop).unwrap_err();
    let create = storage.create("x", "y".into()).await.unwrap_err();
    let list = storage.list_dir("").await.map(drop).unwrap_err();
    for error in [failing(&storage).await, head, create, list] {
        assert!(matches!(error, Error::AccessDenied { .. }), "{error:?}");
        assert_eq!(error.kind(), ErrorKind::Config);
        let text = error.to_string();
        assert!(
            text.contains(&endpoint) && text.contains("AWS_SECRET_ACCESS_KEY"),
            "{text}"
        );
        assert!(!format!("{error:?}").contains("hush"));
    }
}
