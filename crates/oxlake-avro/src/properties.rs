//! Properties that hold for any schema and value.

use proptest::prelude::*;

use crate::{Node, Schema, Value, container, decode, encode};

/// The JSON of a type; `id` makes the names of named types distinct.
fn type_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("\"boolean\"".to_owned()),
        Just("\"int\"".to_owned()),
        Just("\"long\"".to_owned()),
        Just("\"float\"".to_owned()),
        Just("\"double\"".to_owned()),
        Just("\"bytes\"".to_owned()),
        Just("\"string\"".to_owned()),
        (any::<u32>(), 0..5_u32).prop_map(|(id, size)| {
            format!(r#"{{"type":"fixed","name":"f{id}","size":{size}}}"#)
        }),
        any::<u32>()
            .prop_map(|id| { format!(r#"{{"type":"enum","name":"e{id}","symbols":["A","B"]}}"#) }),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|t| format!(r#"{{"type":"array","items":{t}}}"#)),
            inner
                .clone()
                .prop_map(|t| format!(r#"{{"type":"map","values":{t}}}"#)),
            inner.clone().prop_map(|t| if t.starts_with('[') {
                t
            } else {
                format!(r#"["null",{t}]"#)
            }),
            (any::<u32>(), prop::collection::vec(inner, 0..3)).prop_map(|(id, types)| {
                let fields: Vec<String> = types
                    .iter()
                    .enumerate()
                    .map(|(n, t)| format!(r#"{{"name":"c{n}","type":{t}}}"#))
                    .collect();
                let fields = fields.join(",");
                format!(r#"{{"type":"record","name":"r{id}","fields":[{fields}]}}"#)
            }),
        ]
    })
}

fn value_of(node: &Node) -> BoxedStrategy<Value> {
    match node {
        Node::Null => Just(Value::Null).boxed(),
        Node::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        Node::Int(_) => any::<i32>().prop_map(Value::from).boxed(),
        Node::Long(_) => any::<i64>().prop_map(Value::from).boxed(),
        Node::Float => prop::num::f32::NORMAL.prop_map(Value::from).boxed(),
        Node::Double => prop::num::f64::NORMAL.prop_map(Value::from).boxed(),
        Node::Bytes(_) => prop::collection::vec(any::<u8>(), 0..9)
            .prop_map(Value::Bytes)
            .boxed(),
        Node::String(_) => ".{0,9}".prop_map(Value::String).boxed(),
        Node::Fixed(fixed) => prop::collection::vec(any::<u8>(), fixed.size)
            .prop_map(Value::Fixed)
            .boxed(),
        Node::Enum(symbols) => prop::sample::select(symbols.symbols.clone())
            .prop_map(Value::Enum)
            .boxed(),
        Node::Array(node) => prop::collection::vec(value_of(node), 0..3)
            .prop_map(Value::Array)
            .boxed(),
        Node::Map(node) => prop::collection::btree_map(".{0,4}", value_of(node), 0..3)
            .prop_map(Value::Map)
            .boxed(),
        Node::Union(branches) => prop::strategy::Union::new(branches.iter().map(value_of)).boxed(),
        Node::Record(record) => record
            .fields()
            .iter()
            .map(|field| (Just(field.name.clone()), value_of(&field.node)))
            .collect::<Vec<_>>()
            .prop_map(Value::Record)
            .boxed(),
    }
}

fn schema_and_value() -> impl Strategy<Value = (Schema, Value)> {
    type_json()
        .prop_filter_map("names may meet", |json| Schema::parse(&json).ok())
        .prop_flat_map(|schema| {
            let value = value_of(schema.root());
            (Just(schema), value)
        })
}

proptest! {
    #[test]
    fn values_round_trip((schema, value) in schema_and_value()) {
        let bytes = encode(&schema, &value).unwrap();
        let (decoded, used) = decode(&schema, &bytes).unwrap();
        prop_assert_eq!(used, bytes.len());
        prop_assert_eq!(&decoded, &value);
        let file = container::write(&schema, &[value.clone(), value], [7; 16]).unwrap();
        let read = container::read(&file).unwrap();
        prop_assert_eq!(read.schema, schema);
        prop_assert_eq!(read.records, vec![decoded.clone(), decoded]);
    }

    #[test]
    fn any_bytes_are_answered(
        (schema, _) in schema_and_value(),
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        if let Ok((value, used)) = decode(&schema, &bytes) {
            prop_assert!(used <= bytes.len());
            let again = encode(&schema, &value).unwrap();
            let (value_again, _) = decode(&schema, &again).unwrap();
            // Not-a-number differs from itself, its text does not.
            prop_assert_eq!(format!("{value_again:?}"), format!("{value:?}"));
        }
    }

    #[test]
    fn any_text_is_answered(text in r#"[\[\]{}":,a-z0-9]{0,60}"#) {
        let _ = Schema::parse(&text);
    }
}
