//! Copy-on-write tables of versions 6 and 8: made by us, continued by the JVM and by us in turn, checked by the JVM, and
//! upgraded by it.

use oxlake::TableVersion;
use oxlake::prelude::*;
use oxlake_testkit::{JvmOracle, JvmWrite};

use crate::agree::{agree, holds, snapshots_agree};
use crate::operations::{first_trips, partitioned, trip, trips};
use crate::table::{TestTable, loop_with_the_jvm};

async fn three_turns(version: TableVersion) {
    let name = format!("turns_v{version}");
    let table = TestTable::create(partitioned(&name).version(version), trips()).await;
    table.write(WriteOperation::Insert, &first_trips()).await;
    for turn in 1..3 {
        let theirs = [
            trip("a", "jvm", 11.0, 2 * turn, "oslo"),
            trip("d", "jvm", 1.0, 2 * turn, "rome"),
        ];
        table.write_with(&mut JvmOracle::shared().unwrap(), &theirs);
        let ours = [
            trip("a", "us", 12.0, 2 * turn + 1, "oslo"),
            trip("d", "late", 0.0, 0, "rome"),
        ];
        table.write(WriteOperation::Upsert, &ours).await;
    }
    let gone = [trip("b", "", 0.0, 0, "oslo")];
    table.write(WriteOperation::Delete, &gone).await;
    let expected = [
        trip("a", "us", 12.0, 5, "oslo"),
        trip("c", "cem", 30.25, 1, "lima"),
        trip("d", "jvm", 1.0, 4, "rome"),
    ];
    holds(&table, &expected).await;
    let theirs = [trip("e", "jvm", 1.0, 1, "lima")];
    let ours = [
        trip("e", "us", 2.0, 2, "lima"),
        trip("f", "us", 2.0, 2, "bonn"),
    ];
    loop_with_the_jvm(&table, &theirs, &ours).await;
    assert_eq!(
        table.open().await.config().version(),
        version,
        "nobody upgraded it"
    );
    let properties = std::fs::read_to_string(table.path().join(".hoodie/hoodie.properties"));
    assert!(
        properties
            .unwrap()
            .contains(&format!("hoodie.table.version={version}\n"))
    );
}

#[tokio::test]
async fn a_version_8_table_in_turns() {
    three_turns(TableVersion::V8).await;
}

#[tokio::test]
async fn a_version_6_table_in_turns() {
    three_turns(TableVersion::V6).await;
}

/// The JVM upgrades our tables as it does its own, and we go on in the new version.
#[tokio::test]
async fn older_tables_of_ours_are_upgraded_by_the_jvm_and_continued() {
    for version in [TableVersion::V6, TableVersion::V8] {
        let name = format!("upgraded_v{version}");
        let table = TestTable::create(partitioned(&name).version(version), trips()).await;
        table.write(WriteOperation::Insert, &first_trips()).await;
        let second = [trip("a", "us", 12.0, 3, "oslo")];
        table.write(WriteOperation::Upsert, &second).await;
        let mut jvm = JvmOracle::shared().unwrap();
        let write = JvmWrite {
            operation: "upsert",
            rows: vec![trip("b", "jvm", 1.0, 9, "oslo")],
            conf: vec![
                ("hoodie.metadata.enable", "false"),
                ("hoodie.write.table.version", "9"),
                ("hoodie.write.auto.upgrade", "true"),
            ],
            ..JvmWrite::default()
        };
        jvm.write(table.path(), &write).unwrap();
        assert_eq!(table.open().await.config().version(), TableVersion::V9);
        snapshots_agree(&table, &mut jvm).await;
        let third = [trip("c", "us", 1.0, 9, "lima")];
        table.write(WriteOperation::Upsert, &third).await;
        let expected = [
            trip("a", "us", 12.0, 3, "oslo"),
            trip("b", "jvm", 1.0, 9, "oslo"),
            trip("c", "us", 1.0, 9, "lima"),
        ];
        holds(&table, &expected).await;
        agree(&table, &mut jvm).await;
    }
}
