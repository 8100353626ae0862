//! Bounds for fan-outs and memory.

use std::path::PathBuf;

/// How much the engine may do and hold at once.
///
/// Every fan-out over storage goes through `io_concurrency`, every group of open file writers through
/// `write_concurrency`, every buffer whose size depends on the data through `memory_bytes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Storage requests in flight at once.
    pub io_concurrency: usize,
    /// File groups being written at once.
    pub write_concurrency: usize,
    /// Bytes of data held in memory by one operation.
    pub memory_bytes: u64,
    /// Where to spill what does not fit; `None`: the system's folder for temporary files.
    pub spill_dir: Option<PathBuf>,
}

impl Limits {
    /// Limits for this machine: as many writers as cores, 32 requests, half a gibibyte.
    pub fn by_cores() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            io_concurrency: 32,
            write_concurrency: cores.max(2),
            memory_bytes: 512 << 20,
            spill_dir: None,
        }
    }

    /// Limits for tests: one request, one writer, 64 mebibytes; the order of requests is then fixed.
    pub fn small() -> Self {
        Self {
            io_concurrency: 1,
            write_concurrency: 1,
            memory_bytes: 64 << 20,
            spill_dir: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::by_cores()
    }
}
