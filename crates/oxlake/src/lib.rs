//! Oxlake: the Apache Hudi table format as one fast engine.
