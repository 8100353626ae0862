#![allow(
    clippy::needless_raw_string_hashes,
    reason = "as the snapshots are rewritten"
)]

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use arrow::datatypes::Schema;
use expect_test::{Expect, expect};

use super::*;

fn batch(rows: usize) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(
        (0..rows).map(|row| i64::try_from(row).unwrap()),
    ));
    let names: ArrayRef = Arc::new(
        (0..rows)
            .map(|row| match row % 3 {
                0 => Some("short".to_owned()),
                1 => None,
                _ => Some(format!("a rather long text with ünïcode 日本 in row {row}")),
            })
            .collect::<StringArray>(),
    );
    let prices: ArrayRef = Arc::new(Float64Array::from_iter_values(
        (0..rows).map(|row| f64::from(u32::try_from(row).unwrap()) / 4.0),
    ));
    RecordBatch::try_from_iter_with_nullable([
        ("id", ids, false),
        ("name", names, true),
        ("price", prices, false),
    ])
    .unwrap()
}

fn check(batches: &[RecordBatch], width: usize, max_rows: Option<usize>, expected: &Expect) {
    let mut text = Vec::new();
    let schema = batches
        .first()
        .map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
    let options = TableOptions {
        width,
        max_rows,
        indent: 0,
        footer: true,
    };
    let mut sink = Box::new(TableSink::new(&schema, &options, Box::new(&mut text)));
    for batch in batches {
        sink.batch(batch).unwrap();
    }
    sink.finish().unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.lines().all(|line| measure_text_width(line) <= width),
        "too wide:\n{text}"
    );
    expected.assert_eq(&text);
}

#[test]
fn numbers_stand_right_and_nulls_are_named() {
    check(
        &[batch(3)],
        100,
        None,
        &expect![[r#"
         id │ name                                          │ price
        ────┼───────────────────────────────────────────────┼───────
          0 │ short                                         │   0.0
          1 │ NULL                                          │  0.25
          2 │ a rather long text with ünïcode 日本 in row 2 │   0.5
        3 rows
    "#]],
    );
}

#[test]
fn a_wide_column_is_cut() {
    check(
        &[batch(3)],
        40,
        None,
        &expect![[r#"
         id │ name                      │ price
        ────┼───────────────────────────┼───────
          0 │ short                     │   0.0
          1 │ NULL                      │  0.25
          2 │ a rather long text with … │   0.5
        3 rows
    "#]],
    );
}

#[test]
fn the_middle_of_a_long_answer_is_left_out() {
    let batches: Vec<_> = (0..20).map(|_| batch(7)).collect();
    check(
        &batches,
        60,
        Some(6),
        &expect![[r#"
         id │ name                                          │ price
        ────┼───────────────────────────────────────────────┼───────
          0 │ short                                         │   0.0
          1 │ NULL                                          │  0.25
          2 │ a rather long text with ünïcode 日本 in row 2 │   0.5
         ⋮  │ ⋮                                             │ ⋮
          4 │ NULL                                          │   1.0
          5 │ a rather long text with ünïcode 日本 in row 5 │  1.25
          6 │ short                                         │   1.5
        140 rows (6 shown); --format csv or json prints all
    "#]],
    );
}

#[test]
fn an_answer_of_exactly_the_maximum_is_shown_whole() {
    check(
        &[batch(2), batch(2)],
        40,
        Some(4),
        &expect![[r#"
         id │ name  │ price
        ────┼───────┼───────
          0 │ short │   0.0
          1 │ NULL  │  0.25
          0 │ short │   0.0
          1 │ NULL  │  0.25
        4 rows
    "#]],
    );
}

#[test]
fn no_rows_is_a_header_and_a_count() {
    check(
        &[batch(0)],
        100,
        None,
        &expect![[r#"
         id │ name │ price
        ────┼──────┼───────
        0 rows
    "#]],
    );
}

#[test]
fn columns_in_the_middle_go_when_nothing_else_helps() {
    let columns = (0..12).map(|index| {
        let values: ArrayRef =
            Arc::new(StringArray::from(vec![format!("value {index} of twelve")]));
        (format!("column_{index}"), values)
    });
    check(
        &[RecordBatch::try_from_iter(columns).unwrap()],
        80,
        None,
        &expect![[r#"
             column_0          │ … │ column_10          │ column_11
            ───────────────────┼───┼────────────────────┼────────────────────
             value 0 of twelve │ … │ value 10 of twelve │ value 11 of twelve
            1 row, 12 columns (3 shown); --format csv or json prints all
        "#]],
    );
}

#[test]
fn thousands_are_grouped() {
    let texts = [0, 999, 1000, 1_002_073, u64::MAX].map(thousands);
    assert_eq!(
        texts,
        [
            "0",
            "999",
            "1,000",
            "1,002,073",
            "18,446,744,073,709,551,615"
        ]
    );
}
