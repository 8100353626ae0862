//! A position in a byte slice, and the Avro primitives read from it.

use crate::error::{Error, Result};

/// Reads primitives and never goes past the end.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.offset)
    }

    pub(crate) fn take(&mut self, length: u64) -> Result<&'a [u8]> {
        let truncated = Error::Truncated {
            offset: self.offset,
            needed: length,
            left: self.remaining(),
        };
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| self.offset.checked_add(length));
        let Some(end) = end else {
            return Err(truncated);
        };
        let taken = self.bytes.get(self.offset..end).ok_or(truncated)?;
        self.offset = end;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let offset = self.offset;
        let taken = self.take(N as u64)?;
        taken.try_into().map_err(|_| Error::Truncated {
            offset,
            needed: N as u64,
            left: 0,
        })
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A zig-zag variable-length integer of at most ten bytes.
    pub(crate) fn long(&mut self) -> Result<i64> {
        let start = self.offset;
        let mut raw = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            raw |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok((raw >> 1).cast_signed() ^ -(raw & 1).cast_signed());
            }
        }
        Err(Error::Corrupt {
            offset: start,
            reason: "a variable-length integer is longer than 64 bits",
        })
    }

    pub(crate) fn int(&mut self) -> Result<i32> {
        let offset = self.offset;
        i32::try_from(self.long()?).map_err(|_| Error::Corrupt {
            offset,
            reason: "an int is wider than 32 bits",
        })
    }

    /// Bytes with their length in front.
    pub(crate) fn length_prefixed(&mut self) -> Result<&'a [u8]> {
        let offset = self.offset;
        let length = u64::try_from(self.long()?).map_err(|_| Error::Corrupt {
            offset,
            reason: "a length is negative",
        })?;
        self.take(length)
    }

    pub(crate) fn string(&mut self) -> Result<&'a str> {
        let offset = self.offset;
        std::str::from_utf8(self.length_prefixed()?).map_err(|_| Error::Corrupt {
            offset,
            reason: "a string is not UTF-8",
        })
    }

    /// The item count of the next block of an array or map, `None` at the end.
    ///
    /// A negative count is followed by the size of the block in bytes, which is checked but not
    /// needed.
    pub(crate) fn block_count(&mut self) -> Result<Option<u64>> {
        let count = self.long()?;
        if count < 0 {
            let offset = self.offset;
            let size = u64::try_from(self.long()?).map_err(|_| Error::Corrupt {
                offset,
                reason: "a block size is negative",
            })?;
            if size > self.remaining() as u64 {
                return Err(Error::Truncated {
                    offset,
                    needed: size,
                    left: self.remaining(),
                });
            }
        }
        Ok((count != 0).then_some(count.unsigned_abs()))
    }
}

/// Appends a zig-zag variable-length integer.
pub(crate) fn put_long(out: &mut Vec<u8>, value: i64) {
    let mut raw = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while raw >= 0x80 {
        out.push(low_bits(raw) | 0x80);
        raw >>= 7;
    }
    out.push(low_bits(raw));
}

/// The lowest seven bits.
#[allow(clippy::cast_possible_truncation, reason = "masked")]
fn low_bits(raw: u64) -> u8 {
    (raw & 0x7f) as u8
}

/// Appends bytes with their length in front.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Appends a length or count; no slice is longer than `i64::MAX`.
pub(crate) fn put_length(out: &mut Vec<u8>, length: usize) {
    put_long(out, i64::try_from(length).unwrap_or(i64::MAX));
}
