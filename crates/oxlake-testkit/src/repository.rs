//! Where the repository is.

use std::path::PathBuf;

/// The root folder of the repository this crate was built from: fixtures and scripts are found below it.
pub fn repository_root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .map_or(manifest.clone(), PathBuf::from)
}
