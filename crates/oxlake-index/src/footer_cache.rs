//! Footers of base files, kept by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use oxlake_file_group::BaseFileFooter;

/// Footers kept at most; one of the JVM has a filter of a third of a megabyte.
const CAPACITY: usize = 128;

/// Footers of base files by path. Base files never change, so what is kept stays true.
///
/// Clones share their content. Full, it forgets those that were put first.
#[derive(Debug, Clone, Default)]
pub struct FooterCache {
    shared: Arc<Mutex<Content>>,
}

#[derive(Debug, Default)]
struct Content {
    footers: BTreeMap<String, (u64, Arc<BaseFileFooter>)>,
    /// Paths by the number of their arrival.
    order: BTreeMap<u64, String>,
    next: u64,
}

impl FooterCache {
    pub(crate) fn get(&self, path: &str) -> Option<Arc<BaseFileFooter>> {
        self.with(|content| {
            content
                .footers
                .get(path)
                .map(|(_, footer)| Arc::clone(footer))
        })
    }

    pub(crate) fn put(&self, path: &str, footer: Arc<BaseFileFooter>) {
        self.with(|content| {
            let number = content.next;
            content.next += 1;
            if let Some((before, _)) = content.footers.insert(path.to_owned(), (number, footer)) {
                content.order.remove(&before);
            }
            content.order.insert(number, path.to_owned());
            while content.footers.len() > CAPACITY {
                let Some((_, oldest)) = content.order.pop_first() else {
                    break;
                };
                content.footers.remove(&oldest);
            }
        });
    }

    /// Every change leaves the content whole, so a panic elsewhere does not matter.
    fn with<T>(&self, work: impl FnOnce(&mut Content) -> T) -> T {
        work(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer(row_count: u64) -> Arc<BaseFileFooter> {
        Arc::new(BaseFileFooter {
            row_count,
            bloom: None,
            min_key: None,
            max_key: None,
            avro_schema: None,
        })
    }

    #[test]
    fn a_full_cache_forgets_the_oldest() {
        let cache = FooterCache::default();
        for number in 0..CAPACITY as u64 + 2 {
            cache.put(&number.to_string(), footer(number));
            cache.put("again", footer(number));
        }
        assert!(cache.get("0").is_none() && cache.get("2").is_none());
        assert_eq!(cache.get("again").unwrap().row_count, CAPACITY as u64 + 1);
        assert_eq!(cache.get("100").unwrap().row_count, 100);
        assert_eq!(cache.with(|content| content.footers.len()), CAPACITY);
        assert_eq!(cache.with(|content| content.order.len()), CAPACITY);
    }
}
