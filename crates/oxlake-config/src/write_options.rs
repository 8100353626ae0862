//! Options of a writer as one typed value (spec 04 §15).

use std::collections::BTreeMap;

use crate::keys::{self, Key, index, parquet, table, write};
use crate::{Codec, Error, KeyGeneratorType, Result, TableConfig};

/// How a writer works. [`WriteOptions::parse`] checks every value; what the engine does not do is refused.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct WriteOptions {
    /// Parquet files.
    pub parquet: ParquetOptions,
    /// Bloom filters in them.
    pub bloom: BloomOptions,
    /// How the file of a key is found.
    pub index_type: IndexType,
    /// Whether the bloom index rules files out by their smallest and greatest key.
    pub bloom_index_prune_by_ranges: bool,
    /// A base file below this size takes inserts; 0: none does.
    pub small_file_limit_bytes: u64,
    /// Rows of a new file group when sizes are not known.
    pub insert_split_size: u64,
    /// Whether rows of a new file group follow from the average record size.
    pub insert_auto_split: bool,
    /// Size of a record before there are commits to learn from.
    pub record_size_estimate_bytes: u64,
    /// A commit counts for the average size when it wrote more than this part of a small file.
    pub record_size_estimation_threshold: f64,
    /// Commits looked at for the average size.
    pub record_size_estimator_max_commits: u64,
    /// Bytes of a file that are not records.
    pub record_size_estimator_metadata_bytes: u64,
    /// Whether an insert keeps only the newest of equal keys in its input.
    pub combine_before_insert: bool,
    /// Whether an upsert does.
    pub combine_before_upsert: bool,
    /// Whether a delete drops repeated keys in its input.
    pub combine_before_delete: bool,
    /// What an insert does with keys the table has.
    pub insert_duplicates: InsertDuplicates,
    /// Whether inserts into a small file keep rows with equal keys apart.
    pub merge_allow_duplicate_on_inserts: bool,
    /// Whether a write of no rows makes a commit.
    pub allow_empty_commit: bool,
    /// Whether a rollback finds files by markers instead of listings.
    pub rollback_using_markers: bool,
    /// Whether columns the input lacks are filled with null.
    pub reconcile_schema: bool,
    /// Options with this prefix go into the metadata of the commit; see
    /// [`WriteOptions::commit_metadata`].
    pub commit_metadata_key_prefix: String,
    raw: BTreeMap<String, String>,
}

/// Options of Parquet files.
#[derive(Clone, Debug, PartialEq)]
pub struct ParquetOptions {
    /// Bytes of a base file at most.
    pub max_file_size_bytes: u64,
    /// Bytes of a row group at most.
    pub block_size_bytes: u64,
    /// Bytes of a page at most.
    pub page_size_bytes: u64,
    /// How pages are compressed.
    pub codec: Codec,
    /// Level of that codec; `None`: its own default, for zstd 1.
    pub compression_level: Option<u32>,
    /// Expected size after compression, for estimates.
    pub compression_ratio: f64,
    /// Whether dictionaries are written.
    pub dictionary_enabled: bool,
}

/// Options of bloom filters.
#[derive(Clone, Debug, PartialEq)]
pub struct BloomOptions {
    /// Keys a filter is made for.
    pub entries: u32,
    /// Part of absent keys a filter may let pass.
    pub false_positive_rate: f64,
    /// Keys a growing filter is made for at most; `None`: it does not grow.
    pub max_entries: Option<u32>,
}

/// How a writer finds the file of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexType {
    /// By reading the keys of the partition.
    Simple,
    /// By the bloom filters and key ranges of files first.
    Bloom,
}

/// What an insert does with keys the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertDuplicates {
    /// Nothing: the table then has two rows of that key.
    Keep,
    /// Leaves them out.
    Drop,
    /// Fails.
    Fail,
}

