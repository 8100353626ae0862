//! The hashes and filters against the answers of the real engine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use oxlake_hash::{BloomFilter, BloomType, murmur};
use serde_json::Value as Json;

fn vectors(name: &str) -> Vec<Json> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/golden-metadata/vectors/"
    );
    let text = std::fs::read(format!("{folder}{name}")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn murmur_equals_the_engine() {
    let vectors = vectors("hashes.json");
    for vector in &vectors {
        let input = vector["input"].as_str().unwrap().as_bytes();
        for (seed, key) in [
            (0, "murmur_seed_0"),
            (-1, "murmur_seed_m1"),
            (12345, "murmur_seed_12345"),
        ] {
            assert_eq!(
                i64::from(murmur(input, seed)),
                vector[key].as_i64().unwrap(),
                "{vector}"
            );
        }
    }
    assert_eq!(vectors.len(), 44);
}

/// Filters of the engine, with its keys and its answers.
fn blooms() -> Vec<Json> {
    let mut vectors = vectors("blooms.json");
    vectors.retain(|vector| vector.get("serialized").is_some());
    assert_eq!(vectors.len(), 24);
    vectors
}

fn kind(vector: &Json) -> BloomType {
    BloomType::parse(vector["type"].as_str().unwrap()).unwrap()
}

fn number(vector: &Json, key: &str) -> u32 {
    u32::try_from(vector[key].as_u64().unwrap()).unwrap()
}

#[test]
fn filters_equal_the_engine_byte_for_byte() {
    for vector in blooms() {
        let entries = number(&vector, "num_entries");
        let fpp = vector["fpp"].as_f64().unwrap();
        let mut filter = match kind(&vector) {
            BloomType::Simple => BloomFilter::simple(entries, fpp),
            BloomType::DynamicV0 => {
                BloomFilter::dynamic(entries, fpp, number(&vector, "max_entries"))
            }
        }
        .unwrap();
        for key in vector["must_contain"].as_array().unwrap() {
            filter.add(key.as_str().unwrap().as_bytes());
        }
        assert_eq!(
            filter.to_base64(),
            vector["serialized"].as_str().unwrap(),
            "{vector}"
        );
    }
}

#[test]
fn read_filters_answer_as_the_engine() {
    for vector in blooms() {
        let text = vector["serialized"].as_str().unwrap();
        let filter = BloomFilter::from_base64(text, kind(&vector)).unwrap();
        assert_eq!(filter.to_base64(), text);
        for (key, answer) in vector["tested"].as_object().unwrap() {
            let answer = answer.as_bool().unwrap();
            assert_eq!(
                filter.might_contain(key.as_bytes()),
                answer,
                "{key} in {vector}"
            );
        }
    }
}

#[test]
fn damaged_filters_never_panic() {
    use base64::Engine;
    let standard = base64::engine::general_purpose::STANDARD;
    for vector in blooms() {
        let text = vector["serialized"].as_str().unwrap();
        let bytes = standard.decode(text).unwrap();
        for position in 0..bytes.len().min(200) {
            let truncated = standard.encode(&bytes[..position]);
            assert!(BloomFilter::from_base64(&truncated, kind(&vector)).is_err());
            for mask in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[position] ^= mask;
                if let Ok(filter) = BloomFilter::from_base64(&standard.encode(bytes), kind(&vector))
                {
                    let _ = filter.might_contain(b"key");
                }
            }
        }
    }
}

/// The filter text in the footer of a parquet file: the value after its key, in thrift's compact form.
fn footer_text(file: &[u8]) -> Option<&str> {
    let key = b"org.apache.hudi.bloomfilter";
    let at = file.windows(key.len()).rposition(|window| window == key)? + key.len();
    assert_eq!(file[at], 0x18, "a binary field");
    let mut length = 0;
    let mut at = at + 1;
    for shift in (0..).step_by(7) {
        length |= usize::from(file[at] & 0x7f) << shift;
        at += 1;
        if file[at - 1] & 0x80 == 0 {
            break;
        }
    }
    std::str::from_utf8(&file[at..at + length]).ok()
}

#[test]
fn footers_of_real_files_round_trip() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/golden");
    let mut checked = 0;
    for name in [
        "v6_ordering_event_mor",
        "v9_types_cow",
        "v9_clean_commits_cow",
    ] {
        let file = std::fs::File::open(format!("{folder}/{name}.zip")).unwrap();
        let mut table = zip::ZipArchive::new(file).unwrap();
        for index in 0..table.len() {
            let mut entry = table.by_index(index).unwrap();
            if !entry.name().ends_with(".parquet") {
                continue;
            }
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            let Some(text) = footer_text(&bytes) else {
                continue;
            };
            let filter = BloomFilter::from_base64(text, BloomType::DynamicV0).unwrap();
            assert!(filter.to_base64() == text, "{}", entry.name());
            checked += 1;
        }
    }
    assert!(checked >= 4, "{checked} footers");
}
