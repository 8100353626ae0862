//! What `hoodie.properties` says about a table, as a typed value (spec 01 §2.4 to §2.7).

use std::collections::BTreeMap;

use oxlake_model::{BaseFileExtension, TableType, TableVersion, TimelineLayout};

use crate::keys::{Key, table};
use crate::merge_mode::MergeHints;
use crate::{
    Error, KeyGeneratorType, MergeMode, PartialUpdateMode, PartitionField, Properties, Result,
};

/// Properties of a table, checked and typed. Unknown ones are kept in [`TableConfig::properties`].
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct TableConfig {
    properties: Properties,
    table_type: TableType,
    version: TableVersion,
    timeline_zone: TimelineZone,
    record_key_fields: Vec<String>,
    partition_fields: Vec<PartitionField>,
    ordering_fields: Vec<String>,
    merge_mode: MergeMode,
    partial_update_mode: Option<PartialUpdateMode>,
    key_generator: KeyGeneratorType,
    hive_style_partitioning: bool,
    url_encode_partitioning: bool,
    slash_separated_dates: bool,
    drop_partition_columns: bool,
    populate_meta_fields: bool,
    base_file_format: BaseFileExtension,
    multiple_base_file_formats: bool,
    metadata_partitions: Vec<String>,
    metadata_partitions_inflight: Vec<String>,
    cdc_enabled: bool,
    partition_metafile_uses_base_format: bool,
}

/// Zone of the times in instant names (spec 01 §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineZone {
    /// The zone of the process that writes, the JVM engine's default.
    Local,
    /// UTC.
    Utc,
}

impl TableConfig {
    /// Reads the properties of a table. Their checksum is not compared here: [`crate::choose_properties`]
    /// does.
    ///
    /// # Errors
    /// [`Error::Missing`] for the name or the version; [`Error::TableVersion`] for versions that are not
    /// supported; [`Error::BadValue`] and [`Error::Contradiction`].
    pub fn try_from_properties(properties: Properties) -> Result<Self> {
        let map = properties.as_map();
        if table::NAME.get(map).is_none() {
            return Err(Error::Missing {
                key: table::NAME.name,
            });
        }
        let version = version(map)?;
        let partition_fields = partition_fields(map)?;
        let record_key_fields = table::RECORD_KEY_FIELDS.list(map);
        let ordering_fields = table::ORDERING_FIELDS.list(map);
        let merge_mode = MergeHints {
            mode: table::MERGE_MODE.get(map),
            payload_class: table::PAYLOAD_CLASS.get(map),
            strategy_id: table::MERGE_STRATEGY_ID.get(map),
            has_ordering_fields: !ordering_fields.is_empty(),
        }
        .resolve(version)?;
        Ok(Self {
            table_type: TableType::parse(&table::TYPE.word(map)?)
                .map_err(|_| table::TYPE.bad_value(table::TYPE.text(map)))?,
            version,
            timeline_zone: timeline_zone(map)?,
            key_generator: key_generator(
                map,
                record_key_fields.len(),
                &table::PARTITION_FIELDS.list(map),
            )?,
            record_key_fields,
            partition_fields,
            ordering_fields,
            merge_mode,
            partial_update_mode: partial_update_mode(map, version)?,
            hive_style_partitioning: table::HIVE_STYLE.bool(map)?,
            url_encode_partitioning: table::URL_ENCODE.bool(map)?,
            slash_separated_dates: table::SLASH_SEPARATED_DATES.bool(map)?,
            drop_partition_columns: table::DROP_PARTITION_COLUMNS.bool(map)?,
            populate_meta_fields: table::POPULATE_META_FIELDS.bool(map)?,
            base_file_format: base_file_format(map)?,
            multiple_base_file_formats: table::MULTIPLE_BASE_FILE_FORMATS.bool(map)?,
            metadata_partitions: table::METADATA_PARTITIONS.list(map),
            metadata_partitions_inflight: table::METADATA_PARTITIONS_INFLIGHT.list(map),
            cdc_enabled: table::CDC_ENABLED.bool(map)?,
            partition_metafile_uses_base_format: table::PARTITION_METAFILE_USE_BASE_FORMAT
                .bool(map)?,
            properties,
        })
    }

