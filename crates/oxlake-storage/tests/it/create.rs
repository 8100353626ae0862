//! Creation when replies are lost.

use std::sync::Arc;

use bytes::Bytes;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use oxlake_storage::testing::{Fault, FaultKind, FaultStore};
use oxlake_storage::{Error, Storage};

fn faulty() -> (Arc<FaultStore>, Storage) {
    let store = Arc::new(FaultStore::new(Arc::new(InMemory::new())));
    let below: Arc<dyn ObjectStore> = store.clone();
    let storage = Storage::from_store(below, "t", "memory:///t").unwrap();
    (store, storage)
}

#[tokio::test]
async fn lost_reply_of_a_creation_is_resolved_by_looking_again() {
    for body in ["", "bytes"] {
        let (store, storage) = faulty();
        store.arm(Fault {
            call: 0,
            kind: FaultKind::LostReply,
        });
        storage.create("f", body.into()).await.unwrap();
        assert_eq!(storage.read("f").await.unwrap(), body);
        assert_eq!(
            store.trace(),
            format!(
                "0 create t/f {} -> LostReply\n1 head t/f -> ok\n2 get t/f -> ok\n",
                body.len()
            )
        );
    }
}

#[tokio::test]
async fn another_writers_equal_bytes_are_not_taken_for_ours() {
    for body in ["", "bytes"] {
        let (store, storage) = faulty();
        storage.create("f", body.into()).await.unwrap();
        // The request fails before it arrives; what is found belongs to the first creation.
        store.arm(Fault {
            call: 1,
            kind: FaultKind::Refuse,
        });
        let lost = storage.create("f", body.into()).await;
        assert!(matches!(lost, Err(Error::AlreadyExists { .. })), "{lost:?}");
        assert!(
            storage
                .create("f", body.into())
                .await
                .unwrap_err()
                .is_already_exists()
        );
    }
}

#[tokio::test]
async fn refused_creation_leaves_nothing_and_says_so() {
    let (store, storage) = faulty();
    store.arm(Fault {
        call: 0,
        kind: FaultKind::Refuse,
    });
    let error = storage.create("f", Bytes::new()).await.unwrap_err();
    assert!(matches!(error, Error::Store { .. }), "{error:?}");
    assert_eq!(storage.head("f").await.unwrap(), None);
    storage.create("f", Bytes::new()).await.unwrap();
}

#[tokio::test]
async fn creation_by_a_process_that_dies_is_of_unknown_outcome() {
    for (kind, exists) in [
        (FaultKind::CrashBefore, false),
        (FaultKind::CrashAfter, true),
    ] {
        let (store, storage) = faulty();
        store.arm(Fault { call: 0, kind });
        let error = storage.create("f", "x".into()).await.unwrap_err();
        assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
        store.restart();
        assert_eq!(storage.head("f").await.unwrap().is_some(), exists);
    }
}
