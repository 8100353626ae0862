//! The command line of Oxlake.
fn main() {}
