//! The protocol of a commit.
