//! From schema text to the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::{EnumSchema, Field, FixedSchema, Logical, Name, Node, RecordSchema};
use crate::error::{Error, Result};

/// Deepest nesting of types, references followed. No table comes near it.
pub(crate) const MAX_DEPTH: usize = 128;
/// Most types of a schema, shared ones counted as often as they are used.
const MAX_TYPES: usize = 1_000_000;

pub(super) fn parse(json: &str) -> Result<Node> {
    let json: Json = serde_json::from_str(json).map_err(Error::SchemaJson)?;
    let root = Parser::default().node(&json, None, "schema")?;
    Extent::of(&root).check("schema")?;
    Ok(root)
}

/// How far a type reaches: named types are shared, so both could grow exponentially.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent {
    depth: usize,
    types: usize,
}

impl Extent {
    fn of(node: &Node) -> Self {
        match node {
            Node::Array(inner) | Node::Map(inner) => Self::of(inner).below(),
            Node::Union(branches) => Self::sum(branches).below(),
            Node::Record(record) => record.extent.below(),
            _ => Self { depth: 1, types: 1 },
        }
    }

    fn sum<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> Self {
        nodes
            .into_iter()
            .map(Self::of)
            .fold(Self::default(), |sum, next| Self {
                depth: sum.depth.max(next.depth),
                types: sum.types.saturating_add(next.types),
            })
    }

    fn below(self) -> Self {
        Self {
            depth: self.depth + 1,
            types: self.types.saturating_add(1),
        }
    }

    fn check(self, at: &str) -> Result<Self> {
        if self.depth > MAX_DEPTH {
            return Err(invalid(at, format!("types nest deeper than {MAX_DEPTH}")));
        }
        if self.types > MAX_TYPES {
            return Err(invalid(at, format!("more than {MAX_TYPES} types")));
        }
        Ok(self)
    }
}

#[derive(Default)]
struct Parser {
    /// Finished named types by full name.
    known: BTreeMap<String, Node>,
    /// Records whose fields are being read.
    open: BTreeSet<String>,
}

impl Parser {
    fn node(&mut self, json: &Json, namespace: Option<&str>, at: &str) -> Result<Node> {
        match json {
            Json::String(name) => self.named(name, namespace, at),
            Json::Array(branches) => self.union(branches, namespace, at),
            Json::Object(object) => self.object(object, namespace, at),
            _ => Err(invalid(at, "a type is a name, a list or an object")),
        }
    }

    fn named(&self, name: &str, namespace: Option<&str>, at: &str) -> Result<Node> {
        if let Some(primitive) = primitive(name, None) {
            return Ok(primitive);
        }
        let full = qualify(name, namespace);
        if self.open.contains(full.full()) {
            return Err(Error::RecursiveSchema {
                name: full.full().to_owned(),
            });
        }
        self.known
            .get(full.full())
            .or_else(|| self.known.get(name))
            .cloned()
            .ok_or_else(|| invalid(at, format!("the type {name:?} is not defined")))
    }

