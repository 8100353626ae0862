//! The counting and the failing store.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::memory::InMemory;
use oxlake_storage::testing::{CountingStore, Fault, FaultKind, FaultStore};
use oxlake_storage::{Result, Storage};

/// One of everything; a fault anywhere makes it stop with an error.
async fn script(storage: &Storage) -> Result<()> {
    storage.create("a", "1".into()).await?;
    storage.overwrite("b", "22".into()).await?;
    storage.read("a").await?;
    storage.read_range("b", 0..1).await?;
    storage.head("a").await?;
    let mut writer = storage.writer("big")?;
    writer.write(vec![0; 17 << 20].into()).await?;
    writer.finish().await?;
    storage.list("").await?;
    storage.list_dir("").await?;
    storage.delete("a").await?;
    storage.delete_many(vec!["b".into(), "big".into()]).await?;
    Ok(())
}

#[tokio::test]
async fn every_request_is_counted_by_its_kind() {
    let store = Arc::new(CountingStore::new(Arc::new(InMemory::new())));
    let below: Arc<dyn ObjectStore> = store.clone();
    script(&Storage::from_store(below, "", "memory:///").unwrap())
        .await
        .unwrap();
    let counts = store.reset();
    assert_eq!((counts.put, counts.multipart, counts.part), (2, 1, 3));
    assert_eq!(
        (counts.get, counts.head, counts.list, counts.delete),
        (2, 1, 2, 3)
    );
    assert_eq!(
        (counts.bytes_read, counts.bytes_written),
        (2, (17 << 20) + 3)
    );
    assert_eq!(counts.requests(), 14);
    assert_eq!(store.counts().requests(), 0);
}

fn faulty() -> (Arc<FaultStore>, Storage) {
    let store = Arc::new(FaultStore::new(Arc::new(InMemory::new())));
    let below: Arc<dyn ObjectStore> = store.clone();
    (
        store,
        Storage::from_store(below, "t", "memory:///t").unwrap(),
    )
}

#[tokio::test]
async fn the_trace_is_the_same_each_time_and_numbers_every_request() {
    let mut traces = Vec::new();
    for _ in 0..2 {
        let (store, storage) = faulty();
        script(&storage).await.unwrap();
        traces.push(store.trace());
        assert_eq!(store.calls(), 15);
    }
    assert_eq!(traces[0], traces[1]);
    let expected = [
        "0 create t/a 1 -> ok",
        "1 put t/b 2 -> ok",
        "2 get t/a -> ok",
        "3 get t/b bytes=0-0 -> ok",
        "4 head t/a -> ok",
        "5 multipart t/big -> ok",
        "6 part t/big 8388608 -> ok",
        "7 part t/big 8388608 -> ok",
        "8 part t/big 1048576 -> ok",
        "9 complete t/big -> ok",
        "10 list t -> ok",
        "11 folder t -> ok",
        "12 delete t/a -> ok",
        "13 delete t/b -> ok",
        "14 delete t/big -> ok",
    ];
    assert_eq!(traces[0].lines().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_fault_at_any_request_of_any_kind_is_felt_and_recovered_from() {
    for kind in FaultKind::ALL {
        for call in 0..15 {
            let (store, storage) = faulty();
            store.arm(Fault { call, kind });
            let result = script(&storage).await;
            assert!(store.struck(), "{kind:?} at {call}");
            // A creation whose reply was lost is the one that heals by itself.
            let healed = call == 0 && kind == FaultKind::LostReply;
            assert_eq!(
                result.is_ok(),
                healed,
                "{kind:?} at {call}: {}",
                store.trace()
            );
            let dead = matches!(kind, FaultKind::CrashBefore | FaultKind::CrashAfter);
            assert_eq!(store.crashed(), dead);
            assert_eq!(storage.list("").await.is_err(), dead);
            store.restart();
            storage.delete_folder("").await.unwrap();
            script(&storage).await.unwrap();
        }
    }
}

#[tokio::test]
async fn effects_of_a_fault_are_as_its_kind_says() {
    for kind in FaultKind::ALL {
        let has_effect = matches!(kind, FaultKind::CrashAfter | FaultKind::LostReply);
        let (store, storage) = faulty();
        storage.overwrite("f", "old".into()).await.unwrap();
        store.arm(Fault { call: 1, kind });
        storage.overwrite("f", "new".into()).await.unwrap_err();
        store.restart();
        assert_eq!(
            storage.read("f").await.unwrap(),
            if has_effect { "new" } else { "old" }
        );

        store.arm(Fault {
            call: store.calls(),
            kind,
        });
        storage.delete("f").await.unwrap_err();
        store.restart();
        assert_eq!(storage.head("f").await.unwrap().is_none(), has_effect);

        let mut writer = storage.writer("g").unwrap();
        writer.write(vec![0; 9 << 20].into()).await.unwrap();
        store.arm(Fault {
            call: store.calls() + 1,
            kind,
        });
        writer.finish().await.unwrap_err();
        store.restart();
        assert_eq!(
            storage.head("g").await.unwrap().is_some(),
            has_effect,
            "{}",
            store.trace()
        );
    }
}
