//! The schema of a table, now or at an instant (spec 01 §4.3 "Table schema from commits").
//!
//! Asked in this order, the first answer wins:
//! 1. completed commits of the active timeline, newest first, whose operation may change the schema;
//! 2. archived commits, in the same way;
//! 3. `hoodie.table.create.schema`;
//! 4. the footer of a base file.
//!
//! Before the first write, with no schema of creation, the newest one stands in.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use oxlake_avro::Schema;
use oxlake_config::TableConfig;
use oxlake_model::{CommitMetadata, FileSlice, Instant, InstantTime, META_COLUMNS, OperationType};
use oxlake_timeline::ArchiveQuery;
use serde_json::{Value, json};

use crate::{Error, MetaClient, Result, TableSnapshot, footer_schema};

/// The schema of a table.
#[derive(Debug, Clone)]
pub struct TableSchema {
    /// As commits store it: without meta columns.
    pub avro: Schema,
    /// As rows are read: the five meta columns first, unless the table is written without them.
    pub arrow: SchemaRef,
    /// Whether the table keeps a schema-on-read history (spec 01 §11): columns then have ids, and the names in
    /// older files may be those of other columns.
    pub by_id: bool,
}

impl TableSchema {
    /// Makes both forms from a stored text. Meta columns are dropped by name: schema-on-read tables and base
    /// files store them too. Partition columns that the table leaves out of its files are put at the end.
    ///
    /// # Errors
    /// [`Error::Schema`] with `place` when the text is no schema or has no Arrow form.
    pub fn try_new(text: &str, place: &str, config: &TableConfig) -> Result<Self> {
        let wrong = |source| Error::Schema {
            place: place.to_owned(),
            source,
        };
        let mut avro = without_meta_columns(text).map_err(wrong)?;
        if config.drop_partition_columns() {
            avro = with_partition_columns(avro, config).map_err(wrong)?;
        }
        let data = oxlake_avro::arrow::to_arrow(&avro).map_err(wrong)?;
        let arrow = if config.populate_meta_fields() {
            Arc::new(with_meta_columns(&data))
        } else {
            Arc::new(data)
        };
        Ok(Self {
            avro,
            arrow,
            by_id: false,
        })
    }
}

/// The schema without meta columns; the text stays as it is when it has none.
fn without_meta_columns(text: &str) -> oxlake_avro::Result<Schema> {
    let avro = Schema::parse(text)?;
    let has_meta = avro
        .fields()
        .iter()
        .any(|field| META_COLUMNS.contains(&field.name.as_str()));
    if has_meta {
        avro.without_fields(&META_COLUMNS)
    } else {
        Ok(avro)
    }
}

/// The schema with the partition columns it lacks, in the type the table was created with, else as texts.
fn with_partition_columns(avro: Schema, config: &TableConfig) -> oxlake_avro::Result<Schema> {
    let lacks = |name: &str| !avro.fields().iter().any(|field| field.name == name);
    let missing: Vec<&str> = config
        .partition_fields()
        .iter()
        .map(|field| field.name.as_str())
        .filter(|name| lacks(name))
        .collect();
    // Both texts parsed as schemas before, so they are JSON.
    let mut json: Value = serde_json::from_str(avro.json()).unwrap_or_default();
    let Some(fields) = json.get_mut("fields").and_then(Value::as_array_mut) else {
        return Ok(avro);
    };
    if missing.is_empty() {
        return Ok(avro);
    }
    for name in missing {
        let kind = created_type(config, name).unwrap_or_else(|| json!("string"));
        fields.push(json!({"name": name, "type": ["null", kind], "doc": "", "default": null}));
    }
    Schema::parse(&json.to_string())
}

/// The type, without null, of a column in the schema the table was created with.
fn created_type(config: &TableConfig, name: &str) -> Option<Value> {
    let created: Value = serde_json::from_str(config.create_schema()?).ok()?;
    let mut fields = created.get("fields")?.as_array()?.iter();
    let field = fields.find(|field| field.get("name").and_then(Value::as_str) == Some(name))?;
    match field.get("type")? {
        Value::Array(branches) => branches.iter().find(|branch| *branch != "null").cloned(),
        kind => Some(kind.clone()),
    }
}

/// Puts the five meta columns, nullable texts, before the columns of `data`.
fn with_meta_columns(data: &ArrowSchema) -> ArrowSchema {
    let meta = META_COLUMNS.map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
    let fields: Vec<_> = meta
        .into_iter()
        .chain(data.fields().iter().cloned())
        .collect();
    ArrowSchema::new_with_metadata(fields, data.metadata().clone())
}

/// Resolves the schema as of `at`, or the newest one.
pub(crate) async fn resolve(
    client: &MetaClient,
    snapshot: &TableSnapshot,
    at: Option<&InstantTime>,
) -> Result<TableSchema> {
    let config = client.config();
    let committed = match from_commits(client, snapshot, at).await? {
        Some(found) => Some(found),
        None => from_history(client, at).await?,
    };
    if let Some(found) = committed {
        let schema = TableSchema::try_new(&found.text, &found.place, config)?;
        return Ok(TableSchema {
            by_id: found.by_id,
            ..schema
        });
    }
    if let Some(text) = config.create_schema() {
        return TableSchema::try_new(text, "hoodie.table.create.schema", config);
    }
    if at.is_some() {
        return Box::pin(resolve(client, snapshot, None)).await;
    }
    match any_base_file(client, snapshot).await? {
        Some(path) => {
            let text = footer_schema::read(client.storage(), &path, config).await?;
            TableSchema::try_new(&text, &path, config)
        }
        None => Err(Error::NoSchema {
            url: client.storage().url().to_owned(),
        }),
    }
}

