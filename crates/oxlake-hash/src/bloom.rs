//! The filter of the record keys of a file, and its text form (spec 02 §3).

mod codec;
mod row;

use std::fmt;
use std::str::FromStr;

use row::{Row, Shape};

use crate::error::{Error, Result};

/// Says "perhaps" or "certainly not" to whether a key was added.
///
/// The simple type has one row of bits; the dynamic type opens another row each time its last row has
/// taken the expected number of keys, up to a maximum, and then spreads keys over its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BloomFilter {
    shape: Shape,
    rows: Vec<Row>,
    growth: Option<Growth>,
}

impl BloomFilter {
    /// A filter of one row for so many expected keys and that rate of false positives.
    ///
    /// # Errors
    /// [`Error::Parameters`] for no entries, or a rate that is not between 0 and 1.
    pub fn simple(entries: u32, fpp: f64) -> Result<Self> {
        let shape = Shape::for_entries(entries, fpp)?;
        Ok(Self {
            shape,
            rows: vec![Row::new(shape)],
            growth: None,
        })
    }

    /// A filter whose rows are each for so many keys, and which grows while its rows together are
    /// for fewer than `max_entries` keys. The format's defaults are 60,000, 1e-9 and 100,000.
    ///
    /// # Errors
    /// As [`BloomFilter::simple`].
    pub fn dynamic(entries: u32, fpp: f64, max_entries: u32) -> Result<Self> {
        Ok(Self {
            growth: Some(Growth::new(entries, max_entries)),
            ..Self::simple(entries, fpp)?
        })
    }

    /// Adds a key. An empty key, which no record can have, is ignored.
    pub fn add(&mut self, key: &[u8]) {
        if key.is_empty() {
            return;
        }
        let target = match &mut self.growth {
            None => 0,
            Some(growth) => growth.target_row(self.rows.len()),
        };
        if target == self.rows.len() {
            self.rows.push(Row::new(self.shape));
        }
        if let Some(row) = self.rows.get_mut(target) {
            row.add(key);
        }
    }

    /// `false` only when the key was certainly not added. Always true for an empty key.
    pub fn might_contain(&self, key: &[u8]) -> bool {
        key.is_empty() || self.rows.iter().any(|row| row.might_contain(key))
    }

    /// The type, as the footer names it.
    pub fn type_code(&self) -> BloomType {
        match self.growth {
            None => BloomType::Simple,
            Some(_) => BloomType::DynamicV0,
        }
    }

    /// The text that goes into a footer.
    pub fn to_base64(&self) -> String {
        codec::to_base64(self)
    }

    /// Reads the text of a footer.
    ///
    /// Adding to a dynamic filter that was read opens no more rows, since its maximum is not stored.
    ///
    /// # Errors
    /// The text is not base64 or the bytes are no filter of that type.
    pub fn from_base64(text: &str, type_code: BloomType) -> Result<Self> {
        codec::from_base64(text, type_code)
    }
}

/// How a filter is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BloomType {
    /// One row of bits.
    Simple,
    /// Rows added on demand.
    DynamicV0,
}

impl BloomType {
    /// The code in footers and settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Simple => "SIMPLE",
            Self::DynamicV0 => "DYNAMIC_V0",
        }
    }

    /// Reads a code, in any case.
    ///
    /// # Errors
    /// [`Error::UnknownType`]
    pub fn parse(code: &str) -> Result<Self> {
        [Self::Simple, Self::DynamicV0]
            .into_iter()
            .find(|known| known.as_str().eq_ignore_ascii_case(code))
            .ok_or_else(|| Error::UnknownType {
                code: code.to_owned(),
            })
    }
}

impl fmt::Display for BloomType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for BloomType {
    type Err = Error;

    fn from_str(code: &str) -> Result<Self> {
        Self::parse(code)
    }
}

/// Which row the next key of a dynamic filter goes to (spec 02 §3.4).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Growth {
    /// Keys a row is for.
    entries: u32,
    /// Keys after which no more rows are opened.
    max_entries: u32,
    /// Keys added since the last row was opened; goes on counting when full.
    current: u32,
    is_full: bool,
    /// The next row to take a key once full.
    next_row: usize,
}

impl Growth {
    fn new(entries: u32, max_entries: u32) -> Self {
        Self {
            entries,
            max_entries,
            current: 0,
            is_full: false,
            next_row: 0,
        }
    }

    /// The row for one more key; the number of rows itself asks for a new one.
    fn target_row(&mut self, rows: usize) -> usize {
        let is_last_full = self.current >= self.entries;
        let target = if self.is_full {
            let row = self.next_row % rows.max(1);
            self.next_row = self.next_row.wrapping_add(1);
            row
        } else if is_last_full && (rows as u64) * u64::from(self.entries) < self.max_entries.into()
        {
            self.current = 0;
            rows
        } else if is_last_full {
            self.is_full = true;
            0
        } else {
            rows.saturating_sub(1)
        };
        self.current = self.current.saturating_add(1);
        target
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(mut filter: BloomFilter, keys: &[&str]) -> BloomFilter {
        for key in keys {
            filter.add(key.as_bytes());
        }
        filter
    }

    #[test]
    fn simple_has_the_bytes_of_the_specification() {
        let filter = filled(BloomFilter::simple(10, 0.01).unwrap(), &["key1", "key2"]);
        assert_eq!(filter.to_base64(), "/////wAAAAcBAAAAYFgQAFBAIBgIIAFAAA==");
        assert_eq!(filter.type_code().as_str(), "SIMPLE");
    }

    #[test]
    fn dynamic_has_the_bytes_of_the_specification() {
        let keys = ["k0", "k1", "k2", "k3", "k4", "k5"];
        let filter = filled(BloomFilter::dynamic(2, 0.1, 4).unwrap(), &keys);
        assert_eq!(
            filter.to_base64(),
            "/////wAAAAQBAAAACgAAAAIAAAAEAAAAAv////8AAAAEAQAAAAr/Af////8AAAAEAQAAAApoAw=="
        );
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for (entries, fpp) in [(0, 0.1), (1, 0.0), (1, 1.0), (1, -1.0), (1, f64::NAN)] {
            let made = BloomFilter::simple(entries, fpp);
            assert!(
                matches!(made, Err(Error::Parameters { .. })),
                "{entries} {fpp}"
            );
        }
    }

    #[test]
    fn types_are_read_in_any_case() {
        assert_eq!(
            BloomType::parse("dynamic_v0").unwrap(),
            BloomType::DynamicV0
        );
        assert!(BloomType::parse("CUCKOO").is_err());
    }

    proptest! {
            #[test]
            fn added_keys_are_found_and_texts_round_trip(
                keys in prop::collection::vec(".{1,40}", 1..60),
                entries in 1_u32..40,
                max_entries in 1_u32..80,
                is_dynamic: bool,
            ) {
                let mut filter = if is_dynamic { BloomFilter::dynamic(entries, 0.01, max_entries).unwrap() } else { BloomFilter::simple(entries, 0.01).unwrap() };
                for key in &keys {
        filter.add(key.as_bytes());
    }
                let text = filter.to_base64();
                let read = BloomFilter::from_base64(&text, filter.type_code()).unwrap();
                prop_assert_eq!(read.to_base64(), text);
                for key in &keys {
                    prop_assert!(read.might_contain(key.as_bytes()));
                }
            }

            #[test]
            fn any_text_is_answered(text in "[A-Za-z0-9+/=]{0,80}", is_dynamic: bool) {
                let kind = if is_dynamic { BloomType::DynamicV0 } else { BloomType::Simple };
                let _ = BloomFilter::from_base64(&text, kind);
            }
        }
}
