//! Times as people write them, turned into the digits of a timeline (spec 04 §6.2).

use oxlake_config::TimelineZone;
use oxlake_env::Clock;
use oxlake_model::InstantTime;

use crate::{Error, Result};

const EXPECTED: &str = "use yyyyMMddHHmmss[SSS], yyyy-MM-dd, or yyyy-MM-dd[ T]HH:mm[:ss[.SSS]] with an optional Z or offset (+02:00)";

/// Reads a time for time travel or as a bound of an incremental query.
///
/// | form | meaning |
/// |---|---|
/// | `20260307162434124`, `20260307162434` | the digits as they are; 14 digits sort before the commits of that second |
/// | `2026-03-07` | midnight in the zone of the table |
/// | `2026-03-07 16:24[:34[.124]]`, also with `T` | wall-clock time in the zone of the table |
/// | the same followed by `Z`, `+02:00`, `+0200`, `+02` | that moment, converted to the zone of the table |
///
/// The clock is asked only for the local offset, when the table keeps local time and the text has an offset.
/// Digits finer than a millisecond are cut off.
///
/// # Errors
/// [`Error::Time`] for any other text and for days and hours that do not exist.
pub fn parse_time(text: &str, zone: TimelineZone, clock: &dyn Clock) -> Result<InstantTime> {
    let text = text.trim();
    let refused = || Error::Time {
        text: text.to_owned(),
        expected: EXPECTED,
    };
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return match text.len() {
            14 | 17.. => InstantTime::parse(text).map_err(|_| refused()),
            _ => Err(refused()),
        };
    }
    let (wall, offset) = split_offset(text).ok_or_else(refused)?;
    let digits = wall_digits(wall).ok_or_else(refused)?;
    let written = InstantTime::parse(&digits).map_err(|_| refused())?;
    let epoch_ms = written
        .to_epoch_millis(offset.unwrap_or(0))
        .ok_or_else(refused)?;
    match (offset, zone) {
        (None, _) => Ok(written),
        (Some(_), TimelineZone::Utc) => Ok(InstantTime::from_epoch_millis(epoch_ms, 0)),
        (Some(_), TimelineZone::Local) => {
            let here = clock.local_offset_seconds(epoch_ms);
            Ok(InstantTime::from_epoch_millis(epoch_ms, here))
        }
    }
}

/// Reads the begin of an incremental query: `earliest` and zeros (`000`) are the beginning of the table.
///
/// # Errors
/// As [`parse_time`].
pub fn parse_begin(
    text: &str,
    zone: TimelineZone,
    clock: &dyn Clock,
) -> Result<Option<InstantTime>> {
    let text = text.trim();
    let zeros = !text.is_empty() && text.bytes().all(|b| b == b'0');
    if zeros || text.eq_ignore_ascii_case("earliest") {
        return Ok(None);
    }
    parse_time(text, zone, clock).map(Some)
}

/// Splits `2026-03-07T16:24Z` into the wall-clock part and the offset in seconds.
fn split_offset(text: &str) -> Option<(&str, Option<i32>)> {
    if let Some(wall) = text.strip_suffix(['Z', 'z']) {
        return Some((wall, Some(0)));
    }
    // The date holds two dashes; a sign after the time of day is an offset.
    let Some(at) = text.rfind(['+', '-']).filter(|at| *at > 10) else {
        return Some((text, None));
    };
    let (wall, offset) = text.split_at_checked(at)?;
    let (sign, digits) = offset.split_at_checked(1)?;
    let digits = digits.replace(':', "");
    if !digits.bytes().all(|b| b.is_ascii_digit()) || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits
        .get(2..)
        .filter(|m| !m.is_empty())
        .unwrap_or("0")
        .parse()
        .ok()?;
    if hours > 18 || minutes > 59 {
        return None;
    }
    let seconds = hours * 3600 + minutes * 60;
    Some((
        wall.trim_end(),
        Some(if sign == "-" { -seconds } else { seconds }),
    ))
}

