//! Which files of a partition are small enough to take inserts (spec 04 §1.6, copy-on-write).

use oxlake_model::{FileId, FileSlice};

/// A base file that has room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallFile {
    /// Its file group.
    pub file_id: FileId,
    /// Its size on storage.
    pub size_bytes: u64,
}

/// The small files among the latest slices of one partition, in the order of the slices. A `limit_bytes`
/// (`hoodie.parquet.small.file.limit`) of zero means that files are never topped up.
pub fn small_files<'a>(
    latest_slices: impl IntoIterator<Item = &'a FileSlice>,
    limit_bytes: u64,
) -> Vec<SmallFile> {
    latest_slices
        .into_iter()
        .filter_map(|slice| small_file(slice, limit_bytes))
        .collect()
}

fn small_file(slice: &FileSlice, limit_bytes: u64) -> Option<SmallFile> {
    let size_bytes = slice.base_file.as_ref()?.size_bytes;
    let is_small = size_bytes < limit_bytes;
    is_small.then(|| SmallFile {
        file_id: slice.file_id.clone(),
        size_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_model::{BaseFile, BaseFileName, FileGroupId, InstantTime};
    use proptest::prelude::*;

    fn slice(id: usize, size_bytes: Option<u64>) -> FileSlice {
        let group = FileGroupId::new("p", format!("f{id}-0"));
        let instant = InstantTime::parse("20260101000000000").unwrap();
        let base_file = size_bytes.map(|size_bytes| BaseFile {
            partition: group.partition.clone(),
            name: BaseFileName::parse(&format!("f{id}-0_0-0-0_{instant}.parquet")).unwrap(),
            size_bytes,
        });
        FileSlice {
            base_file,
            ..FileSlice::new(&group, instant)
        }
    }

    proptest! {
        #[test]
        fn exactly_the_base_files_below_the_limit_in_order(
            sizes in prop::collection::vec(prop::option::of(0u64..100), 0..10),
            limit in 0u64..100,
        ) {
            let slices: Vec<_> = sizes.iter().enumerate().map(|(id, size)| slice(id, *size)).collect();
            let found = small_files(&slices, limit);
            let expected: Vec<SmallFile> = sizes
                .iter()
                .enumerate()
                .filter_map(|(id, size)| {
                    let size_bytes = (*size)?;
                    let file_id = FileId::from(format!("f{id}-0"));
                    (size_bytes < limit).then_some(SmallFile { file_id, size_bytes })
                })
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
