//! As much of HTTP/1.1 as a server for our own client needs.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request, whole.
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query as they were sent.
    pub(crate) target: String,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        header(&self.head, name)
    }

    /// Names and values of all headers.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "))
    }
}

/// Serves connections on a free port until the process ends; a request without an answer closes its
/// connection. The answer is the address, `http://127.0.0.1:port`.
pub(crate) async fn serve(
    answer: impl Fn(Request) -> Option<Vec<u8>> + Clone + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, answer.clone()));
        }
    });
    address
}

async fn connection(mut stream: TcpStream, answer: impl Fn(Request) -> Option<Vec<u8>> + Send) {
    let mut buffer = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let request = loop {
            if let Some(request) = whole_request(&mut buffer) {
                break request;
            }
            match stream.read(&mut chunk).await {
                Ok(count) if count > 0 => buffer.extend_from_slice(&chunk[..count]),
                _ => return,
            }
        };
        let Some(reply) = answer(request) else {
            return;
        };
        if stream.write_all(&reply).await.is_err() {
            return; // a client that gave up
        }
    }
}

/// Takes one request off the buffer when all of it has arrived.
fn whole_request(buffer: &mut Vec<u8>) -> Option<Request> {
    let end = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let length = header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
    if buffer.len() < end + length {
        return None;
    }
    let body = buffer[end..end + length].to_vec();
    buffer.drain(..end + length);
    let mut words = head.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    Some(Request {
        method,
        target,
        head,
        body,
    })
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name)
            .then(|| value.trim().to_owned())
    })
}

/// A reply; the headers are whole lines without their ends.
pub(crate) fn reply(status: &str, headers: &[String], body: &[u8]) -> Vec<u8> {
    let mut reply = format!("HTTP/1.1 {status}\r\n").into_bytes();
    let length = format!("Content-Length: {}", body.len());
    let measured = headers
        .iter()
        .any(|line| line.starts_with("Content-Length:"));
    for line in headers.iter().chain((!measured).then_some(&length)) {
        reply.extend_from_slice(line.as_bytes());
        reply.extend_from_slice(b"\r\n");
    }
    reply.extend_from_slice(b"\r\n");
    reply.extend_from_slice(body);
    reply
}