/// The 17 digits of `yyyy-MM-dd` with an optional time of day.
fn wall_digits(wall: &str) -> Option<String> {
    let (date, time) = match wall.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, time),
        None => (wall, "00:00"),
    };
    let mut digits = fixed_numbers(date, '-', &[4, 2, 2])?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let widths: &[usize] = if time.len() == 5 { &[2, 2] } else { &[2, 2, 2] };
    digits.push_str(&fixed_numbers(time, ':', widths)?);
    if widths.len() == 2 {
        digits.push_str("00");
    }
    if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.extend(fraction.chars().chain("000".chars()).take(3));
    Some(digits)
}

/// The digits of numbers of fixed width with a separator between them.
fn fixed_numbers(text: &str, separator: char, widths: &[usize]) -> Option<String> {
    let parts: Vec<&str> = text.split(separator).collect();
    let good = parts.len() == widths.len()
        && parts
            .iter()
            .zip(widths)
            .all(|(part, width)| part.len() == *width && part.bytes().all(|b| b.is_ascii_digit()));
    good.then(|| parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxlake_env::ManualClock;
    use proptest::prelude::*;

    fn utc(text: &str) -> Option<String> {
        let clock = ManualClock::new(0, 8 * 3600);
        parse_time(text, TimelineZone::Utc, &clock)
            .ok()
            .map(|time| time.as_str().to_owned())
    }

    fn local(text: &str) -> Option<String> {
        let clock = ManualClock::new(0, 8 * 3600);
        parse_time(text, TimelineZone::Local, &clock)
            .ok()
            .map(|time| time.as_str().to_owned())
    }

    #[test]
    fn every_documented_form_is_read() {
        for (text, expected) in [
            ("20260307162434124", "20260307162434124"),
            ("20260307162434", "20260307162434"),
            ("2026-03-07", "20260307000000000"),
            ("2026-03-07 16:24:34.124", "20260307162434124"),
            ("2026-03-07 16:24:34", "20260307162434000"),
            ("2026-03-07T16:24:34", "20260307162434000"),
            ("2026-03-07 16:24", "20260307162400000"),
            ("2026-03-07T16:24:34.5", "20260307162434500"),
            ("2026-03-07T16:24:34.123456789", "20260307162434123"),
            ("2026-03-07T16:24:34Z", "20260307162434000"),
            ("2026-03-07T16:24:34.124+02:00", "20260307142434124"),
            ("2026-03-07 16:24:34 +0200", "20260307142434000"),
            ("2026-03-07T16:24:34-06", "20260307222434000"),
        ] {
            assert_eq!(utc(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_table_in_local_time_keeps_wall_clock_text_and_converts_moments() {
        assert_eq!(
            local("2026-03-07 16:24:34").as_deref(),
            Some("20260307162434000")
        );
        assert_eq!(
            local("2026-03-07T16:24:34Z").as_deref(),
            Some("20260308002434000")
        );
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "2026",
            "20260307",
            "2026-3-7",
            "2026-02-30",
            "2026-03-07 24:00:00",
            "2026-03-07 16",
            "2026-03-07T16:24:34.",
            "2026-03-07T16:24:34+99:00",
            "yesterday",
            "2026-03-07T16:24:34+1",
            "ü026-03-07",
            "2026-03-07T16:24:34 Berlin",
        ] {
            assert_eq!(utc(text), None, "{text}");
        }
    }

    #[test]
    fn the_beginning_of_a_table_has_names() {
        let clock = ManualClock::new(0, 0);
        for text in ["000", "0", "earliest", "Earliest"] {
            assert_eq!(parse_begin(text, TimelineZone::Utc, &clock).unwrap(), None);
        }
        assert!(
            parse_begin("2026-01-01", TimelineZone::Utc, &clock)
                .unwrap()
                .is_some()
        );
        assert!(parse_begin("", TimelineZone::Utc, &clock).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[-0-9T:. Z+zé]{0,30}") {
            let _ = utc(&text);
        }
    }
}
