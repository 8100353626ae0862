//! Matching by name at every nesting level.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray, new_null_array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, Fields};

use super::{Step, step};
use crate::error::{Error, Result};

/// How one column of the file becomes one column of the table.
#[derive(Debug, Clone)]
pub(crate) enum Convert {
    /// It is of the wanted type.
    Keep,
    /// A leaf is promoted.
    Leaf(Step),
    /// The children of a struct, in the order of the wanted type.
    Struct(Vec<Source>),
    /// The items of a list.
    List(Box<Convert>),
    /// Keys and values of a map.
    Map(Box<[Convert; 2]>),
}

/// Where a child of a wanted struct comes from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// The child at `index` among those read.
    File {
        /// Its place among the children read.
        index: usize,
        /// How it is converted.
        convert: Convert,
    },
    /// The file does not have it: null.
    Missing,
}

/// Why a batch could not be converted: the place below the column, and a sentence.
pub(crate) type Failure = (String, String);

/// Makes the plans for the columns of one file and collects the Parquet leaves they read.
#[derive(Debug)]
pub(crate) struct Planner<'a> {
    path: &'a str,
    /// Indices of the leaves to read.
    pub(crate) leaves: Vec<usize>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(path: &'a str) -> Self {
        Self {
            path,
            leaves: Vec::new(),
        }
    }

    /// Plans the column `file`, whose leaves begin at `first_leaf`, to become `wanted`.
    pub(crate) fn column(
        &mut self,
        name: &str,
        file: &Field,
        wanted: &Field,
        first_leaf: usize,
    ) -> Result<Convert> {
        self.plan(name, file.data_type(), wanted.data_type(), first_leaf)
    }

    fn plan(
        &mut self,
        name: &str,
        file: &DataType,
        wanted: &DataType,
        first_leaf: usize,
    ) -> Result<Convert> {
        match (file, wanted) {
            (DataType::Struct(file), DataType::Struct(wanted)) => {
                self.plan_struct(name, file, wanted, first_leaf)
            }
            (DataType::List(file), DataType::List(wanted)) => {
                let name = format!("{name}.element");
                let item = self.plan(&name, file.data_type(), wanted.data_type(), first_leaf)?;
                Ok(Convert::List(Box::new(item)))
            }
            (DataType::Map(file, _), DataType::Map(wanted, _)) => {
                let (file, wanted) = (entries(file), entries(wanted));
                let (Some((fk, fv)), Some((wk, wv))) = (file, wanted) else {
                    return Err(Error::internal(format!(
                        "map '{name}' is not of keys and values"
                    )));
                };
                let value_leaf = first_leaf + leaf_count(fk);
                let key = self.plan(&format!("{name}.key"), fk, wk, first_leaf)?;
                let value = self.plan(&format!("{name}.value"), fv, wv, value_leaf)?;
                Ok(Convert::Map(Box::new([key, value])))
            }
            (file, wanted) => {
                let convert = if file == wanted {
                    Some(Convert::Keep)
                } else if file.is_nested() {
                    None
                } else {
                    step(file, wanted).map(Convert::Leaf)
                };
                self.leaves
                    .extend(first_leaf..first_leaf + leaf_count(file));
                convert.ok_or_else(|| Error::Promotion {
                    path: self.path.to_owned(),
                    column: name.to_owned(),
                    from: Box::new(file.clone()),
                    to: Box::new(wanted.clone()),
                })
            }
        }
    }

    fn plan_struct(
        &mut self,
        name: &str,
        file: &Fields,
        wanted: &Fields,
        first_leaf: usize,
    ) -> Result<Convert> {
        let is_read = |field: &Field| wanted.iter().any(|w| w.name() == field.name());
        let mut sources = Vec::with_capacity(wanted.len());
        for child in wanted {
            let below = format!("{name}.{}", child.name());
            let Some((position, field)) = file.find(child.name()) else {
                self.require_nullable(&below, child)?;
                sources.push(Source::Missing);
                continue;
            };
            let before = || file.iter().take(position);
            let leaf = first_leaf + before().map(|f| leaf_count(f.data_type())).sum::<usize>();
            let convert = self.column(&below, field, child, leaf)?;
            let index = before().filter(|f| is_read(f)).count();
            sources.push(Source::File { index, convert });
        }
        if !file.iter().any(|field| is_read(field)) {
            // The nulls of the struct are still needed: read its smallest child for them.
            let leaves = file.iter().scan(first_leaf, |leaf, field| {
                let range = *leaf..*leaf + leaf_count(field.data_type());
                *leaf = range.end;
                Some(range)
            });
            self.leaves
                .extend(leaves.min_by_key(ExactSizeIterator::len).unwrap_or(0..0));
        }
        Ok(Convert::Struct(sources))
    }

    /// A column that the file lacks must be nullable.
    pub(crate) fn require_nullable(&self, name: &str, wanted: &Field) -> Result<()> {
        if wanted.is_nullable() {
            return Ok(());
        }
        Err(Error::MissingColumn {
            path: self.path.to_owned(),
            column: name.to_owned(),
        })
    }
}

