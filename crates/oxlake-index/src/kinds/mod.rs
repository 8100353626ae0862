//! The kinds of index: a new one is a file and a line in [`ALL`].

mod bloom;
mod simple;

use oxlake_config::IndexType;

use crate::Index;

pub use bloom::Bloom;
pub use simple::Simple;

/// All kinds.
pub const ALL: &[&dyn Index] = &[&simple::Simple, &bloom::Bloom];

/// The index of a type.
pub fn index_of(index_type: IndexType) -> &'static dyn Index {
    match index_type {
        IndexType::Simple => &Simple,
        IndexType::Bloom => &Bloom,
    }
}
