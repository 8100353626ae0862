//! Every property and option, declared once: name, older names, type, default, meaning.
//!
//! To add one, add a constant to the file of its group and its name to that file's `ALL`.

pub mod index;
pub mod keygen;
pub mod parquet;
pub mod table;
pub mod write;

use std::collections::BTreeMap;

use crate::{Error, Result};

/// One property or option.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// The name to write.
    pub name: &'static str,
    /// Older names that are read as well, in this order.
    pub aliases: &'static [&'static str],
    /// What values look like.
    pub kind: Kind,
    /// The value when there is none; `None`: depends on others, or there is none.
    pub default: Option<&'static str>,
    /// One sentence.
    pub doc: &'static str,
}

/// What the values of a key look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// Texts separated by commas.
    List,
    /// `true` or `false`.
    Bool,
    /// A whole number, not negative.
    Integer,
    /// A number.
    Decimal,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A group of keys: its heading and its keys.
pub type Group = (&'static str, &'static [&'static Key]);

/// All groups in the order of the reference page.
pub const GROUPS: &[Group] = &[
    ("Table properties", table::ALL),
    ("Times in partition paths", keygen::ALL),
    ("Writing", write::ALL),
    ("Parquet files", parquet::ALL),
    ("Index and bloom filters", index::ALL),
];

/// The key of this name, older names included.
pub fn find(name: &str) -> Option<&'static Key> {
    let all = GROUPS.iter().flat_map(|(_, keys)| keys.iter().copied());
    all.into_iter()
        .find(|key| key.name == name || key.aliases.contains(&name))
}

impl Key {
    /// The value under the name or the first older name that is there; empty values count as absent.
    pub fn get<'a>(&self, entries: &'a BTreeMap<String, String>) -> Option<&'a str> {
        std::iter::once(&self.name)
            .chain(self.aliases)
            .filter_map(|name| entries.get(*name))
            .map(String::as_str)
            .find(|value| !value.trim().is_empty())
    }

    /// The value, or the default, or the empty text.
    pub fn text<'a>(&self, entries: &'a BTreeMap<String, String>) -> &'a str {
        self.get(entries)
            .unwrap_or(self.default.unwrap_or_default())
    }

    /// The value as `true` or `false`, in any case.
    ///
    /// # Errors
    /// [`Error::BadValue`].
    pub fn bool(&self, entries: &BTreeMap<String, String>) -> Result<bool> {
        match self.text(entries).trim() {
            text if text.eq_ignore_ascii_case("true") => Ok(true),
            text if text.eq_ignore_ascii_case("false") || text.is_empty() => Ok(false),
            text => Err(self.bad_value(text)),
        }
    }

    /// The value as a whole number.
    ///
    /// # Errors
    /// [`Error::BadValue`], also for negative numbers.
    pub fn integer(&self, entries: &BTreeMap<String, String>) -> Result<u64> {
        let text = self.text(entries).trim();
        text.parse().map_err(|_| self.bad_value(text))
    }

    /// The value as a number.
    ///
    /// # Errors
    /// [`Error::BadValue`], also for what is not finite.
    pub fn decimal(&self, entries: &BTreeMap<String, String>) -> Result<f64> {
        let text = self.text(entries).trim();
        let number: Option<f64> = text.parse().ok();
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.bad_value(text))
    }

    /// The value as a list: split at commas, blanks around removed, empty parts dropped.
    pub fn list(&self, entries: &BTreeMap<String, String>) -> Vec<String> {
        let parts = self.text(entries).split(',').map(str::trim);
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The value as one of the key's words, in upper case.
    ///
    /// # Errors
    /// [`Error::BadValue`].
    pub fn word(&self, entries: &BTreeMap<String, String>) -> Result<String> {
        let text = self.text(entries).trim();
        let upper = text.to_ascii_uppercase();
        match self.kind {
            Kind::Word(words) if !words.contains(&upper.as_str()) => Err(self.bad_value(text)),
            _ => Ok(upper),
        }
    }

    /// The error for a value that is not of the key's kind.
    pub(crate) fn bad_value(&self, value: &str) -> Error {
        let expected = match self.kind {
            Kind::Text => "a text".to_owned(),
            Kind::List => "a list separated by commas".to_owned(),
            Kind::Bool => "true or false".to_owned(),
            Kind::Integer => "a whole number".to_owned(),
            Kind::Decimal => "a number".to_owned(),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
        };
        Error::BadValue {
            key: self.name.to_owned(),
            value: value.to_owned(),
            expected,
        }
    }

    /// Whether the value is of the key's kind.
    ///
    /// # Errors
    /// [`Error::BadValue`].
    pub fn check(&self, value: &str) -> Result<()> {
        let entries = BTreeMap::from([(self.name.to_owned(), value.to_owned())]);
        match self.kind {
            Kind::Text | Kind::List => Ok(()),
            Kind::Bool => self.bool(&entries).map(drop),
            Kind::Integer => self.integer(&entries).map(drop),
            Kind::Decimal => self.decimal(&entries).map(drop),
            Kind::Word(_) => self.word(&entries).map(drop),
        }
    }
}

