//! The columns of the answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use oxlake_config::TableConfig;
use oxlake_keygen::partition_values;
use oxlake_model::{META_COLUMNS, PartitionPath, Predicate};

use crate::{Error, Result};

/// The output schema for the columns asked for, in the order asked; all of the table's without a list.
///
/// On a table without meta columns they are no columns of the table; who names one gets nulls.
pub(crate) fn output_schema(table: &SchemaRef, columns: Option<&[String]>) -> Result<SchemaRef> {
    let Some(columns) = columns else {
        return Ok(Arc::clone(table));
    };
    let fields = columns
        .iter()
        .map(|column| find(table, column))
        .collect::<Result<Vec<Field>>>()?;
    Ok(Arc::new(Schema::new(fields)))
}

fn find(table: &Schema, column: &str) -> Result<Field> {
    if let Ok(field) = table.field_with_name(column) {
        return Ok(field.clone());
    }
    if META_COLUMNS.contains(&column) {
        return Ok(Field::new(column, DataType::Utf8, true));
    }
    Err(unknown(table, column))
}

/// Checks that the columns a predicate names are there; a dotted path begins with a column.
///
/// # Errors
/// [`Error::UnknownColumn`].
pub(crate) fn check_predicate(table: &Schema, predicate: &Predicate) -> Result<()> {
    let known = |path: &str| {
        let top = path.split('.').next().unwrap_or(path);
        table.field_with_name(path).is_ok() || table.field_with_name(top).is_ok()
    };
    match predicate
        .columns()
        .into_iter()
        .find(|column| !known(column))
    {
        Some(column) => Err(unknown(table, column)),
        None => Ok(()),
    }
}

fn unknown(table: &Schema, column: &str) -> Error {
    Error::UnknownColumn {
        column: column.to_owned(),
        available: table
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect(),
    }
}

/// The columns of a partition that do not come from its files.
///
/// Those are the partition columns of a table that leaves them out of its files, and the meta columns of a
/// table that has none. Otherwise the file's value counts, not the path's: the path of an empty text or a
/// timestamp does not tell them.
pub(crate) fn constants(
    config: &TableConfig,
    partition: &PartitionPath,
) -> Result<BTreeMap<String, Option<String>>> {
    let mut constants = BTreeMap::new();
    if config.drop_partition_columns() {
        constants.extend(partition_values(config, partition)?);
    }
    if !config.populate_meta_fields() {
        constants.extend(META_COLUMNS.map(|column| (column.to_owned(), None)));
    }
    Ok(constants)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int32, true),
            Field::new("name", DataType::Utf8, true),
        ]))
    }

    fn names(columns: Option<&[&str]>) -> Result<Vec<String>> {
        let columns = columns.map(|c| c.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
        let schema = output_schema(&table(), columns.as_deref())?;
        Ok(schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect())
    }

    #[test]
    fn columns_come_in_the_order_asked() {
        assert_eq!(names(None).unwrap(), ["id", "name"]);
        assert_eq!(names(Some(&["name", "id"])).unwrap(), ["name", "id"]);
        assert_eq!(names(Some(&[])).unwrap(), Vec::<String>::new());
        assert_eq!(
            names(Some(&["_hoodie_commit_time"])).unwrap(),
            ["_hoodie_commit_time"]
        );
    }

    #[test]
    fn unknown_columns_are_named_with_those_there_are() {
        let error = names(Some(&["nme"])).unwrap_err().to_string();
        assert_eq!(error, "the table has no column 'nme'; it has id, name");
        let on = |column: &str| check_predicate(&table(), &Predicate::IsNull(column.into()));
        assert!(on("name").is_ok());
        assert!(
            on("name.first").is_ok(),
            "nested fields are looked for by the reader"
        );
        assert!(on("x").is_err());
    }
}
