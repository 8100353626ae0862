//! [`KeyGenerator`]: record keys and partition paths of a batch (spec 02 §4.3, §4.4).

use arrow::array::{Array, RecordBatch, StringArray, StringBuilder};
use arrow::datatypes::Schema;
use oxlake_config::{KeyGeneratorType, TableConfig};

use crate::field::Field;
use crate::partition_path::PathStyle;
use crate::{Error, Result};

const RECORD_KEY: &str = "record key";
const PARTITION_PATH: &str = "partition path";

/// Makes the keys of batches of one schema.
#[derive(Clone, Debug)]
pub struct KeyGenerator {
    key_form: KeyForm,
    key_fields: Vec<Field>,
    partition_fields: Vec<Field>,
    path_style: PathStyle,
}

/// Keys of a batch, one a row, none null.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// What identifies the row in its partition.
    pub record_keys: StringArray,
    /// Where the row belongs; the empty text in tables without partitions.
    pub partition_paths: StringArray,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyForm {
    /// The value alone.
    Value,
    /// `field:value,field:value`.
    Named,
}

impl KeyGenerator {
    /// Finds the table's key and partition fields in a schema.
    ///
    /// # Errors
    /// [`Error::UnsupportedGenerator`], [`Error::MissingField`], [`Error::UnsupportedType`].
    pub fn try_new(table: &TableConfig, schema: &Schema) -> Result<Self> {
        let key_form = key_form(table)?;
        let find = |names: Vec<&str>, part| {
            names
                .into_iter()
                .map(|name| Field::find(schema, name, part))
                .collect::<Result<Vec<_>>>()
        };
        let keys = table
            .record_key_fields()
            .iter()
            .map(String::as_str)
            .collect();
        let partitions = table
            .partition_fields()
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        Ok(Self {
            key_form,
            key_fields: find(keys, RECORD_KEY)?,
            partition_fields: find(partitions, PARTITION_PATH)?,
            path_style: PathStyle::of(table),
        })
    }

    /// The keys of a batch of the schema.
    ///
    /// # Errors
    /// [`Error::NullKey`], [`Error::NullKeys`] and [`Error::BadPartitionValue`] name the row and the
    /// column.
    pub fn generate(&self, batch: &RecordBatch) -> Result<Keys> {
        Ok(Keys {
            record_keys: self.record_keys(batch)?,
            partition_paths: self.partition_paths(batch)?,
        })
    }

    /// The record keys alone, for input without the partition columns.
    ///
    /// # Errors
    /// As [`KeyGenerator::generate`].
    pub fn record_keys(&self, batch: &RecordBatch) -> Result<StringArray> {
        match (self.key_form, self.key_fields.as_slice()) {
            (KeyForm::Value, [field]) => value_keys(field, batch),
            (_, fields) => named_keys(fields, batch),
        }
    }

    /// The partition paths alone.
    ///
    /// # Errors
    /// As [`KeyGenerator::generate`].
    pub fn partition_paths(&self, batch: &RecordBatch) -> Result<StringArray> {
        let columns = texts(&self.partition_fields, batch)?;
        let mut builder = StringBuilder::with_capacity(batch.num_rows(), batch.num_rows() * 16);
        let mut path = String::new();
        for row in 0..batch.num_rows() {
            path.clear();
            for (field, column) in &columns {
                let value = column.is_valid(row).then(|| column.value(row));
                self.path_style.append(&mut path, row, &field.name, value)?;
            }
            builder.append_value(&path);
        }
        Ok(builder.finish())
    }
}

/// How the table's generator writes keys.
fn key_form(table: &TableConfig) -> Result<KeyForm> {
    let fields = table.record_key_fields().len();
    let refuse = |reason| {
        let kind = table.key_generator();
        let kind = match kind {
            KeyGeneratorType::UserProvided { class } => class.clone(),
            known => known.type_name().to_owned(),
        };
        Err(Error::UnsupportedGenerator { kind, reason })
    };
    match table.key_generator() {
        KeyGeneratorType::Simple | KeyGeneratorType::Complex | KeyGeneratorType::NonPartitioned
            if fields == 0 =>
        {
            refuse("the table has no key fields, its keys are made up by the writer")
        }
        KeyGeneratorType::Simple if fields > 1 => refuse("it takes one key field"),
        _ if table.slash_separated_dates() => refuse("dates as three folders are not written"),
        KeyGeneratorType::Simple => Ok(KeyForm::Value),
        KeyGeneratorType::NonPartitioned if fields == 1 => Ok(KeyForm::Value),
        // Version 9 names even a single field of a complex key; so did all releases that made tables of
        // older versions, except for some between 0.14.1 and 1.0.
        KeyGeneratorType::Complex | KeyGeneratorType::NonPartitioned => Ok(KeyForm::Named),
        KeyGeneratorType::Timestamp => refuse("times as partition paths are not written yet"),
        KeyGeneratorType::Custom => refuse("a rule for each partition field is not supported yet"),
        KeyGeneratorType::AutoRecord => refuse("keys made up by the writer are not supported yet"),
        KeyGeneratorType::GlobalDelete => {
            refuse("deletes over all partitions are not supported yet")
        }
        KeyGeneratorType::TableMetadata => refuse("only the metadata table has it"),
        KeyGeneratorType::SparkSql => refuse("it works inside Spark only"),
        KeyGeneratorType::UserProvided { .. } => refuse("it is a JVM class; use the JVM engine"),
    }
}

