//! `oxlake timeline show`, `file-group list` and `commit show` on the demo's table.

use expect_test::expect;

use crate::cli::{check_flights, flights, without_sizes};

/// The first lines of what a command prints.
fn head(words: &[&str], lines: usize) -> String {
    let said = flights(words);
    assert_eq!(said.code, 0, "{}", said.text());
    let text = said.text();
    text.lines()
        .take(lines)
        .flat_map(|line| [line, "\n"])
        .collect()
}

#[test]
fn the_timeline_is_listed_oldest_first() {
    expect![[r#"
         instant           │ completed         │ action │ inserted │ updated │ deleted │ files
        ───────────────────┼───────────────────┼────────┼──────────┼─────────┼─────────┼───────
         20121231115959000 │ 20121231115959003 │ upsert │        6 │       0 │       0 │     1
         20121231175959000 │ 20121231175959003 │ upsert │      291 │       0 │       0 │     1
         20121231235959000 │ 20121231235959003 │ upsert │      357 │       0 │       0 │     1
         20130101055959000 │ 20130101055959003 │ upsert │      188 │      17 │       0 │     1
         20130101115959000 │ 20130101115959005 │ upsert │        7 │     303 │       0 │     2
         20130101175959000 │ 20130101175959005 │ upsert │      357 │     485 │       0 │     2
    "#]]
    .assert_eq(&without_sizes(&head(&["timeline", "show", "flights"], 8)));
    let said = flights(&["timeline", "show", "flights", "--format", "json"]);
    assert_eq!(said.stdout.lines().count(), 52);
    expect![[r#"
        instant,completed,action,state,operation,inserted,updated,deleted,files,bytes
        20121231115959000,20121231115959003,commit,completed,upsert,6,0,0,1,#####
        20121231175959000,20121231175959003,commit,completed,upsert,291,0,0,1,#####
    "#]]
    .assert_eq(&without_sizes(&head(
        &["timeline", "show", "flights", "--format", "csv"],
        3,
    )));
}

#[test]
fn file_groups_are_listed_by_partition() {
    let now = flights(&["file-group", "list", "flights", "--format", "json"]);
    assert_eq!(now.stdout.lines().count(), 7, "{}", now.text());
    let then = flights(&[
        "file-group",
        "list",
        "flights",
        "--as-of",
        "2013-01-01 00:00",
        "--format",
        "json",
    ]);
    assert_eq!(then.stdout.lines().count(), 1, "{}", then.text());
    expect![[r#"
         partition              │ file_id                      │ base_instant      │ base_bytes │ log_files
        ────────────────────────┼──────────────────────────────┼───────────────────┼────────────┼───────────
         flight_date=2013-01-01 │ xxxxxxxx-xxxx-xxxx-xxxx-xxx… │ 20130102115959000 │      ##### │         0
         flight_date=2013-01-02 │ xxxxxxxx-xxxx-xxxx-xxxx-xxx… │ 20130103045959000 │      ##### │         0
         flight_date=2013-01-03 │ xxxxxxxx-xxxx-xxxx-xxxx-xxx… │ 20130104115959000 │      ##### │         0
         flight_date=2013-01-04 │ xxxxxxxx-xxxx-xxxx-xxxx-xxx… │ 20130105055959000 │      ##### │         0
         flight_date=2013-01-05 │ xxxxxxxx-xxxx-xxxx-xxxx-xxx… │ 20130106055959000 │      ##### │         0
         flight_date=2013-01-06 │ xxxxxxxx-xxxx-xxxx-xxxx-xxx… │ 20130107055959000 │      ##### │         0
         flight_date=2013-01-07 │ xxxxxxxx-xxxx-xxxx-xxxx-xxx… │ 20130108055959000 │      ##### │         0
        7 rows
    "#]].assert_eq(&without_sizes(&head(
        &["file-group", "list", "flights"],
        10,
    )));
}

#[test]
fn a_commit_is_shown_file_by_file() {
    let time = flights(&["timeline", "show", "flights", "--format", "csv"]);
    let time = time
        .stdout
        .lines()
        .find(|line| line.starts_with("20130103175959"))
        .unwrap()
        .to_owned();
    let time = time.split(',').next().unwrap();
    let said = flights(&["commit", "show", "flights", time]);
    assert_eq!(said.code, 0, "{}", said.text());
    expect![[r#"
         partition              │ file_id                     │ rows │ inserted │ updated │ deleted │ bytes
        ────────────────────────┼─────────────────────────────┼──────┼──────────┼─────────┼─────────┼───────
         flight_date=2013-01-03 │ xxxxxxxx-xxxx-xxxx-xxxx-xx… │  914 │        0 │     121 │       0 │ #####
         flight_date=2013-01-04 │ xxxxxxxx-xxxx-xxxx-xxxx-xx… │  360 │       45 │       0 │       0 │ #####
        2 rows
        ── standard error ──
        upsert requested 20130103175959000, completed 20130103175959005
    "#]].assert_eq(&without_sizes(&said.text()));
}

#[test]
fn help_is_short() {
    check_flights(
        &["timeline", "show", "--help"],
        &expect![[r#"
        What happened to a table, oldest first

        Usage: oxlake timeline show [OPTIONS] <TABLE>

        Arguments:
          <TABLE>  Folder or URL of the table

        Options:
          -h, --help  Print help

        Everywhere:
              --format <FORMAT>   How rows are printed [default: table] [possible values: table, json, csv]
              --conf <KEY=VALUE>  A setting of the storage (credentials, endpoint) or of the writer; may be
                                  repeated

        Example:
          oxlake timeline show trips

        An instant is the time at which an action was requested; `completed` is when it became visible,
        which is what `query --from` and `--to` go by.
    "#]],
    );
}
