//! Keys of the timestamp key generator, stored in `hoodie.properties` (spec 02 §4.6).

use super::{Key, Kind};

/// What the time field holds.
pub const TIMESTAMP_TYPE: Key = Key {
    name: "hoodie.keygen.timebased.timestamp.type",
    aliases: &["hoodie.deltastreamer.keygen.timebased.timestamp.type"],
    kind: Kind::Word(&[
        "UNIX_TIMESTAMP",
        "DATE_STRING",
        "EPOCHMILLISECONDS",
        "EPOCHMICROSECONDS",
        "SCALAR",
        "MIXED",
    ]),
    default: None,
    doc: "what the time field holds",
};
/// Unit of the number, for SCALAR.
pub const SCALAR_TIME_UNIT: Key = Key {
    name: "hoodie.keygen.timebased.timestamp.scalar.time.unit",
    aliases: &["hoodie.deltastreamer.keygen.timebased.timestamp.scalar.time.unit"],
    kind: Kind::Text,
    default: Some("SECONDS"),
    doc: "unit of the number, for SCALAR",
};
/// Patterns of the text.
pub const INPUT_DATE_FORMAT: Key = Key {
    name: "hoodie.keygen.timebased.input.dateformat",
    aliases: &["hoodie.deltastreamer.keygen.timebased.input.dateformat"],
    kind: Kind::Text,
    default: None,
    doc: "patterns of the text, for DATE_STRING and MIXED",
};
/// What separates these patterns.
pub const INPUT_DATE_FORMAT_DELIMITER: Key = Key {
    name: "hoodie.keygen.timebased.input.dateformat.list.delimiter.regex",
    aliases: &["hoodie.deltastreamer.keygen.timebased.input.dateformat.list.delimiter.regex"],
    kind: Kind::Text,
    default: Some(","),
    doc: "what separates these patterns",
};
/// Zone of the text.
pub const INPUT_TIMEZONE: Key = Key {
    name: "hoodie.keygen.timebased.input.timezone",
    aliases: &["hoodie.deltastreamer.keygen.timebased.input.timezone"],
    kind: Kind::Text,
    default: Some("UTC"),
    doc: "zone of the text",
};
/// Pattern of the partition path.
pub const OUTPUT_DATE_FORMAT: Key = Key {
    name: "hoodie.keygen.timebased.output.dateformat",
    aliases: &["hoodie.deltastreamer.keygen.timebased.output.dateformat"],
    kind: Kind::Text,
    default: None,
    doc: "pattern of the partition path",
};
/// Zone of the partition path.
pub const OUTPUT_TIMEZONE: Key = Key {
    name: "hoodie.keygen.timebased.output.timezone",
    aliases: &["hoodie.deltastreamer.keygen.timebased.output.timezone"],
    kind: Kind::Text,
    default: Some("UTC"),
    doc: "zone of the partition path",
};
/// Both zones, older form.
pub const TIMEZONE: Key = Key {
    name: "hoodie.keygen.timebased.timezone",
    aliases: &["hoodie.deltastreamer.keygen.timebased.timezone"],
    kind: Kind::Text,
    default: None,
    doc: "both zones, older form",
};
/// JVM class that reads the text.
pub const DATE_TIME_PARSER_CLASS: Key = Key {
    name: "hoodie.keygen.datetime.parser.class",
    aliases: &["hoodie.deltastreamer.keygen.datetime.parser.class"],
    kind: Kind::Text,
    default: Some("org.apache.hudi.keygen.parser.HoodieDateTimeParser"),
    doc: "JVM class that reads the text",
};

/// All keys of this group.
pub const ALL: &[&Key] = &[
    &TIMESTAMP_TYPE,
    &SCALAR_TIME_UNIT,
    &INPUT_DATE_FORMAT,
    &INPUT_DATE_FORMAT_DELIMITER,
    &INPUT_TIMEZONE,
    &OUTPUT_DATE_FORMAT,
    &OUTPUT_TIMEZONE,
    &TIMEZONE,
    &DATE_TIME_PARSER_CLASS,
];
