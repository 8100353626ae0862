//! A double of Google Cloud Storage: as much of the XML API as our client uses, with generations.
//!
//! The free servers speak Google's JSON API only. What counts for commits is kept exactly: each write of
//! an object gives it a new generation; `x-goog-if-generation-match: N` is checked and written in one
//! step, 0 meaning "there is none"; a failed match is a 412 and changes nothing. An upload in parts
//! becomes an object when it is completed. Anonymous callers may use the bucket `bkt` and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use oxlake_model::InstantTime;

use crate::http::{self, Request};

/// The bucket that anyone may use.
pub(crate) const BUCKET: &str = "bkt";

/// A bucket that exists and is closed to anonymous callers.
pub(crate) const CLOSED_BUCKET: &str = "closed";

/// Names on a page of a listing, folders and files together.
const PAGE: usize = 1000;

/// A running double.
#[derive(Clone)]
pub(crate) struct GcsDouble {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Object>,
    uploads: BTreeMap<String, BTreeMap<usize, Vec<u8>>>,
    last_generation: u64,
    last_upload: u64,
    creations_to_lose: usize,
}

struct Object {
    generation: u64,
    modified_ms: i64,
    /// `x-goog-meta-*` headers, whole.
    metadata: Vec<String>,
    bytes: Vec<u8>,
}

impl GcsDouble {
    /// Starts one on a free port; it ends with the runtime. The second value is its address.
    pub(crate) async fn start() -> (Self, String) {
        let double = Self {
            state: Arc::default(),
        };
        let state = double.state.clone();
        let address = http::serve(move |request| state.lock().unwrap().answer(&request)).await;
        (double, address)
    }

    /// The next conditional write is carried out, and then the connection is closed without a reply.
    pub(crate) fn lose_the_next_reply(&self) {
        self.state.lock().unwrap().creations_to_lose = 1;
    }

    /// Generation of an object, by its name in the bucket.
    pub(crate) fn generation(&self, name: &str) -> Option<u64> {
        let state = self.state.lock().unwrap();
        state.objects.get(name).map(|object| object.generation)
    }
}

