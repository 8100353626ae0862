//! Object container files: a schema, and records in blocks between sync markers (spec 01 §4.2).

use std::collections::BTreeMap;
use std::io::Read;

use crate::cursor::{Cursor, put_bytes, put_length};
use crate::decode::Decoder;
use crate::encode::encode;
use crate::error::{Error, Result};
use crate::schema::Schema;
use crate::value::Value;

/// The first bytes of a container.
pub const MAGIC: [u8; 4] = *b"Obj\x01";
/// The metadata key of the schema text.
pub const SCHEMA_KEY: &str = "avro.schema";
/// The metadata key of the compression; absent means none.
pub const CODEC_KEY: &str = "avro.codec";

/// The content of a container file.
#[derive(Debug, Clone, PartialEq)]
pub struct Container {
    /// The writer's schema.
    pub schema: Schema,
    /// All metadata of the header, the schema text among it.
    pub metadata: BTreeMap<String, Vec<u8>>,
    /// The sync marker between blocks.
    pub sync: [u8; 16],
    /// The records of all blocks.
    pub records: Vec<Value>,
}

/// Whether the bytes begin like a container.
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a whole container, uncompressed or deflated.
///
/// # Errors
/// The bytes are no container, end early, or a block is damaged; its codec is another one.
pub fn read(bytes: &[u8]) -> Result<Container> {
    let mut cursor = Cursor::new(bytes);
    let (schema, metadata, sync) = header(&mut cursor)?;
    let codec = Codec::of(&metadata)?;
    let mut records = Vec::new();
    while cursor.remaining() > 0 {
        block(&mut cursor, &schema, codec, sync, &mut records)?;
    }
    Ok(Container {
        schema,
        metadata,
        sync,
        records,
    })
}

/// Writes an uncompressed container of one block whose only metadata is the schema text, which is
/// what the table format's own writers do. Without records there is no block.
///
/// # Errors
/// A record does not fit the schema.
pub fn write(schema: &Schema, records: &[Value], sync: [u8; 16]) -> Result<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    put_length(&mut out, 1);
    put_bytes(&mut out, SCHEMA_KEY.as_bytes());
    put_bytes(&mut out, schema.json().as_bytes());
    out.push(0);
    out.extend_from_slice(&sync);
    if records.is_empty() {
        return Ok(out);
    }
    let mut payload = Vec::new();
    for record in records {
        payload.extend_from_slice(&encode(schema, record)?);
    }
    put_length(&mut out, records.len());
    put_bytes(&mut out, &payload);
    out.extend_from_slice(&sync);
    Ok(out)
}

#[derive(Debug, Clone, Copy)]
enum Codec {
    Null,
    Deflate,
}

impl Codec {
    fn of(metadata: &BTreeMap<String, Vec<u8>>) -> Result<Self> {
        match metadata.get(CODEC_KEY).map(Vec::as_slice) {
            None | Some(b"null" | b"") => Ok(Self::Null),
            Some(b"deflate") => Ok(Self::Deflate),
            Some(other) => Err(Error::UnsupportedCodec {
                codec: String::from_utf8_lossy(other).into_owned(),
            }),
        }
    }
}

type Header = (Schema, BTreeMap<String, Vec<u8>>, [u8; 16]);

fn header(cursor: &mut Cursor<'_>) -> Result<Header> {
    if cursor.array()? != MAGIC {
        return Err(Error::Corrupt {
            offset: 0,
            reason: "no avro container, the magic is missing",
        });
    }
    let mut metadata = BTreeMap::new();
    while let Some(count) = cursor.block_count()? {
        for _ in 0..count {
            let key = cursor.string()?.to_owned();
            metadata.insert(key, cursor.length_prefixed()?.to_vec());
        }
    }
    let text = metadata
        .get(SCHEMA_KEY)
        .map(|text| std::str::from_utf8(text));
    let Some(Ok(text)) = text else {
        return Err(Error::Corrupt {
            offset: MAGIC.len(),
            reason: "the container has no schema text",
        });
    };
    let schema = Schema::parse(text)?;
    Ok((schema, metadata, cursor.array()?))
}

fn block(
    cursor: &mut Cursor<'_>,
    schema: &Schema,
    codec: Codec,
    sync: [u8; 16],
    records: &mut Vec<Value>,
) -> Result<()> {
    let start = cursor.offset();
    let corrupt = |reason| Error::Corrupt {
        offset: start,
        reason,
    };
    let count = u64::try_from(cursor.long()?).map_err(|_| corrupt("a negative record count"))?;
    let payload = cursor.length_prefixed()?;
    let payload_start = cursor.offset() - payload.len();
    if cursor.array()? != sync {
        return Err(corrupt("the sync marker after the block is another one"));
    }
    match codec {
        Codec::Null => datums(payload, count, schema, records).map_err(|e| shift(e, payload_start)),
        Codec::Deflate => {
            let inflated = inflate(payload).ok_or_else(|| corrupt("the block does not inflate"))?;
            datums(&inflated, count, schema, records)
        }
    }
}

fn datums(bytes: &[u8], count: u64, schema: &Schema, records: &mut Vec<Value>) -> Result<()> {
    let mut cursor = Cursor::new(bytes);
    let mut decoder = Decoder::new(&mut cursor);
    for _ in 0..count {
        records.push(decoder.value(schema.root())?);
    }
    match cursor.remaining() {
        0 => Ok(()),
        _ => Err(Error::Corrupt {
            offset: cursor.offset(),
            reason: "bytes are left after the last record of a block",
        }),
    }
}

/// Most bytes one block may inflate to.
const MAX_INFLATED: u64 = 1 << 30;

fn inflate(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut inflated = Vec::new();
    let mut decoder = flate2::read::DeflateDecoder::new(bytes).take(MAX_INFLATED + 1);
    decoder.read_to_end(&mut inflated).ok()?;
    (inflated.len() as u64 <= MAX_INFLATED).then_some(inflated)
}

/// Errors inside a block speak of offsets in the file.
fn shift(error: Error, by: usize) -> Error {
    match error {
        Error::Truncated {
            offset,
            needed,
            left,
        } => Error::Truncated {
            offset: offset + by,
            needed,
            left,
        },
        Error::Corrupt { offset, reason } => Error::Corrupt {
            offset: offset + by,
            reason,
        },
        other => other,
    }
}