/// The reference page of all keys, as Markdown.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Properties and options\n\n\
         Generated from `oxlake-config/src/keys`; a test keeps it current. Options that no key below names are\n\
         kept where they are stored and ignored otherwise.\n",
    );
    for (heading, keys) in GROUPS {
        page.extend([
            "\n## ",
            heading,
            "\n\n| name | values | default | meaning |\n|---|---|---|---|\n",
        ]);
        for key in *keys {
            page.push_str(&row(key));
        }
    }
    page
}

fn row(key: &Key) -> String {
    let values = match key.kind {
        Kind::Text => "text".to_owned(),
        Kind::List => "list".to_owned(),
        Kind::Bool => "true, false".to_owned(),
        Kind::Integer => "whole number".to_owned(),
        Kind::Decimal => "number".to_owned(),
        Kind::Word(words) => words.join(", "),
    };
    let older = match key.aliases {
        [] => String::new(),
        aliases => format!(" (also read: `{}`)", aliases.join("`, `")),
    };
    let default = key
        .default
        .map(|value| format!("`{value}`"))
        .unwrap_or_default();
    format!(
        "| `{}`{older} | {values} | {default} | {} |\n",
        key.name, key.doc
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_defaults_are_of_their_kind() {
        let mut seen = BTreeSet::new();
        for key in GROUPS.iter().flat_map(|(_, keys)| *keys) {
            for name in std::iter::once(&key.name).chain(key.aliases) {
                assert!(seen.insert(*name), "{name} is declared twice");
                assert_eq!(find(name), Some(*key));
            }
            let known = ["hoodie.", "_hoodie.", "oxlake."];
            assert!(
                known.iter().any(|prefix| key.name.starts_with(prefix)),
                "{}",
                key.name
            );
            assert!(
                !key.doc.is_empty() && !key.doc.ends_with('.') && !key.doc.contains('|'),
                "{}",
                key.doc
            );
            if let Some(default) = key.default {
                key.check(default).unwrap();
            }
        }
    }

    #[test]
    fn older_names_are_read_after_the_new_one() {
        let key = &table::ORDERING_FIELDS;
        let entry = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let old = entry("hoodie.table.precombine.field", "old");
        assert_eq!(key.get(&BTreeMap::from([old.clone()])), Some("old"));
        assert_eq!(
            key.get(&BTreeMap::from([old.clone(), entry(key.name, "new")])),
            Some("new")
        );
        assert_eq!(
            key.get(&BTreeMap::from([old, entry(key.name, " ")])),
            Some("old")
        );
        assert_eq!(
            key.list(&BTreeMap::from([entry(key.name, "a, b,,c")])),
            ["a", "b", "c"]
        );
    }

    #[test]
    fn bad_values_are_errors_that_name_key_and_value() {
        for (key, value) in [
            (&parquet::MAX_FILE_SIZE, "12k"),
            (&parquet::MAX_FILE_SIZE, "-1"),
            (&index::BLOOM_FPP, "NaN"),
            (&table::HIVE_STYLE, "yes"),
            (&table::TYPE, "COPY"),
        ] {
            let text = key.check(value).unwrap_err().to_string();
            assert!(text.contains(key.name) && text.contains(value), "{text}");
        }
    }
}
