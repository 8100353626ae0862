//! From bytes to blocks, and over damage (spec 02 §5.1, §6.1).
//!
//! ```text
//! offset  0   magic, 6 bytes
//!         6   size of the block from 14 on, 8 bytes
//!        14   format version 4, kind 4, header, content length 8, content, footer (4 zero bytes)
//!  size + 6   size + 6 once more, 8 bytes
//! ```

use std::ops::Range;

use crate::block::{Block, BlockKind, Header, HeaderKey};
use crate::error::{Error, Result};
use crate::{FORMAT_VERSION, MAGIC};

/// All blocks of a file in memory.
///
/// # Errors
/// The file does not begin with a block, or a block of the right size is wrong inside.
pub fn read_blocks(file: &[u8]) -> Result<Vec<Block>> {
    let mut decoder = BlockDecoder::new(file.len());
    let mut blocks = Vec::new();
    while let Progress::Block(block) = decoder.advance(0, file)? {
        blocks.push(block);
    }
    Ok(blocks)
}

/// Finds the blocks of a file of known size from pieces of it.
///
/// Call [`BlockDecoder::advance`] with any piece, first an empty one or the beginning; it answers with
/// a block, or with the range that the next piece must cover. Contents are never asked for.
#[derive(Debug, Clone)]
pub struct BlockDecoder {
    file_size: usize,
    /// Where the block at hand begins.
    offset: usize,
    state: State,
}

/// What a piece led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The next block.
    Block(Block),
    /// A piece that covers this range is needed; a larger one is as good.
    Wants(Range<usize>),
    /// There are no more blocks.
    End,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Magic and size come next.
    Frame,
    /// The block of this size is to be checked at its end.
    Trailer { size: usize },
    /// The block is sound from outside, its header comes next.
    Body { size: usize },
    /// Damage from `start` on; the next magic is looked for at `position`.
    Scan { start: usize, position: usize },
}

const FRAME_BYTES: usize = 14;
const TRAILER_BYTES: usize = 8;
const FOOTER_BYTES: usize = 4;
/// Footer and trailer.
const END_BYTES: usize = FOOTER_BYTES + TRAILER_BYTES;
const HEADER_GUESS: usize = 4096;
const SCAN_BYTES: usize = 1 << 20;

impl BlockDecoder {
    /// For a file of that many bytes.
    pub fn new(file_size: usize) -> Self {
        Self {
            file_size,
            offset: 0,
            state: State::Frame,
        }
    }

    /// Goes on with `piece`, which lies at `piece_offset` of the file.
    ///
    /// # Errors
    /// As [`read_blocks`]; the decoder is of no use after one.
    pub fn advance(&mut self, piece_offset: usize, piece: &[u8]) -> Result<Progress> {
        let piece = Piece {
            offset: piece_offset,
            bytes: piece,
        };
        loop {
            let step = match self.state {
                State::Frame => self.frame(piece)?,
                State::Trailer { size } => self.trailer(piece, size)?,
                State::Body { size } => self.body(piece, size)?,
                State::Scan { start, position } => self.scan(piece, start, position),
            };
            match step {
                Step::Go(state) => self.state = state,
                Step::Answer(progress) => return Ok(progress),
            }
        }
    }

    fn frame(&self, piece: Piece<'_>) -> Result<Step> {
        let left = self.file_size.saturating_sub(self.offset);
        if left < MAGIC.len() {
            return Ok(Step::Answer(Progress::End));
        }
        let wanted = self.offset..self.offset + left.min(FRAME_BYTES);
        let Some(frame) = piece.get(&wanted) else {
            return Ok(Step::wants(wanted));
        };
        let Some(size) = frame.strip_prefix(&MAGIC) else {
            return Err(Error::NoMagic {
                offset: self.offset,
            });
        };
        let Ok(size) = size.try_into().map(i64::from_be_bytes) else {
            return Ok(Step::scan(self.offset + MAGIC.len()));
        };
        let body = self.offset + FRAME_BYTES;
        let size = usize::try_from(size)
            .ok()
            .filter(|size| (END_BYTES..=self.file_size - body).contains(size));
        Ok(Step::Go(match size {
            Some(size) => State::Trailer { size },
            None => State::Scan {
                start: body,
                position: body,
            },
        }))
    }

