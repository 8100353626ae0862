//! Bloom filters and the hash functions of the table format.
