//! Rows to write.

use std::error::Error as StdError;
use std::fmt;

use arrow::array::RecordBatch;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt};

/// Why a stream of rows broke off.
pub type InputError = Box<dyn StdError + Send + Sync>;

/// Rows to write: a batch, several, or a stream of any length.
///
/// ```
/// use std::sync::Arc;
/// use arrow::array::{ArrayRef, Int64Array, RecordBatch};
/// use oxlake::Input;
///
/// # fn main() -> Result<(), arrow::error::ArrowError> {
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
/// let batch = RecordBatch::try_from_iter([("id", ids)])?;
/// let one = Input::from(batch.clone());
/// let many = Input::from(vec![batch.clone(), batch.clone()]);
/// let long = Input::stream(futures::stream::iter(vec![Ok::<_, std::io::Error>(batch)]));
/// # Ok(())
/// # }
/// ```
pub struct Input {
    pub(crate) batches: BoxStream<'static, Result<RecordBatch, InputError>>,
}

impl Input {
    /// Rows as they come; the first error ends the write, and nothing of it is visible.
    pub fn stream<E: Into<InputError> + 'static>(
        batches: impl Stream<Item = Result<RecordBatch, E>> + Send + 'static,
    ) -> Self {
        Self {
            batches: batches.map_err(Into::into).boxed(),
        }
    }
}

impl From<RecordBatch> for Input {
    fn from(batch: RecordBatch) -> Self {
        Self::from(vec![batch])
    }
}

impl From<Vec<RecordBatch>> for Input {
    fn from(batches: Vec<RecordBatch>) -> Self {
        Self {
            batches: futures::stream::iter(batches.into_iter().map(Ok)).boxed(),
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}
