//! From a value to bytes.

use serde_json::Value as Json;

use crate::cursor::{put_bytes, put_length, put_long};
use crate::error::{Error, Result};
use crate::schema::{Field, Node, RecordSchema};
use crate::value::Value;

/// Encodes one datum.
///
/// Record fields are taken by name, absent ones get the schema's default. In a union the branch of
/// the value's own kind is taken, else the first it can be widened to (an int to a long, for example).
/// Arrays and maps are written as one block, maps in the order of their keys.
///
/// # Errors
/// The value does not fit the schema; the message says where.
pub fn encode(schema: &impl AsRef<Node>, value: &Value) -> Result<Vec<u8>> {
    let mut encoder = Encoder {
        out: Vec::new(),
        path: Vec::new(),
    };
    encoder.value(schema.as_ref(), value)?;
    Ok(encoder.out)
}

struct Encoder<'a> {
    out: Vec<u8>,
    /// Field names down to the value at hand, for messages.
    path: Vec<&'a str>,
}

impl<'a> Encoder<'a> {
    fn value(&mut self, node: &'a Node, value: &Value) -> Result<()> {
        match (node, value) {
            (Node::Union(branches), value) => return self.union(node, branches, value),
            (_, Value::Branch(_, value)) => return self.value(node, value),
            (Node::Null, Value::Null) => {}
            (Node::Boolean, Value::Boolean(flag)) => self.out.push(u8::from(*flag)),
            (Node::Int(_) | Node::Long(_), Value::Int(number)) => {
                put_long(&mut self.out, i64::from(*number));
            }
            (Node::Long(_), Value::Long(number)) => put_long(&mut self.out, *number),
            (Node::Float, value) => {
                let number = float(value).ok_or_else(|| self.mismatch(node, value))?;
                self.out.extend_from_slice(&number.to_le_bytes());
            }
            (Node::Double, value) => {
                let number = double(value).ok_or_else(|| self.mismatch(node, value))?;
                self.out.extend_from_slice(&number.to_le_bytes());
            }
            (Node::Bytes(_), Value::Bytes(bytes)) => put_bytes(&mut self.out, bytes),
            (Node::String(_), Value::String(text)) => put_bytes(&mut self.out, text.as_bytes()),
            (Node::Fixed(fixed), Value::Fixed(bytes)) if bytes.len() == fixed.size => {
                self.out.extend_from_slice(bytes);
            }
            (Node::Enum(symbols), Value::Enum(text) | Value::String(text)) => {
                let index = symbols.symbols.iter().position(|symbol| symbol == text);
                let index = index.ok_or_else(|| self.mismatch(node, value))?;
                put_length(&mut self.out, index);
            }
            (Node::Array(node), Value::Array(items)) => self.array(node, items)?,
            (Node::Map(node), Value::Map(entries)) => self.map(node, entries)?,
            (Node::Record(record), Value::Record(fields)) => self.record(record, fields)?,
            _ => return Err(self.mismatch(node, value)),
        }
        Ok(())
    }

    fn array(&mut self, node: &'a Node, items: &[Value]) -> Result<()> {
        if !items.is_empty() {
            put_length(&mut self.out, items.len());
            for item in items {
                self.value(node, item)?;
            }
        }
        self.out.push(0);
        Ok(())
    }

    fn map(
        &mut self,
        node: &'a Node,
        entries: &std::collections::BTreeMap<String, Value>,
    ) -> Result<()> {
        if !entries.is_empty() {
            put_length(&mut self.out, entries.len());
            for (key, value) in entries {
                put_bytes(&mut self.out, key.as_bytes());
                self.value(node, value)?;
            }
        }
        self.out.push(0);
        Ok(())
    }

    fn union(&mut self, node: &'a Node, branches: &'a [Node], value: &Value) -> Result<()> {
        let index = match value {
            Value::Branch(index, _) => Some(*index),
            value => branch(branches, value),
        };
        let chosen = index.and_then(|index| Some((index, branches.get(index)?)));
        let (index, branch) = chosen.ok_or_else(|| self.mismatch(node, value))?;
        put_length(&mut self.out, index);
        self.value(branch, value)
    }

    fn record(&mut self, record: &'a RecordSchema, fields: &[(String, Value)]) -> Result<()> {
        for (name, _) in fields {
            if record.field(name).is_none() {
                return Err(Error::UnknownField {
                    record: record.name().full().to_owned(),
                    field: name.clone(),
                });
            }
        }
        for (position, field) in record.fields().iter().enumerate() {
            self.path.push(&field.name);
            match find(fields, position, &field.name) {
                Some(value) => self.value(&field.node, value)?,
                None => self.value(&field.node, &default(record, field)?)?,
            }
            self.path.pop();
        }
        Ok(())
    }

    fn mismatch(&self, node: &Node, value: &Value) -> Error {
        let at = if self.path.is_empty() {
            "value".to_owned()
        } else {
            self.path.join(".")
        };
        Error::Mismatch {
            at,
            wanted: describe(node),
            found: value.kind_name(),
        }
    }
}

/// Values mostly come in the order of the schema.
fn find<'v>(fields: &'v [(String, Value)], position: usize, name: &str) -> Option<&'v Value> {
    match fields.get(position) {
        Some((field, value)) if field == name => Some(value),
        _ => fields
            .iter()
            .find_map(|(field, value)| (field == name).then_some(value)),
    }
}

/// How well a value fits a type; the order is that of preference.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Fit {
    No,
    Widened,
    Exact,
}