    /// Name of the table.
    pub fn table_name(&self) -> &str {
        self.text(&table::NAME)
    }

    /// Database of the table; empty when it has none.
    pub fn database_name(&self) -> &str {
        self.text(&table::DATABASE_NAME)
    }

    /// Copy-on-write or merge-on-read.
    pub fn table_type(&self) -> TableType {
        self.table_type
    }

    /// Version of the table format.
    pub fn version(&self) -> TableVersion {
        self.version
    }

    /// Layout of the timeline, which follows from the version.
    pub fn layout(&self) -> TimelineLayout {
        self.version.layout()
    }

    /// Zone of the times in instant names.
    pub fn timeline_zone(&self) -> TimelineZone {
        self.timeline_zone
    }

    /// Folder of the active timeline, relative to the table (spec 01 §1.2, §1.3).
    pub fn timeline_path(&self) -> String {
        match self.layout() {
            TimelineLayout::V1 => ".hoodie".to_owned(),
            TimelineLayout::V2 => format!(".hoodie/{}", self.text(&table::TIMELINE_PATH)),
        }
    }

    /// Folder of archived instants in layout 2, relative to the table.
    pub fn history_path(&self) -> String {
        let (timeline, history) = (
            self.text(&table::TIMELINE_PATH),
            self.text(&table::HISTORY_PATH),
        );
        format!(".hoodie/{timeline}/{history}")
    }

    /// Folder of archived instants in layout 1, relative to the table.
    pub fn archive_folder(&self) -> String {
        format!(".hoodie/{}", self.text(&table::ARCHIVE_FOLDER))
    }

    /// Fields that make the record key; empty when keys are made up.
    pub fn record_key_fields(&self) -> &[String] {
        &self.record_key_fields
    }

    /// Fields that make the partition path; empty when the table is not partitioned.
    pub fn partition_fields(&self) -> &[PartitionField] {
        &self.partition_fields
    }

    /// Fields that tell which of two versions of a record is newer.
    pub fn ordering_fields(&self) -> &[String] {
        &self.ordering_fields
    }

    /// Which of two versions of a record wins.
    pub fn merge_mode(&self) -> &MergeMode {
        &self.merge_mode
    }

    /// What happens to fields an update leaves open; always `None` below version 9.
    pub fn partial_update_mode(&self) -> Option<PartialUpdateMode> {
        self.partial_update_mode
    }

    /// Properties for the merger, with their prefix removed.
    pub fn merge_properties(&self) -> BTreeMap<&str, &str> {
        let prefixed = self.properties.iter();
        prefixed
            .filter_map(|(key, value)| {
                Some((key.strip_prefix(table::MERGE_PROPERTY_PREFIX)?, value))
            })
            .collect()
    }

    /// What makes keys and partition paths.
    pub fn key_generator(&self) -> &KeyGeneratorType {
        &self.key_generator
    }

    /// Whether a partition path reads `field=value`.
    pub fn hive_style_partitioning(&self) -> bool {
        self.hive_style_partitioning
    }

    /// Whether partition values are escaped.
    pub fn url_encode_partitioning(&self) -> bool {
        self.url_encode_partitioning
    }

    /// Whether a date makes a path of three folders.
    pub fn slash_separated_dates(&self) -> bool {
        self.slash_separated_dates
    }

    /// Whether data files lack the partition columns.
    pub fn drop_partition_columns(&self) -> bool {
        self.drop_partition_columns
    }

    /// Whether data files carry the five `_hoodie_` columns.
    pub fn populate_meta_fields(&self) -> bool {
        self.populate_meta_fields
    }

