//! Fixtures, oracles, contract suites and the reference model.
