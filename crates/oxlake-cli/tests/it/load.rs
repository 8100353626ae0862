//! `oxlake create` and `oxlake load`, from files of every kind.

use expect_test::expect;

use crate::cli::{Cli, without_sizes};

const TRIPS: &str = "id,city,fare,ts\na,oslo,12.5,1\nb,rome,31,1\nc,rome,8,2\n";

fn rows(cli: &Cli, table: &str) -> String {
    let said = cli.run(&[
        "sql",
        &format!("select id, city, fare, ts from '{table}' order by id"),
        "--format",
        "csv",
    ]);
    assert_eq!(said.code, 0, "{}", said.text());
    said.stdout
}

#[test]
fn a_csv_file_becomes_a_table() {
    let cli = Cli::new();
    cli.file("trips.csv", TRIPS);
    let said = cli.run(&[
        "load",
        "trips",
        "trips.csv",
        "--key",
        "id",
        "--ordering",
        "ts",
        "--partition",
        "city",
        "--batch-rows",
        "2",
    ]);
    assert_eq!(said.code, 0, "{}", said.text());
    expect![[r#"
         commit            │ rows │ inserted │ updated │ deleted │ files │ bytes
        ───────────────────┼──────┼──────────┼─────────┼─────────┼───────┼───────
         <-- an instant -> │    2 │        2 │       0 │       0 │     2 │  #####
         <-- an instant -> │    1 │        1 │       0 │       0 │     1 │  #####
        2 rows
    "#]]
    .assert_eq(&without_sizes(&said.text()));
    assert_eq!(
        rows(&cli, "trips"),
        "id,city,fare,ts\na,oslo,12.5,1\nb,rome,31.0,1\nc,rome,8.0,2\n"
    );
    assert!(cli.path("trips/city=oslo").is_dir());
}

#[test]
fn every_mode_does_what_it_says() {
    let cli = Cli::new();
    cli.file("trips.csv", TRIPS).file(
        "newer.csv",
        "id,city,fare,ts\nb,rome,30,5\nc,rome,0,0\nd,rome,9,1\n",
    );
    cli.prepare(&[
        "load",
        "trips",
        "trips.csv",
        "--key",
        "id",
        "--ordering",
        "ts",
    ]);
    let again = cli.run(&["load", "trips", "newer.csv", "--key", "id"]);
    assert!(
        again.stderr.contains("the table exists"),
        "{}",
        again.text()
    );
    assert_eq!(
        rows(&cli, "trips"),
        "id,city,fare,ts\na,oslo,12.5,1\nb,rome,30.0,5\nc,rome,8.0,2\nd,rome,9.0,1\n"
    );
    cli.file("gone.csv", "id\na\nd\n");
    cli.prepare(&["load", "trips", "gone.csv", "--mode", "delete"]);
    assert_eq!(
        rows(&cli, "trips"),
        "id,city,fare,ts\nb,rome,30.0,5\nc,rome,8.0,2\n"
    );
    cli.file("more.csv", "ts,id,fare,city\n1,x,1,nice\n");
    cli.prepare(&["load", "trips", "more.csv", "--mode", "bulk_insert"]);
    assert_eq!(
        rows(&cli, "trips"),
        "id,city,fare,ts\nb,rome,30.0,5\nc,rome,8.0,2\nx,nice,1.0,1\n"
    );
}

#[test]
fn standard_input_is_recognised() {
    let cli = Cli::new();
    let json = b"{\"id\":\"a\",\"city\":\"oslo\",\"fare\":1.5,\"ts\":1}\n{\"id\":\"b\",\"city\":null,\"fare\":2.5,\"ts\":2}\n";
    let said = cli.run_with_input(&["load", "json", "-", "--key", "id"], json);
    assert_eq!(said.code, 0, "{}", said.text());
    assert_eq!(
        rows(&cli, "json"),
        "id,city,fare,ts\na,oslo,1.5,1\nb,,2.5,2\n"
    );
    let said = cli.run_with_input(&["load", "csv", "-", "--key", "id"], TRIPS.as_bytes());
    assert_eq!(said.code, 0, "{}", said.text());
    let week = std::fs::read(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/flights/events-week1.parquet"),
    )
    .unwrap();
    let said = cli.run_with_input(
        &[
            "load",
            "parquet",
            "-",
            "--key",
            "flight_id",
            "--ordering",
            "event_time",
            "--format",
            "json",
        ],
        &week,
    );
    assert_eq!(said.code, 0, "{}", said.text());
    assert!(
        said.stdout.contains("\"rows\":18262,\"inserted\":6099,"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_table_is_created_from_each_kind_of_schema() {
    let cli = Cli::new();
    cli.file(
        "trips.ddl",
        "id string not null, city string, fare double, ts bigint",
    );
    cli.check(
        &[
            "create",
            "ddl",
            "--key",
            "id",
            "--ordering",
            "ts",
            "--partition",
            "city",
            "--schema",
            "trips.ddl",
        ],
        &expect![[r#"
            ── standard error ──
            created ddl; next: oxlake load ddl FILE --mode upsert
        "#]],
    );
    let avro = r#"{"type":"record","name":"t","fields":[{"name":"id","type":"string"},{"name":"city","type":["null","string"],"default":null},{"name":"fare","type":["null","double"],"default":null},{"name":"ts","type":"long"}]}"#;
    cli.file("trips.avsc", avro).file("trips.csv", TRIPS);
    cli.prepare(&["create", "avro", "--key", "id", "--schema", "trips.avsc"]);
    for table in ["ddl", "avro"] {
        cli.prepare(&["load", table, "trips.csv"]);
        assert_eq!(
            rows(&cli, table),
            "id,city,fare,ts\na,oslo,12.5,1\nb,rome,31.0,1\nc,rome,8.0,2\n",
            "{table}"
        );
    }
    let events = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/flights/events-week1.parquet");
    cli.prepare(&[
        "create",
        "flights",
        "--key",
        "flight_id",
        "--schema",
        events.to_str().unwrap(),
    ]);
    cli.check(&["query", "flights", "--format", "csv"], &expect![[r#"
        flight_id,status,flight_date,carrier,flight,tailnum,origin,dest,dep_delay_min,arr_delay_min,air_time_min,distance_miles,event_time
    "#]]);
}
