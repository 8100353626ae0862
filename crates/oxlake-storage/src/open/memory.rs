//! `memory://name/path`: objects in this process, for tests and examples.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use object_store::memory::InMemory;

use super::{Address, Opened};
use crate::error::Origin;

/// Every `memory://name/` is one store for the whole process, so that it can be opened again.
static STORES: Mutex<BTreeMap<String, Arc<InMemory>>> = Mutex::new(BTreeMap::new());

pub(super) fn open(address: &Address) -> Opened {
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    let store = Arc::clone(stores.entry(address.host.clone()).or_default());
    Opened {
        store,
        origin: Origin::plain(&address.store_url()),
    }
}
