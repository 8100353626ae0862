//! Blocks of a log file: bytes in, blocks out.
