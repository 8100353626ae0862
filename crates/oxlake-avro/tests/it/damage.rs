//! Damaged files are answered, never a panic.

use std::collections::BTreeMap;

use oxlake_avro::{Schema, container, decode};

use crate::fixtures;

/// The smallest timeline file of each record type.
fn smallest() -> BTreeMap<String, Vec<u8>> {
    let mut smallest: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (_, bytes) in fixtures::files(|name| name.contains(".hoodie/")) {
        if !container::is_container(&bytes) {
            continue;
        }
        let read = container::read(&bytes).unwrap();
        let kind = read.schema.record().unwrap().name().full().to_owned();
        let known = smallest.entry(kind).or_insert_with(|| bytes.clone());
        if bytes.len() < known.len() {
            *known = bytes;
        }
    }
    assert!(smallest.len() > 10);
    smallest
}

#[test]
fn flipped_and_truncated_containers_never_panic() {
    for (kind, bytes) in smallest() {
        for position in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[position] ^= [0xff, 0x01, 0x80][position % 3];
            let _ = container::read(&damaged);
        }
        // Only the end of the header is a file too, one without records.
        let whole = (0..bytes.len()).filter(|end| container::read(&bytes[..*end]).is_ok());
        assert!(whole.count() <= 1, "{kind}");
    }
}

#[test]
fn flipped_and_truncated_datums_never_panic() {
    for (kind, bytes) in smallest() {
        let read = container::read(&bytes).unwrap();
        let datum = oxlake_avro::encode(&read.schema, &read.records[0]).unwrap();
        for position in 0..datum.len() {
            assert!(decode(&read.schema, &datum[..position]).is_err(), "{kind}");
            for mask in [0x01, 0x02, 0x40, 0x80, 0xff] {
                let mut damaged = datum.clone();
                damaged[position] ^= mask;
                let _ = decode(&read.schema, &damaged);
            }
        }
    }
}

#[test]
fn flipped_schemas_never_panic() {
    for bytes in smallest().into_values() {
        let read = container::read(&bytes).unwrap();
        let text = read.schema.json();
        for position in (0..text.len()).step_by(3) {
            let mut damaged = text.as_bytes().to_vec();
            damaged[position] = b"{}[]\",:0 n"[position % 10];
            if let Ok(text) = std::str::from_utf8(&damaged) {
                let _ = Schema::parse(text);
            }
        }
    }
}
