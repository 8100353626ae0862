//! What this engine can keep true, table by table.

use oxlake_model::{BaseFileExtension, TableType};

use crate::keys::{Key, table};
use crate::{Error, KeyGeneratorType, MergeMode, Result, TableConfig};

/// A reason to refuse a table: the property that is to blame and what to do.
type Refusal = (&'static Key, &'static str);

const WITH_JVM: &str = "use the JVM engine for this table";

impl TableConfig {
    /// Whether every write of ours would keep all the table promises.
    ///
    /// # Errors
    /// [`Error::NotWritable`] names the first property that asks for more, and what to do.
    pub fn check_writable(&self) -> Result<()> {
        self.check_readable()?;
        match self.write_refusal() {
            None => Ok(()),
            Some((key, reason)) => {
                let value = self.shown(key);
                Err(Error::NotWritable {
                    property: key.name,
                    value,
                    reason,
                })
            }
        }
    }

    /// Whether rows of the table can be read at all.
    ///
    /// # Errors
    /// [`Error::NotReadable`].
    pub fn check_readable(&self) -> Result<()> {
        let refusal: Option<Refusal> = if self.table_format() != "native" {
            Some((
                &table::FORMAT,
                "the table belongs to a plug-in of the JVM engine",
            ))
        } else if self.bootstrap_base_path().is_some() {
            Some((
                &table::BOOTSTRAP_BASE_PATH,
                "its rows are partly in files outside of the table",
            ))
        } else if self.base_file_format() != BaseFileExtension::Parquet {
            Some((&table::BASE_FILE_FORMAT, "only Parquet base files are read"))
        } else {
            None
        };
        match refusal {
            None => Ok(()),
            Some((key, reason)) => {
                let value = self.shown(key);
                Err(Error::NotReadable {
                    property: key.name,
                    value,
                    reason,
                })
            }
        }
    }

    fn write_refusal(&self) -> Option<Refusal> {
        self.identity_refusal()
            .or_else(|| self.upkeep_refusal())
            .or_else(|| self.row_refusal())
    }

    fn identity_refusal(&self) -> Option<Refusal> {
        if self.table_type() != TableType::CopyOnWrite {
            return Some((&table::TYPE, "only copy-on-write tables are written"));
        }
        if self.multiple_base_file_formats() {
            return Some((&table::MULTIPLE_BASE_FILE_FORMATS, WITH_JVM));
        }
        None
    }

    /// What a writer would have to keep up beside the rows.
    fn upkeep_refusal(&self) -> Option<Refusal> {
        let metadata = "the metadata table would no longer agree with the files; drop it with the JVM \
                        engine (hoodie.metadata.enable=false) or write with that engine";
        if !self.metadata_partitions().is_empty() {
            return Some((&table::METADATA_PARTITIONS, metadata));
        }
        if !self.metadata_partitions_inflight().is_empty() {
            return Some((&table::METADATA_PARTITIONS_INFLIGHT, metadata));
        }
        if self.cdc_enabled() {
            return Some((
                &table::CDC_ENABLED,
                "changes would be missing from CDC queries",
            ));
        }
        if self.partition_metafile_uses_base_format() {
            let reason = "partition metadata is written as text only";
            return Some((&table::PARTITION_METAFILE_USE_BASE_FORMAT, reason));
        }
        None
    }

    /// What a writer would have to do with each row.
    fn row_refusal(&self) -> Option<Refusal> {
        if matches!(self.merge_mode(), MergeMode::Custom { .. }) {
            return Some((&table::MERGE_MODE, "a JVM class decides which record wins"));
        }
        if self.partial_update_mode().is_some() {
            return Some((
                &table::PARTIAL_UPDATE_MODE,
                "partial updates are not written",
            ));
        }
        if self.has_delete_marker() {
            let reason = "rows that a marker declares deleted are not known to this writer";
            return Some((&DELETE_MARKER, reason));
        }
        if !self.populate_meta_fields() {
            return Some((
                &table::POPULATE_META_FIELDS,
                "rows are written with meta fields only",
            ));
        }
        if self.drop_partition_columns() {
            let reason = "data files are written with all their columns only";
            return Some((&table::DROP_PARTITION_COLUMNS, reason));
        }
        if self.slash_separated_dates() {
            return Some((
                &table::SLASH_SEPARATED_DATES,
                "such partition paths are not written",
            ));
        }
        if self.record_key_fields().is_empty() {
            let reason = "keys made up by the writer are not supported; name the key fields";
            return Some((&table::RECORD_KEY_FIELDS, reason));
        }
        match self.key_generator() {
            KeyGeneratorType::Complex
                if self.record_key_fields().len() == 1
                    && !self.version().encodes_single_complex_key() =>
            {
                let reason = "releases that write this table version disagree on how a complex key of one field \
                              reads, and rows could come to be there twice; use a SIMPLE key or a second key field";
                Some((&table::KEY_GENERATOR_TYPE, reason))
            }
            KeyGeneratorType::Simple
            | KeyGeneratorType::Complex
            | KeyGeneratorType::NonPartitioned => None,
            KeyGeneratorType::UserProvided { .. } => Some((&table::KEY_GENERATOR_CLASS, WITH_JVM)),
            _ => {
                let reason = "only SIMPLE, COMPLEX and NON_PARTITION keys are written";
                Some((&table::KEY_GENERATOR_TYPE, reason))
            }
        }
    }