impl WriteOptions {
    /// Reads options. Keys that nobody declared are kept and ignored, see [`WriteOptions::unknown_keys`].
    ///
    /// # Errors
    /// [`Error::BadValue`]; [`Error::UnsupportedOption`] for what the engine does not do.
    pub fn parse(options: &BTreeMap<String, String>) -> Result<Self> {
        refuse_unsupported(options)?;
        Ok(Self {
            parquet: ParquetOptions {
                max_file_size_bytes: parquet::MAX_FILE_SIZE.integer(options)?,
                block_size_bytes: parquet::BLOCK_SIZE.integer(options)?,
                page_size_bytes: parquet::PAGE_SIZE.integer(options)?,
                codec: Codec::parse(
                    &parquet::COMPRESSION_CODEC,
                    parquet::COMPRESSION_CODEC.text(options),
                )?,
                compression_level: match parquet::COMPRESSION_LEVEL.get(options) {
                    Some(_) => Some(small(&parquet::COMPRESSION_LEVEL, options)?),
                    None => None,
                },
                compression_ratio: parquet::COMPRESSION_RATIO.decimal(options)?,
                dictionary_enabled: parquet::DICTIONARY_ENABLED.bool(options)?,
            },
            bloom: bloom(options)?,
            index_type: match index::TYPE.word(options)?.as_str() {
                "BLOOM" => IndexType::Bloom,
                _ => IndexType::Simple,
            },
            bloom_index_prune_by_ranges: index::BLOOM_PRUNE_BY_RANGES.bool(options)?,
            small_file_limit_bytes: parquet::SMALL_FILE_LIMIT.integer(options)?,
            insert_split_size: write::INSERT_SPLIT_SIZE.integer(options)?,
            insert_auto_split: write::INSERT_AUTO_SPLIT.bool(options)?,
            record_size_estimate_bytes: write::RECORD_SIZE_ESTIMATE.integer(options)?,
            record_size_estimation_threshold: write::RECORD_SIZE_ESTIMATION_THRESHOLD
                .decimal(options)?,
            record_size_estimator_max_commits: write::RECORD_SIZE_ESTIMATOR_MAX_COMMITS
                .integer(options)?,
            record_size_estimator_metadata_bytes: write::RECORD_SIZE_ESTIMATOR_METADATA_SIZE
                .integer(options)?,
            combine_before_insert: write::COMBINE_BEFORE_INSERT.bool(options)?,
            combine_before_upsert: write::COMBINE_BEFORE_UPSERT.bool(options)?,
            combine_before_delete: write::COMBINE_BEFORE_DELETE.bool(options)?,
            insert_duplicates: match write::INSERT_DUPLICATE_POLICY.word(options)?.as_str() {
                "DROP" => InsertDuplicates::Drop,
                "FAIL" => InsertDuplicates::Fail,
                _ => InsertDuplicates::Keep,
            },
            merge_allow_duplicate_on_inserts: write::MERGE_ALLOW_DUPLICATE_ON_INSERTS
                .bool(options)?,
            allow_empty_commit: write::ALLOW_EMPTY_COMMIT.bool(options)?,
            rollback_using_markers: write::ROLLBACK_USING_MARKERS.bool(options)?,
            reconcile_schema: write::RECONCILE_SCHEMA.bool(options)?,
            commit_metadata_key_prefix: write::COMMIT_METADATA_KEY_PREFIX.text(options).to_owned(),
            raw: options.clone(),
        })
    }

    /// The options as they were given.
    pub fn raw(&self) -> &BTreeMap<String, String> {
        &self.raw
    }

    /// Given options in Hudi's or our own name space that no key declares: ignored, or typing errors.
    pub fn unknown_keys(&self) -> impl Iterator<Item = &str> {
        let ours = |name: &&String| name.starts_with("hoodie.") || name.starts_with("oxlake.");
        let storage = |name: &&String| name.starts_with("oxlake.storage.");
        self.raw
            .keys()
            .filter(move |name| ours(name) && !storage(name))
            .filter(|name| keys::find(name).is_none())
            .map(String::as_str)
    }

    /// Given options that go into the metadata of the commit.
    pub fn commit_metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let prefix = self.commit_metadata_key_prefix.as_str();
        self.raw
            .iter()
            .filter(move |(name, _)| !prefix.is_empty() && name.starts_with(prefix))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether options that a table fixes at its creation agree with the table.
    ///
    /// # Errors
    /// [`Error::Contradiction`] names the option and what the table says.
    pub fn check_against(&self, config: &TableConfig) -> Result<()> {
        let partition_fields: Vec<String> = config
            .partition_fields()
            .iter()
            .map(|field| field.name.clone())
            .collect();
        for (keys, fields) in [
            (
                [&write::RECORD_KEY_FIELD, &table::RECORD_KEY_FIELDS].as_slice(),
                config.record_key_fields(),
            ),
            (
                &[&write::PARTITION_PATH_FIELD, &table::PARTITION_FIELDS],
                &partition_fields,
            ),
            (
                &[&write::PRECOMBINE_FIELD, &table::ORDERING_FIELDS],
                config.ordering_fields(),
            ),
        ] {
            for key in keys {
                self.agree(key, &fields.join(","), |given| {
                    let bare = given
                        .split(',')
                        .map(|f| f.split(':').next().unwrap_or(f).trim());
                    bare.filter(|field| !field.is_empty())
                        .eq(fields.iter().map(String::as_str))
                })?;
            }
        }
        for (key, table_value) in [
            (&table::MERGE_MODE, config.merge_mode().as_str()),
            (
                &table::HIVE_STYLE,
                if config.hive_style_partitioning() {
                    "true"
                } else {
                    "false"
                },
            ),
            (
                &table::URL_ENCODE,
                if config.url_encode_partitioning() {
                    "true"
                } else {
                    "false"
                },
            ),
            (&table::NAME, config.table_name()),
            (&write::TABLE_TYPE, config.table_type().as_str()),
            (&write::TABLE_VERSION, config.version().to_string().as_str()),
        ] {
            self.agree(key, table_value, |given| {
                given.trim().eq_ignore_ascii_case(table_value)
            })?;
        }
        let generator = config.key_generator();
        self.agree(&write::KEY_GENERATOR_TYPE, generator.type_name(), |given| {
            KeyGeneratorType::from_type_name(given.trim()).as_ref() == Some(generator)
        })?;
        self.agree(&write::KEY_GENERATOR_CLASS, generator.class(), |given| {
            KeyGeneratorType::from_class(given.trim()) == *generator
        })
    }

