//! Storage of a table over an object store.
