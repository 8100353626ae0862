//! One row of bits and the positions of a key in it.

use std::f64::consts::LN_2;

use crate::error::{Error, Result};
use crate::murmur::Chain;

/// How many bits a row has, and how many of them a key sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// At least 1, at most `i32::MAX`.
    pub(super) bits: i32,
    /// At least 1, at most [`Shape::MAX_HASHES`].
    pub(super) hashes: i32,
}

impl Shape {
    /// More than any rate of false positives in a double asks for; bounds the work on corrupt input.
    pub(super) const MAX_HASHES: i32 = 2048;

    /// The format's formulas in double arithmetic (spec 02 §3.1).
    #[allow(
        clippy::cast_possible_truncation,
        reason = "float casts saturate, as the format's do"
    )]
    pub(super) fn for_entries(entries: u32, fpp: f64) -> Result<Self> {
        if entries == 0 || !(fpp > 0.0 && fpp < 1.0) {
            return Err(Error::Parameters { entries, fpp });
        }
        let expected = f64::from(entries);
        let bits = (expected * (-fpp.ln() / (LN_2 * LN_2))).ceil() as i32;
        let hashes = (LN_2 * f64::from(bits) / expected).ceil() as i32;
        Self::new(bits, hashes).ok_or(Error::Parameters { entries, fpp })
    }

    pub(super) fn new(bits: i32, hashes: i32) -> Option<Self> {
        (bits >= 1 && (1..=Self::MAX_HASHES).contains(&hashes)).then_some(Self { bits, hashes })
    }

    pub(super) fn byte_len(self) -> usize {
        self.bits.unsigned_abs().div_ceil(8) as usize
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) shape: Shape,
    /// Bit i is in byte i / 8 at i % 8, the lowest bit first.
    pub(super) bytes: Vec<u8>,
}

impl Row {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            bytes: vec![0; shape.byte_len()],
        }
    }

    pub(super) fn add(&mut self, key: &[u8]) {
        Chain::with(key, |chain| {
            for _ in 0..self.shape.hashes {
                let (byte, mask) = position(chain.next(), self.shape.bits);
                if let Some(byte) = self.bytes.get_mut(byte) {
                    *byte |= mask;
                }
            }
        });
    }

    pub(super) fn might_contain(&self, key: &[u8]) -> bool {
        Chain::with(key, |chain| {
            (0..self.shape.hashes).all(|_| {
                let (byte, mask) = position(chain.next(), self.shape.bits);
                self.bytes.get(byte).is_some_and(|byte| byte & mask != 0)
            })
        })
    }
}

/// The remainder keeps the sign of the hash, then its absolute value counts.
fn position(hash: i32, bits: i32) -> (usize, u8) {
    let bit = (hash % bits).unsigned_abs();
    ((bit >> 3) as usize, 1 << (bit & 7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_the_specification() {
        for (entries, fpp, bits, hashes) in [
            (60_000, 0.000_000_001, 2_587_966, 30),
            (100_000, 0.000_000_001, 4_313_277, 30),
            (1000, 0.000_001, 28_756, 20),
            (10, 0.01, 96, 7),
        ] {
            let shape = Shape::for_entries(entries, fpp).unwrap();
            assert_eq!((shape.bits, shape.hashes), (bits, hashes));
        }
    }

    #[test]
    fn positions_of_the_specification() {
        for (key, expected) in [
            (
                "TXN-001",
                &[762_789, 591_431, 1_893_349, 899_664, 868_522][..],
            ),
            ("1", &[1_460_963, 105_785, 1_189_081, 2_066_078, 47_219]),
            ("é", &[1_021_365, 1_225_260, 586_514]),
            ("日本", &[1_824_664, 847_801, 2_193_018]),
        ] {
            Chain::with(key.as_bytes(), |chain| {
                for bit in expected {
                    assert_eq!((chain.next() % 2_587_966).unsigned_abs(), *bit, "{key}");
                }
            });
        }
    }
}