impl Convert {
    /// Converts a column read by the plan to the wanted type.
    pub(crate) fn apply(&self, array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Failure> {
        self.apply_below(array, to, None)
    }

    /// `parent` says where the struct around the column is null. A struct that is required in a nullable
    /// one is decoded without nulls of its own, while its children are null where their grandparent is.
    fn apply_below(
        &self,
        array: &ArrayRef,
        to: &DataType,
        parent: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Failure> {
        let here = |error: arrow::error::ArrowError| (String::new(), error.to_string());
        match (self, to) {
            (Self::Keep, _) => Ok(Arc::clone(array)),
            (Self::Leaf(step), _) => step(array, to).map_err(|detail| (String::new(), detail)),
            (Self::Struct(sources), DataType::Struct(fields)) => {
                let array = array.as_struct_opt().ok_or_else(shape)?;
                let nulls = NullBuffer::union(array.nulls(), parent);
                let mut children = Vec::with_capacity(fields.len());
                for (field, source) in fields.iter().zip(sources) {
                    children.push(source.apply(array, field, nulls.as_ref())?);
                }
                let built =
                    StructArray::try_new_with_length(fields.clone(), children, nulls, array.len());
                Ok(Arc::new(built.map_err(here)?))
            }
            (Self::List(item), DataType::List(field)) => {
                let array = array.as_list_opt::<i32>().ok_or_else(shape)?;
                let values = item
                    .apply(array.values(), field.data_type())
                    .map_err(|failure| below("element", failure))?;
                let (offsets, nulls) = (array.offsets().clone(), array.nulls().cloned());
                let built = ListArray::try_new(Arc::clone(field), offsets, values, nulls);
                Ok(Arc::new(built.map_err(here)?))
            }
            (Self::Map(parts), DataType::Map(field, sorted)) => {
                let array = array.as_map_opt().ok_or_else(shape)?;
                let [key, value] = &**parts;
                let DataType::Struct(fields) = field.data_type() else {
                    return Err(shape());
                };
                let (Some(key_field), Some(value_field)) = (fields.first(), fields.get(1)) else {
                    return Err(shape());
                };
                let keys = key
                    .apply(array.keys(), key_field.data_type())
                    .map_err(|failure| below("key", failure))?;
                let values = value
                    .apply(array.values(), value_field.data_type())
                    .map_err(|failure| below("value", failure))?;
                let entries = StructArray::try_new(fields.clone(), vec![keys, values], None);
                let (offsets, nulls) = (array.offsets().clone(), array.nulls().cloned());
                let built = MapArray::try_new(
                    Arc::clone(field),
                    offsets,
                    entries.map_err(here)?,
                    nulls,
                    *sorted,
                );
                Ok(Arc::new(built.map_err(here)?))
            }
            _ => Err(shape()),
        }
    }
}

impl Source {
    fn apply(
        &self,
        parent: &StructArray,
        field: &Field,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Failure> {
        match self {
            Self::Missing => Ok(new_null_array(field.data_type(), parent.len())),
            Self::File { index, convert } => {
                let child = parent.columns().get(*index).ok_or_else(shape)?;
                convert
                    .apply_below(child, field.data_type(), nulls)
                    .map_err(|failure| below(field.name(), failure))
            }
        }
    }
}

fn shape() -> Failure {
    (
        String::new(),
        "the decoded column has another shape than the file's schema".to_owned(),
    )
}

fn below(name: &str, (path, detail): Failure) -> Failure {
    (format!(".{name}{path}"), detail)
}

/// Key and value types of a map.
fn entries(field: &Field) -> Option<(&DataType, &DataType)> {
    match field.data_type() {
        DataType::Struct(fields) => match &**fields {
            [key, value] => Some((key.data_type(), value.data_type())),
            _ => None,
        },
        _ => None,
    }
}

/// The number of Parquet leaves that a type stands for.
pub(crate) fn leaf_count(data_type: &DataType) -> usize {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|f| leaf_count(f.data_type())).sum(),
        DataType::List(item) | DataType::Map(item, _) => leaf_count(item.data_type()),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Float32Array, Int32Array, StringArray};
    use arrow::datatypes::{Float64Type, Int64Type};

    use super::*;

    fn field(name: &str, data_type: DataType) -> Field {
        Field::new(name, data_type, true)
    }

    fn structure(fields: Vec<Field>) -> DataType {
        DataType::Struct(fields.into())
    }

    #[test]
    fn children_are_found_by_name_and_missing_ones_are_null() {
        let file = field(
            "s",
            structure(vec![
                field("dropped", DataType::Utf8),
                field("b", DataType::Float32),
                field("a", DataType::Int32),
            ]),
        );
        let wanted = field(
            "s",
            structure(vec![
                field("a", DataType::Int64),
                field("new", DataType::Utf8),
                field("b", DataType::Float64),
            ]),
        );
        let mut planner = Planner::new("f");
        let convert = planner.column("s", &file, &wanted, 4).unwrap();
        planner.leaves.sort_unstable();
        assert_eq!(planner.leaves, [5, 6]);
        let read = StructArray::from(vec![
            (
                Arc::new(field("b", DataType::Float32)),
                Arc::new(Float32Array::from(vec![0.1])) as ArrayRef,
            ),
            (
                Arc::new(field("a", DataType::Int32)),
                Arc::new(Int32Array::from(vec![7])) as ArrayRef,
            ),
        ]);
        let out = convert
            .apply(&(Arc::new(read) as ArrayRef), wanted.data_type())
            .unwrap();
        let out = out.as_struct();
        assert_eq!(out.column(0).as_primitive::<Int64Type>().value(0), 7);
        assert!(out.column(1).is_null(0));
        assert_eq!(
            out.column(2)
                .as_primitive::<Float64Type>()
                .value(0)
                .to_string(),
            "0.1"
        );
    }

    #[test]
    fn a_struct_without_common_children_keeps_its_nulls() {
        let item = Arc::new(field("element", DataType::Int32));
        let file = field(
            "s",
            structure(vec![
                field(
                    "many",
                    structure(vec![
                        field("x", DataType::Int32),
                        field("y", DataType::Int32),
                    ]),
                ),
                field("one", DataType::List(item)),
            ]),
        );
        let wanted = field("s", structure(vec![field("new", DataType::Int32)]));
        let mut planner = Planner::new("f");
        planner.column("s", &file, &wanted, 0).unwrap();
        assert_eq!(planner.leaves, [2]);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_place() {
        let list = |item| DataType::List(Arc::new(field("element", item)));
        let mut planner = Planner::new("f");
        let error = planner
            .column(
                "l",
                &field("l", list(DataType::Utf8)),
                &field("l", list(DataType::Int32)),
                0,
            )
            .unwrap_err();
        assert!(matches!(error, Error::Promotion { column, .. } if column == "l.element"));
        let required = Field::new("r", DataType::Int32, false);
        let error = planner
            .column(
                "s",
                &field("s", structure(vec![field("a", DataType::Int32)])),
                &field("s", DataType::Struct(vec![required].into())),
                0,
            )
            .unwrap_err();
        assert!(matches!(error, Error::MissingColumn { column, .. } if column == "s.r"));
    }

    #[test]
    fn lists_and_maps_take_the_wanted_names() {
        let file_item = Arc::new(Field::new("array", DataType::Int32, false));
        let list = ListArray::from_iter_primitive::<arrow::datatypes::Int32Type, _, _>(vec![
            Some(vec![Some(1), Some(2)]),
            None,
        ]);
        let (_, offsets, values, nulls) = list.into_parts();
        let list: ArrayRef = Arc::new(ListArray::new(file_item, offsets, values, nulls));
        let wanted = DataType::List(Arc::new(field("element", DataType::Int64)));
        let mut planner = Planner::new("f");
        let convert = planner
            .column(
                "l",
                &field("l", list.data_type().clone()),
                &field("l", wanted.clone()),
                0,
            )
            .unwrap();
        let out = convert.apply(&list, &wanted).unwrap();
        assert_eq!(out.data_type(), &wanted);
        assert!(out.is_null(1));

        let entry = |key: &str, value: DataType| {
            structure(vec![
                Field::new(key, DataType::Utf8, false),
                field("value", value),
            ])
        };
        let file_entry = Arc::new(Field::new(
            "key_value",
            entry("key", DataType::Int32),
            false,
        ));
        let wanted_entry = Arc::new(Field::new("entries", entry("key", DataType::Int64), false));
        let DataType::Struct(fields) = file_entry.data_type() else {
            panic!()
        };
        let entries = StructArray::new(
            fields.clone(),
            vec![
                Arc::new(StringArray::from(vec!["k"])),
                Arc::new(Int32Array::from(vec![3])),
            ],
            None,
        );
        let offsets = arrow::buffer::OffsetBuffer::from_lengths([1, 0]);
        let map: ArrayRef = Arc::new(MapArray::new(file_entry, offsets, entries, None, false));
        let wanted = DataType::Map(wanted_entry, false);
        let convert = planner
            .column(
                "m",
                &field("m", map.data_type().clone()),
                &field("m", wanted.clone()),
                0,
            )
            .unwrap();
        let out = convert.apply(&map, &wanted).unwrap();
        assert_eq!(out.data_type(), &wanted);
        assert_eq!(
            out.as_map().values().as_primitive::<Int64Type>().value(0),
            3
        );
    }
}
