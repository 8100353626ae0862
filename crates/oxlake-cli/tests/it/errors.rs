//! What the program says when something is wrong, and its exit codes.

use expect_test::expect;

use crate::cli::{Cli, flights};

#[test]
fn a_missing_table_is_a_failure() {
    let cli = Cli::new();
    cli.check_failure(&["query", "trips"], 1, &expect![[r#"
        ── standard error ──
        error: no table at file:///HOME/trips: there is no .hoodie/hoodie.properties (create one, or check the path)
          hint: `oxlake create` and `oxlake load` make tables; `oxlake demo --dir flights` one to look at
    "#]]);
    cli.check_failure(&["sql", "select * from 'trips'"], 1, &expect![[r#"
        ── standard error ──
        error: there is no table trips here; name a table by its path or URL in quotes, as in select * from 'path/to/table'
    "#]]);
    cli.check_failure(&["sql", "select * from './trips'"], 1, &expect![[r#"
        ── standard error ──
        error: no table at file:///HOME/trips: there is no .hoodie/hoodie.properties (create one, or check the path)
    "#]]);
    cli.file("trips.csv", "id\n1\n");
    cli.check_failure(&["load", "trips", "trips.csv"], 1, &expect![[r#"
        ── standard error ──
        error: no table at file:///HOME/trips: there is no .hoodie/hoodie.properties (create one, or check the path)
          hint: --key id (and --ordering, --partition) makes it from the columns of the file
    "#]]);
}

#[test]
fn nonsense_is_a_usage_error() {
    let cli = Cli::new();
    for words in [
        &["query"][..],
        &["query", "t", "--as-of", "1", "--from", "2"],
        &["query", "t", "--to", "2"],
        &["load", "t", "f", "--mode", "wrong"],
        &["load", "t", "f", "--batch-rows", "0"],
        &["query", "t", "--format", "xml"],
        &["query", "t", "--conf", "key"],
        &["wrong"],
        &[],
    ] {
        let said = cli.run(words);
        assert_eq!(said.code, 2, "{words:?}: {}", said.text());
        assert!(
            said.stdout.is_empty() && said.stderr.contains("--help"),
            "{words:?}: {}",
            said.text()
        );
    }
    cli.file("t.ddl", "id string");
    cli.check_failure(
        &["create", "t", "--schema", "t.ddl"],
        2,
        &expect![[r#"
        ── standard error ──
        error: --key is missing: name the columns that identify a row
          hint: oxlake COMMAND --help shows the options and an example
    "#]],
    );
    cli.check_failure(
        &["create", "t", "--key", "id"],
        2,
        &expect![[r#"
        ── standard error ──
        error: --schema is missing: name a file with the columns
          hint: oxlake COMMAND --help shows the options and an example
    "#]],
    );
    cli.check_failure(
        &[
            "create",
            "t",
            "--key",
            "id",
            "--schema",
            "t.ddl",
            "--table-version",
            "7",
        ],
        2,
        &expect![[r#"
            ── standard error ──
            error: --table-version: table version 7 is not supported (supported: 6, 8, 9); 7 is a passing state of an upgrade: finish the upgrade to 8 with the engine that began it
              hint: oxlake COMMAND --help shows the options and an example
        "#]],
    );
}

#[test]
fn a_bad_time_is_a_usage_error() {
    for (words, expected) in [
        (
            ["query", "flights", "--as-of", "yesterday"],
            expect![[r#"
            ── standard error ──
            error: --as-of: 'yesterday' is not a time: use yyyyMMddHHmmss[SSS], yyyy-MM-dd, or yyyy-MM-dd[ T]HH:mm[:ss[.SSS]] with an optional Z or offset (+02:00)
              hint: oxlake COMMAND --help shows the options and an example
        "#]],
        ),
        (
            ["query", "flights", "--from", "2013-13-01"],
            expect![[r#"
            ── standard error ──
            error: --from: '2013-13-01' is not a time: use yyyyMMddHHmmss[SSS], yyyy-MM-dd, or yyyy-MM-dd[ T]HH:mm[:ss[.SSS]] with an optional Z or offset (+02:00)
              hint: oxlake COMMAND --help shows the options and an example
        "#]],
        ),
        (
            ["file-group", "list", "flights", "--as-of=now"],
            expect![[r#"
            ── standard error ──
            error: --as-of: 'now' is not a time: use yyyyMMddHHmmss[SSS], yyyy-MM-dd, or yyyy-MM-dd[ T]HH:mm[:ss[.SSS]] with an optional Z or offset (+02:00)
              hint: oxlake COMMAND --help shows the options and an example
        "#]],
        ),
    ] {
        let said = flights(&words);
        assert_eq!(said.code, 2, "{}", said.text());
        expected.assert_eq(&said.text());
    }
}

#[test]
fn unknown_columns_are_named_with_those_there_are() {
    for (words, expected) in [
        (
            &["query", "flights", "--columns", "flight_id,satus"][..],
            expect![[r#"
                ── standard error ──
                error: there is no column 'satus'; there are flight_id, status, flight_date, carrier, flight, tailnum, origin, dest, dep_delay_min, arr_delay_min, air_time_min, distance_miles, event_time
            "#]],
        ),
        (
            &["query", "flights", "--where", "satus = 'landed'"],
            expect![[r#"
                ── standard error ──
                error: cannot use the condition 'satus = 'landed'': there is no column 'satus'; there are flight_id, status, flight_date, carrier, flight, tailnum, origin, dest, dep_delay_min, arr_delay_min, air_time_min, distance_miles, event_time
            "#]],
        ),
        (
            &["sql", "select satus from 'flights'"],
            expect![[r#"
            ── standard error ──
            error: there is no column 'satus'; there are flight_id, status, flight_date, carrier, flight, tailnum, origin, dest, dep_delay_min, arr_delay_min, air_time_min, distance_miles, event_time
        "#]],
        ),
        (
            &["query", "flights", "--where", "status ="],
            expect![[r#"
            ── standard error ──
            error: cannot use the condition 'status =': Expected: an expression, found: EOF
        "#]],
        ),
        (
            &["commit", "show", "flights", "20130101000000000"],
            expect![[r#"
                ── standard error ──
                error: there is no commit at 20130101000000000
                  hint: oxlake timeline show flights lists the commits
            "#]],
        ),
    ] {
        let said = flights(words);
        assert_eq!(said.code, 1, "{}", said.text());
        assert!(said.stdout.is_empty(), "{}", said.text());
        expected.assert_eq(&said.text());
    }
}

#[test]
fn bad_files_are_named() {
    let cli = Cli::new();
    let key = ["--key", "id"];
    cli.file("empty.csv", "")
        .file("odd.txt", "hello")
        .file("bad.csv", "id,n\na,1\nb,x\n")
        .file("bad.json", "{\"id\":");
    cli.file("head.csv", "id,n\n")
        .file("not.parquet", "hello")
        .file("twice.csv", "id,id\n1,2\n");
    for (file, expected) in [
        (
            "missing.csv",
            expect![[r#"
            error: missing.csv: No such file or directory (os error 2)
        "#]],
        ),
        (
            "empty.csv",
            expect![[r#"
            error: empty.csv: no header line
        "#]],
        ),
        (
            "head.csv",
            expect![[r#"
                error: head.csv has no rows
                  hint: check the file; nothing was written
            "#]],
        ),
        (
            "odd.txt",
            expect![[r#"
            error: the name of odd.txt does not say what it is
              hint: add --input-format parquet, csv or json
        "#]],
        ),
        (
            "bad.json",
            expect![[r#"
            error: bad.json: Json error: Not valid JSON: EOF while parsing a value at line 1 column 6
        "#]],
        ),
        (
            "not.parquet",
            expect![[r#"
            error: not.parquet: EOF: Parquet file too small. Size is 5 but need 8
        "#]],
        ),
        (
            "twice.csv",
            expect![[r#"
            error: two columns are named 'id'
              hint: the columns of a table have different names
        "#]],
        ),
    ] {
        let said = cli.run(&[&["load", "t", file][..], &key].concat());
        assert_eq!(said.code, 1, "{file}: {}", said.text());
        expected.assert_eq(&said.stderr);
        assert!(
            !cli.path("t").exists() || file == "head.csv",
            "{file} left a table behind"
        );
    }
    cli.file("t.ddl", "id string not null, n bigint");
    cli.prepare(&["create", "typed", "--key", "id", "--schema", "t.ddl"]);
    cli.check_failure(&["load", "typed", "bad.csv"], 1, &expect![[r#"
        ── standard error ──
        error: bad.csv: Parser error: Error while parsing value 'x' as type 'Int64' for column 1 at line 2. Row data: '[b,x]'
    "#]]);
    cli.file("extra.csv", "id,n,m\na,1,2\n");
    cli.check_failure(&["load", "typed", "extra.csv"], 1, &expect![[r#"
        ── standard error ──
        error: the table has no column 'm' (it has: id, n); adding columns by writing is not supported yet: leave the column out or create the table with it
    "#]]);
    cli.check_failure(
        &["load", "u", "bad.csv", "--key", "nope"],
        1,
        &expect![[r#"
        ── standard error ──
        error: --key: there is no column 'nope'
          hint: the columns are id, n
    "#]],
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let cli = Cli::new();
    let numbers: Vec<String> = (0..200_000).map(|n| n.to_string()).collect();
    cli.file("n.csv", &format!("id\n{}\n", numbers.join("\n")));
    let mut child = Command::new(env!("CARGO_BIN_EXE_oxlake"))
        .args(["sql", "select * from 'n.csv'", "--format", "csv"])
        .current_dir(cli.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
