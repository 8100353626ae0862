//! Avro schemas, datums and object containers.