    fn agree(&self, key: &Key, table_value: &str, same: impl Fn(&str) -> bool) -> Result<()> {
        match key.get(&self.raw) {
            Some(given) if !same(given) => Err(Error::Contradiction {
                key: key.name.to_owned(),
                value: given.to_owned(),
                other: format!("the table was made with '{table_value}'"),
            }),
            _ => Ok(()),
        }
    }
}

impl Default for WriteOptions {
    fn default() -> Self {
        // A test reads the defaults of all keys; they cannot fail here.
        Self::parse(&BTreeMap::new()).unwrap_or_else(|error| unreachable!("{error}"))
    }
}

fn bloom(options: &BTreeMap<String, String>) -> Result<BloomOptions> {
    let grows = index::BLOOM_TYPE.word(options)? == "DYNAMIC_V0";
    let rate = index::BLOOM_FPP.decimal(options)?;
    if rate <= 0.0 || rate >= 1.0 {
        return Err(Error::BadValue {
            key: index::BLOOM_FPP.name.to_owned(),
            value: rate.to_string(),
            expected: "a number between 0 and 1".to_owned(),
        });
    }
    Ok(BloomOptions {
        entries: small(&index::BLOOM_ENTRIES, options)?,
        false_positive_rate: rate,
        max_entries: if grows {
            Some(small(&index::BLOOM_MAX_ENTRIES, options)?)
        } else {
            None
        },
    })
}

fn small(key: &Key, options: &BTreeMap<String, String>) -> Result<u32> {
    let number = key.integer(options)?;
    u32::try_from(number).map_err(|_| key.bad_value(&number.to_string()))
}

