//! The simple index: the key column of every file is read.

use async_trait::async_trait;

use crate::{Index, IndexInput, Result, Tags, key_column};

/// Reads the key column of every file of the partition. Best for keys without order (most files would be
/// candidates anyway) and for small partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simple;

#[async_trait]
impl Index for Simple {
    fn name(&self) -> &'static str {
        "SIMPLE"
    }

    async fn tag(&self, input: &IndexInput<'_>) -> Result<Tags> {
        key_column::tag(input, None).await
    }
}
