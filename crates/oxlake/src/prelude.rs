//! What a program that reads and writes tables needs: `use oxlake::prelude::*;`

pub use crate::{
    Commit, Input, Location, Predicate, Query, QueryKind, Rows, Session, Table, TableSpec,
    WithColumns, WriteOperation,
};
