//! The meta columns of rows that a write puts into a file (spec 02 §2.1).

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, StringBuilder};

use super::context::HandleContext;

/// Makes the meta columns of the rows of one file, and numbers them.
#[derive(Debug)]
pub(crate) struct Stamp {
    instant: String,
    partition: String,
    file_name: String,
    /// `{instant}_{task}_`.
    seqno_prefix: String,
    text: String,
}

impl Stamp {
    pub(crate) fn new(
        context: &HandleContext,
        task_id: u32,
        partition: &str,
        file_name: &str,
    ) -> Self {
        let instant = context.instant.as_str().to_owned();
        Self {
            seqno_prefix: format!("{instant}_{task_id}_"),
            instant,
            partition: partition.to_owned(),
            file_name: file_name.to_owned(),
            text: String::new(),
        }
    }

    pub(crate) fn instant(&self) -> &str {
        &self.instant
    }

    /// `{instant}_{task}_{index}`.
    pub(crate) fn seqno(&mut self, index: u64) -> &str {
        self.text.clear();
        let _ = write!(self.text, "{}{index}", self.seqno_prefix);
        &self.text
    }

    /// The five meta columns of new rows, the first of which is row `first_index` of the task.
    pub(crate) fn new_rows(&mut self, keys: &StringArray, first_index: u64) -> [ArrayRef; 5] {
        let rows = arrow::array::Array::len(keys);
        let mut seqnos = StringBuilder::with_capacity(rows, rows * (self.seqno_prefix.len() + 6));
        for index in first_index..first_index + rows as u64 {
            seqnos.append_value(self.seqno(index));
        }
        [
            Arc::new(StringArray::new_repeated(&self.instant, rows)),
            Arc::new(seqnos.finish()),
            Arc::new(keys.clone()),
            Arc::new(StringArray::new_repeated(&self.partition, rows)),
            Arc::new(StringArray::new_repeated(&self.file_name, rows)),
        ]
    }
}
