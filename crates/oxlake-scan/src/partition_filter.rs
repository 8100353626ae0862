//! Which folders can hold a row that matches the query's condition, told from their names.
//!
//! Two questions: may there be a matching partition at or below a folder (asked while listing, so that other
//! folders are never entered), and may a partition hold a matching row. Both are conservative. A folder's text
//! is turned into a value only where every writer writes that value in one way: not for timestamps, not for the
//! default partition (null and empty text share it), not where a key generator formats the value.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use oxlake_config::{KeyGeneratorType, PartitionFieldKind, TableConfig};
use oxlake_keygen::{DEFAULT_PARTITION, partition_values, unescape};
use oxlake_model::{CivilDate, Literal, PartitionPath, Predicate};
use oxlake_plan::{PartitionValue, partition_may_match};

/// The condition of a query, as far as folders tell.
#[derive(Debug)]
pub(crate) struct PartitionFilter {
    /// `None` when no folder can be excluded.
    condition: Option<Condition>,
}

#[derive(Debug)]
struct Condition {
    predicate: Predicate,
    config: Arc<TableConfig>,
    fields: Vec<Field>,
}

/// A partition column.
#[derive(Debug)]
struct Field {
    name: String,
    /// The type, when folders of this column say its value.
    readable: Option<DataType>,
}

impl PartitionFilter {
    /// The filter of a predicate over a table with this schema.
    pub(crate) fn new(
        config: &Arc<TableConfig>,
        schema: &Schema,
        predicate: Option<&Predicate>,
    ) -> Self {
        let fields = fields(config, schema);
        let condition = predicate.and_then(|predicate| {
            let named = predicate.columns();
            let decides =
                |field: &Field| field.readable.is_some() && named.contains(field.name.as_str());
            fields.iter().any(decides).then(|| Condition {
                predicate: predicate.clone(),
                config: Arc::clone(config),
                fields,
            })
        });
        Self { condition }
    }

    /// Whether a partition at or below this folder can hold a matching row.
    pub(crate) fn may_descend(&self, folder: &str) -> bool {
        self.condition
            .as_ref()
            .is_none_or(|condition| condition.matches(&condition.values_of_folder(folder)))
    }

    /// Whether this partition can hold a matching row.
    pub(crate) fn may_match(&self, partition: &PartitionPath) -> bool {
        self.condition
            .as_ref()
            .is_none_or(|condition| condition.matches(&condition.values_of_partition(partition)))
    }
}

impl Condition {
    fn matches(&self, values: &BTreeMap<&str, PartitionValue>) -> bool {
        partition_may_match(&self.predicate, &|column| {
            values
                .get(column)
                .cloned()
                .unwrap_or(PartitionValue::Unknown)
        })
    }

    fn values_of_partition(&self, partition: &PartitionPath) -> BTreeMap<&str, PartitionValue> {
        let Ok(texts) = partition_values(&self.config, partition) else {
            return BTreeMap::new();
        };
        let texts = texts.into_iter().map(|(_, text)| text);
        self.fields
            .iter()
            .zip(texts)
            .map(|(field, text)| (field.name.as_str(), value(field, text.as_deref())))
            .collect()
    }

    /// The columns that the first folders of a path tell, whatever follows.
    ///
    /// A text that is not escaped may hold slashes, so its folder may be the beginning of it, and the folders
    /// after it may belong to it, unless they name their column.
    fn values_of_folder(&self, folder: &str) -> BTreeMap<&str, PartitionValue> {
        let mut values = BTreeMap::new();
        let mut aligned = true;
        let segments: Vec<&str> = folder.split('/').collect();
        if segments.len() > self.fields.len() {
            return values;
        }
        for (field, segment) in self.fields.iter().zip(segments) {
            let text = if self.config.hive_style_partitioning() {
                let text = segment
                    .strip_prefix(&field.name)
                    .and_then(|s| s.strip_prefix('='));
                let Some(text) = text else { break };
                text
            } else if aligned {
                segment
            } else {
                break;
            };
            let may_go_on = !self.config.url_encode_partitioning()
                && !matches!(&field.readable, Some(t) if !is_text(t));
            values.insert(
                field.name.as_str(),
                self.value_of_segment(field, text, may_go_on),
            );
            aligned &= !may_go_on;
        }
        values
    }

    fn value_of_segment(&self, field: &Field, text: &str, may_go_on: bool) -> PartitionValue {
        if text == DEFAULT_PARTITION {
            return PartitionValue::Unknown;
        }
        let text = if self.config.url_encode_partitioning() {
            unescape(text).into_owned()
        } else {
            text.to_owned()
        };
        match value(field, Some(&text)) {
            PartitionValue::Known(_) if may_go_on => PartitionValue::Begins(text),
            value => value,
        }
    }
}

