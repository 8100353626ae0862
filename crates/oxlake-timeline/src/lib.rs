//! Loads and stores instants: the active timeline of both layouts, and the instants archived from it.
//!
//! [`TimelineStore`] is the one place that knows where timeline files are. It lists the timeline folder once for a
//! [`Timeline`](oxlake_model::Timeline), reads and decodes contents, creates files once and deletes them. It does
//! not decide which transition is legal or when: that is `oxlake-plan` and `oxlake-txn`.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod archive;
mod cache;
mod error;
mod store;

pub use archive::{ArchiveQuery, ArchivedInstant, ArchivedTimeline};
pub use error::{Error, Result};
pub use store::TimelineStore;
