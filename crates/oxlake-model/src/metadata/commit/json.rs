//! Commit metadata of version 6: JSON as the JVM's pretty printer writes it (spec 01 §4.3).

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::ser::Formatter;

use super::{COMMIT, CommitMetadata};
use crate::metadata::codec::{self, Record};
use crate::{Error, OperationType, Result, RuntimeStats, WriteStat};

pub(super) fn decode(bytes: &[u8]) -> Result<CommitMetadata> {
    let json = serde_json::from_slice(bytes).map_err(json_error)?;
    CommitMetadata::from_value(&codec::value_from_json(json))
}

pub(super) fn encode(metadata: &CommitMetadata) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Jackson::default());
    Commit(metadata)
        .serialize(&mut serializer)
        .map_err(json_error)?;
    Ok(out)
}

fn json_error(source: serde_json::Error) -> Error {
    Error::Json {
        record: COMMIT,
        source,
    }
}

/// The default pretty printer of the JVM's JSON library: objects over lines, arrays within one.
#[derive(Default)]
struct Jackson {
    depth: usize,
    has_entries: bool,
}

impl Jackson {
    fn new_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Jackson {
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.has_entries = false;
        out.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.new_line(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b" : ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_entries = true;
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.has_entries {
            self.new_line(out)?;
        } else {
            out.write_all(b" ")?;
        }
        out.write_all(b"}")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b" " } else { b", " })
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b" ]")
    }
}

struct Commit<'a>(&'a CommitMetadata);

impl Serialize for Commit<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let metadata = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("partitionToWriteStats", &Partitions(metadata))?;
        map.serialize_entry("compacted", &metadata.compacted)?;
        map.serialize_entry("extraMetadata", &metadata.extra_metadata)?;
        let operation = metadata.operation_type.map(OperationType::as_str);
        map.serialize_entry("operationType", &operation)?;
        if let Some(replaced) = &metadata.partition_to_replace_file_ids {
            map.serialize_entry("partitionToReplaceFileIds", replaced)?;
        }
        map.end()
    }
}

struct Partitions<'a>(&'a CommitMetadata);

impl Serialize for Partitions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let partitions = self.0.partition_to_write_stats.iter();
        serializer.collect_map(partitions.map(|(partition, stats)| {
            let stats: Vec<Stat<'_>> = stats.iter().map(Stat).collect();
            (partition, stats)
        }))
    }
}

struct Stat<'a>(&'a WriteStat);

impl Serialize for Stat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stat = self.0;
        let mut map = serializer.serialize_map(None)?;
        // Counters are primitive in the JVM: what is not known there is zero.
        let count = |number: Option<i64>| number.unwrap_or_default();
        map.serialize_entry("fileId", &stat.file_id)?;
        map.serialize_entry("path", &stat.path)?;
        map.serialize_entry("cdcStats", &stat.cdc_stats)?;
        map.serialize_entry("prevCommit", &stat.prev_commit)?;
        map.serialize_entry("numWrites", &count(stat.num_writes))?;
        map.serialize_entry("numDeletes", &count(stat.num_deletes))?;
        map.serialize_entry("numUpdateWrites", &count(stat.num_update_writes))?;
        map.serialize_entry("numInserts", &count(stat.num_inserts))?;
        map.serialize_entry("totalWriteBytes", &count(stat.total_write_bytes))?;
        map.serialize_entry("totalWriteErrors", &count(stat.total_write_errors))?;
        map.serialize_entry("tempPath", &stat.temp_path)?;
        map.serialize_entry("partitionPath", &stat.partition_path)?;
        map.serialize_entry("totalLogRecords", &count(stat.total_log_records))?;
        map.serialize_entry(
            "totalLogFilesCompacted",
            &count(stat.total_log_files_compacted),
        )?;
        map.serialize_entry(
            "totalLogSizeCompacted",
            &count(stat.total_log_size_compacted),
        )?;
        let updated = count(stat.total_updated_records_compacted);
        map.serialize_entry("totalUpdatedRecordsCompacted", &updated)?;
        map.serialize_entry("totalLogBlocks", &count(stat.total_log_blocks))?;
        map.serialize_entry("totalCorruptLogBlock", &count(stat.total_corrupt_log_block))?;
        map.serialize_entry("totalRollbackBlocks", &count(stat.total_rollback_blocks))?;
        map.serialize_entry("fileSizeInBytes", &count(stat.file_size_in_bytes))?;
        map.serialize_entry("minEventTime", &stat.min_event_time)?;
        map.serialize_entry("maxEventTime", &stat.max_event_time)?;
        map.serialize_entry("runtimeStats", &stat.runtime_stats.as_ref().map(Runtime))?;
        if let Some(version) = stat.log_version {
            map.serialize_entry("logVersion", &version)?;
            map.serialize_entry("logOffset", &count(stat.log_offset))?;
            map.serialize_entry("baseFile", &stat.base_file)?;
            map.serialize_entry("logFiles", &stat.log_files)?;
            map.serialize_entry("recordsStats", &NoColumnRanges)?;
        }
        // 0.x does not write these; a table that 1.x wrote has them, and they stay.
        for (key, number) in [
            ("totalLogReadTimeMs", stat.total_log_read_time_ms),
            ("numUpdates", stat.num_updates),
        ] {
            if let Some(number) = number {
                map.serialize_entry(key, &number)?;
            }
        }
        if let Some(name) = &stat.prev_base_file {
            map.serialize_entry("prevBaseFile", name)?;
        }
        map.end()
    }
}

struct Runtime<'a>(&'a RuntimeStats);

impl Serialize for Runtime<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let stats = self.0;
        map.serialize_entry("totalScanTime", &stats.total_scan_time.unwrap_or_default())?;
        map.serialize_entry(
            "totalUpsertTime",
            &stats.total_upsert_time.unwrap_or_default(),
        )?;
        map.serialize_entry(
            "totalCreateTime",
            &stats.total_create_time.unwrap_or_default(),
        )?;
        map.end()
    }
}

/// An empty option as the JVM writes it.
struct NoColumnRanges;

impl Serialize for NoColumnRanges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("val", &None::<bool>)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_is_that_of_the_jvm() {
        let mut metadata = CommitMetadata::default();
        metadata
            .extra_metadata
            .insert("schema".into(), "\"x\"".into());
        metadata.partition_to_replace_file_ids = Some(
            [
                ("p".to_owned(), vec!["a".to_owned(), "b".to_owned()]),
                ("q".to_owned(), vec![]),
            ]
            .into(),
        );
        let text = String::from_utf8(encode(&metadata).unwrap()).unwrap();
        let expected = r#"{
  "partitionToWriteStats" : { },
  "compacted" : false,
  "extraMetadata" : {
    "schema" : "\"x\""
  },
  "operationType" : null,
  "partitionToReplaceFileIds" : {
    "p" : [ "a", "b" ],
    "q" : [ ]
  }
}"#;
        assert_eq!(text, expected);
    }
}
