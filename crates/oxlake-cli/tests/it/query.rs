//! `oxlake query` and `oxlake sql` on the demo's table.

use expect_test::expect;

use crate::cli::{check_flights, flights};

#[test]
fn rows_are_printed_as_a_table() {
    check_flights(
        &[
            "query",
            "flights",
            "--where",
            "dest = 'SFO' and flight_date = '2013-01-01'",
            "--columns",
            "flight_id,status,origin,dep_delay_min,arr_delay_min,event_time",
            "--limit",
            "5",
        ],
        &expect![[r#"
             flight_id           │ status │ origin │ dep_delay_min │ arr_delay_min │ event_time
            ─────────────────────┼────────┼────────┼───────────────┼───────────────┼──────────────────────
             UA-1124-20130101T11 │ landed │ EWR    │            -2 │           -14 │ 2013-01-01 12:19:00Z
             UA-303-20130101T11  │ landed │ JFK    │            11 │            14 │ 2013-01-01 12:37:00Z
             DL-1865-20130101T12 │ landed │ JFK    │            -5 │            -8 │ 2013-01-01 13:17:00Z
             VX-11-20130101T12   │ landed │ JFK    │            -1 │           -26 │ 2013-01-01 13:45:00Z
             B6-643-20130101T12  │ landed │ JFK    │            -3 │           -26 │ 2013-01-01 13:44:00Z
            5 rows
        "#]],
    );
}

#[test]
fn wide_rows_are_cut_to_the_terminal() {
    check_flights(
        &["query", "flights", "--limit", "3"],
        &expect![[r#"
             flight_id           │ status │ flight_date │ … │ air_time_min │ distance_m… │ event_time
            ─────────────────────┼────────┼─────────────┼───┼──────────────┼─────────────┼──────────────────────
             UA-1545-20130101T10 │ landed │ 2013-01-01  │ … │          227 │        1400 │ 2013-01-01 09:24:00Z
             UA-1714-20130101T10 │ landed │ 2013-01-01  │ … │          227 │        1416 │ 2013-01-01 09:40:00Z
             AA-1141-20130101T10 │ landed │ 2013-01-01  │ … │          160 │        1089 │ 2013-01-01 08:42:00Z
            3 rows, 13 columns (6 shown); --format csv or json prints all
        "#]],
    );
}

#[test]
fn long_answers_are_cut_in_the_middle() {
    let said = flights(&["query", "flights", "--columns", "flight_id"]);
    assert_eq!(said.code, 0, "{}", said.text());
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!((lines.len(), lines[52]), (104, " ⋮"), "{}", said.stdout);
    assert_eq!(
        lines[103],
        "6,099 rows (100 shown); --format csv or json prints all"
    );
}

#[test]
fn json_is_one_object_a_line() {
    check_flights(
        &[
            "query",
            "flights",
            "--where",
            "flight_id = 'UA-1545-20130101T10'",
            "--format",
            "json",
        ],
        &expect![[r#"
            {"flight_id":"UA-1545-20130101T10","status":"landed","flight_date":"2013-01-01","carrier":"UA","flight":1545,"tailnum":"N14228","origin":"EWR","dest":"IAH","dep_delay_min":2,"arr_delay_min":11,"air_time_min":227,"distance_miles":1400,"event_time":"2013-01-01T09:24:00Z"}
        "#]],
    );
}

#[test]
fn csv_has_a_header() {
    check_flights(
        &[
            "query",
            "flights",
            "--where",
            "flight = 1545",
            "--columns",
            "flight_id,status,event_time",
            "--format",
            "csv",
        ],
        &expect![[r#"
            flight_id,status,event_time
            UA-1545-20130101T10,landed,2013-01-01T09:24:00Z
            UA-1545-20130107T10,landed,2013-01-07T08:58:00Z
        "#]],
    );
}

#[test]
fn meta_columns_come_on_demand() {
    check_flights(
        &[
            "query",
            "flights",
            "--where",
            "flight = 1545",
            "--meta",
            "--format",
            "json",
            "--limit",
            "1",
        ],
        &expect![[r#"
            {"_hoodie_commit_time":"20130101115959000","_hoodie_commit_seqno":"20130101115959000_0_0","_hoodie_record_key":"UA-1545-20130101T10","_hoodie_partition_path":"flight_date=2013-01-01","_hoodie_file_name":"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx-0_0-1-0_20130102115959000.parquet","flight_id":"UA-1545-20130101T10","status":"landed","flight_date":"2013-01-01","carrier":"UA","flight":1545,"tailnum":"N14228","origin":"EWR","dest":"IAH","dep_delay_min":2,"arr_delay_min":11,"air_time_min":227,"distance_miles":1400,"event_time":"2013-01-01T09:24:00Z"}
        "#]],
    );
}

#[test]
fn the_past_is_read_by_its_time() {
    let columns = [
        "--columns",
        "flight_id,status,event_time",
        "--where",
        "flight = 1545",
    ];
    for time in [
        "2013-01-01",
        "2013-01-01 12:00",
        "2013-01-02T00:00:00Z",
        "20130101175959",
    ] {
        let said = flights(&[&["query", "flights", "--as-of", time][..], &columns].concat());
        assert_eq!(said.code, 0, "{}", said.text());
    }
    check_flights(
        &[&["query", "flights", "--as-of", "2013-01-01"][..], &columns].concat(),
        &expect![[r#"
             flight_id           │ status    │ event_time
            ─────────────────────┼───────────┼──────────────────────
             UA-1545-20130101T10 │ scheduled │ 2012-12-31 11:15:00Z
            1 row
        "#]],
    );
}

#[test]
fn a_range_holds_what_changed_in_it() {
    check_flights(
        &[
            "query",
            "flights",
            "--from",
            "2013-01-03 04:00",
            "--to",
            "2013-01-03 05:00",
            "--columns",
            "flight_id,status,event_time",
        ],
        &expect![[r#"
             flight_id           │ status    │ event_time
            ─────────────────────┼───────────┼──────────────────────
             B6-707-20130103T04  │ landed    │ 2013-01-03 04:11:00Z
             US-1030-20130103T10 │ departed  │ 2013-01-03 04:58:00Z
             B6-713-20130104T03  │ scheduled │ 2013-01-03 04:29:00Z
             B6-128-20130104T03  │ scheduled │ 2013-01-03 04:45:00Z
             B6-30-20130104T03   │ scheduled │ 2013-01-03 04:45:00Z
             B6-608-20130104T03  │ scheduled │ 2013-01-03 04:45:00Z
             B6-22-20130104T03   │ scheduled │ 2013-01-03 04:50:00Z
             B6-112-20130104T03  │ scheduled │ 2013-01-03 04:55:00Z
             B6-1018-20130104T03 │ scheduled │ 2013-01-03 04:58:00Z
            9 rows
        "#]],
    );
    let all = flights(&[
        "query",
        "flights",
        "--from",
        "earliest",
        "--columns",
        "flight_id",
        "--format",
        "csv",
    ]);
    assert_eq!(all.stdout.lines().count(), 1 + 6_099, "{}", all.stderr);
}

#[test]
fn conditions_can_be_any_sql() {
    let said = flights(&[
        "query",
        "flights",
        "--where",
        "substr(flight_id, 1, 2) = 'HA' and arr_delay_min / 2 > 10",
        "--columns",
        "flight_id",
        "--format",
        "csv",
    ]);
    assert_eq!(said.code, 0, "{}", said.text());
    assert!(
        said.stdout
            .lines()
            .skip(1)
            .all(|line| line.starts_with("HA-")),
        "{}",
        said.stdout
    );
}

#[test]
fn sql_reads_the_table_by_its_path() {
    check_flights(
        &[
            "sql",
            "select carrier, count(*) as flights, round(avg(arr_delay_min), 1) as mean_delay_min
             from 'flights' where status = 'landed' group by carrier order by flights desc, carrier limit 5",
        ],
        &expect![[r#"
             carrier │ flights │ mean_delay_min
            ─────────┼─────────┼────────────────
             B6      │    1106 │            7.4
             UA      │    1064 │            0.4
             EV      │     879 │           21.1
             DL      │     858 │           -7.6
             AA      │     622 │            2.3
            5 rows
        "#]],
    );
}
