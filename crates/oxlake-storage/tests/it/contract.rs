//! What every store must do, whatever it is. Each check works in a folder of its own.

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use oxlake_storage::{Error, Storage};

/// Names that have broken someone's storage before.
pub(crate) const ODD_NAMES: [&str; 12] = [
    "50%25%3D%23%3F%3Aé☃",
    "city=x%2Fy/a b/f.parquet",
    "a#b/c#1d",
    "what?/is=this&that+,;@~",
    "q\"u'o*t{e}[]^|<>/x",
    "back\\slash/x",
    "%2E%2E/%",
    "日本/ünï/𝄞",
    "..a/b..",
    " lead and trail /x",
    "$(x)`y`!/x",
    ".hoodie/timeline/20260101000000000_20260101000001000.commit",
];

/// Runs all checks.
pub(crate) async fn check_all(storage: &Storage) {
    check_with_names(storage, &ODD_NAMES).await;
}

/// Runs all checks, with these instead of all odd names.
pub(crate) async fn check_with_names(storage: &Storage, odd: &[&str]) {
    create_has_one_winner(&storage.child("once").unwrap()).await;
    read_and_ranges(&storage.child("read").unwrap()).await;
    overwrite_replaces(&storage.child("overwrite").unwrap()).await;
    listings_are_sorted_and_relative(&storage.child("list").unwrap()).await;
    deletion(&storage.child("delete").unwrap()).await;
    writer_of_any_size(&storage.child("writer").unwrap()).await;
    odd_names(&storage.child("odd").unwrap(), odd).await;
    unclean_paths_are_refused(storage).await;
}

async fn create_has_one_winner(storage: &Storage) {
    for round in 0..4 {
        // Equal and empty contents are the hard case: bytes cannot tell the winner.
        let body = move |i: usize| match round {
            0 => Bytes::new(),
            1 => Bytes::from_static(b"same"),
            _ => Bytes::from(format!("writer {i}")),
        };
        let path = format!("deep/er/instant-{round}");
        let race: FuturesUnordered<_> = (0..16)
            .map(|i| {
                let (storage, path) = (storage.clone(), path.clone());
                tokio::spawn(async move { storage.create(&path, body(i)).await.map(|()| i) })
            })
            .collect();
        let results: Vec<_> = race.map(|joined| joined.unwrap()).collect().await;
        let winners: Vec<usize> = results
            .iter()
            .filter_map(|r| r.as_ref().ok().copied())
            .collect();
        assert_eq!(winners.len(), 1, "round {round}: {results:?}");
        for lost in results.iter().filter_map(|r| r.as_ref().err()) {
            assert!(matches!(lost, Error::AlreadyExists { .. }), "{lost:?}");
        }
        assert_eq!(storage.read(&path).await.unwrap(), body(winners[0]));
        assert!(
            storage
                .create(&path, "late".into())
                .await
                .unwrap_err()
                .is_already_exists()
        );
    }
}

async fn read_and_ranges(storage: &Storage) {
    assert!(storage.read("absent").await.unwrap_err().is_not_found());
    assert!(
        storage
            .read_range("absent", 0..1)
            .await
            .unwrap_err()
            .is_not_found()
    );
    assert_eq!(storage.head("absent").await.unwrap(), None);
    let before = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    storage.create("f", "0123456789".into()).await.unwrap();
    let head = storage.head("f").await.unwrap().unwrap();
    assert_eq!(
        (head.path.as_str(), head.name(), head.size_bytes),
        ("f", "f", 10)
    );
    assert!((head.modified_ms / 1000 - i64::try_from(before.as_secs()).unwrap()).abs() < 60);
    assert_eq!(storage.read_range("f", 2..5).await.unwrap(), "234");
    assert_eq!(storage.read_range("f", 0..1).await.unwrap(), "0");
    assert_eq!(storage.read_range("f", 8..100).await.unwrap(), "89");
    assert_eq!(storage.read_range("f", 5..5).await.unwrap(), "");
    assert!(storage.read_range("f", 20..30).await.is_err());
    storage.create("empty", Bytes::new()).await.unwrap();
    assert_eq!(storage.read("empty").await.unwrap(), "");
}