fn texts<'a>(fields: &'a [Field], batch: &RecordBatch) -> Result<Vec<(&'a Field, StringArray)>> {
    fields
        .iter()
        .map(|field| Ok((field, field.texts(batch)?)))
        .collect()
}

fn value_keys(field: &Field, batch: &RecordBatch) -> Result<StringArray> {
    let keys = field.texts(batch)?;
    let missing = keys.iter().position(|key| key.is_none_or(str::is_empty));
    match missing {
        Some(row) => Err(Error::NullKey {
            row,
            field: field.name.clone(),
        }),
        None => Ok(keys),
    }
}

fn named_keys(fields: &[Field], batch: &RecordBatch) -> Result<StringArray> {
    let columns = texts(fields, batch)?;
    let mut builder = StringBuilder::with_capacity(batch.num_rows(), batch.num_rows() * 32);
    let mut key = String::new();
    for row in 0..batch.num_rows() {
        key.clear();
        let mut has_value = false;
        for (index, (field, column)) in columns.iter().enumerate() {
            if index > 0 {
                key.push(',');
            }
            key.push_str(&field.name);
            key.push(':');
            key.push_str(match column.is_valid(row).then(|| column.value(row)) {
                None => "__null__",
                Some("") => "__empty__",
                Some(value) => {
                    has_value = true;
                    value
                }
            });
        }
        if !has_value {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            return Err(Error::NullKeys {
                row,
                fields: names.join(", "),
            });
        }
        builder.append_value(&key);
    }
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array, ListArray, StructArray};
    use arrow::datatypes::{DataType, Field as ArrowField, Int32Type};
    use oxlake_config::{Properties, TableSpec};

    use super::*;

    fn table(spec: &TableSpec) -> TableConfig {
        TableConfig::try_from_properties(spec.to_properties().unwrap()).unwrap()
    }

    fn batch(columns: Vec<(&str, Vec<Option<&str>>)>) -> RecordBatch {
        let columns = columns
            .into_iter()
            .map(|(name, values)| (name, Arc::new(StringArray::from(values)) as ArrayRef));
        RecordBatch::try_from_iter_with_nullable(columns.map(|(n, a)| (n, a, true))).unwrap()
    }

    fn generate(table: &TableConfig, batch: &RecordBatch) -> Result<Vec<(String, String)>> {
        let keys = KeyGenerator::try_new(table, &batch.schema())?.generate(batch)?;
        assert_eq!(
            keys.record_keys.null_count() + keys.partition_paths.null_count(),
            0
        );
        let pairs = keys.record_keys.iter().zip(keys.partition_paths.iter());
        Ok(pairs
            .map(|(k, p)| (k.unwrap().to_owned(), p.unwrap().to_owned()))
            .collect())
    }

    #[track_caller]
    fn check(spec: &TableSpec, batch: &RecordBatch, expected: &[(&str, &str)]) {
        let found = generate(&table(spec), batch).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|(k, p)| (k.as_str(), p.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_generator_has_its_form() {
        let rows = batch(vec![
            ("a", vec![Some("1"), Some("2,x:y")]),
            ("b", vec![Some(""), None]),
        ]);
        let spec = TableSpec::new("t").record_key_fields(["a"]);
        check(&spec, &rows, &[("1", ""), ("2,x:y", "")]);
        check(
            &spec.clone().partition_fields(["b"]),
            &rows,
            &[
                ("1", "__HIVE_DEFAULT_PARTITION__"),
                ("2,x:y", "__HIVE_DEFAULT_PARTITION__"),
            ],
        );
        check(
            &spec.clone().record_key_fields(["a", "b"]),
            &rows,
            &[("a:1,b:__empty__", ""), ("a:2,x:y,b:__null__", "")],
        );
        check(
            &spec
                .partition_fields(["a"])
                .key_generator(KeyGeneratorType::Complex),
            &rows,
            &[("a:1", "1"), ("a:2,x:y", "2,x:y")],
        );
    }

    #[test]
    fn rows_without_a_key_are_named() {
        let rows = batch(vec![
            ("a", vec![Some("1"), None]),
            ("b", vec![None, Some("")]),
        ]);
        let spec = TableSpec::new("t").record_key_fields(["a"]);
        let error = generate(&table(&spec), &rows).unwrap_err();
        assert!(
            matches!(&error, Error::NullKey { row: 1, field } if field == "a"),
            "{error}"
        );
        let error = generate(&table(&spec.record_key_fields(["b", "a"])), &rows).unwrap_err();
        assert!(matches!(&error, Error::NullKeys { row: 1, .. }), "{error}");
        let empty = batch(vec![("b", vec![Some("")])]);
        let spec = TableSpec::new("t").record_key_fields(["b"]);
        assert!(matches!(
            generate(&table(&spec), &empty),
            Err(Error::NullKey { row: 0, .. })
        ));
    }

    #[test]
    fn dots_lead_into_records_and_a_null_record_has_null_fields() {
        let inner: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
        let field = Arc::new(ArrowField::new("id", DataType::Int32, true));
        let nulls = Some(vec![true, false, true].into());
        let record = StructArray::try_new(vec![field].into(), vec![inner], nulls).unwrap();
        let key: ArrayRef = Arc::new(StringArray::from(vec!["x", "y", "z"]));
        let rows =
            RecordBatch::try_from_iter([("k", key), ("r", Arc::new(record) as ArrayRef)]).unwrap();
        check(
            &TableSpec::new("t").record_key_fields(["k", "r.id"]),
            &rows,
            &[
                ("k:x,r.id:1", ""),
                ("k:y,r.id:__null__", ""),
                ("k:z,r.id:3", ""),
            ],
        );
        let spec = TableSpec::new("t").record_key_fields(["r.id"]);
        assert!(matches!(
            generate(&table(&spec), &rows),
            Err(Error::NullKey { row: 1, .. })
        ));
        for (name, missing) in [("r.no", true), ("k.id", true), ("no", true), ("r", false)] {
            let spec = TableSpec::new("t").record_key_fields([name]);
            let error = generate(&table(&spec), &rows).unwrap_err();
            assert_eq!(
                matches!(error, Error::MissingField { .. }),
                missing,
                "{error}"
            );
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn lists_are_no_keys() {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
        let rows = RecordBatch::try_from_iter([("l", Arc::new(list) as ArrayRef)]).unwrap();
        let spec = TableSpec::new("t").record_key_fields(["l"]);
        assert!(matches!(
            generate(&table(&spec), &rows),
            Err(Error::UnsupportedType { .. })
        ));
    }

    #[test]
    fn other_generators_are_refused_by_name() {
        let rows = batch(vec![("a", vec![Some("1")]), ("ts", vec![Some("2")])]);
        for (line, name) in [
            ("hoodie.table.keygenerator.type=TIMESTAMP", "TIMESTAMP"),
            ("hoodie.table.keygenerator.type=CUSTOM", "CUSTOM"),
            ("hoodie.table.keygenerator.type=AUTO_RECORD", "AUTO_RECORD"),
            (
                "hoodie.table.keygenerator.class=com.example.Mine",
                "com.example.Mine",
            ),
            ("hoodie.table.recordkey.fields=", "SIMPLE"),
            (
                "hoodie.datasource.write.slash.separated.date.partitioning=true",
                "SIMPLE",
            ),
        ] {
            let text = format!(
                "hoodie.table.name=t\nhoodie.table.version=9\nhoodie.table.recordkey.fields=a\n\
                 hoodie.table.partition.fields=ts\n{line}"
            );
            let properties = Properties::parse(text.as_bytes()).unwrap();
            let table = TableConfig::try_from_properties(properties).unwrap();
            let error = generate(&table, &rows).unwrap_err();
            assert!(
                matches!(error, Error::UnsupportedGenerator { .. }),
                "{error}"
            );
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn an_empty_batch_has_no_keys() {
        let rows = batch(vec![("a", vec![])]);
        check(&TableSpec::new("t").record_key_fields(["a"]), &rows, &[]);
    }
}
