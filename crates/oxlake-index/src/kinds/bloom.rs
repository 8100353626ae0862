//! The bloom index: footers rule files out before their keys are read.

use async_trait::async_trait;

use crate::{Index, IndexInput, Result, Tags, key_column};

/// Asks the key range and the bloom filter in each footer, and reads the key column only of files that may hold
/// one of the keys. Best for keys that grow with time. A file without a filter is a candidate.
/// Footers are asked for once, see [`FooterCache`](crate::FooterCache).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bloom;

#[async_trait]
impl Index for Bloom {
    fn name(&self) -> &'static str {
        "BLOOM"
    }

    async fn tag(&self, input: &IndexInput<'_>) -> Result<Tags> {
        let candidate: key_column::Candidate =
            |keys, footer| keys.distinct().any(|key| footer.may_contain(key));
        key_column::tag(input, Some(candidate)).await
    }
}
