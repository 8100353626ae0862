//! From a block to bytes (spec 02 §5.1).

use crate::block::{BlockKind, Header};
use crate::error::{Error, Result};
use crate::{FORMAT_VERSION, MAGIC, MAX_BLOCK_BYTES};

/// The bytes of one block. A log file is one or more of them, one after the other.
///
/// # Errors
/// [`Error::TooLarge`] from 2 GiB on.
pub fn write_block(kind: BlockKind, header: &Header, content: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(content.len() + 1024);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&FORMAT_VERSION.to_be_bytes());
    out.extend_from_slice(&kind.code().to_be_bytes());
    put_header(&mut out, header)?;
    out.extend_from_slice(&(content.len() as u64).to_be_bytes());
    out.extend_from_slice(content);
    put_header(&mut out, &Header::default())?;
    let total = out.len();
    if total + 8 > MAX_BLOCK_BYTES {
        return Err(Error::TooLarge { bytes: total + 8 });
    }
    let size = total as u64 - MAGIC.len() as u64;
    if let Some(place) = out.get_mut(MAGIC.len()..MAGIC.len() + 8) {
        place.copy_from_slice(&size.to_be_bytes());
    }
    out.extend_from_slice(&(total as u64).to_be_bytes());
    Ok(out)
}

fn put_header(out: &mut Vec<u8>, header: &Header) -> Result<()> {
    put_length(out, header.entries().len())?;
    for (key, value) in header.entries() {
        out.extend_from_slice(&key.code().to_be_bytes());
        put_length(out, value.len())?;
        out.extend_from_slice(value.as_bytes());
    }
    Ok(())
}

/// A 32-bit length, which no part of a block may exceed.
pub(crate) fn put_length(out: &mut Vec<u8>, length: usize) -> Result<()> {
    let short = i32::try_from(length).map_err(|_| Error::TooLarge { bytes: length })?;
    out.extend_from_slice(&short.to_be_bytes());
    Ok(())
}
