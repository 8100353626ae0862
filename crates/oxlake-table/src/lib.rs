//! A table as a whole: opening and creating it, what its timeline says, its schema and its files.
//!
//! ```text
//! MetaClient ── load_snapshot ──► TableSnapshot   one timeline listing and what follows from it
//!     │ └────── table_schema ───► TableSchema     newest commit that carries one, and its fallbacks
//!     │         load_view ──────► FileSystemView  partitions and files, listed by a FileLister
//!     └─ open / create            hoodie.properties
//! ```
//!
//! The handle does the I/O; everything it answers with is an immutable value. Writing instants, data files
//! and commits is the work of the crates above.
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
mod file_lister;
mod footer_schema;
mod load_view;
mod marker_store;
mod meta_client;
mod partition_metadata;
mod properties_file;
mod snapshot;
mod storage_lister;
mod table_folders;
mod table_schema;

pub use error::{Error, Result};
pub use file_lister::{FileLister, PrefixFilter};
pub use marker_store::{IoType, Marker, MarkerStore};
pub use meta_client::MetaClient;
pub use partition_metadata::PartitionMetadata;
pub use snapshot::TableSnapshot;
pub use storage_lister::StorageLister;
pub use table_schema::TableSchema;
