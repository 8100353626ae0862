//! `oxlake demo`, word for word.

use expect_test::expect;

use crate::cli::Cli;

#[test]
fn the_demo_tells_the_week() {
    let cli = Cli::new();
    let said = cli.run(&["demo", "--dir", "flights"]);
    assert_eq!(
        (said.code, said.stderr.as_str()),
        (0, ""),
        "{}",
        said.text()
    );
    let text: String = said
        .text()
        .lines()
        .map(|line| {
            if line.contains(" commits in ") {
                "  52 commits in a few seconds.\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    expect![[r#"

        A week of flights out of New York, 1 to 7 January 2013, as a stream of events

          18,262 events: a flight is scheduled, departs, lands, or is cancelled. They are
          upserted in the order in which they became known, one commit every six hours
          and one every hour on 3 January, dated as if it were then. Key flight_id,
          ordering event_time, partition flight_date.

          52 commits in a few seconds.


        1 Snapshot: how the week ended
          $ oxlake query flights

           flight_date │ scheduled │ departed │ landed │ cancelled │ flights
          ─────────────┼───────────┼──────────┼────────┼───────────┼─────────
           2013-01-01  │         0 │        0 │    838 │         4 │     842
           2013-01-02  │         0 │        0 │    935 │         8 │     943
           2013-01-03  │         0 │        0 │    904 │        10 │     914
           2013-01-04  │         0 │        0 │    909 │         6 │     915
           2013-01-05  │         0 │        0 │    717 │         3 │     720
           2013-01-06  │         0 │        0 │    831 │         1 │     832
           2013-01-07  │         0 │        0 │    930 │         3 │     933
           all         │         0 │        0 │   6064 │        35 │    6099


        2 Incremental: what changed on 3 January between 17:00 and 18:00
          $ oxlake query flights --from '2013-01-03 17:00' --to '2013-01-03 18:00'

           flight_id           │ status    │ route      │ arr_delay_min │ known_at
          ─────────────────────┼───────────┼────────────┼───────────────┼──────────
           9E-3453-20130103T21 │ landed    │ JFK to BOS │            45 │ 17:59
           EV-4090-20130104T16 │ scheduled │ EWR to JAX │          NULL │ 17:59
           EV-4572-20130103T19 │ landed    │ EWR to GSP │            70 │ 17:59
           UA-1175-20130103T19 │ landed    │ EWR to RSW │             3 │ 17:59
           AA-1635-20130103T20 │ departed  │ JFK to SJU │          NULL │ 17:58
           B6-1111-20130103T23 │ departed  │ JFK to RDU │          NULL │ 17:58

          166 flights changed in that hour, the last six are shown: 45 were scheduled,
          63 departed, 58 landed, 0 were cancelled.


        3 Time travel: the same week as the third day closed
          $ oxlake query flights --as-of 2013-01-04

           flight_date │ scheduled │ departed │ landed │ cancelled │ flights
          ─────────────┼───────────┼──────────┼────────┼───────────┼─────────
           2013-01-01  │         0 │        0 │    838 │         4 │     842
           2013-01-02  │         0 │        0 │    935 │         8 │     943
           2013-01-03  │         3 │       57 │    844 │        10 │     914
           2013-01-04  │       709 │        0 │      0 │         0 │     709
           all         │       712 │       57 │   2617 │        22 │    3408


        4 Timeline: every commit, at the hour at which it was made
          $ oxlake timeline show flights

                     0:00        6:00        12:00       18:00           new  changed
          Mon 31 Dec             ▁▁▁▁▁▁▁▁▁▁▁ ▃▃▃▃▃▃▃▃▃▃▃ ▃▃▃▃▃▃▃▃▃▃▃     654        0
          Tue  1 Jan ▂▂▂▂▂▂▂▂▂▂▂ ▃▃▃▃▃▃▃▃▃▃▃ ▆▆▆▆▆▆▆▆▆▆▆ ▆▆▆▆▆▆▆▆▆▆▆     926    1,187
          Wed  2 Jan ▃▃▃▃▃▃▃▃▃▃▃ ▃▃▃▃▃▃▃▃▃▃▃ ▇▇▇▇▇▇▇▇▇▇▇ ▆▆▆▆▆▆▆▆▆▆▆     914    1,373
          Thu  3 Jan ▅ ▄ ▃ ▂ ▁ ▁ ▃ ▃ ▅ ▄ ▅ ▅ █ ▇ █ ▇ ▇ ▇ █ ▇ ▇ ▇ ▆ ▅     914    1,828
                                         2 incremental ▲            ▲ 3 time travel
          Fri  4 Jan ▂▂▂▂▂▂▂▂▂▂▂ ▃▃▃▃▃▃▃▃▃▃▃ ▆▆▆▆▆▆▆▆▆▆▆ ▅▅▅▅▅▅▅▅▅▅▅     784    1,307
          Sat  5 Jan ▂▂▂▂▂▂▂▂▂▂▂ ▃▃▃▃▃▃▃▃▃▃▃ ▅▅▅▅▅▅▅▅▅▅▅ ▅▅▅▅▅▅▅▅▅▅▅     771    1,060
          Sun  6 Jan ▂▂▂▂▂▂▂▂▂▂▂ ▃▃▃▃▃▃▃▃▃▃▃ ▆▆▆▆▆▆▆▆▆▆▆ ▆▆▆▆▆▆▆▆▆▆▆     931    1,213
          Mon  7 Jan ▃▃▃▃▃▃▃▃▃▃▃ ▃▃▃▃▃▃▃▃▃▃▃ ▄▄▄▄▄▄▄▄▄▄▄ ▃▃▃▃▃▃▃▃▃▃▃     205    1,335
          Tue  8 Jan ▁▁▁▁▁▁▁▁▁▁▁                                           0       51

          a block is a commit; its height, the events of an hour

           instant           │ completed         │ action │ inserted │ updated
          ───────────────────┼───────────────────┼────────┼──────────┼─────────
           20130103165959000 │ 20130103165959005 │ upsert │       40 │     113
           20130103175959000 │ 20130103175959005 │ upsert │       45 │     121
           20130103185959000 │ 20130103185959005 │ upsert │       51 │     127


        Go on

          The table is any Hudi engine's to read and write. Ask it yourself:

          $ oxlake sql "select dest, avg(arr_delay_min) from 'flights' group by dest order by 2"
          $ oxlake query flights --as-of '2013-01-05 12:00' --where "dest = 'SFO'"
          $ oxlake file-group list flights

    "#]]
    .assert_eq(&text);
    assert!(cli.path("flights/.hoodie/hoodie.properties").exists());
}

#[test]
fn the_demo_does_not_write_into_a_folder_in_use() {
    let cli = Cli::new();
    std::fs::create_dir(cli.path("mine")).unwrap();
    cli.file("mine/precious.txt", "");
    cli.check_failure(
        &["demo", "--dir", "mine"],
        1,
        &expect![[r#"
        ── standard error ──
        error: mine is not empty
          hint: name a new folder for the demo's table
    "#]],
    );
}
