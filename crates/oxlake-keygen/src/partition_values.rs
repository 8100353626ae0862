//! From a partition path back to the values of its fields.

use oxlake_config::{KeyGeneratorType, PartitionFieldKind, TableConfig};
use oxlake_model::PartitionPath;

use crate::escape::{DEFAULT_PARTITION, unescape};
use crate::{Error, Result};

/// The values a partition path stands for, in the order of the table's partition fields; `None` is the
/// partition of missing values. The texts are those of spec 02 §4.2.
///
/// Fields whose value a path does not tell (formatted times, spec 02 §4.6) are left out.
///
/// # Errors
/// [`Error::BadPartitionPath`] when the path does not have a part for each field.
pub fn partition_values(
    table: &TableConfig,
    path: &PartitionPath,
) -> Result<Vec<(String, Option<String>)>> {
    let path = path.as_str();
    let bad = || Error::BadPartitionPath {
        path: path.to_owned(),
        fields: names(table).join(", "),
    };
    let fields = table.partition_fields();
    if fields.is_empty() {
        return if path.is_empty() {
            Ok(Vec::new())
        } else {
            Err(bad())
        };
    }
    let names = names(table);
    let parts = match table.key_generator() {
        KeyGeneratorType::Timestamp => return Ok(Vec::new()),
        KeyGeneratorType::Custom => match split(table, path, &names) {
            Some(parts) => parts,
            // A formatted time may have any number of folders.
            None => return Ok(Vec::new()),
        },
        _ => split(table, path, &names).ok_or_else(bad)?,
    };
    let custom = *table.key_generator() == KeyGeneratorType::Custom;
    let told = fields
        .iter()
        .zip(parts)
        .filter(|(field, _)| !custom || field.kind == Some(PartitionFieldKind::Simple));
    Ok(told
        .map(|(field, part)| (field.name.clone(), value(table, &field.name, part)))
        .collect())
}

fn names(table: &TableConfig) -> Vec<&str> {
    table
        .partition_fields()
        .iter()
        .map(|field| field.name.as_str())
        .collect()
}

/// Cuts a path into one part a field. One field takes the whole path; several take a folder each.
fn split<'a>(table: &TableConfig, path: &'a str, names: &[&str]) -> Option<Vec<&'a str>> {
    if path.is_empty() {
        return None;
    }
    if names.len() == 1 {
        return Some(vec![path]);
    }
    let segments: Vec<&str> = path.split('/').collect();
    if segments.len() == names.len() {
        return Some(segments);
    }
    if table.hive_style_partitioning() {
        split_at_names(path, names)
    } else {
        None
    }
}

/// Values with slashes, written by others: a part begins where the name of its field stands.
fn split_at_names<'a>(path: &'a str, names: &[&str]) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let mut rest = path;
    for (index, name) in names.iter().enumerate() {
        if !has_name(rest, name) {
            return None;
        }
        let part = match names.get(index + 1) {
            None => rest,
            Some(next) => {
                let (at, _) = rest.match_indices('/').find(|(at, _)| {
                    rest.get(at + 1..)
                        .is_some_and(|after| has_name(after, next))
                })?;
                let (part, after) = rest.split_at_checked(at)?;
                rest = after.get(1..)?;
                part
            }
        };
        parts.push(part);
    }
    Some(parts)
}

fn has_name(part: &str, name: &str) -> bool {
    part.strip_prefix(name)
        .is_some_and(|rest| rest.starts_with('='))
}

fn value(table: &TableConfig, name: &str, part: &str) -> Option<String> {
    let text = match part
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('='))
    {
        Some(text) if table.hive_style_partitioning() => text,
        _ => part,
    };
    if text == DEFAULT_PARTITION {
        return None;
    }
    if table.slash_separated_dates() {
        return Some(text.replace('/', "-"));
    }
    Some(if table.url_encode_partitioning() {
        unescape(text).into_owned()
    } else {
        text.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use oxlake_config::Properties;

    use super::*;

    #[track_caller]
    fn check(properties: &str, path: &str, expected: &[(&str, Option<&str>)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned)))
            .collect();
        assert_eq!(decode(properties, path).unwrap(), expected, "{path}");
    }

    fn decode(properties: &str, path: &str) -> Result<Vec<(String, Option<String>)>> {
        let text = format!("hoodie.table.name=t\nhoodie.table.version=9\n{properties}");
        let properties = Properties::parse(text.as_bytes()).unwrap();
        partition_values(
            &TableConfig::try_from_properties(properties).unwrap(),
            &path.into(),
        )
    }

    const HIVE: &str = "hoodie.datasource.write.hive_style_partitioning=true\n";
    const ENCODE: &str = "hoodie.datasource.write.partitionpath.urlencode=true\n";

    #[test]
    fn paths_give_back_the_values_they_were_made_of() {
        let one = "hoodie.table.partition.fields=city\n";
        let two = "hoodie.table.partition.fields=city,b\nhoodie.table.recordkey.fields=x,y\n";
        check("", "", &[]);
        check(one, "x", &[("city", Some("x"))]);
        check(one, "a/b", &[("city", Some("a/b"))]);
        check(one, "city=x", &[("city", Some("city=x"))]);
        check(one, "a%2Fb", &[("city", Some("a%2Fb"))]);
        check(one, DEFAULT_PARTITION, &[("city", None)]);
        check(
            &format!("{one}{HIVE}"),
            "city=x=y",
            &[("city", Some("x=y"))],
        );
        check(&format!("{one}{HIVE}"), "bare", &[("city", Some("bare"))]);
        check(
            &format!("{one}{HIVE}{ENCODE}"),
            "city=50%25%3Dé",
            &[("city", Some("50%=é"))],
        );
        check(two, "x/y", &[("city", Some("x")), ("b", Some("y"))]);
        check(
            &format!("{two}{HIVE}"),
            "city=__HIVE_DEFAULT_PARTITION__/b=1",
            &[("city", None), ("b", Some("1"))],
        );
        check(
            &format!("{two}{HIVE}"),
            "city=a/c/b=1/2",
            &[("city", Some("a/c")), ("b", Some("1/2"))],
        );
    }

    #[test]
    fn paths_without_the_tables_fields_are_refused() {
        let two = "hoodie.table.partition.fields=city,b\n";
        for (properties, path) in [
            ("", "x"),
            (two, "x"),
            (two, "x/y/z"),
            (two, ""),
            (&format!("{two}{HIVE}"), "city=x/y/c=z"),
        ] {
            assert!(
                matches!(
                    decode(properties, path),
                    Err(Error::BadPartitionPath { .. })
                ),
                "{path}"
            );
        }
    }

    #[test]
    fn formatted_times_tell_no_value_and_dates_in_folders_do() {
        let time = "hoodie.table.partition.fields=ts\nhoodie.table.keygenerator.type=TIMESTAMP\n";
        check(time, "2024/01/02", &[]);
        let custom = "hoodie.table.partition.fields=city:SIMPLE,ts:TIMESTAMP\n";
        check(custom, "x/20240102", &[("city", Some("x"))]);
        check(custom, "x/2024/01", &[]);
        check(
            &format!("{custom}{HIVE}"),
            "city=x/ts=2024/01",
            &[("city", Some("x"))],
        );
        let dates = "hoodie.table.partition.fields=d\nhoodie.datasource.write.slash.separated.date.partitioning=true\n";
        check(dates, "2024/01/02", &[("d", Some("2024-01-02"))]);
    }
}
