//! The schema a write works with.
//!
//! The first write of a table without a schema sets it from its input; every later write uses the table's. A new
//! schema gets the names that Spark gives, so that both engines see one record type (spec 02 §2.5).

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use oxlake_avro::arrow::from_arrow;
use oxlake_config::TableConfig;
use oxlake_model::META_COLUMNS;
use oxlake_table::{Error as TableError, MetaClient, TableSchema, TableSnapshot};

use crate::{Error, Result};

/// The schema of the rows to write.
#[derive(Debug, Clone)]
pub(crate) struct WriterSchema {
    /// As commits store it: without meta columns.
    pub(crate) avro: oxlake_avro::Schema,
    /// With the meta columns first.
    pub(crate) table: SchemaRef,
    /// Without the meta columns.
    pub(crate) data: SchemaRef,
}

impl WriterSchema {
    /// The table's schema, or for a table that has none the one of `input`.
    pub(crate) async fn resolve(
        meta: &MetaClient,
        snapshot: &TableSnapshot,
        input: Option<&SchemaRef>,
    ) -> Result<Self> {
        match meta.snapshot_schema(snapshot, None).await {
            Ok(schema) => Ok(Self::new(schema)),
            Err(TableError::NoSchema { .. }) => {
                let input = input.ok_or(Error::NoSchema)?;
                Self::first(meta.config(), input)
            }
            Err(failure) => Err(failure.into()),
        }
    }

    fn new(schema: TableSchema) -> Self {
        let data = without_meta_columns(&schema.arrow);
        Self {
            avro: schema.avro,
            table: schema.arrow,
            data,
        }
    }

    /// The schema that a table gets from its first rows.
    fn first(config: &TableConfig, input: &SchemaRef) -> Result<Self> {
        let data = without_meta_columns(input);
        check_names(&data)?;
        let name = sanitised(config.table_name());
        let avro = from_arrow(&data, &format!("{name}_record"), &format!("hoodie.{name}"))?;
        let schema = TableSchema::try_new(avro.json(), "the input", config)?;
        Ok(Self::new(schema))
    }

    /// The columns that a delete needs: those of the record key and of the partition.
    pub(crate) fn key_columns(&self, config: &TableConfig) -> SchemaRef {
        let keys = config.record_key_fields().iter().map(String::as_str);
        let partitions = config
            .partition_fields()
            .iter()
            .map(|field| field.name.as_str());
        let wanted: BTreeSet<&str> = keys.chain(partitions).map(root_of).collect();
        let fields = self.data.fields().iter();
        let fields: Vec<_> = fields
            .filter(|field| wanted.contains(field.name().as_str()))
            .cloned()
            .collect();
        Arc::new(Schema::new(fields))
    }
}

/// The column of a key field, which may name a field inside a struct.
fn root_of(field: &str) -> &str {
    field.split('.').next().unwrap_or(field)
}

fn without_meta_columns(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter();
    let fields: Vec<_> = fields
        .filter(|field| !META_COLUMNS.contains(&field.name().as_str()))
        .cloned()
        .collect();
    Arc::new(Schema::new(fields))
}

/// Column names end in Avro schemas, file footers, SQL and folder names, for several engines: a name that one of
/// them cannot take is refused before the table has it.
fn check_names(schema: &Schema) -> Result<()> {
    let mut seen = BTreeSet::new();
    for field in schema.fields() {
        let refuse = |reason| {
            Err(Error::ColumnName {
                column: field.name().clone(),
                reason,
            })
        };
        if !is_avro_name(field.name()) {
            return refuse("use letters, digits and underscores, and no digit first");
        }
        if !seen.insert(field.name().to_lowercase()) {
            return refuse("another column has the same name but for upper and lower case");
        }
        check_nested_names(field)?;
    }
    Ok(())
}

fn check_nested_names(field: &Field) -> Result<()> {
    use arrow::datatypes::DataType::{FixedSizeList, LargeList, List, Map, Struct};
    match field.data_type() {
        Struct(fields) => check_names(&Schema::new(fields.clone())),
        List(item) | LargeList(item) | FixedSizeList(item, _) | Map(item, _) => {
            check_nested_names(item)
        }
        _ => Ok(()),
    }
}

fn is_avro_name(name: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_first) && name.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

/// Every character that Avro does not allow becomes two underscores, as in the reference.
fn sanitised(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (position, c) in name.chars().enumerate() {
        let is_allowed =
            c.is_ascii_alphabetic() || c == '_' || (position > 0 && c.is_ascii_digit());
        if is_allowed {
            out.push(c);
        } else {
            out.push_str("__");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::DataType;

    #[test]
    fn table_names_become_avro_names() {
        for (name, expected) in [
            ("flights", "flights"),
            ("a-b.c", "a__b__c"),
            ("1a", "__a"),
            ("ü", "__"),
        ] {
            assert_eq!(sanitised(name), expected);
        }
    }

    #[test]
    fn names_that_some_engine_cannot_take_are_refused() {
        let schema = |names: &[&str]| {
            Schema::new(
                names
                    .iter()
                    .map(|name| Field::new(*name, DataType::Int32, true))
                    .collect::<Vec<_>>(),
            )
        };
        assert!(check_names(&schema(&["a", "_b", "c1", "_hoodie_is_deleted"])).is_ok());
        for names in [
            &["a.b"][..],
            &["a b"],
            &["1a"],
            &["ä"],
            &[""],
            &["Name", "name"],
        ] {
            assert!(check_names(&schema(names)).is_err(), "{names:?}");
        }
        let inner = Field::new("s", DataType::Struct(schema(&["x", "X"]).fields), true);
        assert!(check_names(&Schema::new(vec![inner])).is_err());
    }
}
