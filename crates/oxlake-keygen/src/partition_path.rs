//! The partition path of a row (spec 02 §4.4).

use std::fmt::Write as _;

use oxlake_config::TableConfig;

use crate::escape::{DEFAULT_PARTITION, escape};
use crate::{Error, Result};

/// How a table writes partition paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathStyle {
    hive: bool,
    encode: bool,
    /// With several fields a slash in a value could not be told from the next part.
    several_fields: bool,
}

impl PathStyle {
    pub(crate) fn of(table: &TableConfig) -> Self {
        Self {
            hive: table.hive_style_partitioning(),
            encode: table.url_encode_partitioning(),
            several_fields: table.partition_fields().len() > 1,
        }
    }

    /// Appends the part of one field to the path. `row` is for messages.
    pub(crate) fn append(
        self,
        path: &mut String,
        row: usize,
        field: &str,
        value: Option<&str>,
    ) -> Result<()> {
        if !path.is_empty() {
            path.push('/');
        }
        let start = path.len();
        if self.hive {
            // Writing to a String cannot fail.
            let _ = write!(path, "{field}=");
        }
        let refuse = |reason| {
            let value = value.unwrap_or_default().escape_debug().to_string();
            Err(Error::BadPartitionValue {
                row,
                field: field.to_owned(),
                value,
                reason,
            })
        };
        match value {
            None | Some("") => path.push_str(DEFAULT_PARTITION),
            Some(DEFAULT_PARTITION) => {
                return refuse(
                    "it is the name of the partition for missing values and would be read back as null",
                );
            }
            Some(value) if self.encode => path.push_str(&escape(value)),
            Some(value) => path.push_str(value),
        }
        let part = path.get(start..).unwrap_or_default();
        match self.objection(part, start == 0) {
            Some(reason) => refuse(reason),
            None => Ok(()),
        }
    }

    /// Why a part cannot stand in a path.
    fn objection(self, part: &str, is_first: bool) -> Option<&'static str> {
        let mut segments = part.split(['/', '\\']);
        if segments.any(|segment| segment == "..") || part.split('/').any(|segment| segment == ".")
        {
            return Some("'.' and '..' would lead to another folder; use hive-style partitioning");
        }
        if part.split('/').any(str::is_empty) {
            return Some(
                "it has an empty folder name; set hoodie.datasource.write.partitionpath.urlencode=true",
            );
        }
        if self.several_fields && part.contains('/') {
            return Some(
                "a slash makes two folders of it, which cannot be read back; set hoodie.datasource.write.partitionpath.urlencode=true",
            );
        }
        if part.chars().any(|c| c.is_ascii_control()) {
            return Some(
                "control characters cannot stand in a path; set hoodie.datasource.write.partitionpath.urlencode=true",
            );
        }
        if is_first && part.split('/').next() == Some(".hoodie") {
            return Some("it is the folder of the table's own files");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: PathStyle = PathStyle {
        hive: false,
        encode: false,
        several_fields: false,
    };
    const HIVE: PathStyle = PathStyle {
        hive: true,
        ..PLAIN
    };
    const ENCODED: PathStyle = PathStyle {
        encode: true,
        ..PLAIN
    };
    const BOTH: PathStyle = PathStyle {
        hive: true,
        encode: true,
        several_fields: true,
    };

    fn path(style: PathStyle, values: &[Option<&str>]) -> Result<String> {
        let mut path = String::new();
        for (index, value) in values.iter().enumerate() {
            style.append(&mut path, 7, &format!("f{index}"), *value)?;
        }
        Ok(path)
    }

    #[test]
    fn parts_are_joined_in_the_style_of_the_table() {
        let check = |style, values: &[Option<&str>], expected: &str| {
            assert_eq!(path(style, values).unwrap(), expected);
        };
        check(PLAIN, &[Some("x")], "x");
        check(PLAIN, &[Some("2024/01/02")], "2024/01/02");
        check(PLAIN, &[Some(" a%2Fb ")], " a%2Fb ");
        check(
            HIVE,
            &[Some("x"), None, Some("")],
            "f0=x/f1=__HIVE_DEFAULT_PARTITION__/f2=__HIVE_DEFAULT_PARTITION__",
        );
        check(HIVE, &[Some("..")], "f0=..");
        check(ENCODED, &[Some("a/../b")], "a%2F..%2Fb");
        check(BOTH, &[Some("a/b"), Some("c=d\n")], "f0=a%2Fb/f1=c%3Dd%0A");
        check(
            PLAIN,
            &[Some("back\\slash"), Some(".hoodie")],
            "back\\slash/.hoodie",
        );
    }

    #[test]
    fn values_that_lead_elsewhere_or_cannot_be_read_back_are_refused() {
        let several = PathStyle {
            several_fields: true,
            ..PLAIN
        };
        for (style, value) in [
            (PLAIN, ".."),
            (PLAIN, "."),
            (PLAIN, "../x"),
            (PLAIN, "a\\..\\b"),
            (HIVE, "x/../../y"),
            (HIVE, "x\\..\\y"),
            (ENCODED, ".."),
            (PLAIN, "/x"),
            (PLAIN, "x/"),
            (PLAIN, "a//b"),
            (HIVE, "x/"),
            (several, "a/b"),
            (PLAIN, "a\nb"),
            (PLAIN, ".hoodie"),
            (PLAIN, ".hoodie/timeline"),
            (PLAIN, DEFAULT_PARTITION),
            (BOTH, DEFAULT_PARTITION),
        ] {
            let error = path(style, &[Some(value)]).unwrap_err();
            let Error::BadPartitionValue { row: 7, field, .. } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(field, "f0");
        }
    }
}
