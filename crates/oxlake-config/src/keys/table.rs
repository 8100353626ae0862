//! Keys of `hoodie.properties` (spec 01 §2.4).

use super::{Key, Kind};

/// Name of the table.
pub const NAME: Key = Key {
    name: "hoodie.table.name",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "name of the table, part of the checksum",
};
/// Database of the table.
pub const DATABASE_NAME: Key = Key {
    name: "hoodie.database.name",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "database of the table, part of the checksum",
};
/// Copy-on-write or merge-on-read.
pub const TYPE: Key = Key {
    name: "hoodie.table.type",
    aliases: &[],
    kind: Kind::Word(&["COPY_ON_WRITE", "MERGE_ON_READ"]),
    default: Some("COPY_ON_WRITE"),
    doc: "whether updates rewrite base files or go to log files",
};
/// Version of the table format.
pub const VERSION: Key = Key {
    name: "hoodie.table.version",
    aliases: &[],
    kind: Kind::Integer,
    default: None,
    doc: "version of the table format",
};
/// Version at creation.
pub const INITIAL_VERSION: Key = Key {
    name: "hoodie.table.initial.version",
    aliases: &[],
    kind: Kind::Integer,
    default: None,
    doc: "version of the table format when the table was made",
};
/// Version of the timeline's layout.
pub const LAYOUT_VERSION: Key = Key {
    name: "hoodie.timeline.layout.version",
    aliases: &[],
    kind: Kind::Integer,
    default: None,
    doc: "how timeline files are named and where they are: 1 or 2, follows from the table version",
};
/// Folder of the timeline.
pub const TIMELINE_PATH: Key = Key {
    name: "hoodie.timeline.path",
    aliases: &[],
    kind: Kind::Text,
    default: Some("timeline"),
    doc: "folder of the active timeline below .hoodie, layout 2",
};
/// Folder of the history.
pub const HISTORY_PATH: Key = Key {
    name: "hoodie.timeline.history.path",
    aliases: &[],
    kind: Kind::Text,
    default: Some("history"),
    doc: "folder of archived instants below the timeline, layout 2",
};
/// Folder of the archive of layout 1.
pub const ARCHIVE_FOLDER: Key = Key {
    name: "hoodie.archivelog.folder",
    aliases: &[],
    kind: Kind::Text,
    default: Some("archived"),
    doc: "folder of archived instants below .hoodie, layout 1",
};
/// Zone of instant times.
pub const TIMELINE_TIMEZONE: Key = Key {
    name: "hoodie.table.timeline.timezone",
    aliases: &[],
    kind: Kind::Word(&["LOCAL", "UTC"]),
    default: Some("LOCAL"),
    doc: "zone in which instant times are written; tables made here say UTC",
};
/// Plug-in format.
pub const FORMAT: Key = Key {
    name: "hoodie.table.format",
    aliases: &[],
    kind: Kind::Text,
    default: Some("native"),
    doc: "any other value than native names a plug-in",
};
/// Checksum of the names.
pub const CHECKSUM: Key = Key {
    name: "hoodie.table.checksum",
    aliases: &[],
    kind: Kind::Integer,
    default: None,
    doc: "CRC-32 of database and table name",
};
/// Schema at creation.
pub const CREATE_SCHEMA: Key = Key {
    name: "hoodie.table.create.schema",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "Avro schema given at creation, counts until a commit carries one",
};
/// Key fields.
pub const RECORD_KEY_FIELDS: Key = Key {
    name: "hoodie.table.recordkey.fields",
    aliases: &[],
    kind: Kind::List,
    default: None,
    doc: "fields that make the record key",
};
/// Partition fields.
pub const PARTITION_FIELDS: Key = Key {
    name: "hoodie.table.partition.fields",
    aliases: &[],
    kind: Kind::List,
    default: None,
    doc: "fields that make the partition path, each as field or field:TYPE",
};
/// Ordering fields.
pub const ORDERING_FIELDS: Key = Key {
    name: "hoodie.table.ordering.fields",
    aliases: &["hoodie.table.precombine.field"],
    kind: Kind::List,
    default: None,
    doc: "fields that tell which of two versions of a record is newer",
};
/// Merge mode.
pub const MERGE_MODE: Key = Key {
    name: "hoodie.record.merge.mode",
    aliases: &[],
    kind: Kind::Word(&["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING", "CUSTOM"]),
    default: None,
    doc: "which of two versions of a record wins; follows from the ordering fields when absent",
};
/// Merger id.
pub const MERGE_STRATEGY_ID: Key = Key {
    name: "hoodie.record.merge.strategy.id",
    aliases: &["hoodie.compaction.record.merger.strategy"],
    kind: Kind::Text,
    default: None,
    doc: "id of the merger, for the merge mode CUSTOM",
};
/// Payload class.
pub const PAYLOAD_CLASS: Key = Key {
    name: "hoodie.compaction.payload.class",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "JVM class that merges records, in older versions",
};
/// Payload class before version 9.
pub const LEGACY_PAYLOAD_CLASS: Key = Key {
    name: "hoodie.table.legacy.payload.class",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "payload class the table had before version 9",
};
/// Partial update mode.
pub const PARTIAL_UPDATE_MODE: Key = Key {
    name: "hoodie.table.partial.update.mode",
    aliases: &[],
    kind: Kind::Word(&["IGNORE_DEFAULTS", "FILL_UNAVAILABLE"]),
    default: None,
    doc: "what happens to fields an update leaves open, version 9",
};
/// Key generator type.
pub const KEY_GENERATOR_TYPE: Key = Key {
    name: "hoodie.table.keygenerator.type",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "what makes keys and partition paths, versions 8 and 9",
};
/// Key generator class.
pub const KEY_GENERATOR_CLASS: Key = Key {
    name: "hoodie.table.keygenerator.class",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "JVM class that makes keys and partition paths, version 6 and classes of the user",
};
/// Hive style partitioning.
pub const HIVE_STYLE: Key = Key {
    name: "hoodie.datasource.write.hive_style_partitioning",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether a partition path reads field=value",
};
/// URL encoding of partition values.
pub const URL_ENCODE: Key = Key {
    name: "hoodie.datasource.write.partitionpath.urlencode",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether special characters of partition values are written as %XX",
};
/// Slash-separated dates.
pub const SLASH_SEPARATED_DATES: Key = Key {
    name: "hoodie.datasource.write.slash.separated.date.partitioning",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether a date makes a path of three folders",
};
/// Partition columns left out of files.
pub const DROP_PARTITION_COLUMNS: Key = Key {
    name: "hoodie.datasource.write.drop.partition.columns",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether data files lack the partition columns",
};
/// Meta fields.
pub const POPULATE_META_FIELDS: Key = Key {
    name: "hoodie.populate.meta.fields",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether data files carry the five _hoodie_ columns",
};
/// Format of base files.
pub const BASE_FILE_FORMAT: Key = Key {
    name: "hoodie.table.base.file.format",
    aliases: &["hoodie.table.ro.file.format"],
    kind: Kind::Word(&["PARQUET", "ORC", "HFILE", "LANCE"]),
    default: Some("PARQUET"),
    doc: "format of base files",
};
/// Format of log files.
pub const LOG_FILE_FORMAT: Key = Key {
    name: "hoodie.table.log.file.format",
    aliases: &["hoodie.table.rt.file.format"],
    kind: Kind::Word(&["HOODIE_LOG"]),
    default: Some("HOODIE_LOG"),
    doc: "format of log files",
};
/// Several base file formats in one table.
pub const MULTIPLE_BASE_FILE_FORMATS: Key = Key {
    name: "hoodie.table.multiple.base.file.formats.enable",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether the format of base files is told by their extension",
};
/// Change data capture.
pub const CDC_ENABLED: Key = Key {
    name: "hoodie.table.cdc.enabled",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether writers record changes for CDC queries",
};
/// What change data capture records.
pub const CDC_SUPPLEMENTAL_LOGGING_MODE: Key = Key {
    name: "hoodie.table.cdc.supplemental.logging.mode",
    aliases: &[],
    kind: Kind::Word(&["OP_KEY_ONLY", "DATA_BEFORE", "DATA_BEFORE_AFTER"]),
    default: Some("DATA_BEFORE_AFTER"),
    doc: "what writers record for CDC queries",
};
/// Ready parts of the metadata table.
pub const METADATA_PARTITIONS: Key = Key {
    name: "hoodie.table.metadata.partitions",
    aliases: &[],
    kind: Kind::List,
    default: Some(""),
    doc: "partitions of the metadata table that readers may use",
};
/// Parts of the metadata table being built.
pub const METADATA_PARTITIONS_INFLIGHT: Key = Key {
    name: "hoodie.table.metadata.partitions.inflight",
    aliases: &[],
    kind: Kind::List,
    default: Some(""),
    doc: "partitions of the metadata table that are being built",
};
/// Index definitions.
pub const INDEX_DEFS_PATH: Key = Key {
    name: "hoodie.table.index.defs.path",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "file with the index definitions, relative to the table",
};
/// Old secondary index metadata.
pub const SECONDARY_INDEXES_METADATA: Key = Key {
    name: "hoodie.table.secondary.indexes.metadata",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "index definitions of release 0.13, not used",
};
/// Partition metadata as a data file.
pub const PARTITION_METAFILE_USE_BASE_FORMAT: Key = Key {
    name: "hoodie.partition.metafile.use.base.format",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("false"),
    doc: "whether partition metadata is a data file instead of a text",
};
/// Bootstrap source.
pub const BOOTSTRAP_BASE_PATH: Key = Key {
    name: "hoodie.bootstrap.base.path",
    aliases: &[],
    kind: Kind::Text,
    default: None,
    doc: "folder of the files this table was bootstrapped from",
};
/// Bootstrap index switch.
pub const BOOTSTRAP_INDEX_ENABLE: Key = Key {
    name: "hoodie.bootstrap.index.enable",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether a bootstrapped table has an index to its source",
};
/// Bootstrap index type.
pub const BOOTSTRAP_INDEX_TYPE: Key = Key {
    name: "hoodie.bootstrap.index.type",
    aliases: &["hoodie.bootstrap.index.class"],
    kind: Kind::Text,
    default: Some("HFILE"),
    doc: "kind of that index",
};

