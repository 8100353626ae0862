//! What every index promises.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::StringArray;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use oxlake_env::Env;
use oxlake_file_group::BaseFileReader;
use oxlake_index::{FooterCache, Index, IndexInput, Match, Tags, kinds};
use oxlake_model::{BaseFile, ErrorKind};
use oxlake_storage::Storage;
use oxlake_storage::testing::CountingStore;
use proptest::prelude::*;

use crate::support::{bare_file, file, memory};

async fn tag(
    index: &dyn Index,
    storage: &Storage,
    files: &[BaseFile],
    batches: &[Vec<String>],
) -> oxlake_index::Result<Tags> {
    tag_with(index, storage, files, batches, &FooterCache::default()).await
}

async fn tag_with(
    index: &dyn Index,
    storage: &Storage,
    files: &[BaseFile],
    batches: &[Vec<String>],
    footers: &FooterCache,
) -> oxlake_index::Result<Tags> {
    let env = Env::simulated(1);
    let keys: Vec<StringArray> = batches
        .iter()
        .map(|keys| StringArray::from(keys.clone()))
        .collect();
    index
        .tag(&IndexInput {
            storage,
            env: &env,
            files,
            footers,
            keys: &keys,
        })
        .await
}

fn texts(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

#[test]
fn every_copy_of_a_key_is_found_and_absent_keys_are_new() {
    block_on(async {
        let storage = memory();
        let files = [
            file(&storage, 0, &texts(&["a", "b", "b", "é"])).await,
            file(&storage, 1, &texts(&["b", "z"])).await,
            file(&storage, 2, &[]).await,
        ];
        let batches = [texts(&["b", "q"]), texts(&["z", "b", "é"])];
        for index in kinds::ALL {
            let tags = tag(*index, &storage, &files, &batches).await.unwrap();
            let at = |file, batch, row| Match { file, batch, row };
            let expected = [
                at(0, 0, 0),
                at(0, 1, 1),
                at(0, 1, 2),
                at(1, 0, 0),
                at(1, 1, 0),
                at(1, 1, 1),
            ];
            assert_eq!(
                tags.matches().collect::<Vec<_>>(),
                expected,
                "{}",
                index.name()
            );
            assert_eq!(
                tags.known(),
                BTreeSet::from([(0, 0), (1, 0), (1, 1), (1, 2)])
            );
            let again = tag(*index, &storage, &files, &batches).await.unwrap();
            assert_eq!(again, tags, "{}", index.name());
        }
    });
}

#[test]
fn no_keys_and_no_files_match_nothing() {
    block_on(async {
        let storage = memory();
        let files = [file(&storage, 0, &texts(&["a"])).await];
        for index in kinds::ALL {
            assert_eq!(
                tag(*index, &storage, &files, &[])
                    .await
                    .unwrap()
                    .match_count(),
                0
            );
            assert_eq!(
                tag(*index, &storage, &[], &[texts(&["a"])])
                    .await
                    .unwrap()
                    .match_count(),
                0
            );
        }
    });
}

#[test]
fn a_file_without_a_filter_is_searched() {
    block_on(async {
        let storage = memory();
        let files = [bare_file(&storage, 0, &texts(&["a", "c"])).await];
        let reader = BaseFileReader::open(&storage, &files[0]).await.unwrap();
        let footer = reader.footer().unwrap();
        assert!(footer.bloom.is_none() && footer.min_key.is_none());
        for index in kinds::ALL {
            let tags = tag(*index, &storage, &files, &[texts(&["c"])])
                .await
                .unwrap();
            assert_eq!(tags.match_count(), 1, "{}", index.name());
        }
    });
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    block_on(async {
        let storage = memory();
        let files = [file(&storage, 0, &texts(&["a"])).await];
        storage.delete(&files[0].path()).await.unwrap();
        for index in kinds::ALL {
            let error = tag(*index, &storage, &files, &[texts(&["a"])])
                .await
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound, "{}", index.name());
            assert!(error.to_string().contains("f0-0"), "{error}");
        }
    });
}

#[test]
fn the_bloom_index_reads_only_candidates() {
    block_on(async {
        let storage = memory();
        let mut files = Vec::new();
        for number in 0..5 {
            let keys: Vec<String> = (0..20).map(|row| format!("k{number}{row:02}")).collect();
            files.push(file(&storage, number, &keys).await);
        }
        let keys = [texts(&["k300", "k319", "k4zz"])];
        let tags = tag(&kinds::Bloom, &storage, &files, &keys).await.unwrap();
        assert_eq!((tags.match_count(), tags.files_read()), (2, 1));
    });
}

#[test]
fn the_bloom_index_asks_for_a_footer_once() {
    block_on(async {
        let counting = Arc::new(CountingStore::new(Arc::new(InMemory::new())));
        let store = Arc::clone(&counting) as Arc<dyn ObjectStore>;
        let storage = Storage::from_store(store, "", "memory:///").unwrap();
        let files = [file(&storage, 0, &texts(&["a", "c"])).await];
        let footers = FooterCache::default();
        counting.reset();
        for _ in 0..3 {
            let absent = [texts(&["b"])];
            let tags = tag_with(&kinds::Bloom, &storage, &files, &absent, &footers).await;
            assert_eq!(tags.unwrap().match_count(), 0);
        }
        assert_eq!(counting.counts().requests(), 1);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn kinds_agree_with_a_scan(
        stored in prop::collection::vec(prop::collection::vec("[a-e]{1,2}", 0..8), 0..4),
        wanted in prop::collection::vec(prop::collection::vec("[a-e]{1,2}", 0..6), 0..3),
    ) {
        let mut expected = BTreeSet::new();
        for (file, keys) in stored.iter().enumerate() {
            for (batch, column) in wanted.iter().enumerate() {
                for (row, key) in column.iter().enumerate() {
                    if keys.contains(key) {
                        expected.insert(Match { file, batch, row });
                    }
                }
            }
        }
        block_on(async {
            let storage = memory();
            let mut files = Vec::new();
            for (number, keys) in stored.iter().enumerate() {
                files.push(file(&storage, number, keys).await);
            }
            for index in kinds::ALL {
                let tags = tag(*index, &storage, &files, &wanted).await.unwrap();
                prop_assert_eq!(tags.matches().collect::<BTreeSet<_>>(), expected.clone());
            }
            Ok(())
        })?;
    }
}
