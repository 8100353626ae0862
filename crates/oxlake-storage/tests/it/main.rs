//! Storage against real stores: one contract suite over local files, memory, S3, Google Cloud Storage and Azure.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::clone_on_ref_ptr
)]

mod azure;
mod contract;
mod create;
mod errors;
mod gcs;
mod gcs_double;
mod http;
mod local;
mod lost_reply;
mod remote;
mod s3;
mod service;
mod testing;

use std::collections::BTreeMap;

/// Options as the library takes them.
fn conf(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}
