//! SQL over tables named by their path.

use oxlake_model::ErrorKind;
use oxlake_testkit::Fixture;

use crate::{row_count, session, sql};

#[tokio::test]
async fn a_path_in_quotes_is_a_table() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let session = session();
    let path = fixture.url();
    let single = sql(&session, &format!("select * from '{path}'")).await;
    let double = sql(&session, &format!("select * from \"{path}\"")).await;
    let url = sql(&session, &format!("select * from 'file://{path}'")).await;
    assert!(row_count(&single) > 0);
    assert_eq!(row_count(&single), row_count(&double));
    assert_eq!(row_count(&single), row_count(&url));
    let joined =
        format!("select a.id from '{path}' a join '{path}' b on a.id = b.id and a.city = b.city");
    assert_eq!(row_count(&sql(&session, &joined).await), row_count(&single));
}

#[tokio::test]
async fn files_can_be_joined_with_tables() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let file = fixture.work_folder().join("cities.csv");
    std::fs::write(&file, "city,country\nsf,us\nnyc,us\n").unwrap();
    let text = format!(
        "select t.id, c.country from '{}' t join '{}' c on t.city = c.city",
        fixture.url(),
        file.display()
    );
    assert!(row_count(&sql(&session(), &text).await) > 0);
}

#[tokio::test]
async fn what_is_no_table_is_told_with_the_next_step() {
    let fixture = Fixture::open("v9_overwrites_cow").unwrap();
    let session = session();
    let missing = session
        .sql("select * from 'no/such/table'")
        .await
        .unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound, "{missing}");
    let bare = session.sql("select * from trips").await.unwrap_err();
    assert!(bare.to_string().contains("in quotes"), "{bare}");
    let column = format!("select nme from '{}'", fixture.url());
    let column = session.sql(&column).await.unwrap_err();
    assert!(column.to_string().contains("nme"), "{column}");
    assert_eq!(column.kind(), ErrorKind::Invalid);
    let change = session.sql("create table x as select 1").await.unwrap_err();
    assert!(change.to_string().contains("DDL"), "{change}");
}
