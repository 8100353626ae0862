//! A schema: its text as it was found, and the tree read from it.

mod parse;
mod text;

use std::fmt;
use std::sync::Arc;

use crate::error::Result;

/// An Avro schema. Equality is that of the text.
#[derive(Clone)]
pub struct Schema {
    json: Arc<str>,
    root: Node,
}

impl Schema {
    /// Reads a schema leniently: unknown attributes are ignored and defaults are not validated, since
    /// real schema texts carry a `"default":null` where none may stand.
    ///
    /// # Errors
    /// The text is not JSON, is not a schema, names an unknown type, is recursive, or is nested or
    /// expands beyond what any table has.
    pub fn parse(json: &str) -> Result<Self> {
        let root = parse::parse(json)?;
        Ok(Self {
            json: json.into(),
            root,
        })
    }

    /// The text the schema was read from, unchanged.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The root, when it is a record.
    pub fn record(&self) -> Option<&RecordSchema> {
        self.root.as_record()
    }

    /// The fields of the root record; none for any other root.
    pub fn fields(&self) -> &[Field] {
        self.record().map_or(&[], |record| record.fields())
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.json).finish()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl Eq for Schema {}

impl AsRef<Node> for Schema {
    fn as_ref(&self) -> &Node {
        &self.root
    }
}

impl std::str::FromStr for Schema {
    type Err = crate::Error;

    fn from_str(json: &str) -> Result<Self> {
        Self::parse(json)
    }
}

/// One type of a schema. References to named types are resolved: a type used twice is shared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the variants are the type names of the Avro specification"
)]
pub enum Node {
    Null,
    Boolean,
    Int(Option<Logical>),
    Long(Option<Logical>),
    Float,
    Double,
    Bytes(Option<Logical>),
    String(Option<Logical>),
    Fixed(Arc<FixedSchema>),
    Enum(Arc<EnumSchema>),
    Array(Box<Node>),
    Map(Box<Node>),
    Union(Vec<Node>),
    Record(Arc<RecordSchema>),
}

impl Node {
    /// The record behind this node, if it is one.
    pub fn as_record(&self) -> Option<&RecordSchema> {
        match self {
            Self::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The logical type, if this node has one.
    pub fn logical(&self) -> Option<&Logical> {
        match self {
            Self::Int(logical)
            | Self::Long(logical)
            | Self::Bytes(logical)
            | Self::String(logical) => logical.as_ref(),
            Self::Fixed(fixed) => fixed.logical.as_ref(),
            Self::Record(record) => record.logical.as_ref(),
            _ => None,
        }
    }

    /// Whether the node is a union with a null branch.
    pub fn is_nullable(&self) -> bool {
        matches!(self, Self::Union(branches) if branches.contains(&Self::Null))
    }

    /// The other branch of a union of null and one type; the node itself otherwise.
    pub fn non_null(&self) -> &Node {
        match self {
            Self::Union(branches) => match branches.as_slice() {
                [Self::Null, other] | [other, Self::Null] => other,
                _ => self,
            },
            _ => self,
        }
    }

    /// The name of the type: a primitive's or composite's, a full name for named types.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Int(_) => "int",
            Self::Long(_) => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Bytes(_) => "bytes",
            Self::String(_) => "string",
            Self::Fixed(fixed) => fixed.name.full(),
            Self::Enum(symbols) => symbols.name.full(),
            Self::Array(_) => "array",
            Self::Map(_) => "map",
            Self::Union(_) => "union",
            Self::Record(record) => record.name.full(),
        }
    }
}

impl AsRef<Node> for Node {
    fn as_ref(&self) -> &Node {
        self
    }
}

/// What the plain type stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the variants are the names of the Avro specification"
)]
pub enum Logical {
    Decimal {
        precision: u8,
        scale: i8,
    },
    Date,
    TimeMillis,
    TimeMicros,
    TimestampMillis,
    TimestampMicros,
    LocalTimestampMillis,
    LocalTimestampMicros,
    Uuid,
    /// Any other name, such as the `variant`, `vector` and `blob` of release 1.2.
    Other(String),
}

/// The full name of a record, enum or fixed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// Namespace and name, with dots.
    pub fn full(&self) -> &str {
        &self.0
    }

    /// The part after the last dot.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(_, name)| name)
    }

    /// The part before the last dot.
    pub fn namespace(&self) -> Option<&str> {
        self.0.rsplit_once('.').map(|(namespace, _)| namespace)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A record type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordSchema {
    name: Name,
    fields: Vec<Field>,
    logical: Option<Logical>,
    /// Depth and number of types below, so that neither can run away over shared types.
    extent: parse::Extent,
}

impl RecordSchema {
    /// The full name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The fields in their order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field of that exact name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The type.
    pub node: Node,
    /// The default as JSON, not checked against the type. A `null` is `Some(Value::Null)`.
    pub default: Option<serde_json::Value>,
    /// The comment.
    pub doc: Option<String>,
}

/// A type of so many bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedSchema {
    /// The full name.
    pub name: Name,
    /// Bytes of a value.
    pub size: usize,
    /// What the bytes stand for.
    pub logical: Option<Logical>,
}

/// A type of a few names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumSchema {
    /// The full name.
    pub name: Name,
    /// The names in their order.
    pub symbols: Vec<String>,
}