    fn has_delete_marker(&self) -> bool {
        self.merge_properties()
            .contains_key("hoodie.payload.delete.field")
    }

    /// The value that counts, be it stored or inferred.
    fn shown(&self, key: &Key) -> String {
        let stored = key.text(self.properties().as_map());
        match stored {
            "" if key.name == table::MERGE_MODE.name => self.merge_mode().as_str().to_owned(),
            "" if key.name == table::KEY_GENERATOR_TYPE.name => {
                self.key_generator().type_name().to_owned()
            }
            stored => stored.to_owned(),
        }
    }
}

/// A merge property; these are free in form and in no group of keys.
static DELETE_MARKER: Key = Key {
    name: "hoodie.record.merge.property.hoodie.payload.delete.field",
    aliases: &[],
    kind: crate::keys::Kind::Text,
    default: None,
    doc: "field whose value declares a row deleted",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Properties;

    const PLAIN: &str =
        "hoodie.table.name=t\nhoodie.table.version=9\nhoodie.table.recordkey.fields=id\n";

    fn config(more: &str) -> TableConfig {
        let text = format!("{PLAIN}{more}");
        TableConfig::try_from_properties(Properties::parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn what_we_cannot_keep_true_is_refused_by_name() {
        config("").check_writable().unwrap();
        for line in [
            "hoodie.table.type=MERGE_ON_READ",
            "hoodie.table.metadata.partitions=files",
            "hoodie.table.metadata.partitions.inflight=files",
            "hoodie.table.cdc.enabled=true",
            "hoodie.record.merge.mode=CUSTOM",
            "hoodie.table.partial.update.mode=IGNORE_DEFAULTS",
            "hoodie.record.merge.property.hoodie.payload.delete.field=status",
            "hoodie.populate.meta.fields=false",
            "hoodie.datasource.write.drop.partition.columns=true",
            "hoodie.datasource.write.slash.separated.date.partitioning=true",
            "hoodie.table.recordkey.fields=",
            "hoodie.table.keygenerator.type=TIMESTAMP",
            "hoodie.table.keygenerator.type=CUSTOM",
            "hoodie.table.keygenerator.class=com.example.Mine",
            "hoodie.table.multiple.base.file.formats.enable=true",
            "hoodie.partition.metafile.use.base.format=true",
        ] {
            let table = config(line);
            table.check_readable().unwrap();
            let error = table.check_writable().unwrap_err();
            assert!(
                matches!(error, Error::NotWritable { .. }),
                "{line}: {error}"
            );
            assert!(error.to_string().contains(line), "{line}: {error}");
        }
    }

    #[test]
    fn versions_6_and_8_are_written_unless_their_keys_depend_on_the_release() {
        for version in ["6", "8"] {
            let version = format!("hoodie.table.version={version}\n");
            config(&version).check_writable().unwrap();
            let complex = format!(
                "{version}hoodie.table.keygenerator.type=COMPLEX\nhoodie.table.partition.fields=a,b"
            );
            let error = config(&complex).check_writable().unwrap_err().to_string();
            assert!(error.contains("keygenerator.type=COMPLEX"), "{error}");
            let two = format!("{complex}\nhoodie.table.recordkey.fields=id,name");
            config(&two).check_writable().unwrap();
        }
    }

    #[test]
    fn what_we_cannot_read_is_refused_by_name() {
        for line in [
            "hoodie.table.format=iceberg",
            "hoodie.bootstrap.base.path=/data",
            "hoodie.table.base.file.format=ORC",
        ] {
            let error = config(line).check_readable().unwrap_err();
            assert!(error.to_string().contains(line), "{line}: {error}");
            config(line).check_writable().unwrap_err();
        }
    }

    #[test]
    fn inferred_values_are_shown() {
        let error = config("hoodie.table.partition.fields=a:SIMPLE")
            .check_writable()
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("hoodie.table.keygenerator.type=CUSTOM"),
            "{error}"
        );
    }
}
