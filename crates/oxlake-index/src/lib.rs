//! Tag records with the file groups that hold them.
//!
//! An [`Index`] is asked for the keys of one partition and the base files of its latest slices, and answers which
//! file holds which key ([`Tags`]). A key may be in several files (plain inserts do not look keys up): every copy
//! is found, so that an upsert or delete reaches all of them. The kinds are listed in [`kinds::ALL`].
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod error;
mod footer_cache;
mod input;
mod key_column;
mod key_table;
mod tags;

pub mod kinds;

use std::fmt::Debug;

use async_trait::async_trait;

pub use error::{Error, Result};
pub use footer_cache::FooterCache;
pub use input::IndexInput;
pub use kinds::index_of;
pub use tags::{Match, Tags};

/// Finds the files that hold keys (spec 04 §1.4).
///
/// The answer is exact: a file is named for a key if and only if it holds a row of that key. Asking twice gives
/// the same answer; nothing is written.
#[async_trait]
pub trait Index: Debug + Send + Sync {
    /// The name as in `hoodie.index.type`.
    fn name(&self) -> &'static str;

    /// Where each key of `input` is.
    ///
    /// # Errors
    /// A file that is missing or damaged, by name; an index never skips one.
    async fn tag(&self, input: &IndexInput<'_>) -> Result<Tags>;
}