async fn overwrite_replaces(storage: &Storage) {
    storage
        .overwrite("a/f", "one, and long".into())
        .await
        .unwrap();
    storage.overwrite("a/f", "two".into()).await.unwrap();
    assert_eq!(storage.read("a/f").await.unwrap(), "two");
    assert!(
        storage
            .create("a/f", "three".into())
            .await
            .unwrap_err()
            .is_already_exists()
    );
}

async fn listings_are_sorted_and_relative(storage: &Storage) {
    assert!(storage.list("").await.unwrap().is_empty());
    assert_eq!(
        storage.list_dir("").await.unwrap(),
        oxlake_storage::Directory::default()
    );
    let names = ["b/2", "a/z/1", "a.txt", "a-1/x", "a/1", "b/10", "c", "ab/1"];
    for name in names {
        storage
            .create(name, Bytes::from(name.to_owned()))
            .await
            .unwrap();
    }
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    let listed = storage.list("").await.unwrap();
    assert_eq!(
        listed.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        sorted
    );
    assert!(
        listed
            .iter()
            .all(|file| file.size_bytes == file.path.len() as u64)
    );

    let below_a = storage.list("a").await.unwrap();
    assert_eq!(
        below_a.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        ["a/1", "a/z/1"]
    );
    let child = storage.child("a").unwrap().list("").await.unwrap();
    assert_eq!(
        child.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        ["1", "z/1"]
    );

    let top = storage.list_dir("").await.unwrap();
    assert_eq!(top.folders, ["a", "a-1", "ab", "b"]);
    assert_eq!(
        top.files
            .iter()
            .map(|f| f.path.as_str())
            .collect::<Vec<_>>(),
        ["a.txt", "c"]
    );
    let a = storage.list_dir("a").await.unwrap();
    assert_eq!(a.folders, ["a/z"]);
    assert_eq!(
        a.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        ["a/1"]
    );
    assert!(
        storage
            .list_dir("missing/x")
            .await
            .unwrap()
            .files
            .is_empty()
    );
    assert!(storage.list("missing").await.unwrap().is_empty());
    assert!(
        storage.list("a.tx").await.unwrap().is_empty(),
        "a prefix of a name is no folder"
    );
}

async fn deletion(storage: &Storage) {
    storage.delete("absent").await.unwrap();
    storage.create("f", "x".into()).await.unwrap();
    assert!(storage.delete("f").await.unwrap());
    assert_eq!(storage.head("f").await.unwrap(), None);
    storage.create("f", "again".into()).await.unwrap();

    let many: Vec<String> = (0..25).map(|i| format!("d{}/f{i}", i % 3)).collect();
    for path in &many {
        storage.create(path, "x".into()).await.unwrap();
    }
    let with_missing = many
        .iter()
        .cloned()
        .chain(["d0/missing".to_owned()])
        .collect();
    storage.delete_many(with_missing).await.unwrap();
    assert_eq!(storage.list("").await.unwrap().len(), 1);
    storage.delete_many(Vec::new()).await.unwrap();

    for path in &many {
        storage.create(path, "x".into()).await.unwrap();
    }
    assert_eq!(storage.delete_folder("d1").await.unwrap(), 8);
    assert_eq!(storage.list("d1").await.unwrap(), []);
    assert_eq!(storage.list("").await.unwrap().len(), 18);
    assert_eq!(storage.delete_folder("d1").await.unwrap(), 0);
}

