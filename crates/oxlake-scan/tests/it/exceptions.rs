//! Where our answer is not the stored one: what is not built yet, and where the stored answer is wrong.
//!
//! Both lists may only shrink: an entry that is not needed any more fails the test.

/// Queries of copy-on-write tables that are refused with a typed error: table, kind, reason.
pub(crate) const NOT_YET: &[(&str, &str, &str)] = &[
    ("v6_cdc_cow_data_before_after", "cdc", "change data capture"),
    ("v6_cdc_cow_op_key_only", "cdc", "change data capture"),
    ("v9_cdc_cow_data_before", "cdc", "change data capture"),
    ("v9_cdc_cow_data_before_after", "cdc", "change data capture"),
    ("v9_cdc_cow_op_key_only", "cdc", "change data capture"),
];

/// What the right answer is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Right {
    /// The query is refused because the cleaner took its files; it can be answered from this instant on.
    CleanedUntil(&'static str),
    /// The stored rows, but these cells, by record key and column, have these JSON values.
    Cells(&'static [(&'static str, &'static str, &'static str)]),
    /// The rows stored for the query at this position.
    RowsOfQuery(usize),
    /// The table is refused; the message holds this text.
    Refused(&'static str),
}

const VERSIONS: &str = "time travel before a clean that keeps file versions is silently empty";
const DOWNGRADE: &str = "a failed downgrade leaves a table that looks empty";
const PARTITION_VALUE: &str =
    "a timestamp partition column, and an empty partition value, read back as null";
const TEXT_OF_NUMBER: &str =
    "the partition column of a timestamp key generator reads back as text, whatever its type";
const ARCHIVED: &str = "changes of archived writes are left out silently (version 6)";

/// Stored answers that are wrong: table, position of the query, the right answer, why.
pub(crate) const WRONG: &[(&str, usize, Right, &str)] = &[
    ("v6_archive_cow", 1, Right::RowsOfQuery(0), ARCHIVED),
    (
        "v6_clean_versions_cow",
        1,
        Right::CleanedUntil("20261130142010636"),
        VERSIONS,
    ),
    (
        "v6_clean_versions_cow",
        2,
        Right::CleanedUntil("20261130142010636"),
        VERSIONS,
    ),
    (
        "v8_downgrade_4_failed_cow",
        0,
        Right::Refused("stopped half-way"),
        DOWNGRADE,
    ),
    (
        "v8_downgrade_4_failed_cow",
        1,
        Right::Refused("stopped half-way"),
        DOWNGRADE,
    ),
    (
        "v9_clean_versions_cow",
        1,
        Right::CleanedUntil("20261130135833992"),
        VERSIONS,
    ),
    (
        "v9_clean_versions_cow",
        2,
        Right::CleanedUntil("20261130135833992"),
        VERSIONS,
    ),
    (
        "v9_clean_versions_cow",
        3,
        Right::CleanedUntil("20261130135833992"),
        VERSIONS,
    ),
    (
        "v9_clean_versions_cow",
        4,
        Right::CleanedUntil("20261130135833992"),
        VERSIONS,
    ),
    (
        "v9_key_partition_types",
        0,
        Right::Cells(&[("id:1", "tsz", "\"2024-01-02T03:04:05.678901Z\"")]),
        PARTITION_VALUE,
    ),
    (
        "v9_key_timestamp_scalar_days",
        0,
        Right::Cells(&[("1", "event", "19724"), ("2", "event", "-1")]),
        TEXT_OF_NUMBER,
    ),
    (
        "v9_key_urlencoded_hive",
        0,
        Right::Cells(&[("5", "city", "\"\"")]),
        PARTITION_VALUE,
    ),
];