/// Options whose other values the engine cannot keep.
fn refuse_unsupported(options: &BTreeMap<String, String>) -> Result<()> {
    let switches: [(&'static Key, &'static str); 4] = [
        (
            &write::METADATA_ENABLE,
            "a metadata table is not written yet; leave it out",
        ),
        (
            &write::SCHEMA_ON_READ,
            "columns can be added only, not renamed or dropped",
        ),
        (
            &write::CONSISTENT_LOGICAL_TIMESTAMP,
            "times in keys are written as numbers",
        ),
        (
            &write::COMPLEX_NEW_ENCODING,
            "complex keys of one field are written on version 9 only, which names every key field",
        ),
    ];
    for (key, reason) in switches {
        if key.bool(options)? {
            return Err(Error::UnsupportedOption {
                key: key.name,
                value: "true".to_owned(),
                reason,
            });
        }
    }
    let words: [(&'static Key, &'static str, &'static str); 3] = [
        (
            &write::CONCURRENCY_MODE,
            "SINGLE_WRITER",
            "several writers at once are not coordinated yet",
        ),
        (
            &write::FAILED_WRITES_POLICY,
            "EAGER",
            "failed writes are rolled back by the next writer",
        ),
        (
            &write::BULK_INSERT_SORT_MODE,
            "NONE",
            "bulk insert keeps the order of its input",
        ),
    ];
    for (key, supported, reason) in words {
        let value = key.word(options)?;
        if value != supported {
            return Err(Error::UnsupportedOption {
                key: key.name,
                value,
                reason,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableSpec;

    fn parse(pairs: &[(&str, &str)]) -> Result<WriteOptions> {
        let options = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        WriteOptions::parse(&options)
    }

    #[test]
    fn defaults_are_the_jvms_but_for_zstd() {
        let options = WriteOptions::default();
        assert_eq!(options.parquet.codec, Codec::Zstd);
        assert_eq!(options.parquet.max_file_size_bytes, 125_829_120);
        assert_eq!(options.small_file_limit_bytes, 104_857_600);
        assert_eq!(options.bloom.entries, 60_000);
        assert_eq!(options.bloom.max_entries, Some(100_000));
        assert!((options.bloom.false_positive_rate - 1e-9).abs() < f64::EPSILON * 1e-9);
        assert!(!options.combine_before_insert && options.combine_before_upsert);
        assert_eq!(options.index_type, IndexType::Simple);
        assert_eq!(options.insert_duplicates, InsertDuplicates::Keep);
    }

    #[test]
    fn values_are_read_checked_and_kept() {
        let options = parse(&[
            ("hoodie.parquet.compression.codec", "gzip"),
            ("oxlake.parquet.compression.level", "9"),
            ("hoodie.index.type", "bloom"),
            ("hoodie.bloom.index.filter.type", "SIMPLE"),
            ("hoodie.datasource.insert.dup.policy", "drop"),
            ("hoodie.parquet.small.file.limt", "0"),
            ("_source", "kafka"),
            ("aws_region", "x"),
        ])
        .unwrap();
        assert_eq!(
            (options.parquet.codec, options.parquet.compression_level),
            (Codec::Gzip, Some(9))
        );
        assert_eq!(
            (options.index_type, options.bloom.max_entries),
            (IndexType::Bloom, None)
        );
        assert_eq!(options.insert_duplicates, InsertDuplicates::Drop);
        assert_eq!(
            options.unknown_keys().collect::<Vec<_>>(),
            ["hoodie.parquet.small.file.limt"]
        );
        assert_eq!(
            options.commit_metadata().collect::<Vec<_>>(),
            [("_source", "kafka")]
        );
        for (key, value) in [
            ("hoodie.parquet.compression.codec", "lzo"),
            ("hoodie.index.bloom.fpp", "1.5"),
            ("hoodie.index.bloom.num_entries", "99999999999"),
            ("hoodie.combine.before.upsert", "often"),
        ] {
            let error = parse(&[(key, value)]).unwrap_err();
            assert!(error.to_string().contains(key), "{error}");
        }
    }

    #[test]
    fn what_the_engine_does_not_do_is_refused() {
        for (key, value) in [
            ("hoodie.metadata.enable", "true"),
            ("hoodie.schema.on.read.enable", "true"),
            (
                "hoodie.write.concurrency.mode",
                "optimistic_concurrency_control",
            ),
            ("hoodie.clean.failed.writes.policy", "LAZY"),
            ("hoodie.bulkinsert.sort.mode", "GLOBAL_SORT"),
        ] {
            let error = parse(&[(key, value)]).unwrap_err();
            assert!(
                matches!(error, Error::UnsupportedOption { .. }),
                "{key}: {error}"
            );
        }
        parse(&[("hoodie.metadata.enable", "false")]).unwrap();
    }

    #[test]
    fn options_that_contradict_the_table_are_refused() {
        let spec = TableSpec::new("t")
            .record_key_fields(["id"])
            .partition_fields(["city"])
            .ordering_fields(["ts"]);
        let table = TableConfig::try_from_properties(spec.to_properties().unwrap()).unwrap();
        for (key, value) in [
            ("hoodie.datasource.write.recordkey.field", "other"),
            ("hoodie.datasource.write.partitionpath.field", "city,day"),
            ("hoodie.table.ordering.fields", "seq"),
            ("hoodie.record.merge.mode", "COMMIT_TIME_ORDERING"),
            ("hoodie.datasource.write.hive_style_partitioning", "true"),
            ("hoodie.datasource.write.keygenerator.type", "COMPLEX"),
            ("hoodie.table.name", "u"),
        ] {
            let error = parse(&[(key, value)])
                .unwrap()
                .check_against(&table)
                .unwrap_err();
            assert!(error.to_string().contains(key), "{error}");
        }
        parse(&[
            ("hoodie.datasource.write.recordkey.field", "id"),
            ("hoodie.datasource.write.partitionpath.field", "city:SIMPLE"),
            ("hoodie.record.merge.mode", "EVENT_TIME_ORDERING"),
            (
                "hoodie.datasource.write.keygenerator.class",
                "org.apache.hudi.keygen.SimpleAvroKeyGenerator",
            ),
        ])
        .unwrap()
        .check_against(&table)
        .unwrap();
    }
}
