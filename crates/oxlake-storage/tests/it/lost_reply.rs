//! Lost replies as the S3 client meets them: a server that does what it is asked and then fails to say so.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use oxlake_storage::{Error, Storage};

use crate::http::{self, Request};

/// What the server does with the first creation it is sent, after carrying it out.
#[derive(Clone, Copy, PartialEq)]
enum First {
    /// Closes the connection.
    HangUp,
    /// Answers with an error of its own, so that the client sends it again.
    ServerError,
    /// Lets another writer be first, then closes the connection.
    Stolen,
}

/// Objects with their mark and bytes.
#[derive(Default)]
struct State {
    objects: BTreeMap<String, (String, Vec<u8>)>,
    creations: usize,
}

async fn serve(first: First) -> (String, Arc<Mutex<State>>) {
    let state = Arc::new(Mutex::new(State::default()));
    let shared = Arc::clone(&state);
    let address =
        http::serve(move |request| answer(request, &mut shared.lock().unwrap(), first)).await;
    (address, state)
}

/// The reply, or nothing: the connection is closed.
fn answer(request: Request, state: &mut State, first: First) -> Option<Vec<u8>> {
    let plain = |status: &str| Some(http::reply(status, &["ETag: \"1\"".to_owned()], b""));
    if request.method == "PUT" {
        assert_eq!(request.header("if-none-match").as_deref(), Some("*"));
        if state.objects.contains_key(&request.target) {
            return plain("412 Precondition Failed");
        }
        let mark = match first {
            First::Stolen => "somebody else".to_owned(),
            _ => request.header("x-amz-meta-oxlakeput").unwrap(),
        };
        state.objects.insert(request.target, (mark, request.body));
        state.creations += 1;
        return match first {
            First::ServerError => plain("500 Internal Server Error"),
            First::HangUp | First::Stolen => None,
        };
    }
    let Some((mark, body)) = state.objects.get(&request.target) else {
        return plain("404 Not Found");
    };
    let headers = [
        "ETag: \"1\"".to_owned(),
        "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT".to_owned(),
        format!("x-amz-meta-oxlakeput: {mark}"),
        format!("Content-Length: {}", body.len()),
    ];
    let body = if request.method == "GET" {
        body
    } else {
        &Vec::new()
    };
    Some(http::reply("200 OK", &headers, body))
}

async fn create(first: First, body: &'static str) -> (Result<(), Error>, usize) {
    let (address, state) = serve(first).await;
    let conf = crate::conf(&[
        ("aws_endpoint", &address),
        ("aws_access_key_id", "k"),
        ("aws_secret_access_key", "s"),
    ]);
    let storage = Storage::open("s3://b/t", &conf).unwrap();
    let result = storage.create(".hoodie/f", body.into()).await;
    let creations = state.lock().unwrap().creations;
    (result, creations)
}

#[tokio::test(flavor = "multi_thread")]
async fn our_creation_is_known_again_whatever_became_of_the_reply() {
    for first in [First::HangUp, First::ServerError] {
        for body in ["", "bytes"] {
            let (result, creations) = create(first, body).await;
            result.unwrap();
            assert_eq!(creations, 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creation_of_equal_bytes_by_another_is_not_ours() {
    for body in ["", "bytes"] {
        let (result, _) = create(First::Stolen, body).await;
        assert!(
            matches!(result, Err(Error::AlreadyExists { .. })),
            "{result:?}"
        );
    }
}
