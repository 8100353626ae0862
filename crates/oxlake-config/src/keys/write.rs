//! Options of a writer (spec 04 §15.1, §15.2).

use super::{Key, Kind};

/// Type of a table made by the first write.
pub const TABLE_TYPE: Key = Key {
    name: "hoodie.datasource.write.table.type",
    aliases: &[],
    kind: Kind::Word(&["COPY_ON_WRITE", "MERGE_ON_READ"]),
    default: Some("COPY_ON_WRITE"),
    doc: "type of a table made by the first write",
};
/// Version of a table made by the first write.
pub const TABLE_VERSION: Key = Key {
    name: "hoodie.write.table.version",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("9"),
    doc: "version of a table made by the first write",
};
/// What is done with the input.
pub const OPERATION: Key = Key {
    name: "hoodie.datasource.write.operation",
    aliases: &[],
    kind: Kind::Text,
    default: Some("upsert"),
    doc: "what is done with the input",
};
/// Key fields of a table made by the first write.
pub const RECORD_KEY_FIELD: Key = Key {
    name: "hoodie.datasource.write.recordkey.field",
    aliases: &[],
    kind: Kind::List,
    default: None,
    doc: "key fields of a table made by the first write",
};
/// Partition fields of a table made by the first write.
pub const PARTITION_PATH_FIELD: Key = Key {
    name: "hoodie.datasource.write.partitionpath.field",
    aliases: &[],
    kind: Kind::List,
    default: None,
    doc: "partition fields of a table made by the first write",
};
/// Ordering fields of a table made by the first write.
pub const PRECOMBINE_FIELD: Key = Key {
    name: "hoodie.datasource.write.precombine.field",
    aliases: &[],
    kind: Kind::List,
    default: None,
    doc: "ordering fields of a table made by the first write",
};
/// Key generator of a table made by the first write.
pub const KEY_GENERATOR_TYPE: Key = Key {
    name: "hoodie.datasource.write.keygenerator.type",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "key generator of a table made by the first write",
};
/// JVM class of that key generator.
pub const KEY_GENERATOR_CLASS: Key = Key {
    name: "hoodie.datasource.write.keygenerator.class",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "JVM class of that key generator",
};
/// Payload class of a table made by the first write.
pub const PAYLOAD_CLASS: Key = Key {
    name: "hoodie.datasource.write.payload.class",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "payload class of a table made by the first write",
};
/// Whether times in keys are written as dates instead of numbers.
pub const CONSISTENT_LOGICAL_TIMESTAMP: Key = Key {
    name: "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether times in keys are written as dates instead of numbers",
};
/// Whether one field of a complex key is written without its name, tables below version 9.
pub const COMPLEX_NEW_ENCODING: Key = Key {
    name: "hoodie.write.complex.keygen.new.encoding",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether one field of a complex key is written without its name, tables below version 9",
};
/// Whether an insert keeps only the newest of equal keys in its input.
pub const COMBINE_BEFORE_INSERT: Key = Key {
    name: "hoodie.combine.before.insert",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether an insert keeps only the newest of equal keys in its input",
};
/// Whether an upsert keeps only the newest of equal keys in its input.
pub const COMBINE_BEFORE_UPSERT: Key = Key {
    name: "hoodie.combine.before.upsert",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether an upsert keeps only the newest of equal keys in its input",
};
/// Whether a delete drops repeated keys in its input.
pub const COMBINE_BEFORE_DELETE: Key = Key {
    name: "hoodie.combine.before.delete",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether a delete drops repeated keys in its input",
};
/// What an insert does with keys the table has.
pub const INSERT_DUPLICATE_POLICY: Key = Key {
    name: "hoodie.datasource.insert.dup.policy",
    aliases: &[],
    kind: Kind::Word(&["NONE", "DROP", "FAIL"]),
    default: Some("NONE"),
    doc: "what an insert does with keys the table has",
};
/// Whether inserts into a small file keep rows with equal keys apart.
pub const MERGE_ALLOW_DUPLICATE_ON_INSERTS: Key = Key {
    name: "hoodie.merge.allow.duplicate.on.inserts",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether inserts into a small file keep rows with equal keys apart",
};
/// Rows of a new file group when sizes are not known.
pub const INSERT_SPLIT_SIZE: Key = Key {
    name: "hoodie.copyonwrite.insert.split.size",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("500000"),
    doc: "rows of a new file group when sizes are not known",
};
/// Whether rows of a new file group follow from the average record size.
pub const INSERT_AUTO_SPLIT: Key = Key {
    name: "hoodie.copyonwrite.insert.auto.split",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether rows of a new file group follow from the average record size",
};
/// Bytes of a record before there are commits to learn from.
pub const RECORD_SIZE_ESTIMATE: Key = Key {
    name: "hoodie.copyonwrite.record.size.estimate",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("1024"),
    doc: "bytes of a record before there are commits to learn from",
};
/// A commit counts for the average size when it wrote more than this part of a small file.
pub const RECORD_SIZE_ESTIMATION_THRESHOLD: Key = Key {
    name: "hoodie.record.size.estimation.threshold",
    aliases: &[],
    kind: Kind::Decimal,
    default: Some("1.0"),
    doc: "a commit counts for the average size when it wrote more than this part of a small file",
};
/// Commits looked at for the average size.
pub const RECORD_SIZE_ESTIMATOR_MAX_COMMITS: Key = Key {
    name: "_hoodie.record.size.estimator.max.commits",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("5"),
    doc: "commits looked at for the average size",
};
/// Bytes of a file that are not records.
pub const RECORD_SIZE_ESTIMATOR_METADATA_SIZE: Key = Key {
    name: "hoodie.record.size.estimator.average.metadata.size",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("0"),
    doc: "bytes of a file that are not records",
};
/// Order in which a bulk insert writes rows.
pub const BULK_INSERT_SORT_MODE: Key = Key {
    name: "hoodie.bulkinsert.sort.mode",
    aliases: &[],
    kind: Kind::Text,
    default: Some("NONE"),
    doc: "order in which a bulk insert writes rows",
};
/// Whether a write of no rows makes a commit.
pub const ALLOW_EMPTY_COMMIT: Key = Key {
    name: "hoodie.allow.empty.commit",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether a write of no rows makes a commit",
};
/// Whether a rollback finds files by markers instead of listings.
pub const ROLLBACK_USING_MARKERS: Key = Key {
    name: "hoodie.rollback.using.markers",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether a rollback finds files by markers instead of listings",
};
/// How markers are kept; here always as files.
pub const MARKERS_TYPE: Key = Key {
    name: "hoodie.write.markers.type",
    aliases: &[],
    kind: Kind::Word(&["DIRECT", "TIMELINE_SERVER_BASED"]),
    default: Some("DIRECT"),
    doc: "how markers are kept; here always as files",
};
/// When failed writes of others are rolled back.
pub const FAILED_WRITES_POLICY: Key = Key {
    name: "hoodie.clean.failed.writes.policy",
    aliases: &["hoodie.cleaner.policy.failed.writes"],
    kind: Kind::Word(&["EAGER", "LAZY", "NEVER"]),
    default: Some("EAGER"),
    doc: "when failed writes of others are rolled back",
};
/// Whether several writers work at once.
pub const CONCURRENCY_MODE: Key = Key {
    name: "hoodie.write.concurrency.mode",
    aliases: &[],
    kind: Kind::Text,
    default: Some("SINGLE_WRITER"),
    doc: "whether several writers work at once",
};
/// Options with this prefix go into the metadata of the commit.
pub const COMMIT_METADATA_KEY_PREFIX: Key = Key {
    name: "hoodie.datasource.write.commitmeta.key.prefix",
    aliases: &[],
    kind: Kind::Text,
    default: Some("_"),
    doc: "options with this prefix go into the metadata of the commit",
};
/// Whether a narrower input schema is refused.
pub const AVRO_SCHEMA_VALIDATE: Key = Key {
    name: "hoodie.avro.schema.validate",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether a narrower input schema is refused",
};
/// Whether columns the input lacks are filled with null.
pub const RECONCILE_SCHEMA: Key = Key {
    name: "hoodie.datasource.write.reconcile.schema",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether columns the input lacks are filled with null",
};
/// Whether columns may be renamed and dropped.
pub const SCHEMA_ON_READ: Key = Key {
    name: "hoodie.schema.on.read.enable",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether columns may be renamed and dropped",
};
/// Whether a metadata table is kept; not built yet.
pub const METADATA_ENABLE: Key = Key {
    name: "hoodie.metadata.enable",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether a metadata table is kept; not built yet",
};

