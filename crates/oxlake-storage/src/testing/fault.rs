//! A store that fails one request on purpose, as a crash or a bad network would.
//!
//! Every request has a number, counted from 0 in the order of sending. A sweep runs a script once without
//! a fault to learn how many requests there are, then once for each number and each [`FaultKind`].
//!
//! ```
//! # use std::sync::Arc;
//! # use object_store::memory::InMemory;
//! # use oxlake_storage::{Storage, testing::{Fault, FaultKind, FaultStore}};
//! # futures::executor::block_on(async {
//! let store = Arc::new(FaultStore::new(Arc::new(InMemory::new())));
//! let storage = Storage::from_store(store.clone(), "t", "memory:///t")?;
//! store.arm(Fault { call: 1, kind: FaultKind::CrashAfter });
//! storage.create("a", "1".into()).await?;
//! assert!(storage.create("b", "2".into()).await.is_err());
//! assert!(storage.read("a").await.is_err(), "a dead process reads nothing");
//! store.restart();
//! assert_eq!(storage.read("b").await?, "2");
//! # oxlake_storage::Result::<()>::Ok(())
//! # }).unwrap();
//! ```

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    RenameOptions, Result, UploadPart,
};

/// What goes wrong, and at which request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Number of the request, from 0.
    pub call: u64,
    /// What happens to it.
    pub kind: FaultKind,
}

/// The ways a request goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The process dies before the request: no effect, and every later request fails until
    /// [`FaultStore::restart`].
    CrashBefore,
    /// The process dies after the request: it has its effect, the caller never learns.
    CrashAfter,
    /// The store refuses this one request: an error, no effect.
    Refuse,
    /// The request has its effect, the reply is lost: an error.
    LostReply,
}

impl FaultKind {
    /// All kinds, for sweeps.
    pub const ALL: [Self; 4] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::Refuse,
        Self::LostReply,
    ];

    fn has_effect(self) -> bool {
        matches!(self, Self::CrashAfter | Self::LostReply)
    }

    fn crashes(self) -> bool {
        matches!(self, Self::CrashBefore | Self::CrashAfter)
    }
}

/// Numbers all requests to the store below, keeps a trace of them, and lets one of them fail.
#[derive(Debug)]
pub struct FaultStore {
    inner: Arc<dyn ObjectStore>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    calls: u64,
    fault: Option<Fault>,
    crashed: bool,
    struck: bool,
    trace: Vec<String>,
}

impl FaultStore {
    /// No fault until one is armed.
    pub fn new(inner: Arc<dyn ObjectStore>) -> Self {
        Self {
            inner,
            state: Arc::default(),
        }
    }

    /// Sets the fault that will strike; a former one that has not struck is forgotten.
    pub fn arm(&self, fault: Fault) {
        let mut inside = self.state.lock();
        inside.fault = Some(fault);
        inside.struck = false;
    }

    /// Forgets a fault that has not struck.
    pub fn disarm(&self) {
        self.state.lock().fault = None;
    }

    /// How many requests were sent so far; the next one has this number.
    pub fn calls(&self) -> u64 {
        self.state.lock().calls
    }

    /// Whether the fault armed last has struck.
    pub fn struck(&self) -> bool {
        self.state.lock().struck
    }

    /// Whether the process counts as dead.
    pub fn crashed(&self) -> bool {
        self.state.lock().crashed
    }

    /// The process comes up again. What it had in mind is the caller's to drop.
    pub fn restart(&self) {
        let mut inside = self.state.lock();
        inside.crashed = false;
        inside.trace.push("restart".to_owned());
    }

    /// All requests so far, one a line: number, what, where, how it ended. The same run gives the same
    /// text.
    pub fn trace(&self) -> String {
        let inside = self.state.lock();
        inside.trace.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{line}");
            text
        })
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the request its number and tells what will become of it.
    fn begin(self: &Arc<Self>, what: &str) -> Call {
        let mut inside = self.lock();
        if inside.crashed {
            return Call {
                state: Arc::clone(self),
                line: None,
                fault: Some(FaultKind::CrashBefore),
            };
        }
        let number = inside.calls;
        inside.calls += 1;
        let fault = inside
            .fault
            .filter(|fault| fault.call == number)
            .map(|fault| fault.kind);
        if let Some(kind) = fault {
            inside.fault = None;
            inside.struck = true;
            inside.crashed = kind.crashes();
        }
        inside.trace.push(format!("{number} {what}"));
        let line = Some(inside.trace.len() - 1);
        Call {
            state: Arc::clone(self),
            line,
            fault,
        }
    }
}

/// One numbered request.
struct Call {
    state: Arc<State>,
    line: Option<usize>,
    fault: Option<FaultKind>,
}