fn fit(node: &Node, value: &Value) -> Fit {
    match (node, value) {
        (Node::Null, Value::Null)
        | (Node::Boolean, Value::Boolean(_))
        | (Node::Int(_), Value::Int(_))
        | (Node::Long(_), Value::Long(_))
        | (Node::Float, Value::Float(_))
        | (Node::Double, Value::Double(_))
        | (Node::Bytes(_), Value::Bytes(_))
        | (Node::String(_), Value::String(_))
        | (Node::Array(_), Value::Array(_))
        | (Node::Map(_), Value::Map(_))
        | (Node::Record(_), Value::Record(_)) => Fit::Exact,
        (Node::Fixed(fixed), Value::Fixed(bytes)) if fixed.size == bytes.len() => Fit::Exact,
        (Node::Enum(symbols), Value::Enum(text)) if symbols.symbols.contains(text) => Fit::Exact,
        (Node::Enum(symbols), Value::String(text)) if symbols.symbols.contains(text) => {
            Fit::Widened
        }
        (Node::Long(_), Value::Int(_)) => Fit::Widened,
        (Node::Float, value) if float(value).is_some() => Fit::Widened,
        (Node::Double, value) if double(value).is_some() => Fit::Widened,
        _ => Fit::No,
    }
}

/// The best branch, the first of equals; records of equal kind are compared by their content.
fn branch(branches: &[Node], value: &Value) -> Option<usize> {
    let best = branches.iter().map(|node| fit(node, value)).max()?;
    if best == Fit::No {
        return None;
    }
    let mut equals = branches
        .iter()
        .enumerate()
        .filter(|(_, node)| fit(node, value) == best);
    let (first, _) = equals.next()?;
    let mut rest = equals.peekable();
    if rest.peek().is_none()
        || branches
            .get(first)
            .is_some_and(|node| fits_deeply(node, value))
    {
        return Some(first);
    }
    let deep = rest.find(|(_, node)| fits_deeply(node, value));
    Some(deep.map_or(first, |(index, _)| index))
}

fn fits_deeply(node: &Node, value: &Value) -> bool {
    match (node, value) {
        (Node::Union(branches), value) => branches.iter().any(|branch| fits_deeply(branch, value)),
        (_, Value::Branch(_, value)) => fits_deeply(node, value),
        (Node::Array(node), Value::Array(items)) => {
            items.iter().all(|item| fits_deeply(node, item))
        }
        (Node::Map(node), Value::Map(entries)) => {
            entries.values().all(|value| fits_deeply(node, value))
        }
        (Node::Record(record), Value::Record(fields)) => {
            let known = fields.iter().all(|(name, value)| {
                let field = record.field(name);
                field.is_some_and(|field| fits_deeply(&field.node, value))
            });
            known
                && record.fields().iter().enumerate().all(|(position, field)| {
                    field.default.is_some() || find(fields, position, &field.name).is_some()
                })
        }
        (node, value) => fit(node, value) != Fit::No,
    }
}

fn float(value: &Value) -> Option<f32> {
    match value {
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn double(value: &Value) -> Option<f64> {
    match value {
        Value::Double(number) => Some(*number),
        Value::Float(number) => Some(f64::from(*number)),
        Value::Int(number) => Some(f64::from(*number)),
        _ => None,
    }
}

/// The default of a field. A null default on a union that has a null branch anywhere counts.
fn default(record: &RecordSchema, field: &Field) -> Result<Value> {
    let value = match &field.default {
        Some(json) => from_json(&field.node, json),
        None => None,
    };
    value.ok_or_else(|| Error::MissingField {
        record: record.name().full().to_owned(),
        field: field.name.clone(),
    })
}

fn from_json(node: &Node, json: &Json) -> Option<Value> {
    Some(match (node, json) {
        (Node::Union(branches), json) => {
            branches.iter().find_map(|branch| from_json(branch, json))?
        }
        (Node::Null, Json::Null) => Value::Null,
        (Node::Boolean, Json::Bool(flag)) => Value::Boolean(*flag),
        (Node::Int(_), json) => Value::Int(i32::try_from(json.as_i64()?).ok()?),
        (Node::Long(_), json) => Value::Long(json.as_i64()?),
        #[allow(
            clippy::cast_possible_truncation,
            reason = "that is what a float default is"
        )]
        (Node::Float, json) => Value::Float(json.as_f64()? as f32),
        (Node::Double, json) => Value::Double(json.as_f64()?),
        (Node::Bytes(_), Json::String(text)) => Value::Bytes(latin1(text)?),
        (Node::Fixed(_), Json::String(text)) => Value::Fixed(latin1(text)?),
        (Node::String(_), Json::String(text)) => Value::String(text.clone()),
        (Node::Enum(_), Json::String(text)) => Value::Enum(text.clone()),
        (Node::Array(node), Json::Array(items)) => {
            let items = items.iter().map(|item| from_json(node, item));
            Value::Array(items.collect::<Option<_>>()?)
        }
        (Node::Map(node), Json::Object(entries)) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, json)| Some((key.clone(), from_json(node, json)?)));
            Value::Map(entries.collect::<Option<_>>()?)
        }
        (Node::Record(record), Json::Object(object)) => {
            let fields = record.fields().iter().map(|field| {
                let json = object.get(&field.name).or(field.default.as_ref())?;
                Some((field.name.clone(), from_json(&field.node, json)?))
            });
            Value::Record(fields.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A bytes default stands as a string of code points 0 to 255.
fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).ok())
        .collect()
}

fn describe(node: &Node) -> String {
    match node {
        Node::Union(branches) => {
            let names: Vec<&str> = branches.iter().map(Node::type_name).collect();
            format!("one of [{}]", names.join(", "))
        }
        Node::Fixed(fixed) => format!("{} of {} bytes", fixed.name, fixed.size),
        node => node.type_name().to_owned(),
    }
}