    fn union(&mut self, branches: &[Json], namespace: Option<&str>, at: &str) -> Result<Node> {
        let branches = branches
            .iter()
            .map(|branch| match self.node(branch, namespace, at)? {
                Node::Union(_) => Err(invalid(at, "a union stands directly in a union")),
                node => Ok(node),
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Node::Union(branches))
    }

    fn object(
        &mut self,
        object: &Map<String, Json>,
        namespace: Option<&str>,
        at: &str,
    ) -> Result<Node> {
        let kind = match object.get("type") {
            Some(Json::String(kind)) => kind.as_str(),
            Some(nested) => return self.node(nested, namespace, at),
            None => return Err(invalid(at, "an object without type")),
        };
        match kind {
            "record" | "error" => self.record(object, namespace, at),
            "enum" => self.symbols(object, namespace, at),
            "fixed" => self.fixed(object, namespace, at),
            "array" => {
                let items = required(object, "items", at)?;
                Ok(Node::Array(Box::new(self.node(items, namespace, at)?)))
            }
            "map" => {
                let values = required(object, "values", at)?;
                Ok(Node::Map(Box::new(self.node(values, namespace, at)?)))
            }
            name => match primitive(name, logical(object)) {
                Some(node) => Ok(node),
                None => self.named(name, namespace, at),
            },
        }
    }

    fn record(
        &mut self,
        object: &Map<String, Json>,
        namespace: Option<&str>,
        at: &str,
    ) -> Result<Node> {
        let name = name(object, namespace, at)?;
        let Json::Array(fields) = required(object, "fields", at)? else {
            return Err(invalid(at, "the fields of a record are not a list"));
        };
        if !self.open.insert(name.full().to_owned()) {
            return Err(Error::RecursiveSchema {
                name: name.full().to_owned(),
            });
        }
        let fields = fields
            .iter()
            .map(|field| self.field(field, &name))
            .collect::<Result<Vec<_>>>()?;
        self.open.remove(name.full());
        let extent = Extent::sum(fields.iter().map(|field| &field.node)).check(name.full())?;
        Ok(self.define(
            &name.clone(),
            Node::Record(Arc::new(RecordSchema {
                name,
                fields,
                logical: logical(object),
                extent,
            })),
        ))
    }

    fn field(&mut self, json: &Json, record: &Name) -> Result<Field> {
        let Json::Object(object) = json else {
            return Err(invalid(record.full(), "a field is not an object"));
        };
        let name =
            text(object, "name").ok_or_else(|| invalid(record.full(), "a field without name"))?;
        let at = format!("{record}.{name}");
        let node = self.node(required(object, "type", &at)?, record.namespace(), &at)?;
        Ok(Field {
            name: name.to_owned(),
            node,
            default: object.get("default").cloned(),
            doc: text(object, "doc").map(str::to_owned),
        })
    }

    fn symbols(
        &mut self,
        object: &Map<String, Json>,
        namespace: Option<&str>,
        at: &str,
    ) -> Result<Node> {
        let name = name(object, namespace, at)?;
        let symbols = required(object, "symbols", at)?
            .as_array()
            .and_then(|symbols| {
                let texts = symbols
                    .iter()
                    .map(|symbol| symbol.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>()
            })
            .ok_or_else(|| invalid(at, "the symbols of an enum are not a list of names"))?;
        Ok(self.define(
            &name.clone(),
            Node::Enum(Arc::new(EnumSchema { name, symbols })),
        ))
    }

    fn fixed(
        &mut self,
        object: &Map<String, Json>,
        namespace: Option<&str>,
        at: &str,
    ) -> Result<Node> {
        let name = name(object, namespace, at)?;
        let size = required(object, "size", at)?
            .as_u64()
            .and_then(|size| i32::try_from(size).ok())
            .and_then(|size| usize::try_from(size).ok())
            .ok_or_else(|| invalid(at, "the size of a fixed is not a positive int"))?;
        let logical = logical(object);
        Ok(self.define(
            &name.clone(),
            Node::Fixed(Arc::new(FixedSchema {
                name,
                size,
                logical,
            })),
        ))
    }

    fn define(&mut self, name: &Name, node: Node) -> Node {
        self.known.insert(name.full().to_owned(), node.clone());
        node
    }
}

fn primitive(name: &str, logical: Option<Logical>) -> Option<Node> {
    Some(match name {
        "null" => Node::Null,
        "boolean" => Node::Boolean,
        "int" => Node::Int(logical),
        "long" => Node::Long(logical),
        "float" => Node::Float,
        "double" => Node::Double,
        "bytes" => Node::Bytes(logical),
        "string" => Node::String(logical),
        _ => return None,
    })
}

/// An invalid logical type counts as none, as the Avro specification asks.
fn logical(object: &Map<String, Json>) -> Option<Logical> {
    Some(match text(object, "logicalType")? {
        "decimal" => {
            let number = |key| object.get(key).and_then(Json::as_i64);
            Logical::Decimal {
                precision: number("precision").and_then(|p| u8::try_from(p).ok())?,
                scale: i8::try_from(number("scale").unwrap_or(0)).ok()?,
            }
        }
        "date" => Logical::Date,
        "time-millis" => Logical::TimeMillis,
        "time-micros" => Logical::TimeMicros,
        "timestamp-millis" => Logical::TimestampMillis,
        "timestamp-micros" => Logical::TimestampMicros,
        "local-timestamp-millis" => Logical::LocalTimestampMillis,
        "local-timestamp-micros" => Logical::LocalTimestampMicros,
        "uuid" => Logical::Uuid,
        other => Logical::Other(other.to_owned()),
    })
}

fn name(object: &Map<String, Json>, enclosing: Option<&str>, at: &str) -> Result<Name> {
    let name = text(object, "name").ok_or_else(|| invalid(at, "a named type without name"))?;
    if name.is_empty() {
        return Err(invalid(at, "a named type with an empty name"));
    }
    Ok(qualify(name, text(object, "namespace").or(enclosing)))
}

/// A dotted name stands for itself, another one lives in the namespace around it.
fn qualify(name: &str, namespace: Option<&str>) -> Name {
    match namespace {
        Some(namespace) if !namespace.is_empty() && !name.contains('.') => {
            Name(format!("{namespace}.{name}"))
        }
        _ => Name(name.to_owned()),
    }
}

fn text<'a>(object: &'a Map<String, Json>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Json::as_str)
}

fn required<'a>(object: &'a Map<String, Json>, key: &str, at: &str) -> Result<&'a Json> {
    object
        .get(key)
        .ok_or_else(|| invalid(at, format!("{key:?} is missing")))
}

fn invalid(at: &str, reason: impl Into<String>) -> Error {
    Error::Schema {
        at: at.to_owned(),
        reason: reason.into(),
    }
}