    /// Format of base files.
    pub fn base_file_format(&self) -> BaseFileExtension {
        self.base_file_format
    }

    /// Whether the format of base files is told by their extension.
    pub fn multiple_base_file_formats(&self) -> bool {
        self.multiple_base_file_formats
    }

    /// Avro schema given at creation.
    pub fn create_schema(&self) -> Option<&str> {
        table::CREATE_SCHEMA.get(self.properties.as_map())
    }

    /// Partitions of the metadata table that readers may use.
    pub fn metadata_partitions(&self) -> &[String] {
        &self.metadata_partitions
    }

    /// Partitions of the metadata table that are being built.
    pub fn metadata_partitions_inflight(&self) -> &[String] {
        &self.metadata_partitions_inflight
    }

    /// Whether writers record changes for CDC queries.
    pub fn cdc_enabled(&self) -> bool {
        self.cdc_enabled
    }

    /// Whether partition metadata is a data file instead of a text.
    pub fn partition_metafile_uses_base_format(&self) -> bool {
        self.partition_metafile_uses_base_format
    }

    /// Folder of the files this table was bootstrapped from.
    pub fn bootstrap_base_path(&self) -> Option<&str> {
        table::BOOTSTRAP_BASE_PATH.get(self.properties.as_map())
    }

    /// The plug-in the table belongs to; `native` is none.
    pub fn table_format(&self) -> &str {
        self.text(&table::FORMAT)
    }

    /// All properties as they were read.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    fn text(&self, key: &Key) -> &str {
        key.text(self.properties.as_map())
    }
}

fn version(map: &BTreeMap<String, String>) -> Result<TableVersion> {
    let text = table::VERSION.get(map).ok_or(Error::Missing {
        key: table::VERSION.name,
    })?;
    let code = text
        .trim()
        .parse()
        .map_err(|_| table::VERSION.bad_value(text))?;
    let version = TableVersion::from_code(code).map_err(Error::TableVersion)?;
    let layout = table::LAYOUT_VERSION.get(map).map(str::trim);
    match layout {
        Some(found) if found != version.layout().code().to_string() => Err(Error::Contradiction {
            key: table::LAYOUT_VERSION.name.to_owned(),
            value: found.to_owned(),
            other: format!(
                "table version {version} has layout {}",
                version.layout().code()
            ),
        }),
        _ => Ok(version),
    }
}

fn timeline_zone(map: &BTreeMap<String, String>) -> Result<TimelineZone> {
    Ok(match table::TIMELINE_TIMEZONE.word(map)?.as_str() {
        "UTC" => TimelineZone::Utc,
        _ => TimelineZone::Local,
    })
}

fn partition_fields(map: &BTreeMap<String, String>) -> Result<Vec<PartitionField>> {
    table::PARTITION_FIELDS
        .list(map)
        .iter()
        .map(|text| PartitionField::parse(text))
        .collect()
}

fn partial_update_mode(
    map: &BTreeMap<String, String>,
    version: TableVersion,
) -> Result<Option<PartialUpdateMode>> {
    if !version.has_partial_update_mode() || table::PARTIAL_UPDATE_MODE.get(map).is_none() {
        return Ok(None);
    }
    Ok(match table::PARTIAL_UPDATE_MODE.word(map)?.as_str() {
        "IGNORE_DEFAULTS" => Some(PartialUpdateMode::IgnoreDefaults),
        _ => Some(PartialUpdateMode::FillUnavailable),
    })
}

fn base_file_format(map: &BTreeMap<String, String>) -> Result<BaseFileExtension> {
    let word = table::BASE_FILE_FORMAT.word(map)?;
    Ok(BaseFileExtension::parse(&word).unwrap_or_default())
}

