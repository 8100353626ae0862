//! From a query to a scan plan to streams of batches.
