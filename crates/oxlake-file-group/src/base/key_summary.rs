//! What the footer says about the record keys: their range and their bloom filter.
//!
//! The filter of the JVM is made for 60,000 keys and weighs 430 kB even in a file of three rows. Ours is
//! made for the keys that are there: they are kept until there are more than the configured number, which
//! bounds both.

use arrow::array::StringArray;
use oxlake_config::BloomOptions;
use oxlake_hash::BloomFilter;

use crate::error::{Error, Result};

/// Collects the keys of one file.
#[derive(Debug)]
pub(crate) struct KeySummary {
    options: BloomOptions,
    min: Option<String>,
    max: Option<String>,
    filter: Filter,
}

#[derive(Debug)]
enum Filter {
    /// All keys so far, end to end, and where each ends.
    Keys { bytes: Vec<u8>, ends: Vec<usize> },
    /// More keys than one filter is made for.
    Built(BloomFilter),
}

/// The summary of all keys of a file.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) min: Option<String>,
    pub(crate) max: Option<String>,
    pub(crate) bloom: BloomFilter,
}

impl KeySummary {
    pub(crate) fn new(options: &BloomOptions) -> Self {
        let filter = Filter::Keys {
            bytes: Vec::new(),
            ends: Vec::new(),
        };
        Self {
            options: options.clone(),
            min: None,
            max: None,
            filter,
        }
    }

    pub(crate) fn add(&mut self, keys: &StringArray) -> Result<()> {
        self.widen(keys);
        match &mut self.filter {
            Filter::Built(bloom) => keys
                .iter()
                .flatten()
                .for_each(|key| bloom.add(key.as_bytes())),
            Filter::Keys { bytes, ends } => {
                for key in keys.iter().flatten() {
                    bytes.extend_from_slice(key.as_bytes());
                    ends.push(bytes.len());
                }
                if ends.len() > self.options.entries as usize {
                    let entries = self.options.entries.max(1);
                    self.filter = Filter::Built(build(&self.options, entries, bytes, ends)?);
                }
            }
        }
        Ok(())
    }

    /// The filter and the range.
    pub(crate) fn finish(self) -> Result<Summary> {
        let bloom = match self.filter {
            Filter::Built(bloom) => bloom,
            Filter::Keys { bytes, ends } => {
                let entries = u32::try_from(ends.len())
                    .unwrap_or(self.options.entries)
                    .max(1);
                build(&self.options, entries, &bytes, &ends)?
            }
        };
        Ok(Summary {
            min: self.min,
            max: self.max,
            bloom,
        })
    }

    fn widen(&mut self, keys: &StringArray) {
        let (mut min, mut max): (Option<&str>, Option<&str>) = (None, None);
        for key in keys.iter().flatten() {
            if min.is_none_or(|min| key < min) {
                min = Some(key);
            }
            if max.is_none_or(|max| key > max) {
                max = Some(key);
            }
        }
        if let Some(min) = min
            && self.min.as_deref().is_none_or(|before| min < before)
        {
            self.min = Some(min.to_owned());
        }
        if let Some(max) = max
            && self.max.as_deref().is_none_or(|before| max > before)
        {
            self.max = Some(max.to_owned());
        }
    }
}

fn build(
    options: &BloomOptions,
    entries: u32,
    bytes: &[u8],
    ends: &[usize],
) -> Result<BloomFilter> {
    let rate = options.false_positive_rate;
    let built = match options.max_entries {
        Some(max_entries) => BloomFilter::dynamic(entries, rate, max_entries.max(entries)),
        None => BloomFilter::simple(entries, rate),
    };
    let mut bloom = built.map_err(|_| Error::Option {
        key: "hoodie.index.bloom.fpp",
        value: rate.to_string(),
        expected: "a share between 0 and 1",
    })?;
    let mut start = 0;
    for end in ends {
        bloom.add(bytes.get(start..*end).unwrap_or_default());
        start = *end;
    }
    Ok(bloom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(keys: &[&str], entries: u32) -> Summary {
        let options = BloomOptions {
            entries,
            false_positive_rate: 1e-9,
            max_entries: Some(100_000),
        };
        let mut summary = KeySummary::new(&options);
        for part in keys.chunks(2) {
            summary.add(&StringArray::from(part.to_vec())).unwrap();
        }
        summary.finish().unwrap()
    }

    #[test]
    fn few_keys_make_a_small_filter_that_holds_them_all() {
        let summary = summary(&["b", "é", "a", "z", "\u{10000}"], 60_000);
        let bloom = summary.bloom;
        assert!(
            ["a", "b", "z", "é", "\u{10000}"]
                .iter()
                .all(|k| bloom.might_contain(k.as_bytes()))
        );
        assert!(!bloom.might_contain(b"c"));
        assert!(bloom.to_base64().len() < 200);
        assert_eq!(summary.min.as_deref(), Some("a"));
        assert_eq!(summary.max.as_deref(), Some("\u{10000}"));
    }

    #[test]
    fn more_keys_than_configured_grow_the_filter() {
        let keys: Vec<String> = (0..50).map(|key| format!("key-{key}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let bloom = summary(&keys, 10).bloom;
        assert!(keys.iter().all(|key| bloom.might_contain(key.as_bytes())));
    }

    #[test]
    fn an_empty_file_has_a_filter_and_no_range() {
        let summary = summary(&[], 60_000);
        assert!(summary.min.is_none() && summary.max.is_none());
        assert!(!summary.bloom.might_contain(b"a"));
    }
}