/// The type counts before the class; without both it follows from the fields.
fn key_generator(
    map: &BTreeMap<String, String>,
    record_key_fields: usize,
    partition_fields: &[String],
) -> Result<KeyGeneratorType> {
    let class = table::KEY_GENERATOR_CLASS
        .get(map)
        .map(KeyGeneratorType::from_class);
    match table::KEY_GENERATOR_TYPE.get(map).map(str::trim) {
        Some("USER_PROVIDED") => class.ok_or(Error::Missing {
            key: table::KEY_GENERATOR_CLASS.name,
        }),
        Some(name) => KeyGeneratorType::from_type_name(name).ok_or_else(|| Error::BadValue {
            key: table::KEY_GENERATOR_TYPE.name.to_owned(),
            value: name.to_owned(),
            expected: "SIMPLE, COMPLEX, TIMESTAMP, CUSTOM, NON_PARTITION and the like".to_owned(),
        }),
        None => {
            Ok(class
                .unwrap_or_else(|| KeyGeneratorType::infer(record_key_fields, partition_fields)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PartitionFieldKind::{Simple, Timestamp};

    fn config(text: &str) -> Result<TableConfig> {
        TableConfig::try_from_properties(Properties::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_minimal_table_has_the_defaults() {
        let table = config("hoodie.table.name=t\nhoodie.table.version=9").unwrap();
        assert_eq!(table.table_type(), TableType::CopyOnWrite);
        assert_eq!(table.timeline_path(), ".hoodie/timeline");
        assert_eq!(table.history_path(), ".hoodie/timeline/history");
        assert_eq!(table.archive_folder(), ".hoodie/archived");
        assert_eq!(table.timeline_zone(), TimelineZone::Local);
        assert_eq!(table.merge_mode(), &MergeMode::CommitTime);
        assert_eq!(table.key_generator(), &KeyGeneratorType::NonPartitioned);
        assert!(table.populate_meta_fields() && !table.hive_style_partitioning());
        assert_eq!(
            (table.table_format(), table.database_name()),
            ("native", "")
        );
        let six = config("hoodie.table.name=t\nhoodie.table.version=6").unwrap();
        assert_eq!(six.timeline_path(), ".hoodie");
    }

    #[test]
    fn missing_and_bad_properties_are_named() {
        let check = |text: &str, part: &str| {
            let error = config(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        check("hoodie.table.version=9", "hoodie.table.name");
        check("hoodie.table.name=t", "hoodie.table.version");
        check("hoodie.table.name=t\nhoodie.table.version=nine", "nine");
        for version in [0, 5, 7, 10] {
            let text = format!("hoodie.table.name=t\nhoodie.table.version={version}");
            check(&text, &format!("table version {version} "));
        }
        let nine = "hoodie.table.name=t\nhoodie.table.version=9\n";
        check(&format!("{nine}hoodie.timeline.layout.version=1"), "layout");
        check(
            &format!("{nine}hoodie.table.type=copy"),
            "hoodie.table.type",
        );
        check(
            &format!("{nine}hoodie.table.keygenerator.type=MAGIC"),
            "MAGIC",
        );
        check(
            &format!("{nine}hoodie.table.keygenerator.type=USER_PROVIDED"),
            "keygenerator.class",
        );
        check(
            &format!("{nine}hoodie.table.partition.fields=a:WEEK"),
            "a:WEEK",
        );
        check(&format!("{nine}hoodie.populate.meta.fields=maybe"), "maybe");
    }

    #[test]
    fn custom_partition_fields_carry_their_kind() {
        let table = config(
            "hoodie.table.name=t\nhoodie.table.version=9\nhoodie.table.keygenerator.type=CUSTOM\n\
             hoodie.table.partition.fields=city:SIMPLE,ts:timestamp",
        )
        .unwrap();
        let kinds: Vec<_> = table
            .partition_fields()
            .iter()
            .map(|field| field.kind)
            .collect();
        assert_eq!(kinds, [Some(Simple), Some(Timestamp)]);
        assert_eq!(table.partition_fields()[1].name, "ts");
    }
}
