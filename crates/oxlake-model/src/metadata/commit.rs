//! What a commit did.

mod json;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use oxlake_avro::{Schema, Value, container};

use super::codec::{self, Record, parse_once};
use crate::{FileGroupId, OperationType, Result, TableVersion, WriteStat};

/// The content of a completed (or inflight) commit, delta commit or replace commit: `HoodieCommitMetadata` and
/// `HoodieReplaceCommitMetadata` (spec 01 §4.3, §4.4).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommitMetadata {
    /// By partition, the files written.
    pub partition_to_write_stats: BTreeMap<String, Vec<WriteStat>>,
    /// Whether it is a compaction.
    pub compacted: bool,
    /// Free entries; `schema` holds the table schema.
    pub extra_metadata: BTreeMap<String, String>,
    /// What the write did; a name this engine does not know reads as [`OperationType::Unknown`].
    pub operation_type: Option<OperationType>,
    /// Only for replace commits: by partition, the file groups that are no longer part of the table.
    pub partition_to_replace_file_ids: Option<BTreeMap<String, Vec<String>>>,
}

impl CommitMetadata {
    /// The key of [`extra_metadata`](Self::extra_metadata) that holds the table schema as Avro JSON.
    pub const SCHEMA_KEY: &'static str = "schema";
    /// The key that holds the newest schema-on-read schema.
    pub const LATEST_SCHEMA_KEY: &'static str = "latest_schema";

    /// Reads the content of a timeline file or history row of any version: an Avro container, JSON, nothing at
    /// all (a commit that touched no file), or a bare datum (spec 01 §4.1, §5.1).
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro), [`Error::Json`](crate::Error::Json) or
    /// [`Error::Field`](crate::Error::Field) when the bytes are none of these.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        match bytes.first() {
            None => Ok(Self::default()),
            Some(b'{') => json::decode(bytes),
            Some(_) if container::is_container(bytes) => {
                let (name, value) = codec::container_value(COMMIT, bytes)?;
                Self::from_named_value(&name, &value)
            }
            Some(_) => Self::decode_datum(bytes),
        }
    }

    /// Writes the content of a timeline file, inflight or completed, in the form that `version` has for it;
    /// `sync` is any 16 random bytes, which JSON does not need.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro) or [`Error::Json`](crate::Error::Json), defects of this engine.
    pub fn encode(&self, version: TableVersion, sync: [u8; 16]) -> Result<Vec<u8>> {
        if version.commit_metadata_is_avro() {
            self.encode_avro(sync)
        } else {
            self.without_later_fields().encode_json()
        }
    }

    /// Without what the releases of version 6 do not write into a stat (spec 01 §4.3).
    fn without_later_fields(&self) -> Self {
        let mut metadata = self.clone();
        for stat in metadata.partition_to_write_stats.values_mut().flatten() {
            stat.prev_base_file = None;
            stat.num_updates = None;
            stat.total_log_read_time_ms = None;
        }
        metadata
    }

    /// Writes the content of a timeline file of versions 8 and 9 as the JVM does; `sync` is any 16 random bytes.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro), a defect of this engine.
    pub fn encode_avro(&self, sync: [u8; 16]) -> Result<Vec<u8>> {
        match self.partition_to_replace_file_ids {
            Some(_) => codec::encode(Self::replace_schema()?, self, sync),
            None => codec::encode(Self::avro_schema()?, self, sync),
        }
    }

    /// Writes the bare datum, as upgraded tables keep it in their history.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro), a defect of this engine.
    pub fn encode_datum(&self) -> Result<Vec<u8>> {
        match self.partition_to_replace_file_ids {
            Some(_) => codec::encode_datum(Self::replace_schema()?, self),
            None => codec::encode_datum(Self::avro_schema()?, self),
        }
    }

    /// Writes the content of a timeline file of version 6: JSON in the order and spacing of the JVM.
    ///
    /// # Errors
    /// [`Error::Json`](crate::Error::Json), a defect of this engine.
    pub fn encode_json(&self) -> Result<Vec<u8>> {
        json::encode(self)
    }

    /// The Avro schema of `HoodieCommitMetadata`.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro), a defect of this engine.
    pub fn avro_schema() -> Result<&'static Schema> {
        static SCHEMA: OnceLock<Schema> = OnceLock::new();
        parse_once(
            &SCHEMA,
            COMMIT,
            include_str!("../schemas/HoodieCommitMetadata.avsc"),
        )
    }

    /// The Avro schema of `HoodieReplaceCommitMetadata`.
    ///
    /// # Errors
    /// [`Error::Avro`](crate::Error::Avro), a defect of this engine.
    pub fn replace_schema() -> Result<&'static Schema> {
        static SCHEMA: OnceLock<Schema> = OnceLock::new();
        let text = include_str!("../schemas/HoodieReplaceCommitMetadata.avsc");
        parse_once(&SCHEMA, REPLACE, text)
    }

    /// The table schema as Avro JSON text; `None` when absent or empty.
    pub fn schema(&self) -> Option<&str> {
        let schema = self.extra_metadata.get(Self::SCHEMA_KEY)?;
        (!schema.is_empty()).then_some(schema.as_str())
    }

    /// All write stats with their partition.
    pub fn write_stats(&self) -> impl Iterator<Item = (&str, &WriteStat)> {
        self.partition_to_write_stats
            .iter()
            .flat_map(|(partition, stats)| stats.iter().map(move |stat| (partition.as_str(), stat)))
    }

    /// The file groups this replace commit took out of the table.
    pub fn replaced_file_groups(&self) -> impl Iterator<Item = FileGroupId> {
        let replaced = self.partition_to_replace_file_ids.iter().flatten();
        replaced.flat_map(|(partition, ids)| {
            ids.iter()
                .map(|id| FileGroupId::new(partition.as_str(), id.as_str()))
        })
    }

    /// Takes the record out of a decoded value; `name` says whether it is a commit or a replace commit.
    pub(crate) fn from_named_value(name: &str, value: &Value) -> Result<Self> {
        let mut metadata = Self::from_value(value)?;
        if name == REPLACE {
            metadata
                .partition_to_replace_file_ids
                .get_or_insert_default();
        }
        Ok(metadata)
    }

    /// A datum of the longer schema does not end where one of the shorter would, so trying both is safe.
    fn decode_datum(bytes: &[u8]) -> Result<Self> {
        if let Ok(value) = codec::bare_value(REPLACE, Self::replace_schema()?, bytes) {
            return Self::from_named_value(REPLACE, &value);
        }
        let value = codec::bare_value(COMMIT, Self::avro_schema()?, bytes)?;
        Self::from_value(&value)
    }
}