impl State {
    fn answer(&mut self, request: &Request) -> Option<Vec<u8>> {
        let (path, query) = request
            .target
            .split_once('?')
            .unwrap_or((&request.target, ""));
        let query: BTreeMap<String, String> = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (decoded(name), decoded(&value.replace('+', " "))))
            .collect();
        let path = path.trim_start_matches('/');
        let (bucket, name) = path.split_once('/').unwrap_or((path, ""));
        match bucket {
            BUCKET => {}
            CLOSED_BUCKET => {
                return Some(refusal("403 Forbidden", "AccessDenied", "Access denied."));
            }
            _ => {
                let text = "The specified bucket does not exist.";
                return Some(refusal("404 Not Found", "NoSuchBucket", text));
            }
        }
        let name = decoded(name);
        match (request.method.as_str(), query.get("uploadId")) {
            ("GET", _) if name.is_empty() => Some(self.list(&query)),
            ("GET" | "HEAD", _) => Some(self.get(request, &name)),
            ("PUT", None) => self.put(request, name),
            ("DELETE", None) => Some(self.delete(&name)),
            ("POST", None) if query.contains_key("uploads") => Some(self.begin_upload()),
            ("PUT", Some(upload)) => Some(self.put_part(request, upload, &query["partNumber"])),
            ("POST", Some(upload)) => Some(self.complete_upload(request, name, upload)),
            ("DELETE", Some(upload)) => Some(self.abort_upload(upload)),
            (method, _) => panic!("the double does not know {method} {}", request.target),
        }
    }

    fn put(&mut self, request: &Request, name: String) -> Option<Vec<u8>> {
        let wanted = request.header("x-goog-if-generation-match");
        if let Some(wanted) = &wanted {
            let present = self.objects.get(&name).map_or(0, |o| o.generation);
            if wanted.parse() != Ok(present) {
                let text = "At least one of the pre-conditions you specified did not hold.";
                return Some(refusal(
                    "412 Precondition Failed",
                    "PreconditionFailed",
                    text,
                ));
            }
        }
        let metadata = request
            .headers()
            .filter(|(name, _)| name.to_ascii_lowercase().starts_with("x-goog-meta-"))
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let generation = self.store(name, metadata, request.body.clone());
        if wanted.is_some() && self.creations_to_lose > 0 {
            self.creations_to_lose -= 1;
            return None;
        }
        Some(http::reply("200 OK", &version(generation), b""))
    }

    /// Makes it the newest generation of its name.
    fn store(&mut self, name: String, metadata: Vec<String>, bytes: Vec<u8>) -> u64 {
        self.last_generation += 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let object = Object {
            generation: self.last_generation,
            modified_ms: i64::try_from(since.as_millis()).unwrap(),
            metadata,
            bytes,
        };
        self.objects.insert(name, object);
        self.last_generation
    }

    fn get(&self, request: &Request, name: &str) -> Vec<u8> {
        let Some(object) = self.objects.get(name) else {
            return no_such_key();
        };
        let size = object.bytes.len();
        let mut headers = version(object.generation);
        headers.push(format!("Last-Modified: {}", mail_date(object.modified_ms)));
        headers.extend(object.metadata.iter().cloned());
        let (status, part) = match request.header("range").as_deref().map(range) {
            None => ("200 OK", 0..size),
            Some(range) if range.start >= size => {
                let text = "The requested range cannot be satisfied.";
                return refusal("416 Requested Range Not Satisfiable", "InvalidRange", text);
            }
            Some(range) => ("206 Partial Content", range.start..range.end.min(size)),
        };
        if status.starts_with("206") {
            let (from, to) = (part.start, part.end - 1);
            headers.push(format!("Content-Range: bytes {from}-{to}/{size}"));
        }
        headers.push(format!("Content-Length: {}", part.len()));
        match request.method.as_str() {
            "HEAD" => http::reply(status, &headers, b""),
            _ => http::reply(status, &headers, &object.bytes[part]),
        }
    }

    fn delete(&mut self, name: &str) -> Vec<u8> {
        match self.objects.remove(name) {
            Some(_) => http::reply("204 No Content", &[], b""),
            None => no_such_key(),
        }
    }

    fn begin_upload(&mut self) -> Vec<u8> {
        self.last_upload += 1;
        let id = format!("upload-{}", self.last_upload);
        let body = format!(
            "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
        );
        self.uploads.insert(id, BTreeMap::new());
        http::reply("200 OK", &[], body.as_bytes())
    }

    fn put_part(&mut self, request: &Request, upload: &str, number: &str) -> Vec<u8> {
        let Some(parts) = self.uploads.get_mut(upload) else {
            return no_such_upload();
        };
        parts.insert(number.parse().unwrap(), request.body.clone());
        http::reply("200 OK", &[format!("ETag: \"part-{number}\"")], b"")
    }

    fn complete_upload(&mut self, request: &Request, name: String, upload: &str) -> Vec<u8> {
        let Some(parts) = self.uploads.remove(upload) else {
            return no_such_upload();
        };
        let asked = String::from_utf8_lossy(&request.body);
        let asked = asked.matches("<PartNumber>").count();
        assert_eq!(asked, parts.len(), "parts sent and parts of the object");
        let generation = self.store(name, Vec::new(), parts.into_values().flatten().collect());
        let body = format!(
            "<CompleteMultipartUploadResult><ETag>\"{generation}\"</ETag></CompleteMultipartUploadResult>"
        );
        http::reply("200 OK", &version(generation), body.as_bytes())
    }

    fn abort_upload(&mut self, upload: &str) -> Vec<u8> {
        match self.uploads.remove(upload) {
            Some(_) => http::reply("204 No Content", &[], b""),
            None => no_such_upload(),
        }
    }

    fn list(&self, query: &BTreeMap<String, String>) -> Vec<u8> {
        let text = |name: &str| query.get(name).map_or("", String::as_str);
        let (prefix, delimiter) = (text("prefix"), text("delimiter"));
        let after = text("continuation-token").max(text("start-after"));
        let mut folders = BTreeSet::new();
        let (mut files, mut next, mut last) = (String::new(), None, "");
        let mut count = 0;
        for (name, object) in &self.objects {
            let Some(rest) = name.strip_prefix(prefix) else {
                continue;
            };
            let cut = rest.find(delimiter).filter(|_| !delimiter.is_empty());
            let shown = &name[..cut.map_or(name.len(), |at| prefix.len() + at + delimiter.len())];
            if shown <= after || folders.contains(shown) {
                continue;
            }
            if count == PAGE {
                next = Some(last);
                break;
            }
            (count, last) = (count + 1, shown);
            if cut.is_some() {
                folders.insert(shown);
                continue;
            }
            let _ = write!(
                files,
                "<Contents><Key>{}</Key><Generation>{generation}</Generation><LastModified>{}</LastModified><ETag>\"{generation}\"</ETag><Size>{}</Size></Contents>",
                escaped(name),
                iso_date(object.modified_ms),
                object.bytes.len(),
                generation = object.generation,
            );
        }
        for folder in folders {
            let folder = escaped(folder);
            let _ = write!(
                files,
                "<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"
            );
        }
        if let Some(next) = next {
            let next = escaped(next);
            let _ = write!(
                files,
                "<NextContinuationToken>{next}</NextContinuationToken>"
            );
        }
        let body = format!("<ListBucketResult>{files}</ListBucketResult>");
        http::reply("200 OK", &[], body.as_bytes())
    }
}

fn version(generation: u64) -> Vec<String> {
    vec![
        format!("ETag: \"{generation}\""),
        format!("x-goog-generation: {generation}"),
    ]
}

fn refusal(status: &str, code: &str, message: &str) -> Vec<u8> {
    let body = format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>");
    http::reply(status, &[], body.as_bytes())
}

fn no_such_key() -> Vec<u8> {
    let text = "The specified key does not exist.";
    refusal("404 Not Found", "NoSuchKey", text)
}

fn no_such_upload() -> Vec<u8> {
    let text = "The requested upload was not found.";
    refusal("404 Not Found", "NoSuchUpload", text)
}

/// `bytes=2-4` as a range that excludes its end.
fn range(header: &str) -> std::ops::Range<usize> {
    let (from, to) = header.trim_start_matches("bytes=").split_once('-').unwrap();
    let end = to.parse::<usize>().map_or(usize::MAX, |to| to + 1);
    from.parse().unwrap()..end
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(&after[..2], 16).unwrap());
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// `2026-01-31T10:00:00.123Z`.
fn iso_date(epoch_ms: i64) -> String {
    let time = InstantTime::from_epoch_millis(epoch_ms, 0);
    let part = |from: usize, to: usize| &time.as_str()[from..to];
    format!(
        "{}-{}-{}T{}:{}:{}.{}Z",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14),
        part(14, 17)
    )
}

/// `31 Jan 2026 10:00:00 GMT`.
fn mail_date(epoch_ms: i64) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let iso = iso_date(epoch_ms);
    let month = MONTHS[iso[5..7].parse::<usize>().unwrap() - 1];
    format!("{} {month} {} {} GMT", &iso[8..10], &iso[..4], &iso[11..19])
}
