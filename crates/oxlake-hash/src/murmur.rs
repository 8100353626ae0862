//! Hadoop's form of `MurmurHash2`.
//!
//! The tail bytes are taken from the end of the input, the last one at shift 0, and bytes are
//! sign-extended (spec 02 §3.2). A canonical `MurmurHash2` agrees only on ASCII inputs whose tail is at
//! most one byte long.

const M: u32 = 0x5bd1_e995;

/// The 32-bit hash of `data` from `seed`.
pub fn murmur(data: &[u8], seed: i32) -> i32 {
    let (words, tail) = data.as_chunks::<4>();
    let start = seed.cast_unsigned() ^ length(data);
    let hash = words
        .iter()
        .fold(start, |hash, word| step(hash, mix(*word)));
    finish(hash, Tail::of(tail)).cast_signed()
}

/// The hash, then the hash seeded with it, and so on: the positions of a key in a filter.
///
/// All that does not depend on the seed is done once per key.
#[derive(Debug)]
pub(crate) struct Chain<'a> {
    words: &'a [u32],
    length: u32,
    tail: Tail,
    hash: u32,
}

impl Chain<'_> {
    /// Calls `with` with the endless chain of hashes of `data`, whose first seed is 0.
    pub(crate) fn with<R>(data: &[u8], with: impl FnOnce(&mut Chain<'_>) -> R) -> R {
        let (words, tail) = data.as_chunks::<4>();
        let mut small = [0; 32];
        let mut large = Vec::new();
        let mixed: &[u32] = if let Some(small) = small.get_mut(..words.len()) {
            for (mixed, word) in small.iter_mut().zip(words) {
                *mixed = mix(*word);
            }
            small
        } else {
            large.extend(words.iter().map(|word| mix(*word)));
            &large
        };
        with(&mut Chain {
            words: mixed,
            length: length(data),
            tail: Tail::of(tail),
            hash: 0,
        })
    }

    pub(crate) fn next(&mut self) -> i32 {
        let start = self.hash ^ self.length;
        let hash = self
            .words
            .iter()
            .fold(start, |hash, word| step(hash, *word));
        self.hash = finish(hash, self.tail);
        self.hash.cast_signed()
    }
}

/// The zero to three bytes after the last whole word.
#[derive(Debug, Clone, Copy)]
enum Tail {
    None,
    Bytes(u32),
}

impl Tail {
    fn of(bytes: &[u8]) -> Self {
        match *bytes {
            [a] => Self::Bytes(extend(a)),
            [a, b] => Self::Bytes(extend(a) << 8 ^ extend(b)),
            [a, b, c] => Self::Bytes(extend(a) << 16 ^ extend(b) << 8 ^ extend(c)),
            _ => Self::None,
        }
    }
}

/// Lengths wrap as they do in a 32-bit int; no key comes near.
#[allow(clippy::cast_possible_truncation)]
fn length(data: &[u8]) -> u32 {
    data.len() as u32
}

/// The byte as a signed number of 32 bits.
fn extend(byte: u8) -> u32 {
    i32::from(byte.cast_signed()).cast_unsigned()
}

fn mix(word: [u8; 4]) -> u32 {
    let mixed = u32::from_le_bytes(word).wrapping_mul(M);
    (mixed ^ mixed >> 24).wrapping_mul(M)
}

fn step(hash: u32, mixed: u32) -> u32 {
    hash.wrapping_mul(M) ^ mixed
}

fn finish(hash: u32, tail: Tail) -> u32 {
    let hash = match tail {
        Tail::None => hash,
        Tail::Bytes(bytes) => (hash ^ bytes).wrapping_mul(M),
    };
    let hash = (hash ^ hash >> 13).wrapping_mul(M);
    hash ^ hash >> 15
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Answers of Hadoop's class, seeds 0 and -1.
    #[test]
    fn hadoop_golden_values() {
        for (text, zero, minus_one) in [
            ("hello", -446_617_141, -1_816_943_331),
            ("ünï", 307_032_678, 2_130_174_671),
            ("日本", 659_168_028, -727_673_871),
            ("é", -384_040_333, -1_125_067_414),
            ("aé", -728_189_200, 220_612_073),
            ("abé", -933_858_263, -1_194_132_104),
            ("", 0, -1_285_986_640),
        ] {
            assert_eq!(murmur(text.as_bytes(), 0), zero, "{text}");
            assert_eq!(murmur(text.as_bytes(), -1), minus_one, "{text}");
        }
    }

    #[test]
    fn real_keys() {
        for (text, hash) in [
            ("TXN-001", -1_349_093_075),
            ("1", 1_228_156_847),
            ("id:1,name:Alice", 71_696_166),
            ("3eeb61f7-c2b0-4636-99bd-5d7a5a1d2c04", 1_410_745_875),
            ("a", -1_838_653_602),
            ("ab", 1_525_573_013),
            ("abc", 1_775_488_903),
            ("abcd", 646_393_889),
        ] {
            assert_eq!(murmur(text.as_bytes(), 0), hash, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_chain_is_the_hash_of_the_hash(data in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut seed = 0;
            Chain::with(&data, |chain| {
                for _ in 0..5 {
                    seed = murmur(&data, seed);
                    assert_eq!(chain.next(), seed);
                }
            });
        }
    }
}
