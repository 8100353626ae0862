//! The columns that every table carries in front of its own (spec 02 §2.1).

/// The instant that last wrote or changed the record.
pub const COMMIT_TIME: &str = "_hoodie_commit_time";
/// `{instant}_{task}_{index}` of that write.
pub const COMMIT_SEQNO: &str = "_hoodie_commit_seqno";
/// The record key.
pub const RECORD_KEY: &str = "_hoodie_record_key";
/// The partition path, empty without partitions.
pub const PARTITION_PATH: &str = "_hoodie_partition_path";
/// The name of the base file the record lies in.
pub const FILE_NAME: &str = "_hoodie_file_name";
/// What the record did (`I`, `-U`, `+U`, `D`); only with `hoodie.allow.operation.metadata.field`.
pub const OPERATION: &str = "_hoodie_operation";
/// A column of the table's own whose `true` means that the record is deleted.
pub const IS_DELETED: &str = "_hoodie_is_deleted";

/// The five meta columns in the order they have in every file.
pub const META_COLUMNS: [&str; 5] = [
    COMMIT_TIME,
    COMMIT_SEQNO,
    RECORD_KEY,
    PARTITION_PATH,
    FILE_NAME,
];

/// Whether a column is one of the five meta columns or the operation column.
pub fn is_meta_column(name: &str) -> bool {
    META_COLUMNS.contains(&name) || name == OPERATION
}