async fn writer_of_any_size(storage: &Storage) {
    let part = 8 << 20;
    for size in [0, 10, part, 2 * part + 12_345] {
        let path = format!("size/{size}");
        let mut writer = storage.writer(&path).unwrap();
        let bytes: Bytes = (0..size).map(|i| u8::try_from(i % 251).unwrap()).collect();
        let mut rest = bytes.clone();
        while !rest.is_empty() {
            writer
                .write(rest.split_to(rest.len().min(3_000_000)))
                .await
                .unwrap();
        }
        assert_eq!(
            storage.head(&path).await.unwrap(),
            None,
            "visible before it is finished"
        );
        assert_eq!(writer.bytes_written(), size as u64);
        assert_eq!(writer.finish().await.unwrap(), size as u64);
        assert!(storage.read(&path).await.unwrap() == bytes, "{size}");
    }
    let mut writer = storage.writer("given-up").unwrap();
    writer.write(vec![1; 2 * part].into()).await.unwrap();
    writer.abort().await.unwrap();
    let mut dropped = storage.writer("dropped").unwrap();
    dropped.write(vec![1; 2 * part].into()).await.unwrap();
    drop(dropped);
    let left: Vec<String> = storage
        .list("")
        .await
        .unwrap()
        .into_iter()
        .map(|f| f.path)
        .collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

async fn odd_names(storage: &Storage, names: &[&str]) {
    for &name in names {
        let content = Bytes::from(format!("content of {name}"));
        storage
            .create(name, content.clone())
            .await
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(storage.read(name).await.unwrap(), content, "{name}");
        assert!(
            storage
                .create(name, content)
                .await
                .unwrap_err()
                .is_already_exists()
        );
        let (folder, _) = name.rsplit_once('/').unwrap_or(("", name));
        let listed = storage.list_dir(folder).await.unwrap();
        assert!(
            listed.files.iter().any(|file| file.path == name),
            "{name}: {listed:?}"
        );
        let below = storage.child(folder).unwrap().list("").await.unwrap();
        assert!(
            below.iter().any(|file| file.path.ends_with(file.name())),
            "{name}: {below:?}"
        );
    }
    let mut expected = names.to_vec();
    expected.sort_unstable();
    let listed: Vec<String> = storage
        .list("")
        .await
        .unwrap()
        .into_iter()
        .map(|f| f.path)
        .collect();
    assert_eq!(listed, expected);
    let first = |name: &&str| name.split_once('/').map(|(folder, _)| folder.to_owned());
    let mut folders: Vec<String> = names.iter().filter_map(first).collect();
    folders.sort_unstable();
    assert_eq!(storage.list_dir("").await.unwrap().folders, folders);
    storage.delete_many(listed).await.unwrap();
    assert_eq!(storage.list("").await.unwrap(), []);
}

async fn unclean_paths_are_refused(storage: &Storage) {
    for path in [
        "../x", "a/../x", "a//x", "a/", "/a", "a\\..\\x", "a/./x", "a\nb",
    ] {
        let refused = |result: Result<(), Error>| {
            assert!(
                matches!(result, Err(Error::InvalidPath { .. })),
                "{path:?}: {result:?}"
            );
        };
        refused(storage.create(path, Bytes::new()).await);
        refused(storage.overwrite(path, Bytes::new()).await);
        refused(storage.read(path).await.map(drop));
        refused(storage.head(path).await.map(drop));
        refused(storage.list(path).await.map(drop));
        refused(storage.list_dir(path).await.map(drop));
        refused(storage.delete(path).await.map(drop));
        refused(storage.delete_many(vec![path.to_owned()]).await);
        refused(storage.writer(path).map(drop));
        refused(storage.child(path).map(drop));
        refused(storage.ensure_folder(path).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_keeps_the_contract() {
    check_all(&Storage::open("memory://contract/base", &crate::conf(&[])).unwrap()).await;
    check_all(&Storage::open("memory://contract-at-root/", &crate::conf(&[])).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn local_files_keep_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["plain", "odd 100%25 é#x"] {
        let url = format!("{}/{name}", folder.path().display());
        check_all(&Storage::open(&url, &crate::conf(&[])).unwrap()).await;
    }
}
