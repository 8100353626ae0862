//! The time of an instant, kept as the digits it was written with.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{CivilDate, Error, Result};

/// The requested or completion time of an instant: `yyyyMMddHHmmssSSS`, or one of the shorter and longer
/// legacy forms (spec 01 §3.1).
///
/// Always compared as text, never as a number or a date, exactly as the JVM does. The digits are wall-clock
/// time in the zone of the table; only display and age policies need the zone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstantTime(Arc<str>);

impl InstantTime {
    /// Reads decimal digits of any length.
    ///
    /// # Errors
    /// [`Error::Parse`] when the text is empty or holds anything but ASCII digits.
    pub fn parse(text: &str) -> Result<Self> {
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(Self(text.into()));
        }
        Err(Error::Parse {
            what: "instant time",
            text: text.to_owned(),
            expected: "17 decimal digits yyyyMMddHHmmssSSS",
        })
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The time of an epoch with milliseconds, shown in the zone `offset_seconds` east of UTC.
    ///
    /// Years outside 0 to 9999 are pulled to the nearest time that has 17 digits.
    pub fn from_epoch_millis(epoch_ms: i64, offset_seconds: i32) -> Self {
        let local = epoch_ms.saturating_add(i64::from(offset_seconds) * 1000);
        let local = local.clamp(FIRST_MS, LAST_MS);
        let (days, ms) = (local.div_euclid(DAY_MS), local.rem_euclid(DAY_MS));
        let date = CivilDate::from_days(days);
        let (year, month, day) = (date.year(), date.month(), date.day());
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        let text = format!(
            "{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}{:03}",
            ms % 1000
        );
        Self(text.into())
    }

    /// The epoch with milliseconds of these digits read in the zone `offset_seconds` east of UTC.
    ///
    /// 14 digits count as the last millisecond of their second; of more than 17 digits the first 17 count.
    /// `None` for markers such as `00000000000000` that are no calendar time.
    pub fn to_epoch_millis(&self, offset_seconds: i32) -> Option<i64> {
        let number = |from: usize, to: usize| self.0.get(from..to)?.parse::<i64>().ok();
        let short = |from: usize, to: usize| u8::try_from(number(from, to)?).ok();
        let date = CivilDate::new(number(0, 4)?, short(4, 6)?, short(6, 8)?)?;
        let (hour, minute, second) = (number(8, 10)?, number(10, 12)?, number(12, 14)?);
        let ms = match self.0.len() {
            14 => 999,
            len if len >= 17 => number(14, 17)?,
            _ => return None,
        };
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let local = date.days() * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
        Some(local - i64::from(offset_seconds) * 1000)
    }
}

impl fmt::Display for InstantTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for InstantTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for InstantTime {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl AsRef<str> for InstantTime {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

const DAY_MS: i64 = 86_400_000;
/// 0000-01-01T00:00:00.000 and 9999-12-31T23:59:59.999.
const FIRST_MS: i64 = -62_167_219_200_000;
const LAST_MS: i64 = 253_402_300_799_999;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_times_print_in_their_zone() {
        let ms = 1_772_922_274_124; // 2026-03-07T22:24:34.124Z
        assert_eq!(
            InstantTime::from_epoch_millis(ms, 0).as_str(),
            "20260307222434124"
        );
        let cst = InstantTime::from_epoch_millis(ms, -6 * 3600);
        assert_eq!(cst.as_str(), "20260307162434124");
        assert_eq!(cst.to_epoch_millis(-6 * 3600), Some(ms));
        assert_eq!(
            InstantTime::from_epoch_millis(0, 0).as_str(),
            "19700101000000000"
        );
        assert_eq!(
            InstantTime::from_epoch_millis(i64::MAX, 0).as_str(),
            "99991231235959999"
        );
        assert_eq!(
            InstantTime::from_epoch_millis(i64::MIN, 0).as_str(),
            "00000101000000000"
        );
    }

    #[test]
    fn legacy_and_special_forms() {
        let time = |text: &str| InstantTime::parse(text).unwrap();
        assert!(
            time("20240101120000") < time("20240101120000123"),
            "a prefix sorts first"
        );
        assert_eq!(time("19700101000000").to_epoch_millis(0), Some(999));
        assert_eq!(time("19700101000000001001").to_epoch_millis(0), Some(1));
        assert_eq!(time("00000000000000").to_epoch_millis(0), None);
        assert_eq!(time("0").to_epoch_millis(0), None);
        assert_eq!(
            time("20240230000000000").to_epoch_millis(0),
            None,
            "no 30th of February"
        );
        for bad in ["", "2024-01-01", "１２", "1 "] {
            assert!(InstantTime::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn epoch_round_trip(ms in FIRST_MS..=LAST_MS) {
            let time = InstantTime::from_epoch_millis(ms, 0);
            prop_assert_eq!(time.as_str().len(), 17);
            prop_assert_eq!(time.to_epoch_millis(0), Some(ms));
        }

        #[test]
        fn text_order_is_time_order(a in FIRST_MS..=LAST_MS, b in FIRST_MS..=LAST_MS) {
            let (x, y) = (InstantTime::from_epoch_millis(a, 0), InstantTime::from_epoch_millis(b, 0));
            prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,24}") {
            if let Ok(time) = InstantTime::parse(&text) {
                let _ = time.to_epoch_millis(3600);
                prop_assert_eq!(time.as_str(), text);
            }
        }
    }
}
