//! Options of Parquet files (spec 04 §15.2).

use super::{Key, Kind};

/// A file below this size takes inserts; 0 makes new files always.
pub const SMALL_FILE_LIMIT: Key = Key {
    name: "hoodie.parquet.small.file.limit",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("104857600"),
    doc: "a file below this size takes inserts; 0 makes new files always",
};
/// Bytes of a base file at most.
pub const MAX_FILE_SIZE: Key = Key {
    name: "hoodie.parquet.max.file.size",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("125829120"),
    doc: "bytes of a base file at most",
};
/// Bytes of a row group at most.
pub const BLOCK_SIZE: Key = Key {
    name: "hoodie.parquet.block.size",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("125829120"),
    doc: "bytes of a row group at most",
};
/// Bytes of a page at most.
pub const PAGE_SIZE: Key = Key {
    name: "hoodie.parquet.page.size",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("1048576"),
    doc: "bytes of a page at most",
};
/// How pages are compressed; the JVM engine takes gzip unless told.
pub const COMPRESSION_CODEC: Key = Key {
    name: "hoodie.parquet.compression.codec",
    aliases: &[],
    kind: Kind::Word(&[
        "ZSTD",
        "GZIP",
        "SNAPPY",
        "LZ4_RAW",
        "LZ4",
        "BROTLI",
        "UNCOMPRESSED",
        "NONE",
    ]),
    default: Some("ZSTD"),
    doc: "how pages are compressed; the JVM engine takes gzip unless told",
};
/// Level of zstd, gzip or brotli; zstd takes 1 unless told.
pub const COMPRESSION_LEVEL: Key = Key {
    name: "oxlake.parquet.compression.level",
    aliases: &[],
    kind: Kind::Integer,
    default: None,
    doc: "level of zstd, gzip or brotli; zstd takes 1 unless told",
};
/// Expected size after compression, for estimates.
pub const COMPRESSION_RATIO: Key = Key {
    name: "hoodie.parquet.compression.ratio",
    aliases: &[],
    kind: Kind::Decimal,
    default: Some("0.1"),
    doc: "expected size after compression, for estimates",
};
/// Whether dictionaries are written.
pub const DICTIONARY_ENABLED: Key = Key {
    name: "hoodie.parquet.dictionary.enabled",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether dictionaries are written",
};

/// All keys of this group.
pub const ALL: &[&Key] = &[
    &SMALL_FILE_LIMIT,
    &MAX_FILE_SIZE,
    &BLOCK_SIZE,
    &PAGE_SIZE,
    &COMPRESSION_CODEC,
    &COMPRESSION_LEVEL,
    &COMPRESSION_RATIO,
    &DICTIONARY_ENABLED,
];
