//! Several streams read at a time, given out one after the other.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use arrow::array::RecordBatch;
use futures::Stream;

use crate::{BatchStream, Result};

/// Gives the items of its streams in order, all of the first before any of the second. Up to `concurrency`
/// streams are polled, so that their requests to storage are under way together; a stream that is not yet
/// due stops being polled when it is `ahead` items ahead. Everything happens in the task that polls: no task
/// is spawned, and dropping this drops all reads.
pub(crate) struct Ordered {
    waiting: Box<dyn Iterator<Item = BatchStream> + Send>,
    active: VecDeque<Lane>,
    concurrency: usize,
    ahead: usize,
}

struct Lane {
    stream: Option<BatchStream>,
    ready: VecDeque<Result<RecordBatch>>,
}

impl Ordered {
    /// At least one stream is read at a time, and one item ahead.
    pub(crate) fn new(
        streams: impl IntoIterator<Item = BatchStream, IntoIter: Send + 'static>,
        concurrency: usize,
        ahead: usize,
    ) -> Self {
        Self {
            waiting: Box::new(streams.into_iter()),
            active: VecDeque::new(),
            concurrency: concurrency.max(1),
            ahead: ahead.max(1),
        }
    }

    fn fill(&mut self) {
        while self.active.len() < self.concurrency
            && let Some(stream) = self.waiting.next()
        {
            self.active.push_back(Lane {
                stream: Some(stream),
                ready: VecDeque::new(),
            });
        }
    }
}

impl Lane {
    /// Polls until the lane is full, waits or ends.
    fn advance(&mut self, ahead: usize, cx: &mut Context<'_>) {
        while self.ready.len() < ahead
            && let Some(stream) = &mut self.stream
        {
            match stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(item)) => self.ready.push_back(item),
                Poll::Ready(None) => self.stream = None,
                Poll::Pending => return,
            }
        }
    }

    fn is_finished(&self) -> bool {
        self.stream.is_none() && self.ready.is_empty()
    }
}

impl Stream for Ordered {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            this.fill();
            for lane in &mut this.active {
                lane.advance(this.ahead, cx);
            }
            let Some(first) = this.active.front_mut() else {
                return Poll::Ready(None);
            };
            if let Some(item) = first.ready.pop_front() {
                return Poll::Ready(Some(item));
            }
            if !first.is_finished() {
                return Poll::Pending;
            }
            this.active.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use arrow::array::{AsArray, Int32Array};
    use arrow::datatypes::Int32Type;
    use futures::StreamExt;

    fn batch(value: i32) -> RecordBatch {
        let column = Arc::new(Int32Array::from(vec![value])) as _;
        RecordBatch::try_from_iter([("a", column)]).unwrap()
    }

    fn value(batch: &RecordBatch) -> i32 {
        batch.column(0).as_primitive::<Int32Type>().value(0)
    }

    /// A stream of `count` batches that yields once before each and counts what it gave.
    fn stream(first: i32, count: i32, given: &Arc<AtomicUsize>) -> BatchStream {
        let given = Arc::clone(given);
        futures::stream::iter(first..first + count)
            .then(move |value| {
                let given = Arc::clone(&given);
                async move {
                    tokio::task::yield_now().await;
                    given.fetch_add(1, Ordering::SeqCst);
                    Ok(batch(value))
                }
            })
            .boxed()
    }

    #[tokio::test]
    async fn order_is_kept_whatever_the_concurrency() {
        for concurrency in [0, 1, 2, 9] {
            let given = Arc::default();
            let streams: Vec<_> = (0..5).map(|n| stream(n * 10, n, &given)).collect();
            let values: Vec<i32> = Ordered::new(streams, concurrency, 2)
                .map(|batch| value(&batch.unwrap()))
                .collect()
                .await;
            assert_eq!(values, [10, 20, 21, 30, 31, 32, 40, 41, 42, 43]);
        }
    }

    #[tokio::test]
    async fn streams_that_are_not_due_stop_ahead() {
        let given = Arc::default();
        let streams: Vec<_> = (0..4).map(|n| stream(n * 100, 50, &given)).collect();
        let mut ordered = Ordered::new(streams, 3, 2);
        for _ in 0..20 {
            ordered.next().await.unwrap().unwrap();
        }
        // 20 taken and up to two ahead in each of three lanes; the fourth has not begun.
        assert!(given.load(Ordering::SeqCst) <= 20 + 3 * 2, "{given:?}");
    }
}
