//! The text form of `hoodie.properties`: `java.util.Properties` (spec 01 §2.1).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Error, Result, keys, table_checksum};

/// Keys and values of a properties file, sorted by key. Unknown keys are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    entries: BTreeMap<String, String>,
}

impl Properties {
    /// Reads the text of a properties file: ISO-8859-1 with escapes, comments, continued lines.
    ///
    /// A key that occurs twice has its last value.
    ///
    /// # Errors
    /// [`Error::Syntax`] for a `\u` without four hexadecimal digits; everything else is legal.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
        let mut entries = BTreeMap::new();
        for (line, logical) in logical_lines(&text) {
            let (key, value) = split(&logical);
            entries.insert(unescape(key, line)?, unescape(value, line)?);
        }
        Ok(Self { entries })
    }

    /// Writes the text of a properties file: two comment lines, then one line a key. All characters are
    /// ASCII.
    ///
    /// `comment` says what happened (`Properties saved on …`, `Updated at …`), `date_line` when, in
    /// the form of [`java_date_line`](crate::java_date_line).
    pub fn print(&self, comment: &str, date_line: &str) -> String {
        let mut text = String::new();
        for line in comment.lines().chain(date_line.lines()) {
            text.push('#');
            escape_into(&mut text, line, Escape::NonAsciiOnly);
            text.push('\n');
        }
        for (key, value) in &self.entries {
            escape_into(&mut text, key, Escape::Key);
            text.push('=');
            escape_into(&mut text, value, Escape::Value);
            text.push('\n');
        }
        text
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.get(key).map(String::as_str)
    }

    /// Sets a key; the answer is its former value.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>) -> Option<String> {
        self.entries.insert(key.into(), value.into())
    }

    /// Removes a key; the answer is its former value.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.entries.remove(key)
    }

    /// All keys and values, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The entries as a map.
    pub fn as_map(&self) -> &BTreeMap<String, String> {
        &self.entries
    }

    /// Sets the checksum that belongs to the names inside (spec 01 §2.2).
    pub fn set_checksum(&mut self) {
        let checksum = self.expected_checksum();
        self.set(keys::table::CHECKSUM.name, checksum.to_string());
    }

    /// Compares the checksum inside with the names inside. `Ok(false)`: there is none.
    ///
    /// # Errors
    /// [`Error::Checksum`].
    pub fn verify_checksum(&self) -> Result<bool> {
        let Some(found) = self.get(keys::table::CHECKSUM.name) else {
            return Ok(false);
        };
        let expected = self.expected_checksum();
        if found.trim().parse() == Ok(expected) {
            return Ok(true);
        }
        Err(Error::Checksum {
            found: found.to_owned(),
            expected,
        })
    }

    fn expected_checksum(&self) -> u32 {
        let text = |key: &keys::Key| self.get(key.name).unwrap_or_default();
        table_checksum(text(&keys::table::DATABASE_NAME), text(&keys::table::NAME))
    }
}

impl FromIterator<(String, String)> for Properties {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(entries: T) -> Self {
        Self {
            entries: entries.into_iter().collect(),
        }
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\x0c')
}

/// Joins continued lines, drops comments and blank lines; with the number of the first line.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut natural = unified.split('\n').enumerate();
    while let Some((index, line)) = natural.next() {
        let line = line.trim_start_matches(is_blank);
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = line.to_owned();
        while ends_with_continuation(&logical) {
            logical.pop();
            let Some((_, next)) = natural.next() else {
                break;
            };
            logical.push_str(next.trim_start_matches(is_blank));
        }
        if !logical.is_empty() {
            lines.push((index + 1, logical));
        }
    }
    lines
}

fn ends_with_continuation(line: &str) -> bool {
    line.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1
}

/// Splits at the first `=`, `:` or blank that is not escaped.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.char_indices().find(|&(_, c)| {
        let ends = !escaped && (matches!(c, '=' | ':') || is_blank(c));
        escaped = c == '\\' && !escaped;
        ends
    });
    let Some((end, _)) = end else {
        return (line, "");
    };
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(is_blank))
}