    /// The size stands once more at the end, and the file ends there or another block begins.
    fn trailer(&self, piece: Piece<'_>, size: usize) -> Result<Step> {
        let body = self.offset + FRAME_BYTES;
        let end = body + size;
        let next = end + (self.file_size - end).min(MAGIC.len());
        let wanted = end - END_BYTES..next;
        let Some(bytes) = piece.get(&wanted) else {
            return Ok(Step::wants(wanted));
        };
        let footer_and_rest = bytes.split_first_chunk::<FOOTER_BYTES>();
        let split = footer_and_rest.and_then(|(footer, rest)| {
            let (total, next) = rest.split_first_chunk::<TRAILER_BYTES>()?;
            Some((footer, total, next))
        });
        let Some((footer, total, next)) = split else {
            return Ok(Step::scan(body));
        };
        let is_same = u64::from_be_bytes(*total) == size as u64 + MAGIC.len() as u64;
        let is_followed = next.len() < MAGIC.len() || next == MAGIC;
        if !is_same || !is_followed {
            return Ok(Step::scan(body));
        }
        match footer {
            [0, 0, 0, 0] => Ok(Step::Go(State::Body { size })),
            _ => Err(Error::Corrupt {
                offset: wanted.start,
                reason: "the block has a footer, which no release writes",
            }),
        }
    }

    fn body(&mut self, piece: Piece<'_>, size: usize) -> Result<Step> {
        let start = self.offset + FRAME_BYTES;
        let end = start + size;
        let at_hand = piece.get_from(start, end);
        let mut reader = Reader {
            bytes: at_hand,
            offset: start,
            block: self.offset,
        };
        match reader.body(end - TRAILER_BYTES) {
            Ok((kind, header, content)) => {
                let block = Block {
                    kind,
                    header,
                    content,
                    offset: self.offset,
                };
                Ok(self.found(block, end))
            }
            Err(Ended::Short { end: needed }) if needed <= end => {
                let wanted = needed.saturating_add(HEADER_GUESS).min(end);
                Ok(Step::wants(start..wanted))
            }
            Err(Ended::Short { .. }) => Err(Error::Corrupt {
                offset: self.offset,
                reason: "the block ends inside its header",
            }),
            Err(Ended::Wrong(error)) => Err(error),
        }
    }

    fn scan(&mut self, piece: Piece<'_>, start: usize, position: usize) -> Step {
        let end = self.file_size.min(position.saturating_add(SCAN_BYTES));
        let wanted = position..end;
        let Some(bytes) = piece.get(&wanted) else {
            return Step::wants(wanted);
        };
        let found = bytes
            .windows(MAGIC.len())
            .position(|window| window == MAGIC);
        let corrupt_end = match found {
            Some(found) => position + found,
            None if end == self.file_size => end,
            None => {
                return Step::Go(State::Scan {
                    start,
                    position: end - (MAGIC.len() - 1),
                });
            }
        };
        let block = Block {
            kind: BlockKind::Corrupt,
            header: Header::default(),
            content: start..corrupt_end,
            offset: self.offset,
        };
        self.found(block, corrupt_end)
    }

    fn found(&mut self, block: Block, end: usize) -> Step {
        self.offset = end;
        self.state = State::Frame;
        Step::Answer(Progress::Block(block))
    }
}

enum Step {
    Go(State),
    Answer(Progress),
}

impl Step {
    fn wants(range: Range<usize>) -> Self {
        Self::Answer(Progress::Wants(range))
    }

    fn scan(start: usize) -> Self {
        Self::Go(State::Scan {
            start,
            position: start,
        })
    }
}

/// Some bytes of the file.
#[derive(Clone, Copy)]
struct Piece<'a> {
    offset: usize,
    bytes: &'a [u8],
}

impl<'a> Piece<'a> {
    fn get(self, wanted: &Range<usize>) -> Option<&'a [u8]> {
        let start = wanted.start.checked_sub(self.offset)?;
        self.bytes.get(start..start + wanted.len())
    }

    /// What is at hand from `start` on, up to `end`.
    fn get_from(self, start: usize, end: usize) -> &'a [u8] {
        let piece_end = self.offset.saturating_add(self.bytes.len());
        self.get(&(start..end.min(piece_end).max(start)))
            .unwrap_or_default()
    }
}

/// Why the body could not be read.
enum Ended {
    /// The bytes at hand do not reach to `end`, where the next part ends.
    Short {
        end: usize,
    },
    Wrong(Error),
}

/// Reads what stands in front of the content.
struct Reader<'a> {
    bytes: &'a [u8],
    /// Of the next byte, in the file.
    offset: usize,
    /// Where the block begins, for errors.
    block: usize,
}

type Body = (BlockKind, Header, Range<usize>);