/// Prefix of properties handed to mergers with the prefix removed.
pub const MERGE_PROPERTY_PREFIX: &str = "hoodie.record.merge.property.";

/// All keys of this group.
pub const ALL: &[&Key] = &[
    &NAME,
    &DATABASE_NAME,
    &TYPE,
    &VERSION,
    &INITIAL_VERSION,
    &LAYOUT_VERSION,
    &TIMELINE_PATH,
    &HISTORY_PATH,
    &ARCHIVE_FOLDER,
    &TIMELINE_TIMEZONE,
    &FORMAT,
    &CHECKSUM,
    &CREATE_SCHEMA,
    &RECORD_KEY_FIELDS,
    &PARTITION_FIELDS,
    &ORDERING_FIELDS,
    &MERGE_MODE,
    &MERGE_STRATEGY_ID,
    &PAYLOAD_CLASS,
    &LEGACY_PAYLOAD_CLASS,
    &PARTIAL_UPDATE_MODE,
    &KEY_GENERATOR_TYPE,
    &KEY_GENERATOR_CLASS,
    &HIVE_STYLE,
    &URL_ENCODE,
    &SLASH_SEPARATED_DATES,
    &DROP_PARTITION_COLUMNS,
    &POPULATE_META_FIELDS,
    &BASE_FILE_FORMAT,
    &LOG_FILE_FORMAT,
    &MULTIPLE_BASE_FILE_FORMATS,
    &CDC_ENABLED,
    &CDC_SUPPLEMENTAL_LOGGING_MODE,
    &METADATA_PARTITIONS,
    &METADATA_PARTITIONS_INFLIGHT,
    &INDEX_DEFS_PATH,
    &SECONDARY_INDEXES_METADATA,
    &PARTITION_METAFILE_USE_BASE_FORMAT,
    &BOOTSTRAP_BASE_PATH,
    &BOOTSTRAP_INDEX_ENABLE,
    &BOOTSTRAP_INDEX_TYPE,
];
