//! Every Avro file of every golden timeline: decoded, written again, and equal.

use std::collections::BTreeMap;

use oxlake_avro::{Node, Value, container};

use crate::fixtures;

#[test]
fn every_timeline_file_is_written_again_byte_for_byte() {
    let mut files = 0;
    for (path, bytes) in fixtures::files(|name| name.contains(".hoodie/")) {
        if !container::is_container(&bytes) {
            continue;
        }
        let read = container::read(&bytes).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert_eq!(read.metadata.len(), 1, "{path}");
        let written = container::write(&read.schema, &read.records, read.sync).unwrap();
        if has_wide_map(&read.records) {
            // The engine writes maps in the order of its hash table, we write them sorted.
            assert_eq!(histogram(&written), histogram(&bytes), "{path}");
            assert_eq!(container::read(&written).unwrap(), read, "{path}");
        } else {
            assert_eq!(written, bytes, "{path}");
        }
        files += 1;
    }
    assert!(files > 1800, "{files} files");
}

/// The lengths and digests that the specification gives for embedded schemas.
#[test]
fn embedded_schemas_have_the_known_lengths() {
    let mut seen: BTreeMap<String, BTreeMap<usize, usize>> = BTreeMap::new();
    for (_, bytes) in fixtures::files(|name| name.contains(".hoodie/")) {
        if container::is_container(&bytes) {
            let read = container::read(&bytes).unwrap();
            let record = read.schema.record().unwrap();
            let lengths = seen.entry(record.name().name().to_owned()).or_default();
            *lengths.entry(read.schema.json().len()).or_default() += 1;
        }
    }
    for (name, length) in [
        ("HoodieCommitMetadata", 3293),
        ("HoodieReplaceCommitMetadata", 3476),
        ("HoodieRequestedReplaceMetadata", 2603),
        ("HoodieCompactionPlan", 2191),
        ("HoodieRollbackPlan", 1141),
        ("HoodieRollbackMetadata", 1409),
        ("HoodieIndexPlan", 719),
        ("HoodieIndexCommitMetadata", 1038),
    ] {
        assert!(seen[name].contains_key(&length), "{name}: {:?}", seen[name]);
    }
}

/// The annotated bytes of spec 01 §4.2.
#[test]
fn index_plan_reads_as_annotated() {
    let bytes = fixtures::files(|name| name.ends_with(".indexing.requested"))
        .map(|(_, bytes)| bytes)
        .find(|bytes| bytes.len() > 800)
        .unwrap();
    let read = container::read(&bytes).unwrap();
    let [plan] = read.records.as_slice() else {
        panic!("one record");
    };
    assert_eq!(plan.opt_i32("version"), Some(1));
    let [index] = plan.opt_array("indexPartitionInfos").unwrap() else {
        panic!("one index");
    };
    assert!(index.opt_str("metadataPartitionPath").is_some());
    assert_eq!(index.opt_str("indexUptoInstant").unwrap().len(), 17);
    assert!(matches!(read.schema.root(), Node::Record(_)));
}

fn has_wide_map(values: &[Value]) -> bool {
    values.iter().any(|value| match value {
        Value::Map(entries) => {
            entries.len() > 1
                || entries
                    .values()
                    .any(|v| has_wide_map(std::slice::from_ref(v)))
        }
        Value::Array(items) => has_wide_map(items),
        Value::Record(fields) => fields
            .iter()
            .any(|(_, v)| has_wide_map(std::slice::from_ref(v))),
        Value::Branch(_, value) => has_wide_map(std::slice::from_ref(value)),
        _ => false,
    })
}

fn histogram(bytes: &[u8]) -> Vec<usize> {
    let mut counts = vec![0; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    counts
}
