//! The real engine in the loop: Hudi on Spark must accept our tables, read them as we do, and continue them.
//!
//! There is nothing here but tests (`tests/it`). They share one JVM, started through `interop/hudi-jvm`; where it is
//! not installed they fail and say what to run. For each table:
//!
//! 1. rows, table hash, timeline, time travel and incremental answers of both engines are equal;
//! 2. the JVM upserts into our table, and both agree again; we upsert, and both agree again;
//! 3. `validate` with writes after it passes: the JVM's checks of timeline, files, footers and views, then upsert,
//!    delete, rollback, clustering and clean on a copy.
