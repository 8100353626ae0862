//! Lost replies as the S3 client meets them: a server that does what it is asked and then fails to say so.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use oxlake_storage::{Error, Storage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

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
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let state = Arc::new(Mutex::new(State::default()));
    let shared = Arc::clone(&state);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, Arc::clone(&shared), first));
        }
    });
    (address, state)
}

async fn connection(mut stream: TcpStream, state: Arc<Mutex<State>>, first: First) {
    let mut buffer = Vec::new();
    loop {
        let (head, body) = loop {
            if let Some(request) = whole_request(&mut buffer) {
                break request;
            }
            let mut chunk = [0; 4096];
            match stream.read(&mut chunk).await {
                Ok(count) if count > 0 => buffer.extend_from_slice(&chunk[..count]),
                _ => return,
            }
        };
        let Some(reply) = answer(&head, body, &mut state.lock().unwrap(), first) else {
            return;
        };
        stream.write_all(&reply).await.unwrap();
    }
}

/// Takes one request off the buffer when all of it has arrived.
fn whole_request(buffer: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    let end = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let length = header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
    if buffer.len() < end + length {
        return None;
    }
    let body = buffer[end..end + length].to_vec();
    buffer.drain(..end + length);
    Some((head, body))
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name)
            .then(|| value.trim().to_owned())
    })
}

/// The reply, or nothing: the connection is closed.
fn answer(head: &str, body: Vec<u8>, state: &mut State, first: First) -> Option<Vec<u8>> {
    let mut words = head.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let plain = |status: &str| {
        Some(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nETag: \"1\"\r\n\r\n").into_bytes())
    };
    if method == "PUT" {
        assert_eq!(header(head, "if-none-match").as_deref(), Some("*"));
        if state.objects.contains_key(&path) {
            return plain("412 Precondition Failed");
        }
        let mark = match first {
            First::Stolen => "somebody else".to_owned(),
            _ => header(head, "x-amz-meta-oxlakeput").unwrap(),
        };
        state.objects.insert(path, (mark, body));
        state.creations += 1;
        return match first {
            First::ServerError => plain("500 Internal Server Error"),
            First::HangUp | First::Stolen => None,
        };
    }
    let Some((mark, body)) = state.objects.get(&path) else {
        return plain("404 Not Found");
    };
    let mut reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nETag: \"1\"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nx-amz-meta-oxlakeput: {mark}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    if method == "GET" {
        reply.extend_from_slice(body);
    }
    Some(reply)
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
