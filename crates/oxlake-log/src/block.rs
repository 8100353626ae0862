//! A block: its kind, its header and where its content lies.

use std::ops::Range;

/// One block of a log file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What the content is.
    pub kind: BlockKind,
    /// The header entries; none for a corrupt block.
    pub header: Header,
    /// Where the content lies in the file.
    pub content: Range<usize>,
    /// Where the block begins in the file.
    pub offset: usize,
}

impl Block {
    /// The content, when `file` are the bytes of the whole file.
    pub fn content_in<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        file.get(self.content.clone())
    }

    /// The instant that wrote the block.
    pub fn instant_time(&self) -> Option<&str> {
        self.header.get(HeaderKey::InstantTime)
    }

    /// The schema of the records.
    pub fn schema(&self) -> Option<&str> {
        self.header.get(HeaderKey::Schema)
    }
}

macro_rules! coded {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// The number in the file.
            pub fn code(self) -> i32 {
                match self { $(Self::$variant => $code),* }
            }

            /// From the number in the file.
            pub fn from_code(code: i32) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

coded! {
    /// What a block's content is (spec 02 §5.2).
    BlockKind {
        /// No content; the header asks to roll an instant back (version 6 tables).
        Command = 0,
        /// Keys of deleted records.
        Delete = 1,
        /// Bytes that are no block; never written, what a reader makes of damage.
        Corrupt = 2,
        /// Avro records.
        AvroData = 3,
        /// A whole `HFile`.
        HfileData = 4,
        /// A whole Parquet file.
        ParquetData = 5,
        /// Avro records of changes.
        CdcData = 6,
    }
}

coded! {
    /// What a header entry tells (spec 02 §5.3).
    HeaderKey {
        /// The instant that wrote the block; in a rollback block the rollback's own.
        InstantTime = 0,
        /// The instant a rollback block rolls back.
        TargetInstantTime = 1,
        /// Avro JSON of the records.
        Schema = 2,
        /// `0` asks for a rollback.
        CommandBlockType = 3,
        /// Comma list of the instants a log compaction put into this block.
        CompactedBlockTimes = 4,
        /// Positions of the records in the base file, a bitmap as base64.
        RecordPositions = 5,
        /// Left over from some 0.14 releases, to be ignored.
        BlockIdentifier = 6,
        /// `true` when the records hold only the changed columns.
        IsPartial = 7,
        /// Instant of the base file the positions refer to.
        BaseFileInstantTimeOfRecordPositions = 8,
    }
}

/// The header entries in the order of the file, so that a block can be written again as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header(Vec<(HeaderKey, String)>);

impl Header {
    /// The value of a key.
    pub fn get(&self, key: HeaderKey) -> Option<&str> {
        let mut entries = self.0.iter().rev();
        entries.find_map(|(found, value)| (*found == key).then_some(value.as_str()))
    }

    /// Appends an entry.
    pub fn push(&mut self, key: HeaderKey, value: impl Into<String>) {
        self.0.push((key, value.into()));
    }

    /// The entries in their order.
    pub fn entries(&self) -> &[(HeaderKey, String)] {
        &self.0
    }
}

impl<const N: usize> From<[(HeaderKey, String); N]> for Header {
    fn from(entries: [(HeaderKey, String); N]) -> Self {
        Self(entries.into())
    }
}

impl FromIterator<(HeaderKey, String)> for Header {
    fn from_iter<I: IntoIterator<Item = (HeaderKey, String)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}
