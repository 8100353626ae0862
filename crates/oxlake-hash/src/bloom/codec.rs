//! The serialised form of a filter (spec 02 §3.3).
//!
//! ```text
//! header    int -1, int hashes, byte 1 (murmur), int bits
//! SIMPLE       header, bits
//! DYNAMIC_V0   header, int entries, int current, int rows, rows x (header, bits)
//! ```
//! Ints are big-endian.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::row::{Row, Shape};
use super::{BloomFilter, BloomType, Growth};
use crate::error::{Error, Result};

const VERSION: i32 = -1;
const MURMUR: u8 = 1;
const HEADER_BYTES: usize = 13;

pub(super) fn to_base64(filter: &BloomFilter) -> String {
    let rows = filter.rows.iter();
    let rows_bytes: usize = rows.map(|row| HEADER_BYTES + row.bytes.len()).sum();
    let mut out = Vec::with_capacity(HEADER_BYTES + 12 + rows_bytes);
    if let Some(growth) = &filter.growth {
        put_header(&mut out, filter.shape);
        put_u32(&mut out, growth.entries);
        put_u32(&mut out, growth.current);
        put_u32(
            &mut out,
            u32::try_from(filter.rows.len()).unwrap_or(u32::MAX),
        );
    }
    for row in &filter.rows {
        put_header(&mut out, row.shape);
        out.extend_from_slice(&row.bytes);
    }
    STANDARD.encode(out)
}

pub(super) fn from_base64(text: &str, type_code: BloomType) -> Result<BloomFilter> {
    let bytes = STANDARD.decode(text).map_err(Error::Base64)?;
    let mut reader = Reader {
        bytes: &bytes,
        offset: 0,
    };
    let filter = match type_code {
        BloomType::Simple => simple(&mut reader)?,
        BloomType::DynamicV0 => dynamic(&mut reader)?,
    };
    if reader.offset == bytes.len() {
        Ok(filter)
    } else {
        Err(reader.corrupt("bytes are left after the filter"))
    }
}

fn simple(reader: &mut Reader<'_>) -> Result<BloomFilter> {
    let row = reader.row()?;
    Ok(BloomFilter {
        shape: row.shape,
        rows: vec![row],
        growth: None,
    })
}

fn dynamic(reader: &mut Reader<'_>) -> Result<BloomFilter> {
    let shape = reader.header()?;
    let entries = reader.u32()?;
    let current = reader.u32()?;
    let rows = reader.u32()?;
    if rows == 0 {
        return Err(reader.corrupt("a dynamic filter without rows"));
    }
    let rows = (0..rows).map(|_| reader.row()).collect::<Result<_>>()?;
    Ok(BloomFilter {
        shape,
        rows,
        growth: Some(Growth {
            current,
            ..Growth::new(entries, 0)
        }),
    })
}

fn put_header(out: &mut Vec<u8>, shape: Shape) {
    out.extend_from_slice(&VERSION.to_be_bytes());
    out.extend_from_slice(&shape.hashes.to_be_bytes());
    out.push(MURMUR);
    out.extend_from_slice(&shape.bits.to_be_bytes());
}

fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_be_bytes());
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn row(&mut self) -> Result<Row> {
        let shape = self.header()?;
        let bytes = self.take(shape.byte_len())?.to_vec();
        Ok(Row { shape, bytes })
    }

    fn header(&mut self) -> Result<Shape> {
        let start = self.offset;
        let version = self.i32()?;
        if version > 0 {
            // The form before headers had a version: that int is the number of Jenkins hashes.
            return Err(Error::UnsupportedHash { code: 0 });
        }
        if version != VERSION {
            return Err(self.corrupt("the version is not -1"));
        }
        let hashes = self.i32()?;
        let [code] = self.array()?;
        if code != MURMUR {
            return Err(Error::UnsupportedHash { code });
        }
        Shape::new(self.i32()?, hashes).ok_or(Error::Corrupt {
            offset: start,
            reason: "the number of bits or hashes is out of range",
        })
    }

    fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let taken = self.take(N)?;
        taken
            .try_into()
            .map_err(|_| self.corrupt("the bytes end early"))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.offset.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.offset..end));
        let taken = taken.ok_or_else(|| self.corrupt("the bytes end early"))?;
        self.offset += length;
        Ok(taken)
    }

    fn corrupt(&self, reason: &'static str) -> Error {
        Error::Corrupt {
            offset: self.offset,
            reason,
        }
    }
}
