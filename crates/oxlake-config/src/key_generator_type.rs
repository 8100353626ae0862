//! Kinds of key generator and the JVM classes that stand for them (spec 01 §2.6).

/// What makes record keys and partition paths from a row.
///
/// The JVM's `_AVRO` twins give the same output and are not told apart here; the property's own text is
/// kept in the table's properties.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyGeneratorType {
    /// One key field, one partition field.
    Simple,
    /// Several key fields or several partition fields; keys are written `field:value,…`.
    Complex,
    /// One key field; the partition path is a formatted time.
    Timestamp,
    /// Each partition field has its own rule.
    Custom,
    /// No partition fields.
    NonPartitioned,
    /// Only for deletes over all partitions.
    GlobalDelete,
    /// Keys are made up by the writer.
    AutoRecord,
    /// The metadata table's own.
    TableMetadata,
    /// Spark SQL's internal ones.
    SparkSql,
    /// A class of the user's.
    UserProvided {
        /// Full name of the class.
        class: String,
    },
}

/// Type name, class name; the first of a type is the one we write.
const NAMES: [(&str, &str, KeyGeneratorType); 18] = [
    (
        "SIMPLE",
        "org.apache.hudi.keygen.SimpleKeyGenerator",
        KeyGeneratorType::Simple,
    ),
    (
        "SIMPLE_AVRO",
        "org.apache.hudi.keygen.SimpleAvroKeyGenerator",
        KeyGeneratorType::Simple,
    ),
    (
        "COMPLEX",
        "org.apache.hudi.keygen.ComplexKeyGenerator",
        KeyGeneratorType::Complex,
    ),
    (
        "COMPLEX_AVRO",
        "org.apache.hudi.keygen.ComplexAvroKeyGenerator",
        KeyGeneratorType::Complex,
    ),
    (
        "TIMESTAMP",
        "org.apache.hudi.keygen.TimestampBasedKeyGenerator",
        KeyGeneratorType::Timestamp,
    ),
    (
        "TIMESTAMP_AVRO",
        "org.apache.hudi.keygen.TimestampBasedAvroKeyGenerator",
        KeyGeneratorType::Timestamp,
    ),
    (
        "CUSTOM",
        "org.apache.hudi.keygen.CustomKeyGenerator",
        KeyGeneratorType::Custom,
    ),
    (
        "CUSTOM_AVRO",
        "org.apache.hudi.keygen.CustomAvroKeyGenerator",
        KeyGeneratorType::Custom,
    ),
    (
        "NON_PARTITION",
        "org.apache.hudi.keygen.NonpartitionedKeyGenerator",
        KeyGeneratorType::NonPartitioned,
    ),
    (
        "NON_PARTITION_AVRO",
        "org.apache.hudi.keygen.NonpartitionedAvroKeyGenerator",
        KeyGeneratorType::NonPartitioned,
    ),
    (
        "GLOBAL_DELETE",
        "org.apache.hudi.keygen.GlobalDeleteKeyGenerator",
        KeyGeneratorType::GlobalDelete,
    ),
    (
        "GLOBAL_DELETE_AVRO",
        "org.apache.hudi.keygen.GlobalAvroDeleteKeyGenerator",
        KeyGeneratorType::GlobalDelete,
    ),
    (
        "AUTO_RECORD",
        "org.apache.hudi.keygen.AutoRecordGenWrapperKeyGenerator",
        KeyGeneratorType::AutoRecord,
    ),
    (
        "AUTO_RECORD_AVRO",
        "org.apache.hudi.keygen.AutoRecordGenWrapperAvroKeyGenerator",
        KeyGeneratorType::AutoRecord,
    ),
    (
        "HOODIE_TABLE_METADATA",
        "org.apache.hudi.metadata.HoodieTableMetadataKeyGenerator",
        KeyGeneratorType::TableMetadata,
    ),
    (
        "SPARK_SQL",
        "org.apache.spark.sql.hudi.command.SqlKeyGenerator",
        KeyGeneratorType::SparkSql,
    ),
    (
        "SPARK_SQL_UUID",
        "org.apache.spark.sql.hudi.command.UuidKeyGenerator",
        KeyGeneratorType::SparkSql,
    ),
    (
        "SPARK_SQL_MERGE_INTO",
        "org.apache.spark.sql.hudi.command.MergeIntoKeyGenerator",
        KeyGeneratorType::SparkSql,
    ),
];

impl KeyGeneratorType {
    /// The type of this name (`hoodie.table.keygenerator.type`); `None` for names nobody knows, and for
    /// `USER_PROVIDED`, which needs a class.
    pub fn from_type_name(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|(known, _, _)| *known == name)
            .map(|(_, _, kind)| kind.clone())
    }

    /// The type a JVM class stands for; unknown classes are the user's own.
    pub fn from_class(class: &str) -> Self {
        let known = NAMES.iter().find(|(_, known, _)| *known == class);
        known.map_or_else(
            || Self::UserProvided {
                class: class.to_owned(),
            },
            |(_, _, kind)| kind.clone(),
        )
    }

    /// What applies when nothing is configured (spec 02 §4.1).
    pub fn infer(record_key_fields: usize, partition_fields: &[impl AsRef<str>]) -> Self {
        match partition_fields {
            [] => Self::NonPartitioned,
            fields if fields.iter().any(|field| field.as_ref().contains(':')) => Self::Custom,
            [_] if record_key_fields <= 1 => Self::Simple,
            _ => Self::Complex,
        }
    }

    /// The value of `hoodie.table.keygenerator.type`.
    pub fn type_name(&self) -> &'static str {
        let known = NAMES.iter().find(|(_, _, kind)| kind == self);
        known.map_or("USER_PROVIDED", |(name, _, _)| name)
    }

    /// The value of `hoodie.table.keygenerator.class`.
    pub fn class(&self) -> &str {
        match self {
            Self::UserProvided { class } => class,
            known => NAMES
                .iter()
                .find(|(_, _, kind)| kind == known)
                .map_or("", |(_, class, _)| class),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_classes_stand_for_each_other() {
        for (name, class, kind) in NAMES {
            assert_eq!(KeyGeneratorType::from_type_name(name), Some(kind.clone()));
            assert_eq!(KeyGeneratorType::from_class(class), kind);
            assert_eq!(
                KeyGeneratorType::from_type_name(kind.type_name()),
                Some(kind.clone())
            );
            assert_eq!(KeyGeneratorType::from_class(kind.class()), kind);
        }
        let own = KeyGeneratorType::from_class("com.example.Keys");
        assert_eq!(
            (own.type_name(), own.class()),
            ("USER_PROVIDED", "com.example.Keys")
        );
    }

    #[test]
    fn inference_follows_the_number_of_fields() {
        let infer = |keys, fields: &[&str]| KeyGeneratorType::infer(keys, fields);
        assert_eq!(infer(1, &[]), KeyGeneratorType::NonPartitioned);
        assert_eq!(infer(2, &[]), KeyGeneratorType::NonPartitioned);
        assert_eq!(infer(1, &["a"]), KeyGeneratorType::Simple);
        assert_eq!(infer(0, &["a"]), KeyGeneratorType::Simple);
        assert_eq!(infer(2, &["a"]), KeyGeneratorType::Complex);
        assert_eq!(infer(1, &["a", "b"]), KeyGeneratorType::Complex);
        assert_eq!(infer(1, &["a:TIMESTAMP"]), KeyGeneratorType::Custom);
    }
}