impl Call {
    /// Sends the request, or does not, and turns the reply into what the caller gets.
    async fn run<T>(self, request: impl Future<Output = Result<T>>) -> Result<T> {
        let reply = match self.fault {
            None => request.await,
            Some(kind) if kind.has_effect() => match request.await {
                Ok(_) => Err(injected(kind)),
                Err(error) => Err(error),
            },
            Some(kind) => Err(injected(kind)),
        };
        self.note(reply.as_ref().err());
        reply
    }

    fn note(&self, error: Option<&Error>) {
        let ended = match (self.fault, error) {
            (Some(kind), _) => format!("{kind:?}"),
            (None, None) => "ok".to_owned(),
            (None, Some(Error::NotFound { .. })) => "not found".to_owned(),
            (None, Some(Error::AlreadyExists { .. })) => "exists".to_owned(),
            (None, Some(_)) => "error".to_owned(),
        };
        let mut inside = self.state.lock();
        if let Some(line) = self.line.and_then(|at| inside.trace.get_mut(at)) {
            line.push_str(" -> ");
            line.push_str(&ended);
        }
    }
}

fn injected(kind: FaultKind) -> Error {
    let source = match kind {
        FaultKind::CrashBefore | FaultKind::CrashAfter => "the process has crashed",
        FaultKind::Refuse => "refused on purpose",
        FaultKind::LostReply => "the reply was lost on purpose",
    };
    Error::Generic {
        store: "fault",
        source: source.into(),
    }
}

impl std::fmt::Display for FaultStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "faulty {}", self.inner)
    }
}

#[async_trait]
impl ObjectStore for FaultStore {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let verb = match options.mode {
            PutMode::Create => "create",
            PutMode::Overwrite => "put",
            PutMode::Update(_) => "update",
        };
        let call = self
            .state
            .begin(&format!("{verb} {location} {}", payload.content_length()));
        call.run(self.inner.put_opts(location, payload, options))
            .await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let call = self.state.begin(&format!("multipart {location}"));
        let inner = call
            .run(self.inner.put_multipart_opts(location, options))
            .await?;
        let state = Arc::clone(&self.state);
        Ok(Box::new(FaultUpload {
            inner,
            state,
            location: location.clone(),
        }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let verb = if options.head { "head" } else { "get" };
        let range = options
            .range
            .as_ref()
            .map(|range| format!(" {range}"))
            .unwrap_or_default();
        let call = self.state.begin(&format!("{verb} {location}{range}"));
        call.run(self.inner.get_opts(location, options)).await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let call = self.state.begin(&format!("get {location} {ranges:?}"));
        call.run(self.inner.get_ranges(location, ranges)).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let (inner, state) = (Arc::clone(&self.inner), Arc::clone(&self.state));
        let one_by_one = locations.then(move |location| {
            let (inner, state) = (Arc::clone(&inner), Arc::clone(&state));
            async move {
                let location = location?;
                let call = state.begin(&format!("delete {location}"));
                call.run(inner.delete(&location)).await.map(|()| location)
            }
        });
        one_by_one.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let call = self
            .state
            .begin(&format!("list {}", prefix.map_or("", AsRef::as_ref)));
        listed(call, self.inner.list(prefix))
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let shown = prefix.map_or("", AsRef::as_ref);
        let call = self.state.begin(&format!("list {shown} after {offset}"));
        listed(call, self.inner.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let call = self
            .state
            .begin(&format!("folder {}", prefix.map_or("", AsRef::as_ref)));
        call.run(self.inner.list_with_delimiter(prefix)).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        let call = self.state.begin(&format!("copy {from} {to}"));
        call.run(self.inner.copy_opts(from, to, options)).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        let call = self.state.begin(&format!("rename {from} {to}"));
        call.run(self.inner.rename_opts(from, to, options)).await
    }
}

/// A listing is one request: it arrives whole or not at all.
fn listed(
    call: Call,
    entries: BoxStream<'static, Result<ObjectMeta>>,
) -> BoxStream<'static, Result<ObjectMeta>> {
    let whole = async move { call.run(entries.try_collect::<Vec<_>>()).await };
    whole
        .map_ok(|entries| stream::iter(entries.into_iter().map(Ok)))
        .try_flatten_stream()
        .boxed()
}

#[derive(Debug)]
struct FaultUpload {
    inner: Box<dyn MultipartUpload>,
    state: Arc<State>,
    location: Path,
}

#[async_trait]
impl MultipartUpload for FaultUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let call = self
            .state
            .begin(&format!("part {} {}", self.location, data.content_length()));
        let sent = match call.fault {
            Some(kind) if !kind.has_effect() => futures::future::ready(Err(injected(kind))).boxed(),
            _ => self.inner.put_part(data),
        };
        call.run(sent).boxed()
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let call = self.state.begin(&format!("complete {}", self.location));
        call.run(self.inner.complete()).await
    }

    async fn abort(&mut self) -> Result<()> {
        let call = self.state.begin(&format!("abort {}", self.location));
        call.run(self.inner.abort()).await
    }
}