/// The schema a commit carries.
struct Committed {
    text: String,
    place: String,
    by_id: bool,
}

impl Committed {
    fn new(text: &str, place: String, metadata: &CommitMetadata) -> Self {
        let history = metadata
            .extra_metadata
            .get(CommitMetadata::LATEST_SCHEMA_KEY);
        Self {
            text: text.to_owned(),
            place,
            by_id: history.is_some_and(|text| !text.is_empty()),
        }
    }
}

async fn from_commits(
    client: &MetaClient,
    snapshot: &TableSnapshot,
    at: Option<&InstantTime>,
) -> Result<Option<Committed>> {
    let completed = snapshot.timeline.instants().iter().rev();
    for instant in completed.filter(|instant| is_candidate(instant, at)) {
        let metadata = client.timeline_store().commit_metadata(instant).await?;
        if let Some(text) = schema_of(&metadata) {
            let place = format!("commit {}", instant.requested);
            return Ok(Some(Committed::new(text, place, &metadata)));
        }
    }
    Ok(None)
}

async fn from_history(client: &MetaClient, at: Option<&InstantTime>) -> Result<Option<Committed>> {
    let query = ArchiveQuery {
        to: at.cloned(),
        metadata: true,
        ..ArchiveQuery::times()
    };
    let history = client.timeline_store().load_archived_where(&query).await?;
    for archived in history.instants.iter().rev() {
        if !is_candidate(&archived.instant, at) {
            continue;
        }
        let content = archived.content()?;
        if let Some(metadata) = content.as_commit()
            && let Some(text) = schema_of(metadata)
        {
            let place = format!("archived commit {}", archived.instant.requested);
            return Ok(Some(Committed::new(text, place, metadata)));
        }
    }
    Ok(None)
}

fn is_candidate(instant: &Instant, at: Option<&InstantTime>) -> bool {
    instant.is_completed() && instant.is_write() && at.is_none_or(|at| instant.requested <= *at)
}

/// The schema that a commit brings. Compaction, clustering and indexing repeat the schema they were planned
/// with, which may be older than the newest write.
fn schema_of(metadata: &CommitMetadata) -> Option<&str> {
    let rearranges = matches!(
        metadata.operation_type,
        Some(
            OperationType::Compact
                | OperationType::Cluster
                | OperationType::LogCompact
                | OperationType::Index
        )
    );
    metadata
        .schema()
        .filter(|text| !rearranges && !text.is_empty())
}

/// A base file of the newest slices, if there is any.
async fn any_base_file(client: &MetaClient, snapshot: &TableSnapshot) -> Result<Option<String>> {
    let view = client.load_view(snapshot, None).await?;
    let mut slices: Vec<FileSlice> = view.latest_slices();
    slices.sort_by(|a, b| b.base_instant.cmp(&a.base_instant));
    Ok(slices
        .into_iter()
        .find_map(|slice| slice.base_file)
        .map(|file| file.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"type":"record","name":"r","namespace":"hoodie.r","fields":[
        {"name":"_hoodie_commit_time","type":["null","string"],"default":null},
        {"name":"id","type":["null","int"],"default":null}]}"#;

    fn names(extra: &[(&str, &str)]) -> Vec<String> {
        let schema = TableSchema::try_new(TEXT, "test", &config(extra)).unwrap();
        schema
            .arrow
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    fn config(extra: &[(&str, &str)]) -> TableConfig {
        let base = [
            ("hoodie.table.name", "t"),
            ("hoodie.table.version", "9"),
            ("hoodie.timeline.layout.version", "2"),
        ];
        TableConfig::try_from_properties(
            base.iter()
                .chain(extra)
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
        )
        .unwrap()
    }

    #[test]
    fn meta_columns_are_dropped_by_name_and_put_first() {
        assert_eq!(names(&[("hoodie.populate.meta.fields", "false")]), ["id"]);
        let mut expected = META_COLUMNS.to_vec();
        expected.push("id");
        assert_eq!(names(&[]), expected);
    }

    #[test]
    fn partition_columns_that_files_lack_come_last_in_the_type_of_the_table() {
        let created = r#"{"type":"record","name":"r","fields":[
            {"name":"day","type":["null",{"type":"int","logicalType":"date"}]}]}"#;
        let extra = [
            ("hoodie.populate.meta.fields", "false"),
            ("hoodie.datasource.write.drop.partition.columns", "true"),
            ("hoodie.table.partition.fields", "day,city"),
            ("hoodie.table.create.schema", created),
        ];
        assert_eq!(names(&extra), ["id", "day", "city"]);
        let schema = TableSchema::try_new(TEXT, "test", &config(&extra))
            .unwrap()
            .arrow;
        assert_eq!(schema.field(1).data_type(), &DataType::Date32);
        assert_eq!(schema.field(2).data_type(), &DataType::Utf8);
    }

    #[test]
    fn a_broken_text_names_its_place() {
        let error = TableSchema::try_new("{", "commit 1", &config(&[])).unwrap_err();
        assert!(error.to_string().contains("commit 1"), "{error}");
    }

    #[test]
    fn rearranging_operations_bring_no_schema() {
        let mut metadata = CommitMetadata::default();
        metadata.extra_metadata.insert("schema".into(), "{}".into());
        for (operation, brings) in [
            (None, true),
            (Some(OperationType::Upsert), true),
            (Some(OperationType::DeletePartition), true),
            (Some(OperationType::Cluster), false),
            (Some(OperationType::Compact), false),
        ] {
            metadata.operation_type = operation;
            assert_eq!(schema_of(&metadata).is_some(), brings);
        }
        metadata.operation_type = None;
        metadata
            .extra_metadata
            .insert("schema".into(), String::new());
        assert_eq!(schema_of(&metadata), None);
    }
}
