//! Table schemas of the real engine, to Arrow and back.

use std::collections::BTreeMap;

use arrow_schema::{DataType, Field, Schema as ArrowSchema, TimeUnit};
use oxlake_avro::arrow::{from_arrow, to_arrow};
use oxlake_avro::{Schema, container};

use crate::fixtures;

/// The schema texts in the commit metadata of the golden tables, each with a place it was found. Those
/// of metadata tables are left out: they hold unions of records, which no column can.
fn table_schemas() -> BTreeMap<String, String> {
    let mut schemas = BTreeMap::new();
    for (path, bytes) in
        fixtures::files(|name| name.contains(".hoodie/timeline/") && !name.contains("/metadata/"))
    {
        if !container::is_container(&bytes) {
            continue;
        }
        for record in container::read(&bytes).unwrap().records {
            let extra = record.opt_string_map("extraMetadata").unwrap_or_default();
            if let Some(text) = extra.get("schema").filter(|text| !text.is_empty()) {
                schemas.entry(text.clone()).or_insert(path.clone());
            }
        }
    }
    schemas
}

#[test]
fn schemas_of_spark_survive_the_way_to_arrow_and_back_letter_by_letter() {
    let mut same = 0;
    for (text, path) in table_schemas() {
        let schema = Schema::parse(&text).unwrap();
        let arrow = to_arrow(&schema).unwrap_or_else(|e| panic!("{path}: {e}"));
        let name = schema.record().unwrap().name();
        let back = from_arrow(&arrow, name.name(), name.namespace().unwrap()).unwrap();
        assert_eq!(to_arrow(&back).unwrap(), arrow, "{path}");
        same += usize::from(back.json() == text);
        // Type-first unions, enums and comments are what Arrow cannot tell.
        let is_plain = !text.contains(r#","null"]"#)
            && !text.contains(r#""doc":"#)
            && !text.contains(r#""enum""#)
            && !text.contains(r#""version":"#);
        assert!(
            !is_plain || back.json() == text,
            "{path}:\n{text}\n{}",
            back.json()
        );
    }
    assert!(same > 50, "{same} equal texts");
}

#[test]
fn all_types_of_spark() {
    let (text, _) = table_schemas()
        .into_iter()
        .find(|(_, path)| path.starts_with("v9_types_cow/"))
        .unwrap();
    let arrow = to_arrow(&Schema::parse(&text).unwrap()).unwrap();
    let data_type = |name: &str| arrow.field_with_name(name).unwrap().data_type().clone();
    assert_eq!(data_type("by"), DataType::Int32);
    assert_eq!(data_type("dec_mid"), DataType::Decimal128(15, 3));
    assert_eq!(data_type("dt"), DataType::Date32);
    assert_eq!(
        data_type("tsz"),
        DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
    );
    assert_eq!(
        data_type("tsn"),
        DataType::Timestamp(TimeUnit::Microsecond, None)
    );
    assert_eq!(
        data_type("arr"),
        DataType::List(Field::new("element", DataType::Int32, true).into())
    );
    let DataType::Map(entries, false) = data_type("mp_s") else {
        panic!("a map");
    };
    assert_eq!(entries.name(), "key_value");
    let DataType::Struct(inner) = data_type("st") else {
        panic!("a struct");
    };
    assert_eq!(inner.len(), 2);
}

#[test]
fn meta_columns_are_written_as_the_engine_writes_them() {
    const META: [&str; 5] = [
        "_hoodie_commit_time",
        "_hoodie_commit_seqno",
        "_hoodie_record_key",
        "_hoodie_partition_path",
        "_hoodie_file_name",
    ];
    let table = table_schemas()
        .into_iter()
        .find(|(_, path)| path.starts_with("v9_types_mor/"))
        .map(|(text, _)| Schema::parse(&text).unwrap())
        .unwrap();
    let with = table.with_leading_strings(&META).unwrap();
    let log = fixtures::files(|name| name.contains(".log.1_"))
        .find(|(path, _)| path.starts_with("v9_types_mor/"))
        .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap();
    assert!(log.contains(with.json()), "{}", with.json());
    assert_eq!(with.without_fields(&META).unwrap(), table);
}

#[test]
fn foreign_types_are_widened() {
    let field = |name: &str, data_type| Field::new(name, data_type, false);
    let arrow = ArrowSchema::new(vec![
        field("a", DataType::UInt16),
        field("b", DataType::UInt32),
        field("c", DataType::LargeUtf8),
        field(
            "d",
            DataType::Timestamp(TimeUnit::Nanosecond, Some("+02:00".into())),
        ),
        field("e", DataType::Timestamp(TimeUnit::Second, None)),
        field(
            "f",
            DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into()),
        ),
        field("g", DataType::FixedSizeBinary(16)),
    ]);
    let schema = from_arrow(&arrow, "t_record", "hoodie.t").unwrap();
    assert_eq!(
        schema.json(),
        concat!(
            r#"{"type":"record","name":"t_record","namespace":"hoodie.t","fields":["#,
            r#"{"name":"a","type":"int"},{"name":"b","type":"long"},{"name":"c","type":"string"},"#,
            r#"{"name":"d","type":{"type":"long","logicalType":"timestamp-micros"}},"#,
            r#"{"name":"e","type":{"type":"long","logicalType":"local-timestamp-millis"}},"#,
            r#"{"name":"f","type":"string"},"#,
            r#"{"name":"g","type":{"type":"fixed","name":"fixed","#,
            r#""namespace":"hoodie.t.t_record.g","size":16}}]}"#
        )
    );
}

#[test]
fn what_has_no_counterpart_is_refused_by_column() {
    let inner = Field::new("n", DataType::UInt64, true);
    let outer = Field::new("s", DataType::Struct(vec![inner].into()), true);
    let error = from_arrow(&ArrowSchema::new(vec![outer]), "r", "n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "column s.n: UInt64 has no avro type, cast it to decimal(20, 0)"
    );
    let odd = ArrowSchema::new(vec![Field::new("a b", DataType::Utf8, true)]);
    assert!(from_arrow(&odd, "r", "n").unwrap_err().is_unsupported());
    let union = Schema::parse(
        r#"{"type":"record","name":"r","fields":[{"name":"u","type":["int","string"]}]}"#,
    );
    assert!(
        to_arrow(&union.unwrap())
            .unwrap_err()
            .to_string()
            .starts_with("column u: ")
    );
}
