//! The content of every timeline file: read, and written again.

use std::collections::BTreeMap;

use oxlake_avro::{Schema, Value, container};
use oxlake_model::metadata::{CommitMetadata, InstantContent};
use oxlake_model::{Action, Instant, State};

use crate::golden::tables_and_metadata_tables;

#[test]
fn every_content_decodes_to_the_type_of_its_instant() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for table in tables_and_metadata_tables() {
        for (instant, bytes) in table.instants() {
            let content = InstantContent::decode(&instant, bytes)
                .unwrap_or_else(|e| panic!("{}: {instant}: {e:?}", table.name));
            assert!(
                fits(&instant, &content),
                "{}: {instant}: {content:?}",
                table.name
            );
            let line = format!("{} {} {}", instant.action, instant.state, variant(&content));
            *counts.entry(line).or_default() += 1;
        }
    }
    assert!(counts.values().sum::<usize>() > 3500, "{counts:?}");
    assert!(counts.len() >= 30, "{counts:#?}");
}

/// One small file of each kind, each of its bytes changed in turn: an error or another value, never a panic.
#[test]
fn damaged_contents_never_panic() {
    let mut smallest: BTreeMap<String, (Instant, &[u8])> = BTreeMap::new();
    for table in tables_and_metadata_tables() {
        for (instant, bytes) in table
            .instants()
            .into_iter()
            .filter(|(_, bytes)| !bytes.is_empty())
        {
            let content = InstantContent::decode(&instant, bytes).unwrap();
            let key = format!("{} {}", variant(&content), bytes[0]);
            let kept = smallest.entry(key).or_insert((instant.clone(), bytes));
            if bytes.len() < kept.1.len() {
                *kept = (instant, bytes);
            }
        }
    }
    assert!(smallest.len() >= 13, "{:?}", smallest.keys());
    for (instant, bytes) in smallest.into_values() {
        let mut bytes = bytes.to_vec();
        for position in 0..bytes.len() {
            for bit in [0x01, 0x80, 0xff] {
                bytes[position] ^= bit;
                let _ = InstantContent::decode(&instant, &bytes);
                bytes[position] ^= bit;
            }
            let _ = InstantContent::decode(&instant, &bytes[..position]);
        }
    }
}

/// The block of one container: what lies between the header and the last sync marker.
fn payload(bytes: &[u8]) -> &[u8] {
    let schema = container::read(bytes).unwrap();
    let header = container::write(&schema.schema, &[], schema.sync)
        .unwrap()
        .len();
    &bytes[header..bytes.len() - 16]
}

/// Maps are written in the order of their keys, the JVM's order is that of its hash tables. So equality of bytes
/// is asked after bringing the JVM's record into our order, and of the original bytes where order allows.
#[test]
fn every_avro_content_is_written_as_the_jvm_wrote_it() {
    let (mut same, mut same_but_order, mut older) = (0, 0, 0);
    for table in tables_and_metadata_tables() {
        for (instant, bytes) in table.instants() {
            if !container::is_container(bytes) {
                continue;
            }
            let theirs = container::read(bytes).unwrap();
            let content = InstantContent::decode(&instant, bytes).unwrap();
            let written = encode(&content, theirs.sync);
            let ours = container::read(&written).unwrap();
            let what = format!("{}: {instant}", table.name);
            if ours.schema != theirs.schema {
                assert_older(&ours.schema, &theirs.schema, &what);
                older += 1;
                continue;
            }
            assert_eq!(ours.records, theirs.records, "{what}");
            let in_our_order =
                container::write(&theirs.schema, &theirs.records, theirs.sync).unwrap();
            assert_eq!(written, in_our_order, "{what}");
            if payload(&written) == payload(bytes) {
                same += 1;
            } else {
                same_but_order += 1;
            }
            assert_eq!(written.len(), bytes.len(), "{what}");
        }
    }
    println!(
        "{same} byte for byte, {same_but_order} up to the order of maps, {older} of an older schema"
    );
    assert!(same > 1000 && older < 60, "{same} {same_but_order} {older}");
}

