//! A reader whose first bytes can be looked at without being consumed.

use std::fs::File;
use std::io::{self, Cursor, Read};

/// How much is looked at to learn format and types.
const PREFIX_BYTES: u64 = 4 << 20;

/// Bytes with a known start.
pub(super) struct Prefixed {
    prefix: Vec<u8>,
    is_whole: bool,
    rest: Box<dyn Read + Send>,
    file: Option<File>,
}

impl Prefixed {
    /// Reads the start of anything.
    pub(super) fn new(mut rest: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut prefix = Vec::new();
        rest.as_mut().take(PREFIX_BYTES).read_to_end(&mut prefix)?;
        let is_whole = (prefix.len() as u64) < PREFIX_BYTES;
        Ok(Self {
            prefix,
            is_whole,
            rest,
            file: None,
        })
    }

    /// The same for a file, which stays available with its seeking.
    pub(super) fn of_file(file: File) -> io::Result<Self> {
        let again = file.try_clone()?;
        let opened = Self::new(Box::new(file))?;
        Ok(Self {
            file: Some(again),
            ..opened
        })
    }

    /// The first bytes.
    pub(super) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The first lines, all of them complete.
    pub(super) fn lines(&self) -> &[u8] {
        if self.is_whole {
            return &self.prefix;
        }
        let end = self
            .prefix
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |last| last + 1);
        self.prefix.get(..end).unwrap_or_default()
    }

    /// The file, if it is one.
    pub(super) fn file(&mut self) -> Option<File> {
        self.file.take()
    }
}

impl Prefixed {
    /// Everything from the first byte.
    pub(super) fn into_reader(self) -> Box<dyn Read + Send> {
        Box::new(Cursor::new(self.prefix).chain(self.rest))
    }
}