/// All keys of this group.
pub const ALL: &[&Key] = &[
    &TABLE_TYPE,
    &TABLE_VERSION,
    &OPERATION,
    &RECORD_KEY_FIELD,
    &PARTITION_PATH_FIELD,
    &PRECOMBINE_FIELD,
    &KEY_GENERATOR_TYPE,
    &KEY_GENERATOR_CLASS,
    &PAYLOAD_CLASS,
    &CONSISTENT_LOGICAL_TIMESTAMP,
    &COMPLEX_NEW_ENCODING,
    &COMBINE_BEFORE_INSERT,
    &COMBINE_BEFORE_UPSERT,
    &COMBINE_BEFORE_DELETE,
    &INSERT_DUPLICATE_POLICY,
    &MERGE_ALLOW_DUPLICATE_ON_INSERTS,
    &INSERT_SPLIT_SIZE,
    &INSERT_AUTO_SPLIT,
    &RECORD_SIZE_ESTIMATE,
    &RECORD_SIZE_ESTIMATION_THRESHOLD,
    &RECORD_SIZE_ESTIMATOR_MAX_COMMITS,
    &RECORD_SIZE_ESTIMATOR_METADATA_SIZE,
    &BULK_INSERT_SORT_MODE,
    &ALLOW_EMPTY_COMMIT,
    &ROLLBACK_USING_MARKERS,
    &MARKERS_TYPE,
    &FAILED_WRITES_POLICY,
    &CONCURRENCY_MODE,
    &COMMIT_METADATA_KEY_PREFIX,
    &AVRO_SCHEMA_VALIDATE,
    &RECONCILE_SCHEMA,
    &SCHEMA_ON_READ,
    &METADATA_ENABLE,
];
