//! `oxlake create`: an empty table.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use oxlake::{TableSpec, TableType, TableVersion, WithColumns};

use crate::context::{self, Context};
use crate::error::{Error, Result};
use crate::schema_file::{self, SchemaText};

/// An empty table
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    echo 'id string not null, city string, fare double, ts timestamp' > trips.ddl\n  \
    oxlake create trips --key id --ordering ts --partition city --schema trips.ddl\n\n\
    A schema file holds column definitions as above, an Avro schema in JSON, or is a Parquet file whose columns are \
    taken.")]
pub(crate) struct Create {
    /// Folder or URL of the new table
    table: String,
    #[command(flatten)]
    definition: Definition,
}

/// What a new table looks like; shared with `load`.
#[derive(Debug, Args)]
#[command(next_help_heading = "New tables")]
pub(super) struct Definition {
    /// Columns that together are unique in a row
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(super) key: Vec<String>,
    /// Column that decides which of two rows of one key is newer; without it the later write wins
    #[arg(long, value_delimiter = ',', value_name = "C")]
    pub(super) ordering: Vec<String>,
    /// Columns whose values are folders
    #[arg(long, value_delimiter = ',', value_name = "D")]
    pub(super) partition: Vec<String>,
    /// File with the columns
    #[arg(long, value_name = "FILE")]
    pub(super) schema: Option<PathBuf>,
    /// Copy-on-write or merge-on-read
    #[arg(long = "type", value_enum, default_value_t = Kind::Cow, value_name = "TYPE")]
    pub(super) kind: Kind,
    /// Version of the table format
    #[arg(long, default_value_t = 9, value_name = "N")]
    pub(super) table_version: u32,
    /// Name of the table [default: last part of its path]
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
}

/// The two types of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    // Copy-on-write
    Cow,
    // Merge-on-read
    Mor,
}

impl Create {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        if self.definition.key.is_empty() {
            return Err(Error::Usage(
                "--key is missing: name the columns that identify a row".into(),
            ));
        }
        let Some(path) = &self.definition.schema else {
            return Err(Error::Usage(
                "--schema is missing: name a file with the columns".into(),
            ));
        };
        let schema = schema_file::read(path)?;
        let spec = self.definition.spec(&self.table, schema, context)?;
        context.at(&self.table).create(spec).await?;
        let table = &self.table;
        context::note(&format!(
            "created {table}; next: oxlake load {table} FILE --mode upsert"
        ))
    }
}

impl Definition {
    /// The specification of a table at `url` with the columns of `schema`.
    pub(super) fn spec(
        &self,
        url: &str,
        schema: SchemaText,
        context: &Context,
    ) -> Result<TableSpec> {
        let name = self.name.as_deref().unwrap_or_else(|| name_of(url));
        let version = TableVersion::from_code(self.table_version)
            .map_err(|error| Error::Usage(format!("--table-version: {error}")))?;
        let spec = TableSpec::new(name)
            .table_type(self.kind.into())
            .version(version)
            .record_key_fields(&self.key)
            .ordering_fields(&self.ordering)
            .partition_fields(&self.partition)
            .hive_style_partitioning(true)
            .conf(&context.conf)
            .map_err(oxlake::Error::from)?;
        self.check_columns(&schema)?;
        match schema {
            SchemaText::Avro(text) => Ok(spec.create_schema(text)),
            SchemaText::Arrow(schema) => Ok(spec.with_columns(&schema)?),
        }
    }

    /// The columns named on the command line must be there. An Avro schema is looked at when it is
    /// used.
    fn check_columns(&self, schema: &SchemaText) -> Result<()> {
        let SchemaText::Arrow(schema) = schema else {
            return Ok(());
        };
        let mut seen = BTreeSet::new();
        if let Some(twice) = schema
            .fields()
            .iter()
            .find(|field| !seen.insert(field.name()))
        {
            return Err(Error::told(
                format!("two columns are named '{}'", twice.name()),
                "the columns of a table have different names",
            ));
        }
        let named = [
            ("--key", &self.key),
            ("--ordering", &self.ordering),
            ("--partition", &self.partition),
        ];
        for (option, columns) in named {
            let unknown = columns.iter().find(|column| {
                let top = column.split('.').next().unwrap_or(column);
                schema.index_of(top).is_err()
            });
            if let Some(column) = unknown {
                let names: Vec<&str> = schema
                    .fields()
                    .iter()
                    .map(|field| field.name().as_str())
                    .collect();
                return Err(Error::told(
                    format!("{option}: there is no column '{column}'"),
                    format!("the columns are {}", names.join(", ")),
                ));
            }
        }
        Ok(())
    }
}

impl From<Kind> for TableType {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Cow => Self::CopyOnWrite,
            Kind::Mor => Self::MergeOnRead,
        }
    }
}

/// The last part of a path or URL that can be a table's name.
fn name_of(url: &str) -> &str {
    let mut parts = url
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".."));
    parts.next_back().unwrap_or("table")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_named_after_its_folder() {
        for (url, name) in [
            ("trips", "trips"),
            ("/data/trips/", "trips"),
            ("s3://lake/a/b", "b"),
            ("./", "table"),
        ] {
            assert_eq!(name_of(url), name, "{url}");
        }
    }
}
