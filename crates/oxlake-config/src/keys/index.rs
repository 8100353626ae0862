//! Options of the index that finds records, and of bloom filters (spec 04 §15.3).

use super::{Key, Kind};

/// How a writer finds the file of a key.
pub const TYPE: Key = Key {
    name: "hoodie.index.type",
    aliases: &[],
    kind: Kind::Word(&["SIMPLE", "BLOOM"]),
    default: Some("SIMPLE"),
    doc: "how a writer finds the file of a key",
};
/// Keys a bloom filter is made for.
pub const BLOOM_ENTRIES: Key = Key {
    name: "hoodie.index.bloom.num_entries",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("60000"),
    doc: "keys a bloom filter is made for",
};
/// Part of absent keys a bloom filter may let pass.
pub const BLOOM_FPP: Key = Key {
    name: "hoodie.index.bloom.fpp",
    aliases: &[],
    kind: Kind::Decimal,
    default: Some("0.000000001"),
    doc: "part of absent keys a bloom filter may let pass",
};
/// Whether a bloom filter grows.
pub const BLOOM_TYPE: Key = Key {
    name: "hoodie.bloom.index.filter.type",
    aliases: &[],
    kind: Kind::Word(&["SIMPLE", "DYNAMIC_V0"]),
    default: Some("DYNAMIC_V0"),
    doc: "whether a bloom filter grows",
};
/// Keys a growing bloom filter is made for at most.
pub const BLOOM_MAX_ENTRIES: Key = Key {
    name: "hoodie.bloom.index.filter.dynamic.max.entries",
    aliases: &[],
    kind: Kind::Integer,
    default: Some("100000"),
    doc: "keys a growing bloom filter is made for at most",
};
/// Whether files are ruled out by their smallest and greatest key.
pub const BLOOM_PRUNE_BY_RANGES: Key = Key {
    name: "hoodie.bloom.index.prune.by.ranges",
    aliases: &[],
    kind: Kind::Bool,
    default: Some("true"),
    doc: "whether files are ruled out by their smallest and greatest key",
};

/// All keys of this group.
pub const ALL: &[&Key] = &[
    &TYPE,
    &BLOOM_ENTRIES,
    &BLOOM_FPP,
    &BLOOM_TYPE,
    &BLOOM_MAX_ENTRIES,
    &BLOOM_PRUNE_BY_RANGES,
];
