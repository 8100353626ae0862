//! What each fuzz target does with its input: decode it, and hold what was decoded against itself.
//!
//! A target fails by a panic of the decoder, by one of the assertions here, or by memory or time that
//! is out of proportion. The layout of inputs that carry more than the decoder's own bytes is told at
//! each function; `seed.py` makes them from the fixtures.

use std::hint::black_box;

use oxlake_avro::{Schema, container, decode, encode};
use oxlake_config::{Properties, TableConfig};
use oxlake_hash::{BloomFilter, BloomType};
use oxlake_log::{BlockKind, avro_records, delete_content, read_blocks, write_block};
use oxlake_model::{
    BaseFileName, CommitMetadata, InstantContent, InstantFileName, LogFileName, TimelineLayout,
};

/// An object container file.
pub fn avro_container(data: &[u8]) {
    let Ok(read) = container::read(data) else {
        return;
    };
    let written = container::write(&read.schema, &read.records, read.sync)
        .expect("what was decoded can be encoded");
    let again = container::read(&written).expect("what was written can be read");
    // As text, since not-a-number differs from itself.
    assert_eq!(format!("{:?}", again.records), format!("{:?}", read.records));
}

/// A schema text, a zero byte, a datum.
pub fn avro_datum(data: &[u8]) {
    let (schema, datum) = split(data, 0);
    let Some(schema) = std::str::from_utf8(schema).ok().and_then(|s| Schema::parse(s).ok()) else {
        return;
    };
    if let Ok(arrow) = oxlake_avro::arrow::to_arrow(&schema) {
        let _ = black_box(oxlake_avro::arrow::from_arrow(&arrow, "r", "n"));
    }
    let _ = black_box(schema.with_leading_strings(&["_hoodie_commit_time"]));
    let Ok((value, used)) = decode(&schema, datum) else {
        return;
    };
    assert!(used <= datum.len());
    let bytes = encode(&schema, &value).expect("what was decoded can be encoded");
    let (again, used) = decode(&schema, &bytes).expect("what was written can be read");
    assert_eq!(used, bytes.len());
    assert_eq!(format!("{again:?}"), format!("{value:?}"));
}

/// `s` or `d` for the type, then the text of a footer.
pub fn bloom(data: &[u8]) {
    let (kind, text) = match data.split_first() {
        Some((b's', text)) => (BloomType::Simple, text),
        Some((b'd', text)) => (BloomType::DynamicV0, text),
        _ => return,
    };
    let Some(text) = std::str::from_utf8(text).ok() else {
        return;
    };
    if let Ok(mut filter) = BloomFilter::from_base64(text, kind) {
        assert_eq!(filter.to_base64(), text);
        filter.add(b"key");
        assert!(filter.might_contain(b"key"));
    }
}

/// The name of a base or log file.
pub fn file_names(data: &[u8]) {
    let Ok(name) = std::str::from_utf8(data) else {
        return;
    };
    if let Some(parsed) = BaseFileName::parse(name) {
        assert_eq!(BaseFileName::parse(&parsed.print()), Some(parsed));
    }
    if let Some(parsed) = LogFileName::parse(name) {
        assert_eq!(LogFileName::parse(&parsed.print()), Some(parsed));
    }
}

/// The name of a timeline file.
pub fn instant_names(data: &[u8]) {
    let Ok(name) = std::str::from_utf8(data) else {
        return;
    };
    for layout in [TimelineLayout::V1, TimelineLayout::V2] {
        if let Some(instant) = InstantFileName::parse(layout, name) {
            let printed = InstantFileName::print(layout, &instant);
            assert_eq!(InstantFileName::parse(layout, &printed), Some(instant));
        }
    }
}

/// A log file.
pub fn log_blocks(data: &[u8]) {
    let Ok(blocks) = read_blocks(data) else {
        return;
    };
    for block in blocks {
        let content = block.content_in(data).expect("contents lie in the file");
        match block.kind {
            BlockKind::AvroData | BlockKind::CdcData => {
                let schema = block.schema().and_then(|text| Schema::parse(text).ok());
                for record in avro_records(content).into_iter().flatten() {
                    let _ = black_box(schema.as_ref().map(|schema| decode(schema, record)));
                }
            }
            BlockKind::Delete => {
                let _ = black_box(delete_content(content));
            }
            _ => {}
        }
        if block.kind != BlockKind::Corrupt {
            let written = write_block(block.kind, &block.header, content).expect("it was small");
            assert!(data[block.offset..].starts_with(&written));
        }
    }
}

/// A `hoodie.properties`.
pub fn properties(data: &[u8]) {
    if let Ok(properties) = Properties::parse(data) {
        let printed = properties.print("comment", "date");
        let again = Properties::parse(printed.as_bytes()).expect("what was printed can be read");
        assert_eq!(again, properties);
        let _ = black_box(TableConfig::try_from_properties(properties));
    }
}

/// The name of a timeline file, a zero byte, its content.
pub fn timeline_content(data: &[u8]) {
    let (name, content) = split(data, 0);
    let _ = black_box(CommitMetadata::decode(content));
    let Ok(name) = std::str::from_utf8(name) else {
        return;
    };
    for layout in [TimelineLayout::V1, TimelineLayout::V2] {
        if let Some(instant) = InstantFileName::parse(layout, name) {
            let _ = black_box(InstantContent::decode(&instant, content));
        }
    }
}

/// What stands before and behind the first `separator`.
fn split(data: &[u8], separator: u8) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == separator) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[]),
    }
}
