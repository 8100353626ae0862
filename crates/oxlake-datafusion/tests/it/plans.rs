//! The shape of plans: slices are read once, columns and limits are pushed.

use arrow::array::AsArray;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::collect;
use datafusion::prelude::SessionConfig;
use oxlake_scan::QueryKind;
use oxlake_testkit::Fixture;

use crate::{explain, meta, row_count, session, sql, table};

#[tokio::test]
async fn rows_are_not_repeated_whatever_the_number_of_partitions() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let expected = row_count(&sql(&session(), &format!("select * from '{}'", fixture.url())).await);
    assert!(expected > 0);
    for partitions in [1, 2, 16] {
        let config = SessionConfig::new()
            .with_target_partitions(partitions)
            .with_repartition_file_min_size(0)
            .with_repartition_file_scans(true);
        let context = datafusion::prelude::SessionContext::new_with_config(config);
        let provider = table(&fixture, QueryKind::Snapshot).await.unwrap();
        let frame = context.read_table(std::sync::Arc::new(provider)).unwrap();
        assert_eq!(
            frame.count().await.unwrap(),
            expected,
            "{partitions} partitions"
        );
    }
}

#[tokio::test]
async fn columns_are_pushed_into_the_scan() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let session = session();
    session
        .register("t", table(&fixture, QueryKind::Snapshot).await.unwrap())
        .unwrap();
    let plan = explain(
        &session,
        "select name, id + 1 as next from t where price > 0",
    )
    .await;
    assert!(plan.contains("projection=[name, "), "{plan}");
    assert!(plan.contains("file_type=hudi"), "{plan}");
    let counted = sql(&session, "select count(*), count(name) from t").await;
    let rows = row_count(&sql(&session, "select id from t").await);
    let count = datafusion::common::ScalarValue::try_from_array(counted[0].column(0), 0).unwrap();
    assert_eq!(
        count,
        datafusion::common::ScalarValue::from(i64::try_from(rows).unwrap())
    );
    let swapped = sql(
        &session,
        "select price, id, id as again from (select id, price from t)",
    )
    .await;
    assert_eq!(swapped[0].num_columns(), 3);
}

#[tokio::test]
async fn limits_are_pushed_into_the_scan() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let session = session();
    session
        .register("t", table(&fixture, QueryKind::Snapshot).await.unwrap())
        .unwrap();
    let plan = explain(&session, "select id from t limit 1").await;
    assert!(plan.contains("limit=1"), "{plan}");
    assert_eq!(
        row_count(&sql(&session, "select id from t limit 1").await),
        1
    );
    assert_eq!(
        row_count(&sql(&session, "select id from t where id > 0 limit 1").await),
        1
    );
}

#[tokio::test]
async fn a_kept_table_sees_later_commits() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let provider = table(&fixture, QueryKind::Snapshot).await.unwrap();
    let debug = format!("{provider:?}");
    assert!(debug.contains("Snapshot"), "{debug}");
    assert_eq!(
        provider.schema(),
        &meta(&fixture).await.table_schema().await.unwrap().arrow
    );
}

#[tokio::test]
async fn a_byte_range_of_a_slice_is_refused() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let session = session();
    session
        .register("t", table(&fixture, QueryKind::Snapshot).await.unwrap())
        .unwrap();
    let frame = session.context().sql("select id from t").await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    let scan = plan
        .downcast_ref::<DataSourceExec>()
        .expect("a plain projection is all scan");
    let source: &dyn std::any::Any = scan.data_source().as_ref();
    let mut config = source
        .downcast_ref::<FileScanConfig>()
        .expect("file scan")
        .clone();
    assert!(
        config.file_groups.iter().all(|group| group.len() == 1),
        "one slice a group"
    );
    let file = config.file_groups[0].files()[0].clone().with_range(0, 10);
    config.file_groups[0] = FileGroup::new(vec![file]);
    let cut = DataSourceExec::from_data_source(config);
    let error = collect(cut, session.context().task_ctx())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("read as a whole"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn selected_rows_come_in_the_order_of_the_slices() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let partitions = |batches: &[arrow::array::RecordBatch]| {
        let mut found = Vec::new();
        for batch in batches {
            let column = batch
                .column_by_name("_hoodie_partition_path")
                .unwrap()
                .as_string::<i32>();
            found.extend(column.iter().map(|value| value.unwrap().to_owned()));
        }
        found
    };
    for limit in [None, Some(2), Some(0)] {
        for _ in 0..10 {
            let provider = table(&fixture, QueryKind::Snapshot).await.unwrap();
            let rows = session()
                .select(provider, Some("length(name) > 0"), None, limit)
                .await
                .unwrap();
            let found = partitions(&rows.collect().await.unwrap());
            assert!(found.is_sorted(), "{found:?}");
            assert!(limit.is_none_or(|limit| found.len() == limit), "{found:?}");
        }
    }
}
