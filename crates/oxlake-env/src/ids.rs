//! Fresh ids: file ids and the sync markers of Avro containers.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::{Builder, Uuid};

/// A source of ids that do not repeat.
pub trait IdGenerator: Debug + Send + Sync + 'static {
    /// Sixteen fresh bytes.
    fn bytes(&self) -> [u8; 16];

    /// A version-4 UUID in its usual text form (36 characters, lower case).
    fn uuid(&self) -> String {
        Builder::from_random_bytes(self.bytes())
            .into_uuid()
            .to_string()
    }

    /// The sync marker of one Avro container file.
    fn sync_marker(&self) -> [u8; 16] {
        self.bytes()
    }
}

/// Ids from the system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl IdGenerator for RandomIds {
    #[allow(clippy::disallowed_methods)]
    fn bytes(&self) -> [u8; 16] {
        *Uuid::new_v4().as_bytes()
    }
}

/// Ids that follow from a seed and the number of the call; for tests and the simulation only.
#[derive(Debug)]
pub struct SeededIds {
    seed: u64,
    calls: AtomicU64,
}

impl SeededIds {
    /// Ids of this seed, from the first.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            calls: AtomicU64::new(0),
        }
    }
}

impl IdGenerator for SeededIds {
    fn bytes(&self) -> [u8; 16] {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let high = mix(self.seed ^ mix(call.wrapping_mul(2)));
        let low = mix(high ^ mix(call.wrapping_mul(2).wrapping_add(1)));
        let mut bytes = [0; 16];
        for (slot, byte) in bytes
            .iter_mut()
            .zip(high.to_be_bytes().into_iter().chain(low.to_be_bytes()))
        {
            *slot = byte;
        }
        bytes
    }
}

/// The finishing step of splitmix64: every input bit reaches every output bit.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn seeded_ids_repeat_by_seed_and_differ_by_call() {
        let take = |seed| {
            let ids = SeededIds::new(seed);
            (0..1000).map(|_| ids.uuid()).collect::<Vec<_>>()
        };
        assert_eq!(take(1), take(1));
        let all: BTreeSet<String> = take(1).into_iter().chain(take(2)).collect();
        assert_eq!(all.len(), 2000);
    }

    #[test]
    fn ids_have_the_form_of_version_4() {
        for id in [RandomIds.uuid(), SeededIds::new(3).uuid()] {
            assert_eq!(Uuid::parse_str(&id).unwrap().get_version_num(), 4, "{id}");
            assert_eq!(id.len(), 36);
        }
    }
}
