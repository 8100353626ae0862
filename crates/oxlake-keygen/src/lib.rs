//! Record keys and partition paths from Arrow batches.
