//! The write client: insert, upsert, bulk insert, delete.