/// The two records this type stands for.
pub(crate) const COMMIT: &str = "HoodieCommitMetadata";
pub(crate) const REPLACE: &str = "HoodieReplaceCommitMetadata";

impl Record for CommitMetadata {
    const NAME: &'static str = COMMIT;

    fn from_value(value: &Value) -> Result<Self> {
        let operation: Option<String> = codec::read_field(COMMIT, value, "operationType", None)?;
        let operation = operation.map(|name| OperationType::parse(&name));
        Ok(Self {
            partition_to_write_stats: codec::read_field(
                COMMIT,
                value,
                "partitionToWriteStats",
                Some(BTreeMap::new()),
            )?,
            compacted: codec::read_field(COMMIT, value, "compacted", Some(false))?,
            extra_metadata: codec::read_field(
                COMMIT,
                value,
                "extraMetadata",
                Some(BTreeMap::new()),
            )?,
            operation_type: operation.map(|known| known.unwrap_or(OperationType::Unknown)),
            partition_to_replace_file_ids: codec::read_field(
                REPLACE,
                value,
                "partitionToReplaceFileIds",
                None,
            )?,
        })
    }

    /// Maps are never null, `version` always is: the JVM's reader and writer have it so.
    fn to_value(&self) -> Value {
        use codec::Field;
        let mut fields = vec![
            (
                "partitionToWriteStats",
                self.partition_to_write_stats.to_value(),
            ),
            ("compacted", Value::Boolean(self.compacted)),
            ("extraMetadata", self.extra_metadata.to_value()),
            ("version", Value::Null),
            (
                "operationType",
                Value::from(self.operation_type.map(OperationType::as_str)),
            ),
        ];
        if let Some(replaced) = &self.partition_to_replace_file_ids {
            fields.push(("partitionToReplaceFileIds", replaced.to_value()));
        }
        Value::record(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_a_commit_that_touched_no_file() {
        assert_eq!(
            CommitMetadata::decode(b"").unwrap(),
            CommitMetadata::default()
        );
    }

    #[test]
    fn replace_commits_keep_their_record_even_without_groups() {
        let replace = CommitMetadata {
            partition_to_replace_file_ids: Some(BTreeMap::new()),
            ..CommitMetadata::default()
        };
        for metadata in [replace, CommitMetadata::default()] {
            let bytes = metadata.encode_avro([7; 16]).unwrap();
            assert_eq!(CommitMetadata::decode(&bytes).unwrap(), metadata);
            let bytes = metadata.encode_datum().unwrap();
            assert_eq!(CommitMetadata::decode(&bytes).unwrap(), metadata);
            let bytes = metadata.encode_json().unwrap();
            assert_eq!(CommitMetadata::decode(&bytes).unwrap(), metadata);
        }
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        for bytes in [
            &b"{"[..],
            b"Obj\x01",
            b"\x02",
            b"{\"partitionToWriteStats\":3}",
        ] {
            let error = CommitMetadata::decode(bytes).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Corrupt, "{bytes:?}");
        }
    }

    #[test]
    fn fields_of_later_releases_are_skipped() {
        let json = br#"{"partitionToWriteStats":{"":[{"fileId":"a","later":{"x":[1]}}]},"new":1,"operationType":"ZIP"}"#;
        let metadata = CommitMetadata::decode(json).unwrap();
        assert_eq!(metadata.write_stats().count(), 1);
        assert_eq!(metadata.operation_type, Some(OperationType::Unknown));
    }
}
