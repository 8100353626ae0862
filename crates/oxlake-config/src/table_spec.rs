//! What a new table shall be, and the properties that say so (spec 01 §2.4, §2.7).

use std::collections::BTreeMap;

use oxlake_model::{TableType, TableVersion};

use crate::keys::{self, Key, table, write};
use crate::merge_mode::MergeHints;
use crate::{
    Error, KeyGeneratorType, MergeMode, PartitionField, Properties, Result, TableConfig,
    TimelineZone,
};

/// A new table in the making. Defaults: copy-on-write, version 9, not partitioned, times in UTC.
#[derive(Clone, Debug)]
pub struct TableSpec {
    name: String,
    database: String,
    table_type: TableType,
    version: TableVersion,
    record_key_fields: Vec<String>,
    partition_fields: Vec<String>,
    ordering_fields: Vec<String>,
    merge_mode: Option<MergeMode>,
    key_generator: Option<KeyGeneratorType>,
    hive_style_partitioning: bool,
    url_encode_partitioning: bool,
    timeline_zone: TimelineZone,
    create_schema: Option<String>,
    extra: BTreeMap<String, String>,
}

impl TableSpec {
    /// A table of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            database: String::new(),
            table_type: TableType::CopyOnWrite,
            version: TableVersion::V9,
            record_key_fields: Vec::new(),
            partition_fields: Vec::new(),
            ordering_fields: Vec::new(),
            merge_mode: None,
            key_generator: None,
            hive_style_partitioning: false,
            url_encode_partitioning: false,
            timeline_zone: TimelineZone::Utc,
            create_schema: None,
            extra: BTreeMap::new(),
        }
    }

    /// The name it was made with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Database of the table.
    #[must_use]
    pub fn database(mut self, database: impl Into<String>) -> Self {
        self.database = database.into();
        self
    }

    /// Copy-on-write or merge-on-read.
    #[must_use]
    pub fn table_type(mut self, table_type: TableType) -> Self {
        self.table_type = table_type;
        self
    }

    /// Version of the table format.
    #[must_use]
    pub fn version(mut self, version: TableVersion) -> Self {
        self.version = version;
        self
    }

    /// Fields that make the record key.
    #[must_use]
    pub fn record_key_fields<S: Into<String>>(
        mut self,
        fields: impl IntoIterator<Item = S>,
    ) -> Self {
        self.record_key_fields = fields.into_iter().map(Into::into).collect();
        self
    }

    /// Fields that make the partition path.
    #[must_use]
    pub fn partition_fields<S: Into<String>>(
        mut self,
        fields: impl IntoIterator<Item = S>,
    ) -> Self {
        self.partition_fields = fields.into_iter().map(Into::into).collect();
        self
    }

    /// Fields that tell which of two versions of a record is newer.
    #[must_use]
    pub fn ordering_fields<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.ordering_fields = fields.into_iter().map(Into::into).collect();
        self
    }

    /// Which of two versions of a record wins; follows from the ordering fields when not given.
    #[must_use]
    pub fn merge_mode(mut self, mode: MergeMode) -> Self {
        self.merge_mode = Some(mode);
        self
    }

    /// What makes keys and partition paths; follows from the fields when not given.
    #[must_use]
    pub fn key_generator(mut self, kind: KeyGeneratorType) -> Self {
        self.key_generator = Some(kind);
        self
    }

    /// Whether a partition path reads `field=value`.
    #[must_use]
    pub fn hive_style_partitioning(mut self, on: bool) -> Self {
        self.hive_style_partitioning = on;
        self
    }

    /// Whether special characters of partition values are escaped.
    #[must_use]
    pub fn url_encode_partitioning(mut self, on: bool) -> Self {
        self.url_encode_partitioning = on;
        self
    }

    /// Zone of the times in instant names.
    #[must_use]
    pub fn timeline_zone(mut self, zone: TimelineZone) -> Self {
        self.timeline_zone = zone;
        self
    }

    /// Avro schema of the rows, without meta fields.
    #[must_use]
    pub fn create_schema(mut self, json: impl Into<String>) -> Self {
        self.create_schema = Some(json.into());
        self
    }

    /// Takes options by their names: those of a table as they are, those of a writer that set a
    /// table's properties at creation by what they stand for. Others are left alone.
    ///
    /// # Errors
    /// [`Error::BadValue`].
    pub fn conf(mut self, options: &BTreeMap<String, String>) -> Result<Self> {
        for key in [&write::TABLE_TYPE, &table::TYPE] {
            if key.get(options).is_some() {
                self.table_type = parse_type(key, options)?;
            }
        }
        if let Some(version) = write::TABLE_VERSION.get(options) {
            let code = version
                .trim()
                .parse()
                .map_err(|_| write::TABLE_VERSION.bad_value(version))?;
            self.version = TableVersion::from_code(code).map_err(Error::TableVersion)?;
        }
        for (keys, fields) in [
            (
                [&write::RECORD_KEY_FIELD, &table::RECORD_KEY_FIELDS],
                &mut self.record_key_fields,
            ),
            (
                [&write::PARTITION_PATH_FIELD, &table::PARTITION_FIELDS],
                &mut self.partition_fields,
            ),
            (
                [&write::PRECOMBINE_FIELD, &table::ORDERING_FIELDS],
                &mut self.ordering_fields,
            ),
        ] {
            for key in keys.into_iter().filter(|key| key.get(options).is_some()) {
                *fields = key.list(options);
            }
        }
        for key in [&write::KEY_GENERATOR_CLASS, &table::KEY_GENERATOR_CLASS] {
            if let Some(class) = key.get(options) {
                self.key_generator = Some(KeyGeneratorType::from_class(class));
            }
        }
        for key in [&write::KEY_GENERATOR_TYPE, &table::KEY_GENERATOR_TYPE] {
            if let Some(name) = key.get(options).filter(|name| *name != "USER_PROVIDED") {
                let kind = KeyGeneratorType::from_type_name(name);
                self.key_generator = Some(kind.ok_or_else(|| key.bad_value(name))?);
            }
        }
        if let Some(class) = write::PAYLOAD_CLASS.get(options) {
            self.extra
                .insert(table::PAYLOAD_CLASS.name.to_owned(), class.to_owned());
        }
        for (name, value) in options {
            let Some(key) = keys::find(name).filter(|key| is_table_key(key)) else {
                continue;
            };
            key.check(value)?;
            self.extra.insert(key.name.to_owned(), value.clone());
        }
        Ok(self)
    }

    /// The properties of the table, checksum included.
    ///
    /// # Errors
    /// [`Error::BadValue`] for a name or field that properties cannot hold, [`Error::Contradiction`] when
    /// the parts do not fit together.
    pub fn to_properties(&self) -> Result<Properties> {
        self.check_fields()?;
        let mut p = Properties::default();
        let mut set = |key: &Key, value: &str| drop(p.set(key.name, value));
        set(&table::NAME, &self.name);
        set(&table::TYPE, self.table_type.as_str());
        set(&table::VERSION, &self.version.to_string());
        set(
            &table::LAYOUT_VERSION,
            &self.version.layout().code().to_string(),
        );
        set(&table::ARCHIVE_FOLDER, "archived");
        set(&table::HIVE_STYLE, bool_text(self.hive_style_partitioning));
        set(&table::URL_ENCODE, bool_text(self.url_encode_partitioning));
        set(&table::DROP_PARTITION_COLUMNS, "false");
        if !self.database.is_empty() {
            set(&table::DATABASE_NAME, &self.database);
        }
        if self.timeline_zone == TimelineZone::Utc {
            set(&table::TIMELINE_TIMEZONE, "UTC");
        }
        if let Some(schema) = &self.create_schema {
            set(&table::CREATE_SCHEMA, schema);
        }
        if !self.record_key_fields.is_empty() {
            set(&table::RECORD_KEY_FIELDS, &self.record_key_fields.join(","));
        }
        if self.version >= TableVersion::V8 {
            set(&table::INITIAL_VERSION, &self.version.to_string());
            set(&table::TIMELINE_PATH, "timeline");
            set(&table::HISTORY_PATH, "history");
        }
        if self.version >= TableVersion::V9 {
            set(&table::FORMAT, "native");
        }
        self.set_partitioning(&mut p)?;
        for (name, value) in &self.extra {
            p.set(name.clone(), value.clone());
        }
        self.set_merging(&mut p)?;
        p.set_checksum();
        TableConfig::try_from_properties(p.clone())?;
        Ok(p)
    }

    fn set_partitioning(&self, p: &mut Properties) -> Result<()> {
        let fields = self
            .partition_fields
            .iter()
            .map(|text| PartitionField::parse(text))
            .collect::<Result<Vec<_>>>()?;
        let kind = self.key_generator.clone().unwrap_or_else(|| {
            KeyGeneratorType::infer(self.record_key_fields.len(), &self.partition_fields)
        });
        let fits = match kind {
            KeyGeneratorType::Simple => fields.len() == 1 && self.record_key_fields.len() <= 1,
            KeyGeneratorType::NonPartitioned | KeyGeneratorType::GlobalDelete => fields.is_empty(),
            _ => true,
        };
        if !fits {
            return Err(Error::Contradiction {
                key: table::KEY_GENERATOR_TYPE.name.to_owned(),
                value: kind.type_name().to_owned(),
                other: format!(
                    "the table has {} key and {} partition fields",
                    self.record_key_fields.len(),
                    fields.len()
                ),
            });
        }
        if !fields.is_empty() {
            // Version 6 stores bare names: the types are only in its writers' options.
            let names: Vec<&str> = match self.version {
                TableVersion::V6 => fields.iter().map(AsRef::as_ref).collect(),
                _ => self.partition_fields.iter().map(String::as_str).collect(),
            };
            p.set(table::PARTITION_FIELDS.name, names.join(","));
        }
        if self.version >= TableVersion::V8 {
            p.set(table::KEY_GENERATOR_TYPE.name, kind.type_name());
        }
        let of_user = matches!(kind, KeyGeneratorType::UserProvided { .. });
        if self.version == TableVersion::V6 || of_user {
            p.set(table::KEY_GENERATOR_CLASS.name, kind.class());
        }
        Ok(())
    }

    fn set_merging(&self, p: &mut Properties) -> Result<()> {
        let stored = |key: &Key| key.get(p.as_map()).map(str::to_owned);
        let (payload, strategy, mode) = (
            stored(&table::PAYLOAD_CLASS),
            stored(&table::MERGE_STRATEGY_ID),
            stored(&table::MERGE_MODE),
        );
        let mode = self
            .merge_mode
            .as_ref()
            .map(|mode| mode.as_str().to_owned())
            .or(mode);
        self.check_merge_keys_exist(p)?;
        let ordering = self.ordering_fields.join(",");
        let merge = MergeHints {
            mode: mode.as_deref(),
            payload_class: payload.as_deref(),
            strategy_id: strategy.as_deref(),
            has_ordering_fields: !ordering.is_empty(),
        }
        .resolve(self.version)?;
        if merge == MergeMode::EventTime && ordering.is_empty() {
            return Err(Error::Contradiction {
                key: table::MERGE_MODE.name.to_owned(),
                value: merge.as_str().to_owned(),
                other: "the table has no ordering fields".to_owned(),
            });
        }
        if !ordering.is_empty() {
            let [old_name] = table::ORDERING_FIELDS.aliases else {
                return Ok(());
            };
            let new = self.version.writes_ordering_fields();
            p.set(
                if new {
                    table::ORDERING_FIELDS.name
                } else {
                    old_name
                },
                ordering,
            );
        }
        self.set_merge_keys(p, &merge);
        Ok(())
    }

    /// A setting that tables of this version do not have would be lost without a word.
    fn check_merge_keys_exist(&self, p: &Properties) -> Result<()> {
        let strategy = table::MERGE_STRATEGY_ID
            .get(p.as_map())
            .filter(|id| {
                self.version == TableVersion::V6 && *id != crate::merge_mode::EVENT_TIME_STRATEGY
            })
            .map(|id| (&table::MERGE_STRATEGY_ID, id));
        let partial = table::PARTIAL_UPDATE_MODE
            .get(p.as_map())
            .filter(|_| !self.version.has_partial_update_mode())
            .map(|mode| (&table::PARTIAL_UPDATE_MODE, mode));
        match strategy.or(partial) {
            None => Ok(()),
            Some((key, value)) => Err(Error::Contradiction {
                key: key.name.to_owned(),
                value: value.to_owned(),
                other: format!("tables of version {} have no such setting", self.version),
            }),
        }
    }

    /// Which of the merge keys a version stores.
    fn set_merge_keys(&self, p: &mut Properties, merge: &MergeMode) {
        let is_custom = matches!(merge, MergeMode::Custom { .. });
        if self.version >= TableVersion::V8 {
            p.set(table::MERGE_MODE.name, merge.as_str());
        } else {
            p.remove(table::MERGE_MODE.name);
            p.remove(table::MERGE_STRATEGY_ID.name);
        }
        match self.version {
            TableVersion::V6 if self.table_type == TableType::MergeOnRead => {
                let [old_name] = table::MERGE_STRATEGY_ID.aliases else {
                    return;
                };
                p.set(*old_name, crate::merge_mode::EVENT_TIME_STRATEGY);
                if let Some(class) = merge.payload_class() {
                    p.set(table::PAYLOAD_CLASS.name, class);
                }
            }
            // What follows from the ordering fields is not written down; all else must be (spec 01 §2.7).
            TableVersion::V6 => {
                let follows = MergeHints {
                    has_ordering_fields: !self.ordering_fields.is_empty(),
                    ..MergeHints::default()
                };
                if follows.by_ordering() != *merge
                    && let Some(class) = merge.payload_class()
                {
                    p.set(table::PAYLOAD_CLASS.name, class);
                }
            }
            TableVersion::V8 => {
                p.set(table::MERGE_STRATEGY_ID.name, merge.strategy_id());
                if let Some(class) = merge.payload_class() {
                    p.set(table::PAYLOAD_CLASS.name, class);
                }
            }
            TableVersion::V9 if is_custom => {
                p.set(table::MERGE_STRATEGY_ID.name, merge.strategy_id());
            }
            TableVersion::V9 => {
                p.remove(table::MERGE_STRATEGY_ID.name);
                if let Some(class) = p.remove(table::PAYLOAD_CLASS.name) {
                    p.set(table::LEGACY_PAYLOAD_CLASS.name, class);
                }
            }
        }
    }

    fn check_fields(&self) -> Result<()> {
        if self.name.trim().is_empty() {
            return Err(table::NAME.bad_value(&self.name));
        }
        for (key, fields) in [
            (&table::RECORD_KEY_FIELDS, &self.record_key_fields),
            (&table::PARTITION_FIELDS, &self.partition_fields),
            (&table::ORDERING_FIELDS, &self.ordering_fields),
        ] {
            for (index, field) in fields.iter().enumerate() {
                let unfit = field.trim() != field || field.is_empty() || field.contains(',');
                if unfit || fields.iter().take(index).any(|earlier| earlier == field) {
                    return Err(Error::BadValue {
                        key: key.name.to_owned(),
                        value: field.clone(),
                        expected: "field names without commas and blanks around, each once"
                            .to_owned(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// Keys that are stored as they are given; the others have a place of their own in the builder.
fn is_table_key(key: &Key) -> bool {
    let own = [
        &table::NAME,
        &table::VERSION,
        &table::INITIAL_VERSION,
        &table::LAYOUT_VERSION,
        &table::CHECKSUM,
        &table::METADATA_PARTITIONS,
        &table::METADATA_PARTITIONS_INFLIGHT,
        &table::TYPE,
        &table::RECORD_KEY_FIELDS,
        &table::PARTITION_FIELDS,
        &table::ORDERING_FIELDS,
        &table::KEY_GENERATOR_TYPE,
        &table::KEY_GENERATOR_CLASS,
    ];
    let stored = table::ALL.contains(&key) || keys::keygen::ALL.contains(&key);
    stored && !own.iter().any(|own| own.name == key.name)
}

fn parse_type(key: &Key, options: &BTreeMap<String, String>) -> Result<TableType> {
    TableType::parse(&key.word(options)?).map_err(|_| key.bad_value(key.text(options)))
}

fn bool_text(on: bool) -> &'static str {
    if on { "true" } else { "false" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conf(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn text(spec: &TableSpec) -> String {
        let properties = spec.to_properties().unwrap();
        properties.iter().fold(String::new(), |text, (key, value)| {
            format!("{text}{key}={value}\n")
        })
    }

    #[test]
    fn version_9_is_written_as_the_jvm_writes_it() {
        let spec = TableSpec::new("t1")
            .database("default")
            .record_key_fields(["id"])
            .partition_fields(["city"])
            .ordering_fields(["ts"])
            .hive_style_partitioning(true)
            .create_schema("{}");
        assert_eq!(
            text(&spec),
            "hoodie.archivelog.folder=archived\n\
             hoodie.database.name=default\n\
             hoodie.datasource.write.drop.partition.columns=false\n\
             hoodie.datasource.write.hive_style_partitioning=true\n\
             hoodie.datasource.write.partitionpath.urlencode=false\n\
             hoodie.record.merge.mode=EVENT_TIME_ORDERING\n\
             hoodie.table.checksum=3709403181\n\
             hoodie.table.create.schema={}\n\
             hoodie.table.format=native\n\
             hoodie.table.initial.version=9\n\
             hoodie.table.keygenerator.type=SIMPLE\n\
             hoodie.table.name=t1\n\
             hoodie.table.ordering.fields=ts\n\
             hoodie.table.partition.fields=city\n\
             hoodie.table.recordkey.fields=id\n\
             hoodie.table.timeline.timezone=UTC\n\
             hoodie.table.type=COPY_ON_WRITE\n\
             hoodie.table.version=9\n\
             hoodie.timeline.history.path=history\n\
             hoodie.timeline.layout.version=2\n\
             hoodie.timeline.path=timeline\n"
        );
    }

    #[test]
    fn older_versions_use_their_own_names() {
        let spec = TableSpec::new("t")
            .record_key_fields(["id"])
            .ordering_fields(["ts"]);
        let eight = text(&spec.clone().version(TableVersion::V8));
        for line in [
            "hoodie.table.precombine.field=ts\n",
            "hoodie.record.merge.mode=EVENT_TIME_ORDERING\n",
            "hoodie.record.merge.strategy.id=eeb8d96f-b1e4-49fd-bbf8-28ac514178e5\n",
            "hoodie.compaction.payload.class=org.apache.hudi.common.model.DefaultHoodieRecordPayload\n",
            "hoodie.table.keygenerator.type=NON_PARTITION\n",
        ] {
            assert!(eight.contains(line), "{line}{eight}");
        }
        assert!(!eight.contains("hoodie.table.format") && !eight.contains("ordering.fields"));
        let six = text(
            &spec
                .version(TableVersion::V6)
                .table_type(TableType::MergeOnRead),
        );
        for line in [
            "hoodie.table.keygenerator.class=org.apache.hudi.keygen.NonpartitionedKeyGenerator\n",
            "hoodie.table.precombine.field=ts\n",
            "hoodie.compaction.record.merger.strategy=eeb8d96f-b1e4-49fd-bbf8-28ac514178e5\n",
            "hoodie.timeline.layout.version=1\n",
        ] {
            assert!(six.contains(line), "{line}{six}");
        }
        assert!(
            !six.contains("merge.mode") && !six.contains("timeline.path"),
            "{six}"
        );
    }

    #[test]
    fn a_merge_mode_of_version_6_reads_back_as_it_was_asked_for() {
        let spec = TableSpec::new("t")
            .record_key_fields(["id"])
            .ordering_fields(["ts"])
            .version(TableVersion::V6);
        for table_type in [TableType::CopyOnWrite, TableType::MergeOnRead] {
            for mode in [MergeMode::CommitTime, MergeMode::EventTime] {
                let spec = spec.clone().table_type(table_type).merge_mode(mode.clone());
                let table = TableConfig::try_from_properties(spec.to_properties().unwrap());
                assert_eq!(*table.unwrap().merge_mode(), mode, "{table_type}");
            }
        }
        for (key, value) in [
            (
                "hoodie.record.merge.strategy.id",
                "ce9acb64-bde0-424c-9b91-f6ebba25356d",
            ),
            ("hoodie.table.partial.update.mode", "IGNORE_DEFAULTS"),
        ] {
            let spec = spec.clone().conf(&conf(&[(key, value)])).unwrap();
            let error = spec.to_properties().unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
        let named = [("hoodie.record.merge.mode", "COMMIT_TIME_ORDERING")];
        let six = text(&spec.conf(&conf(&named)).unwrap());
        assert!(!six.contains("merge.mode"), "{six}");
        assert!(six.contains("OverwriteWithLatestAvroPayload"), "{six}");
    }

    #[test]
    fn options_of_a_writer_set_the_table_at_creation() {
        let options = conf(&[
            ("hoodie.datasource.write.recordkey.field", "a,b"),
            ("hoodie.datasource.write.partitionpath.field", "p,q"),
            ("hoodie.table.precombine.field", "ts"),
            ("hoodie.datasource.write.hive_style_partitioning", "true"),
            ("hoodie.table.timeline.timezone", "LOCAL"),
            ("hoodie.database.name", "db"),
            ("hoodie.parquet.max.file.size", "1"),
        ]);
        let properties = TableSpec::new("t")
            .conf(&options)
            .unwrap()
            .to_properties()
            .unwrap();
        let table = TableConfig::try_from_properties(properties).unwrap();
        assert_eq!(table.record_key_fields(), ["a", "b"]);
        assert_eq!(table.key_generator(), &KeyGeneratorType::Complex);
        assert_eq!(table.timeline_zone(), TimelineZone::Local);
        assert!(table.hive_style_partitioning() && table.properties().verify_checksum().unwrap());
        assert_eq!(table.properties().get("hoodie.parquet.max.file.size"), None);
        table.check_writable().unwrap();

        let bad = conf(&[("hoodie.datasource.write.hive_style_partitioning", "ja")]);
        assert!(matches!(
            TableSpec::new("t").conf(&bad),
            Err(Error::BadValue { .. })
        ));
        let version = conf(&[("hoodie.write.table.version", "5")]);
        assert!(matches!(
            TableSpec::new("t").conf(&version),
            Err(Error::TableVersion(_))
        ));
    }

    #[test]
    fn a_replaced_payload_class_becomes_a_mode_on_version_9() {
        let class = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload";
        let options = conf(&[("hoodie.datasource.write.payload.class", class)]);
        let properties = TableSpec::new("t")
            .ordering_fields(["ts"])
            .conf(&options)
            .unwrap()
            .to_properties()
            .unwrap();
        assert_eq!(
            properties.get("hoodie.record.merge.mode"),
            Some("COMMIT_TIME_ORDERING")
        );
        assert_eq!(
            properties.get("hoodie.table.legacy.payload.class"),
            Some(class)
        );
        assert_eq!(properties.get("hoodie.compaction.payload.class"), None);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let base = || TableSpec::new("t").record_key_fields(["id"]);
        for spec in [
            TableSpec::new(" "),
            base().record_key_fields(["a,b"]),
            base().record_key_fields(["a", "a"]),
            base().partition_fields([""]),
            base()
                .partition_fields(["a"])
                .key_generator(KeyGeneratorType::NonPartitioned),
            base().key_generator(KeyGeneratorType::Simple),
            base().merge_mode(MergeMode::EventTime),
        ] {
            assert!(spec.to_properties().is_err(), "{spec:?}");
        }
    }
}
