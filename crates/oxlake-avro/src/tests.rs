//! Schemas as real files have them, the layouts of blocks, unions, defaults, and limits.

use std::io::Write;

use crate::{Error, Logical, Node, Schema, Value, container, decode, encode};

fn schema(json: &str) -> Schema {
    Schema::parse(json).unwrap()
}

fn check(json: &str, value: &Value, bytes: &[u8]) {
    let schema = schema(json);
    assert_eq!(encode(&schema, value).unwrap(), bytes, "{json}");
    assert_eq!(
        decode(&schema, bytes).unwrap(),
        (value.clone(), bytes.len()),
        "{json}"
    );
}

#[test]
fn primitives() {
    check(r#""null""#, &Value::Null, &[]);
    check(r#""boolean""#, &true.into(), &[1]);
    check(r#""int""#, &(-64).into(), &[0x7f]);
    check(r#""int""#, &64.into(), &[0x80, 0x01]);
    check(
        r#""int""#,
        &i32::MIN.into(),
        &[0xff, 0xff, 0xff, 0xff, 0x0f],
    );
    check(
        r#""long""#,
        &i64::MIN.into(),
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    );
    check(r#""float""#, &1.0_f32.into(), &[0, 0, 0x80, 0x3f]);
    check(
        r#""double""#,
        &25.0_f64.into(),
        &[0, 0, 0, 0, 0, 0, 0x39, 0x40],
    );
    check(r#""bytes""#, &Value::Bytes(vec![0xff]), &[2, 0xff]);
    check(r#""string""#, &"é".into(), &[4, 0xc3, 0xa9]);
    check(
        r#"{"type":"fixed","name":"f","size":2}"#,
        &Value::Fixed(vec![1, 2]),
        &[1, 2],
    );
    check(
        r#"{"type":"enum","name":"e","symbols":["A","B"]}"#,
        &Value::Enum("B".into()),
        &[2],
    );
}

#[test]
fn arrays_and_maps_in_any_blocks() {
    let array = schema(r#"{"type":"array","items":"int","default":null}"#);
    let items = Value::array([1, 2, 3]);
    assert_eq!(encode(&array, &items).unwrap(), [6, 2, 4, 6, 0]);
    for bytes in [
        &[6, 2, 4, 6, 0][..],
        &[4, 2, 4, 2, 6, 0],
        &[5, 6, 2, 4, 6, 0],
    ] {
        assert_eq!(decode(&array, bytes).unwrap(), (items.clone(), bytes.len()));
    }
    let map = schema(r#"{"type":"map","values":"int","default":null}"#);
    let entries = Value::map([("a", 1), ("b", 2)]);
    let bytes = [1, 6, 2, b'b', 4, 2, 2, b'a', 2, 0];
    assert_eq!(decode(&map, &bytes).unwrap(), (entries.clone(), 10));
    assert_eq!(
        encode(&map, &entries).unwrap(),
        [4, 2, b'a', 2, 2, b'b', 4, 0]
    );
}

#[test]
fn names_inherit_namespaces() {
    let schema = schema(
        r#"{"type":"record","name":"a","namespace":"n.s","fields":[
            {"name":"x","type":{"type":"record","name":"b","fields":[
                {"name":"y","type":{"type":"enum","name":"m.e","symbols":["S"]}}]}},
            {"name":"again","type":["null","b"]},
            {"name":"full","type":"n.s.b"},
            {"name":"other","type":"m.e"},
            {"name":"wrapped","type":{"type":{"type":"string","avro.java.string":"String"}}}]}"#,
    );
    let names: Vec<_> = schema
        .fields()
        .iter()
        .map(|f| f.node.non_null().type_name())
        .collect();
    assert_eq!(names, ["n.s.b", "n.s.b", "n.s.b", "m.e", "string"]);
    assert!(schema.fields()[1].node.is_nullable());
}

#[test]
fn logical_types() {
    for (json, expected) in [
        (
            r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"#,
            Some(Logical::Decimal {
                precision: 9,
                scale: 2,
            }),
        ),
        (r#"{"type":"bytes","logicalType":"decimal"}"#, None),
        (
            r#"{"type":"int","logicalType":"date"}"#,
            Some(Logical::Date),
        ),
        (
            r#"{"type":"long","logicalType":"local-timestamp-micros"}"#,
            Some(Logical::LocalTimestampMicros),
        ),
        (
            r#"{"type":"fixed","name":"v","size":8,"logicalType":"vector"}"#,
            Some(Logical::Other("vector".into())),
        ),
    ] {
        assert_eq!(schema(json).root().logical(), expected.as_ref(), "{json}");
    }
}

/// The ordering values of delete blocks: records alike, told apart by their branch.
#[test]
fn unions_of_records_keep_their_branch() {
    let union = r#"["null",
        {"type":"record","name":"IntWrapper","fields":[{"name":"value","type":"int"}]},
        {"type":"record","name":"DateWrapper","fields":[{"name":"value","type":"int"}]},
        {"type":"record","name":"Other","fields":[{"name":"value","type":"string"}]}]"#;
    let wrapped = |value: Value| Value::record([("value", value)]);
    check(union, &Value::Null, &[0]);
    check(
        union,
        &Value::Branch(2, Box::new(wrapped(5.into()))),
        &[4, 10],
    );
    // Without a branch the content decides, the first of equals wins.
    let schema = schema(union);
    assert_eq!(encode(&schema, &wrapped(5.into())).unwrap(), [2, 10]);
    assert_eq!(encode(&schema, &wrapped("a".into())).unwrap(), [6, 2, b'a']);
    let read = decode(&schema, &[4, 10]).unwrap().0;
    assert_eq!(read.opt_i32("value"), Some(5));
    assert!(!read.is_null() && read.as_record().is_some());
}

#[test]
fn unions_take_the_own_kind_before_a_wider_one() {
    let schema = schema(r#"["null","double","long","string"]"#);
    assert_eq!(encode(&schema, &1_i64.into()).unwrap(), [4, 2]);
    assert_eq!(encode(&schema, &1_i32.into()).unwrap()[0], 2);
    let error = encode(&schema, &true.into()).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot encode boolean as one of [null, double, long, string] at value"
    );
}

#[test]
fn absent_fields_take_their_default() {
    let json = r#"{"type":"record","name":"r","fields":[
        {"name":"a","type":["null","string"],"default":null},
        {"name":"b","type":["int","null"],"default":1},
        {"name":"c","type":["string","null"],"default":null},
        {"name":"d","type":{"type":"array","items":"string"},"default":[]},
        {"name":"e","type":"bytes","default":"\u00ff"},
        {"name":"f","type":"string"}]}"#;
    let schema = schema(json);
    let bytes = encode(&schema, &Value::record([("f", "x".into())])).unwrap();
    assert_eq!(bytes, [0, 0, 2, 2, 0, 2, 0xff, 2, b'x']);
    let missing = encode(&schema, &Value::record::<&str>([])).unwrap_err();
    assert!(matches!(missing, Error::MissingField { field, .. } if field == "f"));
    let unknown = encode(&schema, &Value::record([("g", Value::Null)])).unwrap_err();
    assert!(matches!(unknown, Error::UnknownField { field, .. } if field == "g"));
    let nested = encode(
        &schema,
        &Value::record([("f", "".into()), ("d", Value::array([1]))]),
    );
    let nested = nested.unwrap_err().to_string();
    assert_eq!(nested, "cannot encode int as string at d");
}

#[test]
fn claims_beyond_the_bytes_are_refused() {
    let many = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    for json in [
        r#""bytes""#,
        r#"{"type":"array","items":"null"}"#,
        r#"{"type":"array","items":"long"}"#,
        r#"{"type":"array","items":{"type":"fixed","name":"f","size":0}}"#,
        r#"{"type":"map","values":"null"}"#,
        r#"{"type":"fixed","name":"f","size":2147483647}"#,
    ] {
        let error = decode(&schema(json), &many).unwrap_err();
        assert!(
            matches!(error, Error::Truncated { .. } | Error::Corrupt { .. }),
            "{json}"
        );
    }
    let error = decode(&schema(r#""string""#), &[6, b'a']).unwrap_err();
    assert_eq!(
        error.to_string(),
        "avro bytes end early: 3 more bytes wanted at offset 1, 1 left"
    );
}

#[test]
fn schemas_that_run_away_are_refused() {
    let recursive =
        r#"{"type":"record","name":"n","fields":[{"name":"next","type":["null","n"]}]}"#;
    assert!(
        matches!(Schema::parse(recursive), Err(Error::RecursiveSchema { name }) if name == "n")
    );
    // Each record holds the one before twice, so their number doubles.
    let mut doubling =
        r#"{"name":"f0","type":{"type":"record","name":"r0","fields":[]}}"#.to_owned();
    let mut chain = doubling.clone();
    for n in 1..200 {
        let before = n - 1;
        let field = |name: &str| format!(r#"{{"name":"{name}","type":"r{before}"}}"#);
        let record = |fields: &str| {
            format!(
                r#",{{"name":"f{n}","type":{{"type":"record","name":"r{n}","fields":[{fields}]}}}}"#
            )
        };
        chain += &record(&field("a"));
        if n < 60 {
            doubling += &record(&[field("a"), field("b")].join(","));
        }
    }
    for fields in [doubling, chain] {
        let json = format!(r#"{{"type":"record","name":"top","fields":[{fields}]}}"#);
        assert!(matches!(Schema::parse(&json), Err(Error::Schema { .. })));
    }
    assert!(Schema::parse(&"[".repeat(100_000)).is_err());
}

#[test]
fn schema_errors_say_where() {
    for (json, message) in [
        ("{", "the avro schema is not valid JSON"),
        (
            "1",
            "invalid avro schema at schema: a type is a name, a list or an object",
        ),
        (
            r#""strin""#,
            r#"invalid avro schema at schema: the type "strin" is not defined"#,
        ),
        (
            r#"{"type":"record","name":"r","fields":[{"name":"f","type":{"type":"map"}}]}"#,
            r#"invalid avro schema at r.f: "values" is missing"#,
        ),
    ] {
        assert_eq!(Schema::parse(json).unwrap_err().to_string(), message);
    }
}

#[test]
fn deflated_containers_and_unknown_codecs() {
    let schema = schema(r#"{"type":"record","name":"r","fields":[{"name":"a","type":"int"}]}"#);
    let records: Vec<Value> = (0..100).map(|n| Value::record([("a", n.into())])).collect();
    let payload: Vec<u8> = records
        .iter()
        .flat_map(|r| encode(&schema, r).unwrap())
        .collect();
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    deflate.write_all(&payload).unwrap();
    let payload = deflate.finish().unwrap();
    let with_codec = |codec: &str| {
        let metadata = Value::map([
            (container::SCHEMA_KEY, Value::from(schema.json().as_bytes())),
            (container::CODEC_KEY, Value::from(codec.as_bytes())),
        ]);
        let bytes = Schema::parse(r#"{"type":"map","values":"bytes"}"#).unwrap();
        let mut file = container::MAGIC.to_vec();
        file.extend(encode(&bytes, &metadata).unwrap());
        file.extend([1; 16]);
        file.extend([0xc8, 0x01]);
        crate::cursor::put_bytes(&mut file, &payload);
        file.extend([1; 16]);
        file
    };
    assert_eq!(
        container::read(&with_codec("deflate")).unwrap().records,
        records
    );
    let error = container::read(&with_codec("zstandard")).unwrap_err();
    assert!(error.is_unsupported(), "{error}");
    assert!(container::read(b"").is_err() && !container::is_container(b""));
}

#[test]
fn a_container_without_records_has_no_block() {
    let schema = schema(r#"{"type":"record","name":"r","fields":[]}"#);
    let empty = container::write(&schema, &[], [9; 16]).unwrap();
    assert!(empty.ends_with(&[9; 16]));
    assert_eq!(container::read(&empty).unwrap().records, []);
    assert!(matches!(schema.root(), Node::Record(_)));
}
