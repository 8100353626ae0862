//! One cell as text.

use std::borrow::Cow;

use arrow::array::Array;
use arrow::util::display::{ArrayFormatter, DurationFormat, FormatOptions};

use crate::error::Result;

/// Formats of dates and times for people: blanks instead of `T`, no zeros after the second.
pub(crate) fn format_options() -> FormatOptions<'static> {
    FormatOptions::new()
        .with_null("NULL")
        .with_date_format(Some("%Y-%m-%d"))
        .with_timestamp_format(Some("%Y-%m-%d %H:%M:%S%.f"))
        .with_timestamp_tz_format(Some("%Y-%m-%d %H:%M:%S%.fZ"))
        .with_time_format(Some("%H:%M:%S%.f"))
        .with_duration_format(DurationFormat::Pretty)
}

/// All cells of a column.
pub(crate) fn column_texts(column: &dyn Array) -> Result<Vec<String>> {
    let options = format_options();
    let formatter = ArrayFormatter::try_new(column, &options)?;
    (0..column.len())
        .map(|row| Ok(sanitize(&formatter.value(row).try_to_string()?).into_owned()))
        .collect()
}

/// The text on one line, without characters that would move the cursor or change the terminal.
pub(crate) fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let visible = text.chars().flat_map(|c| match c {
        '\n' => vec!['\\', 'n'],
        '\r' => vec!['\\', 'r'],
        '\t' => vec!['\\', 't'],
        c if c.is_control() => vec!['\u{fffd}'],
        c => vec![c],
    });
    Cow::Owned(visible.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, TimestampMicrosecondArray};

    use super::*;

    #[test]
    fn control_characters_stay_on_the_line() {
        assert_eq!(sanitize("a\nb\tc\u{1b}[31m"), "a\\nb\\tc\u{fffd}[31m");
        assert_eq!(sanitize("plain"), "plain");
    }

    #[test]
    fn times_are_printed_with_a_blank_and_no_idle_zeros() {
        let local: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![
            Some(1_357_207_200_000_000),
            Some(1_357_207_200_500_000),
            None,
        ]));
        assert_eq!(
            column_texts(&local).unwrap(),
            ["2013-01-03 10:00:00", "2013-01-03 10:00:00.500", "NULL"]
        );
        let utc = TimestampMicrosecondArray::from(vec![1_357_207_200_000_000]).with_timezone("UTC");
        assert_eq!(column_texts(&utc).unwrap(), ["2013-01-03 10:00:00Z"]);
    }
}