/// The partition columns, and whether their folders can be read.
fn fields(config: &TableConfig, schema: &Schema) -> Vec<Field> {
    let slash_dates = config.slash_separated_dates();
    let generator = config.key_generator();
    config
        .partition_fields()
        .iter()
        .map(|field| {
            let verbatim = match generator {
                KeyGeneratorType::Simple | KeyGeneratorType::Complex => true,
                // Without a stored kind (version 6) a custom generator may format any of them.
                KeyGeneratorType::Custom => field.kind == Some(PartitionFieldKind::Simple),
                _ => false,
            };
            let data_type = schema
                .field_with_name(&field.name)
                .ok()
                .map(|f| f.data_type().clone());
            Field {
                name: field.name.clone(),
                readable: data_type.filter(|_| verbatim && !slash_dates),
            }
        })
        .collect()
}

fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

fn value(field: &Field, text: Option<&str>) -> PartitionValue {
    match (&field.readable, text) {
        (Some(data_type), Some(text)) => {
            literal(data_type, text).map_or(PartitionValue::Unknown, PartitionValue::Known)
        }
        // The default partition holds null and empty text alike.
        _ => PartitionValue::Unknown,
    }
}

/// The value a text stands for in a column, where that is beyond doubt.
fn literal(data_type: &DataType, text: &str) -> Option<Literal> {
    match data_type {
        data_type if is_text(data_type) => Some(Literal::Utf8(text.to_owned())),
        DataType::Boolean => match text {
            "true" => Some(Literal::Boolean(true)),
            "false" => Some(Literal::Boolean(false)),
            _ => None,
        },
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => {
            text.parse().ok().map(Literal::Int64)
        }
        // The text is that of the narrow number; the condition sees it widened.
        DataType::Float32 => finite(f64::from(text.parse::<f32>().ok()?)),
        DataType::Float64 => finite(text.parse().ok()?),
        DataType::Date32 => {
            let days = CivilDate::parse(text)?.days();
            i32::try_from(days).ok().map(Literal::Date32)
        }
        DataType::Decimal128(precision, scale) => decimal(text, *precision, *scale),
        _ => None,
    }
}

fn finite(value: f64) -> Option<Literal> {
    value.is_finite().then_some(Literal::Float64(value))
}

