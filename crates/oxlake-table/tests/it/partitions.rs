//! Partitions that have lost their metafile, and conditions on the path.

use std::collections::BTreeMap;
use std::fs;

use oxlake_env::Env;
use oxlake_model::PartitionPath;
use oxlake_storage::Storage;
use oxlake_table::{FileLister, MetaClient};
use oxlake_testkit::Fixture;

#[tokio::test]
async fn rows_of_a_partition_without_metafile_are_not_lost() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let storage = Storage::open(&fixture.url(), &BTreeMap::new()).unwrap();
    let table = MetaClient::open(storage, Env::simulated(1)).await.unwrap();
    let snapshot = table.load_snapshot().await.unwrap();
    let before = table.load_view(&snapshot, None).await.unwrap();
    let partitions = table.lister().partitions(&|_| true).await.unwrap();
    assert!(!partitions.is_empty());
    for partition in &partitions {
        let metafile = partition.join(".hoodie_partition_metadata");
        fs::remove_file(fixture.path().join(metafile)).unwrap();
    }
    let after = table.load_view(&snapshot, None).await.unwrap();
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_view_of_some_partitions_holds_only_those() {
    let fixture = Fixture::open("v9_archive_mor").unwrap();
    let storage = Storage::open(&fixture.url(), &BTreeMap::new()).unwrap();
    let table = MetaClient::open(storage, Env::simulated(1)).await.unwrap();
    let snapshot = table.load_snapshot().await.unwrap();
    let all = table.load_view(&snapshot, None).await.unwrap();
    for partition in table.lister().partitions(&|_| true).await.unwrap() {
        let some = table
            .load_view(&snapshot, Some(std::slice::from_ref(&partition)))
            .await
            .unwrap();
        let expected = all
            .file_groups()
            .iter()
            .filter(|group| group.id.partition == partition);
        assert!(some.file_groups().iter().eq(expected), "{partition}");
    }
    let none = table
        .load_view(&snapshot, Some(&[PartitionPath::from("x")]))
        .await
        .unwrap();
    assert!(none.file_groups().is_empty());
}
