//! The contents of Avro data, CDC and delete blocks (spec 02 §5.4, §5.7).

use crate::encoder::put_length;
use crate::error::{Error, Result};

/// The content version of supported releases.
const VERSION: i32 = 3;

/// The records of an Avro data or CDC block, each a datum of the schema in the block's header.
///
/// # Errors
/// The content is not of version 1 to 3, or its lengths do not add up.
pub fn avro_records(content: &[u8]) -> Result<AvroRecords<'_>> {
    let (version, rest) = int(content, 0)?;
    if !(1..=VERSION).contains(&version) {
        return Err(Error::UnsupportedContent { version });
    }
    let (count, records) = int(rest, 4)?;
    let count = usize::try_from(count).map_err(|_| corrupt(4, "a negative record count"))?;
    let mut left = records;
    for _ in 0..count {
        let offset = content.len() - left.len();
        left = record(left, offset)?.1;
    }
    match left {
        [] => Ok(AvroRecords {
            bytes: records,
            left: count,
        }),
        left => Err(corrupt(
            content.len() - left.len(),
            "bytes are left after the last record",
        )),
    }
}

/// The content of an Avro data or CDC block of these records.
///
/// # Errors
/// [`Error::TooLarge`]
pub fn avro_content<'a>(records: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut count = 0;
    for record in records {
        put_length(&mut body, record.len())?;
        body.extend_from_slice(record);
        count += 1;
    }
    let mut out = VERSION.to_be_bytes().to_vec();
    put_length(&mut out, count)?;
    out.append(&mut body);
    Ok(out)
}

/// The records of a block whose lengths were checked.
#[derive(Debug, Clone)]
pub struct AvroRecords<'a> {
    bytes: &'a [u8],
    left: usize,
}

impl<'a> Iterator for AvroRecords<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.left = self.left.checked_sub(1)?;
        let (record, rest) = record(self.bytes, 0).ok()?;
        self.bytes = rest;
        Some(record)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for AvroRecords<'_> {}

/// The content of a delete block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeleteContent<'a> {
    /// 3 for an Avro `HoodieDeleteRecordList`; 1 and 2 are older, Kryo-serialised lists.
    pub version: i32,
    /// The serialised list.
    pub payload: &'a [u8],
}

impl<'a> DeleteContent<'a> {
    /// A content of the version that is written, of an Avro-encoded list.
    pub fn avro(payload: &'a [u8]) -> Self {
        Self {
            version: VERSION,
            payload,
        }
    }

    /// The bytes of the content.
    ///
    /// # Errors
    /// [`Error::TooLarge`]
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = self.version.to_be_bytes().to_vec();
        put_length(&mut out, self.payload.len())?;
        out.extend_from_slice(self.payload);
        Ok(out)
    }
}

/// Takes the content of a delete block apart.
///
/// # Errors
/// The content is not of version 1 to 3, or its length does not add up.
pub fn delete_content(content: &[u8]) -> Result<DeleteContent<'_>> {
    let (version, rest) = int(content, 0)?;
    if !(1..=VERSION).contains(&version) {
        return Err(Error::UnsupportedContent { version });
    }
    match record(rest, 4)? {
        (payload, []) => Ok(DeleteContent { version, payload }),
        (payload, _) => Err(corrupt(8 + payload.len(), "bytes are left after the list")),
    }
}

/// Bytes with their length in front, and what follows them.
fn record(bytes: &[u8], offset: usize) -> Result<(&[u8], &[u8])> {
    let (length, rest) = int(bytes, offset)?;
    usize::try_from(length)
        .ok()
        .and_then(|length| rest.split_at_checked(length))
        .ok_or_else(|| corrupt(offset, "a length reaches beyond the content"))
}

fn int(bytes: &[u8], offset: usize) -> Result<(i32, &[u8])> {
    let (number, rest) = bytes
        .split_first_chunk()
        .ok_or_else(|| corrupt(offset, "the content ends early"))?;
    Ok((i32::from_be_bytes(*number), rest))
}

fn corrupt(offset: usize, reason: &'static str) -> Error {
    Error::Corrupt { offset, reason }
}