/// A plain decimal with exactly `scale` digits after the point.
fn decimal(text: &str, precision: u8, scale: i8) -> Option<Literal> {
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    if usize::try_from(scale).ok()? != fraction.len() {
        return None;
    }
    let value = text.replacen('.', "", 1).parse().ok()?;
    Some(Literal::Decimal128 {
        value,
        precision,
        scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::Field as ArrowField;
    use oxlake_config::Properties;
    use oxlake_model::CompareOp;

    fn filter(properties: &[(&str, &str)], predicate: &Predicate) -> PartitionFilter {
        let base = [
            ("hoodie.table.name", "t"),
            ("hoodie.table.version", "9"),
            ("hoodie.timeline.layout.version", "2"),
        ];
        let properties: Properties = base
            .iter()
            .chain(properties)
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        let config = Arc::new(TableConfig::try_from_properties(properties).unwrap());
        let schema = Schema::new(vec![
            ArrowField::new("city", DataType::Utf8, true),
            ArrowField::new("day", DataType::Date32, true),
            ArrowField::new("n", DataType::Int32, true),
        ]);
        PartitionFilter::new(&config, &schema, Some(predicate))
    }

    fn properties<'a>(
        generator: &'a str,
        fields: &'a str,
        hive: &'a str,
        encode: &'a str,
    ) -> [(&'static str, &'a str); 4] {
        [
            ("hoodie.table.keygenerator.type", generator),
            ("hoodie.table.partition.fields", fields),
            ("hoodie.datasource.write.hive_style_partitioning", hive),
            ("hoodie.datasource.write.partitionpath.urlencode", encode),
        ]
    }

    fn check(filter: &PartitionFilter, folders: &[(&str, bool)], partitions: &[(&str, bool)]) {
        for (folder, expected) in folders {
            assert_eq!(filter.may_descend(folder), *expected, "descend {folder}");
        }
        for (partition, expected) in partitions {
            let partition = PartitionPath::from(*partition);
            assert_eq!(filter.may_match(&partition), *expected, "match {partition}");
        }
    }

    #[test]
    fn only_matching_folders_are_entered() {
        let day = Predicate::eq("day", Literal::Date32(1));
        let predicate = Predicate::eq("city", "a").and(day);
        let filter = filter(
            &properties("COMPLEX", "city,day", "true", "false"),
            &predicate,
        );
        check(
            &filter,
            &[
                ("city=a", true),
                ("city=b", false),
                ("city=a/day=1970-01-02", true),
                ("city=a/day=1970-01-03", false),
                ("city=__HIVE_DEFAULT_PARTITION__", true),
                ("other", true),
            ],
            &[
                ("city=a/day=1970-01-02", true),
                ("city=a/day=1970-01-03", false),
                ("city=b/day=1970-01-02", false),
                ("city=b/day=__HIVE_DEFAULT_PARTITION__", false),
                ("", true),
            ],
        );
    }

    #[test]
    fn a_text_with_slashes_is_followed_down() {
        let predicate = Predicate::eq("city", "a/b");
        let plain = filter(&properties("SIMPLE", "city", "false", "false"), &predicate);
        check(
            &plain,
            &[
                ("a", true),
                ("b", false),
                ("ab", false),
                ("a/b", true),
                ("a/c", true),
            ],
            &[("a", false), ("a/b", true), ("a/c", false)],
        );
        let encoded = filter(&properties("SIMPLE", "city", "true", "true"), &predicate);
        check(
            &encoded,
            &[("city=a%2Fb", true), ("city=a", false)],
            &[("city=a%2Fb", true), ("city=a", false)],
        );
    }

    #[test]
    fn columns_behind_an_unescaped_text_are_not_read_from_a_beginning() {
        let predicate = Predicate::eq("n", 1);
        let filter = filter(
            &properties("COMPLEX", "city,n", "false", "false"),
            &predicate,
        );
        check(
            &filter,
            &[("a", true), ("a/2", true)],
            &[("a/2", false), ("a/1", true), ("a/b/2", true)],
        );
    }

    #[test]
    fn generators_that_format_values_do_not_prune() {
        let predicate = Predicate::eq("city", "a").and(Predicate::eq("n", 1));
        for generator in ["TIMESTAMP", "USER_PROVIDED", "AUTO_RECORD"] {
            let mut with_class = properties(generator, "city", "true", "false").to_vec();
            with_class.push(("hoodie.table.keygenerator.class", "x.Y"));
            let filter = filter(&with_class, &predicate);
            check(&filter, &[("city=b", true)], &[("city=b", true)]);
        }
        let custom = properties("CUSTOM", "city:SIMPLE,n:TIMESTAMP", "true", "false");
        let filter = filter(&custom, &predicate);
        check(
            &filter,
            &[("city=b", false)],
            &[("city=b/n=2", false), ("city=a/n=2", true)],
        );
    }

    #[test]
    fn slash_separated_dates_are_not_read() {
        let predicate = Predicate::eq("day", Literal::Date32(1));
        let mut all = properties("SIMPLE", "day", "false", "false").to_vec();
        all.push((
            "hoodie.datasource.write.slash.separated.date.partitioning",
            "true",
        ));
        check(
            &filter(&all, &predicate),
            &[("2026", true)],
            &[("2026/01/02", true)],
        );
    }

    #[test]
    fn values_are_read_only_where_they_are_certain() {
        let table = [
            (DataType::Int32, "7", Some(Literal::Int64(7))),
            (DataType::Int32, "7.0", None),
            (
                DataType::Float32,
                "0.1",
                Some(Literal::Float64(f64::from(0.1f32))),
            ),
            (DataType::Float64, "1.0E10", Some(Literal::Float64(1e10))),
            (DataType::Float64, "NaN", None),
            (DataType::Boolean, "true", Some(Literal::Boolean(true))),
            (DataType::Boolean, "TRUE", None),
            (DataType::Date32, "1969-12-31", Some(Literal::Date32(-1))),
            (DataType::Date32, "19691231", None),
            (DataType::Date32, "1969-02-30", None),
            (
                DataType::Decimal128(10, 2),
                "-1.50",
                Some(Literal::Decimal128 {
                    value: -150,
                    precision: 10,
                    scale: 2,
                }),
            ),
            (DataType::Decimal128(10, 2), "1.5", None),
            (DataType::Decimal128(20, 8), "1E-8", None),
            (
                DataType::Timestamp(arrow::datatypes::TimeUnit::Microsecond, None),
                "1",
                None,
            ),
        ];
        for (data_type, text, expected) in table {
            assert_eq!(literal(&data_type, text), expected, "{data_type} {text}");
        }
    }

    #[test]
    fn ranges_prune_too() {
        let predicate = Predicate::compare("n", CompareOp::GtEq, 10);
        let filter = filter(&properties("SIMPLE", "n", "true", "false"), &predicate);
        check(
            &filter,
            &[("n=9", false), ("n=10", true)],
            &[("n=9", false), ("n=10", true)],
        );
    }
}
