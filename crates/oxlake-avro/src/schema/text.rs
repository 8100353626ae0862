//! Changes to the field list of a schema text that leave the rest of the text as it was.

use std::ops::Range;

use super::Schema;
use crate::error::{Error, Result};

impl Schema {
    /// The schema with these nullable string fields in front, and without any others of their names.
    ///
    /// They are written as the table format writes its meta columns.
    ///
    /// # Errors
    /// The root is no record.
    pub fn with_leading_strings(&self, names: &[&str]) -> Result<Self> {
        let new = names.iter().map(|name| {
            let name = serde_json::Value::from(*name);
            format!(r#"{{"name":{name},"type":["null","string"],"doc":"","default":null}}"#)
        });
        self.with_fields(new.collect(), |name| !names.contains(&name))
    }

    /// The schema without the fields of these names.
    ///
    /// # Errors
    /// The root is no record, or a remaining field needs a type that a removed one defined.
    pub fn without_fields(&self, names: &[&str]) -> Result<Self> {
        self.with_fields(Vec::new(), |name| !names.contains(&name))
    }

    fn with_fields(&self, mut fields: Vec<String>, keep: impl Fn(&str) -> bool) -> Result<Self> {
        let no_record = || Error::Schema {
            at: "schema".to_owned(),
            reason: "the root is no record".to_owned(),
        };
        let list = field_list(self.json()).ok_or_else(no_record)?;
        for (field, span) in self.fields().iter().zip(&list.fields) {
            if keep(&field.name) {
                fields.extend(self.json().get(span.clone()).map(str::to_owned));
            }
        }
        let mut json = self.json().to_owned();
        json.replace_range(list.inner, &fields.join(","));
        Self::parse(&json)
    }
}

/// Where the fields of the root record stand in its text.
struct FieldList {
    /// Between the brackets.
    inner: Range<usize>,
    fields: Vec<Range<usize>>,
}

fn field_list(text: &str) -> Option<FieldList> {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut found = None;
    scanner.open(b'{')?;
    while scanner.peek()? != b'}' {
        let key = scanner.value()?;
        scanner.open(b':')?;
        let at = scanner.at;
        let value = scanner.value()?;
        if text.get(key)? == "\"fields\"" {
            let inner = (value.start + 1)..(value.end - 1);
            let mut items = Scanner { at, ..scanner };
            found = items.items().map(|fields| FieldList { inner, fields });
        }
        if scanner.peek()? == b',' {
            scanner.at += 1;
        }
    }
    found
}

/// Walks over JSON that is known to be valid; gives up with `None` on any other.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn open(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The values of a list.
    fn items(&mut self) -> Option<Vec<Range<usize>>> {
        let mut items = Vec::new();
        self.open(b'[')?;
        while self.peek()? != b']' {
            items.push(self.value()?);
            if self.peek()? == b',' {
                self.at += 1;
            }
        }
        Some(items)
    }

    /// Steps over a value of any kind.
    fn value(&mut self) -> Option<Range<usize>> {
        self.peek()?;
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => self.string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
            let next = self.bytes.get(self.at).copied().unwrap_or(b',');
            let is_over = matches!(next, b',' | b'}' | b']' | b':') || next.is_ascii_whitespace();
            if depth == 0 && is_over {
                return Some(start..self.at);
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: [&str; 2] = ["_a", "_b"];

    fn check(json: &str, expected: &str) {
        let schema = Schema::parse(json).unwrap();
        let with = schema.with_leading_strings(&META).unwrap();
        assert_eq!(with.json(), expected);
        assert_eq!(
            with.with_leading_strings(&META).unwrap(),
            with,
            "idempotent"
        );
        let without = with.without_fields(&META).unwrap();
        assert_eq!(without.root(), schema.root());
    }

    #[test]
    fn the_rest_of_the_text_stays() {
        check(
            r#"{"type":"record","z":[1,{"fields":[]}],"name":"r","fields":[],"doc":"a \"fields\":[ b"}"#,
            concat!(
                r#"{"type":"record","z":[1,{"fields":[]}],"name":"r","fields":["#,
                r#"{"name":"_a","type":["null","string"],"doc":"","default":null},"#,
                r#"{"name":"_b","type":["null","string"],"doc":"","default":null}"#,
                r#"],"doc":"a \"fields\":[ b"}"#
            ),
        );
        check(
            r#"{"name" : "r", "fields" : [ {"name":"x", "type": "int", "p": -1.5e3}, {"type":"int","name":"y"} ], "type":"record"}"#,
            concat!(
                r#"{"name" : "r", "fields" : ["#,
                r#"{"name":"_a","type":["null","string"],"doc":"","default":null},"#,
                r#"{"name":"_b","type":["null","string"],"doc":"","default":null},"#,
                r#"{"name":"x", "type": "int", "p": -1.5e3},{"type":"int","name":"y"}"#,
                r#"], "type":"record"}"#
            ),
        );
    }

    #[test]
    fn only_records_have_fields() {
        let schema = Schema::parse("\"int\"").unwrap();
        assert!(schema.without_fields(&["a"]).is_err());
    }
}
