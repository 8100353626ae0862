//! The vocabulary of a table and all its persisted records as plain values.
