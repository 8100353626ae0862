//! Tables as DataFusion sees them: a table provider, and a session whose SQL names tables by path
//! or URL.
//!
//! DataFusion's types appear in this crate only. Everything below speaks our own [`Predicate`] and
//! Arrow batches.
//!
//! * [`QueryTable`] is one query type on one table (snapshot, time travel, incremental) as a
//!   `TableProvider`.
//! * [`Session`] runs SQL; `'path/to/table'` in a `from` clause is the table there.
//! * [`translate`] turns DataFusion's expressions into predicates, [`parse_predicate`] SQL text.
//!
//! [`Predicate`]: oxlake_model::Predicate
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
mod filter;
mod predicate;
mod provider;
mod rows;
mod session;
mod source;
mod url_table;

pub use error::{Error, Result};
pub use filter::parse_predicate;
pub use predicate::translate;
pub use provider::QueryTable;
pub use rows::Rows;
pub use session::{Session, session};