fn unescape(text: &str, line: usize) -> Result<String> {
    let malformed = || Error::Syntax {
        line,
        reason: "\\u without four hexadecimal digits",
    };
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut buffer = [0; 2];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let plain = match c {
            '\\' => match chars.next() {
                None => break,
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('f') => '\x0c',
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    if digits.len() != 4 || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
                        return Err(malformed());
                    }
                    units.push(u16::from_str_radix(&digits, 16).map_err(|_| malformed())?);
                    continue;
                }
                Some(other) => other,
            },
            other => other,
        };
        units.extend_from_slice(plain.encode_utf16(&mut buffer));
    }
    Ok(String::from_utf16_lossy(&units))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    Key,
    Value,
    NonAsciiOnly,
}

fn escape_into(out: &mut String, text: &str, mode: Escape) {
    for (index, c) in text.chars().enumerate() {
        match c {
            ' '..='~' if mode == Escape::NonAsciiOnly => out.push(c),
            ' ' if mode == Escape::Key || index == 0 => out.push_str("\\ "),
            ':' | '=' | '#' | '!' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\x0c' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "\\u{unit:04X}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Vec<(String, String)> {
        let properties = Properties::parse(text.as_bytes()).unwrap();
        properties
            .iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        assert_eq!(parse(text), expected, "{text:?}");
    }

    #[test]
    fn reads_all_forms_java_reads() {
        check("#c\n!c\n\n  \t\n", &[]);
        check(
            "a=1\nb:2\nc 3\nd = 4\ne\t:\t5\nf",
            &[
                ("a", "1"),
                ("b", "2"),
                ("c", "3"),
                ("d", "4"),
                ("e", "5"),
                ("f", ""),
            ],
        );
        check("a=1\r\nb=2\rc=3", &[("a", "1"), ("b", "2"), ("c", "3")]);
        check("a\\=b\\ c=d\\:e\\\\", &[("a=b c", "d:e\\")]);
        check("a=x\\\n   y\\\n#z\nb=1", &[("a", "xy#z"), ("b", "1")]);
        check("a=x\\\\\nb=1", &[("a", "x\\"), ("b", "1")]);
        check("a=\\u00e9\\u2603\\uD834\\uDD1E\\t\\q", &[("a", "é☃𝄞\tq")]);
        check("a= =1\n=x", &[("", "x"), ("a", "=1")]);
        check("a=1\na=2", &[("a", "2")]);
        check("a=end\\", &[("a", "end")]);
        let latin = Properties::parse(b"a=\xe9").unwrap();
        assert_eq!(latin.get("a"), Some("é"));
    }

    #[test]
    fn a_broken_unicode_escape_names_its_line() {
        let error = Properties::parse(b"ok=1\n#\nbad=\\u12G4").unwrap_err();
        assert!(error.to_string().contains("line 3"), "{error}");
        Properties::parse(b"bad=\\u12").unwrap_err();
        Properties::parse("bad=\\uéééé".as_bytes()).unwrap_err();
    }

    #[test]
    fn writes_what_java_writes() {
        let mut properties = Properties::default();
        properties.set("k :=#!\\é", "  v :=#!\\é\t\n𝄞");
        properties.set("z", "{\"type\":\"record\"}");
        assert_eq!(
            properties.print("Updated at é", "now"),
            "#Updated at \\u00E9\n#now\nk\\ \\:\\=\\#\\!\\\\\\u00E9=\\  v \\:\\=\\#\\!\\\\\\u00E9\\t\\n\\uD834\\uDD1E\n\
             z={\"type\"\\:\"record\"}\n"
        );
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(entries in proptest::collection::btree_map(".*", ".*", 0..5)) {
            let properties: Properties = entries.into_iter().collect();
            let text = properties.print("comment\nwith = two", "date");
            prop_assert!(text.is_ascii());
            prop_assert_eq!(Properties::parse(text.as_bytes()).unwrap(), properties);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = Properties::parse(&bytes);
        }
    }
}