impl<'a> Reader<'a> {
    fn body(&mut self, footer_end: usize) -> Result<Body, Ended> {
        let version = self.int()?;
        if version != FORMAT_VERSION {
            return Err(Ended::Wrong(Error::UnsupportedVersion {
                offset: self.block,
                version,
            }));
        }
        let code = self.int()?;
        let kind = BlockKind::from_code(code).filter(|kind| *kind != BlockKind::Corrupt);
        let kind = kind.ok_or(Ended::Wrong(Error::UnknownKind {
            offset: self.block,
            code,
        }))?;
        let header = self.header()?;
        let length_offset = self.offset;
        let length = i64::from_be_bytes(self.array()?);
        let content_end = usize::try_from(length)
            .ok()
            .and_then(|length| self.offset.checked_add(length))
            .filter(|end| end.checked_add(FOOTER_BYTES) == Some(footer_end));
        match content_end {
            Some(end) => Ok((kind, header, self.offset..end)),
            None => Err(wrong(
                length_offset,
                "the content length does not fit the size of the block",
            )),
        }
    }

    fn header(&mut self) -> Result<Header, Ended> {
        let offset = self.offset;
        let count = self.int()?;
        if count < 0 {
            return Err(wrong(offset, "a negative number of header entries"));
        }
        (0..count).map(|_| self.entry()).collect()
    }

    fn entry(&mut self) -> Result<(HeaderKey, String), Ended> {
        let code = self.int()?;
        let key = HeaderKey::from_code(code).ok_or(Ended::Wrong(Error::UnknownHeaderKey {
            offset: self.block,
            code,
        }))?;
        let offset = self.offset;
        let length = usize::try_from(self.int()?);
        let length = length.map_err(|_| wrong(offset, "a negative length of a header entry"))?;
        let text = self.take(length)?.to_vec();
        let text =
            String::from_utf8(text).map_err(|_| wrong(offset, "a header entry is not UTF-8"));
        Ok((key, text?))
    }

    fn int(&mut self) -> Result<i32, Ended> {
        self.array().map(i32::from_be_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Ended> {
        let end = self.offset;
        self.take(N)?.try_into().map_err(|_| Ended::Short { end })
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Ended> {
        let end = self.offset.saturating_add(length);
        let halves = self.bytes.split_at_checked(length);
        let (taken, rest) = halves.ok_or(Ended::Short { end })?;
        self.bytes = rest;
        self.offset += length;
        Ok(taken)
    }
}

fn wrong(offset: usize, reason: &'static str) -> Ended {
    Ended::Wrong(Error::Corrupt { offset, reason })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::write_block;

    fn header() -> impl Strategy<Value = Header> {
        let entry =
            (0..9, ".{0,20}").prop_map(|(code, text)| (HeaderKey::from_code(code).unwrap(), text));
        prop::collection::vec(entry, 0..5).prop_map(Header::from_iter)
    }

    fn block() -> impl Strategy<Value = (BlockKind, Header, Vec<u8>)> {
        let kind = prop_oneof![0..2, 3..7].prop_map(|code| BlockKind::from_code(code).unwrap());
        (kind, header(), prop::collection::vec(any::<u8>(), 0..60))
    }

    proptest! {
        #[test]
        fn written_blocks_are_read(blocks in prop::collection::vec(block(), 0..5)) {
            let written = blocks.iter().map(|(kind, header, content)| {
                write_block(*kind, header, content).unwrap()
            });
            let file = written.collect::<Vec<_>>().concat();
            let read = read_blocks(&file).unwrap().into_iter().map(|block| {
                let content = block.content_in(&file).unwrap().to_vec();
                (block.kind, block.header, content)
            });
            prop_assert_eq!(read.collect::<Vec<_>>(), blocks);
        }

        /// The blocks that were found cover the file in order, whatever the bytes are.
        #[test]
        fn any_bytes_are_answered(
            parts in prop::collection::vec(
                prop_oneof![
                    Just(MAGIC.to_vec()),
                    prop::collection::vec(any::<u8>(), 0..40),
                    block().prop_map(|(kind, header, content)| {
                        write_block(kind, &header, &content).unwrap()
                    }),
                ],
                0..6,
            ),
        ) {
            let file = [MAGIC.to_vec(), parts.concat()].concat();
            if let Ok(blocks) = read_blocks(&file) {
                let mut end = 0;
                for block in blocks {
                    prop_assert_eq!(&file[block.offset..block.offset + 6], &MAGIC);
                    prop_assert!(block.offset >= end && block.content_in(&file).is_some());
                    end = block.content.end;
                }
            }
        }
    }
}