/// The commits, whose exact bytes matter most: of each file where no map has two entries, every byte is the same.
#[test]
fn commit_files_without_large_maps_are_equal_in_every_byte() {
    let mut count = 0;
    for table in tables_and_metadata_tables() {
        for (instant, bytes) in table.instants() {
            if !container::is_container(bytes) {
                continue;
            }
            let InstantContent::Commit(metadata) = InstantContent::decode(&instant, bytes).unwrap()
            else {
                continue;
            };
            let theirs = container::read(bytes).unwrap();
            if theirs.records.iter().all(has_small_maps) {
                let ours = metadata.encode_avro(theirs.sync).unwrap();
                assert!(ours == bytes, "{}: {instant}", table.name);
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count}");
}

fn has_small_maps(value: &Value) -> bool {
    match value {
        Value::Map(entries) => entries.len() < 2 && entries.values().all(has_small_maps),
        Value::Array(items) => items.iter().all(has_small_maps),
        Value::Record(fields) => fields.iter().all(|(_, value)| has_small_maps(value)),
        _ => true,
    }
}

#[test]
fn every_json_commit_is_written_with_the_same_meaning() {
    let (mut same, mut count) = (0, 0);
    for table in tables_and_metadata_tables() {
        for (instant, bytes) in table.instants() {
            if bytes.first() != Some(&b'{') || instant.action == Action::SchemaCommit {
                continue;
            }
            let metadata = CommitMetadata::decode(bytes).unwrap();
            let ours = metadata.encode_json().unwrap();
            let json =
                |bytes: &[u8]| -> serde_json::Value { serde_json::from_slice(bytes).unwrap() };
            let (ours_json, mut theirs) = (json(&ours), json(bytes));
            drop_keys_we_do_not_keep(&mut theirs);
            assert_eq!(ours_json, theirs, "{}: {instant}", table.name);
            assert_eq!(CommitMetadata::decode(&ours).unwrap(), metadata);
            same += usize::from(ours == bytes);
            count += 1;
        }
    }
    println!("{same} of {count} byte for byte");
    assert!(count > 300 && same > 200, "{same} of {count}");
}

/// What JSON can hold and the Avro record cannot is not kept: keys of 1.x in a table it took down, column ranges.
fn drop_keys_we_do_not_keep(json: &mut serde_json::Value) {
    let partitions = json["partitionToWriteStats"].as_object_mut().unwrap();
    let keys = [
        "totalValidLogBlocks",
        "totalLogBlocksSize",
        "totalLogBlocksScanTimeMs",
    ];
    for stat in partitions
        .values_mut()
        .flat_map(|stats| stats.as_array_mut().unwrap())
    {
        let stat = stat.as_object_mut().unwrap();
        // Column ranges of log files, which the metadata table has better.
        if let Some(ranges) = stat.get_mut("recordsStats") {
            ranges["val"].take();
        }
        stat.retain(|key, value| {
            let absent = key == "prevBaseFile" && value.is_null();
            !absent && !keys.contains(&key.as_str())
        });
    }
}

fn encode(content: &InstantContent, sync: [u8; 16]) -> Vec<u8> {
    use InstantContent as C;
    match content {
        C::Commit(record) => record.encode_avro(sync),
        C::RequestedReplace(record) => record.encode_avro(sync),
        C::CompactionPlan(record) => record.encode_avro(sync),
        C::CleanerPlan(record) => record.encode_avro(sync),
        C::Clean(record) => record.encode_avro(sync),
        C::RollbackPlan(record) => record.encode_avro(sync),
        C::Rollback(record) => record.encode_avro(sync),
        C::RestorePlan(record) => record.encode_avro(sync),
        C::Restore(record) => record.encode_avro(sync),
        C::Savepoint(record) => record.encode_avro(sync),
        C::IndexPlan(record) => record.encode_avro(sync),
        C::IndexCommit(record) => record.encode_avro(sync),
        C::Empty | C::SchemaHistory(_) => panic!("no avro content: {content:?}"),
    }
    .unwrap()
}

/// Of the two records whose schema grew after 0.15, the older text lacks the field that was added.
fn assert_older(ours: &Schema, theirs: &Schema, what: &str) {
    let name = ours.record().unwrap().name().name();
    assert!(
        matches!(
            name,
            "HoodieRequestedReplaceMetadata" | "HoodieCompactionPlan"
        ),
        "{what}"
    );
    assert!(
        !theirs.json().contains("missingSchedulePartitions"),
        "{what}"
    );
}

fn fits(instant: &Instant, content: &InstantContent) -> bool {
    use InstantContent as C;
    match (instant.action, instant.state) {
        (Action::ReplaceCommit | Action::Clustering, State::Requested) => {
            matches!(content, C::RequestedReplace(_))
        }
        (Action::Commit | Action::DeltaCommit | Action::ReplaceCommit, _) => {
            matches!(content, C::Commit(_))
        }
        (Action::Compaction | Action::LogCompaction, State::Requested) => {
            matches!(content, C::CompactionPlan(_))
        }
        (Action::Clean, State::Requested) => matches!(content, C::CleanerPlan(_)),
        (Action::Clean, State::Inflight) => matches!(content, C::CleanerPlan(_) | C::Empty),
        (Action::Clean, State::Completed) => matches!(content, C::Clean(_)),
        (Action::Rollback, State::Requested) => matches!(content, C::RollbackPlan(_)),
        (Action::Rollback, State::Completed) => matches!(content, C::Rollback(_)),
        (Action::Restore, State::Requested) => matches!(content, C::RestorePlan(_)),
        (Action::Restore, State::Completed) => matches!(content, C::Restore(_)),
        (Action::Savepoint, State::Completed) => matches!(content, C::Savepoint(_)),
        (Action::Indexing, State::Requested) => matches!(content, C::IndexPlan(_)),
        (Action::Indexing, State::Completed) => matches!(content, C::IndexCommit(_)),
        _ => *content == C::Empty,
    }
}

fn variant(content: &InstantContent) -> String {
    let text = format!("{content:?}");
    text.split(['(', ' ']).next().unwrap().to_owned()
}
