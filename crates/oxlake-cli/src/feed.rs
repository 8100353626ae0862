//! A long stream of rows, cut into the rows of single commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::RecordBatch;
use futures::StreamExt;
use futures::stream::BoxStream;
use oxlake::Input;
use tokio::sync::Mutex;

use crate::error::Result;

/// Rows still to be written.
#[derive(Clone)]
pub(crate) struct Feed {
    state: Arc<Mutex<State>>,
}

struct State {
    batches: BoxStream<'static, Result<RecordBatch>>,
    next: Option<RecordBatch>,
}

/// How many rows a part has given so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted(Arc<AtomicU64>);

impl Counted {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Feed {
    pub(crate) fn new(batches: BoxStream<'static, Result<RecordBatch>>) -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                batches,
                next: None,
            })),
        }
    }

    /// Whether another row will come.
    pub(crate) async fn has_more(&self) -> Result<bool> {
        let mut state = self.state.lock().await;
        state.fill().await?;
        Ok(state.next.is_some())
    }

    /// The next `rows` rows, or all that are left. `seen` is told of every batch as it is read.
    pub(crate) fn take(
        &self,
        rows: Option<u64>,
        seen: impl Fn(usize) + Send + 'static,
    ) -> (Input, Counted) {
        let counted = Counted::default();
        let part = Part {
            feed: self.clone(),
            left: rows,
            counted: counted.clone(),
            seen,
        };
        let batches = futures::stream::unfold(part, |mut part| async move {
            part.next().await.transpose().map(|batch| (batch, part))
        });
        (Input::stream(batches), counted)
    }
}

impl State {
    /// Makes sure that `next` has a row, if there is one.
    async fn fill(&mut self) -> Result<()> {
        while self.next.as_ref().is_none_or(|batch| batch.num_rows() == 0) {
            self.next = self.batches.next().await.transpose()?;
            if self.next.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// The rows of one commit.
struct Part<F> {
    feed: Feed,
    left: Option<u64>,
    counted: Counted,
    seen: F,
}

impl<F: Fn(usize)> Part<F> {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        if self.left == Some(0) {
            return Ok(None);
        }
        let mut state = self.feed.state.lock().await;
        state.fill().await?;
        let Some(mut batch) = state.next.take() else {
            return Ok(None);
        };
        let wanted = self.left.map_or(usize::MAX, |left| {
            usize::try_from(left).unwrap_or(usize::MAX)
        });
        if batch.num_rows() > wanted {
            state.next = Some(batch.slice(wanted, batch.num_rows() - wanted));
            batch = batch.slice(0, wanted);
        }
        drop(state);
        self.left = self.left.map(|left| left - batch.num_rows() as u64);
        self.counted
            .0
            .fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
        (self.seen)(batch.num_rows());
        Ok(Some(batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{ArrayRef, Int64Array};

    fn feed(sizes: &[usize]) -> Feed {
        let batches: Vec<Result<RecordBatch>> = sizes
            .iter()
            .map(|size| {
                let values: ArrayRef = Arc::new(Int64Array::from(vec![1; *size]));
                Ok(RecordBatch::try_from_iter([("n", values)]).unwrap())
            })
            .collect();
        Feed::new(futures::stream::iter(batches).boxed())
    }

    async fn parts(sizes: &[usize], rows: Option<u64>) -> Vec<u64> {
        let feed = feed(sizes);
        let mut parts = Vec::new();
        while feed.has_more().await.unwrap() {
            let (mut part, counted) = {
                let counted = Counted::default();
                let part = Part {
                    feed: feed.clone(),
                    left: rows,
                    counted: counted.clone(),
                    seen: |_| (),
                };
                (part, counted)
            };
            while part.next().await.unwrap().is_some() {}
            parts.push(counted.get());
        }
        parts
    }

    #[tokio::test]
    async fn parts_have_the_rows_asked_for_whatever_the_batches() {
        assert_eq!(parts(&[3, 0, 5, 2], Some(4)).await, [4, 4, 2]);
        assert_eq!(parts(&[3, 5], Some(8)).await, [8]);
        assert_eq!(parts(&[3, 5], None).await, [8]);
        assert_eq!(parts(&[0, 0], Some(1)).await, Vec::<u64>::new());
        assert_eq!(parts(&[2], Some(1)).await, [1, 1]);
    }
}
