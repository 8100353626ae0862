//! From bytes to a value.

use std::collections::BTreeMap;

use crate::cursor::Cursor;
use crate::error::{Error, Result};
use crate::schema::{Node, RecordSchema};
use crate::value::Value;

/// Decodes one datum from the front of `bytes`; also says how many bytes it took.
///
/// # Errors
/// The bytes end early or cannot be of this schema. No input makes it panic, and memory stays in
/// proportion to the bytes whatever counts and lengths they claim.
pub fn decode(schema: &impl AsRef<Node>, bytes: &[u8]) -> Result<(Value, usize)> {
    let mut cursor = Cursor::new(bytes);
    let value = Decoder::new(&mut cursor).value(schema.as_ref())?;
    Ok((value, cursor.offset()))
}

/// Decodes from a cursor that others read from too.
pub(crate) struct Decoder<'a, 'b> {
    cursor: &'a mut Cursor<'b>,
    /// Values that may still be made. Some take no bytes, so bytes alone do not bound their number.
    budget: usize,
}

impl<'a, 'b> Decoder<'a, 'b> {
    const FREE_VALUES: usize = 65_536;
    const VALUES_PER_BYTE: usize = 16;

    pub(crate) fn new(cursor: &'a mut Cursor<'b>) -> Self {
        let budget = cursor.remaining().saturating_mul(Self::VALUES_PER_BYTE);
        Self {
            cursor,
            budget: budget.saturating_add(Self::FREE_VALUES),
        }
    }

    pub(crate) fn value(&mut self, node: &Node) -> Result<Value> {
        self.spend()?;
        Ok(match node {
            Node::Null => Value::Null,
            Node::Boolean => Value::Boolean(self.boolean()?),
            Node::Int(_) => Value::Int(self.cursor.int()?),
            Node::Long(_) => Value::Long(self.cursor.long()?),
            Node::Float => Value::Float(f32::from_le_bytes(self.cursor.array()?)),
            Node::Double => Value::Double(f64::from_le_bytes(self.cursor.array()?)),
            Node::Bytes(_) => Value::Bytes(self.cursor.length_prefixed()?.to_vec()),
            Node::String(_) => Value::String(self.cursor.string()?.to_owned()),
            Node::Fixed(fixed) => Value::Fixed(self.cursor.take(fixed.size as u64)?.to_vec()),
            Node::Enum(symbols) => self.symbol(&symbols.symbols)?,
            Node::Array(items) => self.array(items)?,
            Node::Map(values) => self.map(values)?,
            Node::Union(branches) => self.union(branches)?,
            Node::Record(record) => self.record(record)?,
        })
    }

    fn boolean(&mut self) -> Result<bool> {
        let offset = self.cursor.offset();
        match self.cursor.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::Corrupt {
                offset,
                reason: "a boolean is neither 0 nor 1",
            }),
        }
    }

    fn symbol(&mut self, symbols: &[String]) -> Result<Value> {
        let offset = self.cursor.offset();
        let index = usize::try_from(self.cursor.int()?).ok();
        let symbol = index.and_then(|index| symbols.get(index));
        symbol
            .map(|symbol| Value::Enum(symbol.clone()))
            .ok_or(Error::Corrupt {
                offset,
                reason: "an enum has no symbol of this number",
            })
    }

    fn array(&mut self, node: &Node) -> Result<Value> {
        let mut items = Vec::new();
        while let Some(count) = self.cursor.block_count()? {
            for _ in 0..count {
                items.push(self.value(node)?);
            }
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self, node: &Node) -> Result<Value> {
        let mut entries = BTreeMap::new();
        while let Some(count) = self.cursor.block_count()? {
            for _ in 0..count {
                let key = self.cursor.string()?.to_owned();
                entries.insert(key, self.value(node)?);
            }
        }
        Ok(Value::Map(entries))
    }

    fn union(&mut self, branches: &[Node]) -> Result<Value> {
        let offset = self.cursor.offset();
        let index = usize::try_from(self.cursor.long()?).ok();
        let Some((index, node)) = index.and_then(|index| Some((index, branches.get(index)?)))
        else {
            return Err(Error::Corrupt {
                offset,
                reason: "a union has no branch of this number",
            });
        };
        let value = self.value(node)?;
        Ok(if is_ambiguous(branches, node) {
            Value::Branch(index, Box::new(value))
        } else {
            value
        })
    }

    fn record(&mut self, record: &RecordSchema) -> Result<Value> {
        let fields = record.fields().iter();
        let fields = fields.map(|field| Ok((field.name.clone(), self.value(&field.node)?)));
        Ok(Value::Record(fields.collect::<Result<_>>()?))
    }

    fn spend(&mut self) -> Result<()> {
        self.budget = self.budget.checked_sub(1).ok_or(Error::Corrupt {
            offset: self.cursor.offset(),
            reason: "more values than the bytes can hold",
        })?;
        Ok(())
    }
}

/// Whether the kind of a value would not tell the branch.
fn is_ambiguous(branches: &[Node], node: &Node) -> bool {
    let kind = std::mem::discriminant(node);
    let mut alike = branches
        .iter()
        .filter(|branch| std::mem::discriminant(*branch) == kind);
    alike.nth(1).is_some()
}
