//! Dates and the day numbers they are stored as.

use std::fmt;

/// A date of the proleptic Gregorian calendar, the one of `java.time.LocalDate` and of stored dates.
///
/// ```
/// use oxlake_model::CivilDate;
/// let date = CivilDate::parse("2024-02-29").unwrap();
/// assert_eq!(date.days(), 19_782);
/// assert_eq!(CivilDate::from_days(19_782).to_string(), "2024-02-29");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CivilDate {
    year: i64,
    month: u8,
    day: u8,
}

impl CivilDate {
    /// The date that is `days` after 1970-01-01. Days beyond the range of `i64` milliseconds are pulled into it.
    pub fn from_days(days: i64) -> Self {
        // Counted in eras of 400 years that begin in March, so that the day that is sometimes missing is the last.
        let shifted = days.clamp(-LAST_DAY, LAST_DAY) + DAYS_TO_1970;
        let (era, day_of_era) = (shifted.div_euclid(ERA_DAYS), shifted.rem_euclid(ERA_DAYS));
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = (month_from_march + 2) % 12 + 1;
        Self {
            year: era * 400 + year_of_era + i64::from(month <= 2),
            month: u8::try_from(month).unwrap_or(1),
            day: u8::try_from(day).unwrap_or(1),
        }
    }

    /// The date with these numbers; `None` when the calendar has none.
    pub fn new(year: i64, month: u8, day: u8) -> Option<Self> {
        let date = Self { year, month, day };
        let is_near = (-LAST_YEAR..=LAST_YEAR).contains(&year) && (1..=12).contains(&month);
        (is_near && Self::from_days(date.days()) == date).then_some(date)
    }

    /// Reads `yyyy-MM-dd`, four digits of year and no other form; `None` for everything else.
    pub fn parse(text: &str) -> Option<Self> {
        let is_form = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u8>().ok();
        let year = text.get(..4).filter(|_| is_form)?.parse().ok()?;
        Self::new(year, number(5, 7)?, number(8, 10)?)
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i64 {
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = self.year - i64::from(month <= 2);
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * ERA_DAYS + day_of_era - DAYS_TO_1970
    }

    /// The year; 0 is the one before 1.
    pub fn year(self) -> i64 {
        self.year
    }

    /// The month, from 1.
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u8 {
        self.day
    }
}

/// As `LocalDate.toString` prints it: at least four digits of year, a sign before a fifth.
impl fmt::Display for CivilDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.year {
            ..0 => "-",
            10_000.. => "+",
            _ => "",
        };
        let year = self.year.unsigned_abs();
        write!(f, "{sign}{year:04}-{:02}-{:02}", self.month, self.day)
    }
}

/// Days of 400 years.
const ERA_DAYS: i64 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;
/// More days and years than `i64` milliseconds have.
const LAST_DAY: i64 = 106_751_991_168;
const LAST_YEAR: i64 = 292_300_000;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_print_as_java_prints_dates() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (2_932_897, "+10000-01-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
        ] {
            assert_eq!(CivilDate::from_days(days).to_string(), text);
        }
    }

    #[test]
    fn dates_the_calendar_does_not_have_are_refused() {
        for text in [
            "2024-02-30",
            "2023-02-29",
            "2024-00-01",
            "2024-13-01",
            "2024-01-00",
            "2024-1-01",
            "20240101",
            "2024-01-01T",
            "+024-01-01",
            "-024-01-01",
            "2024-+1-01",
            "é24-01-01",
            "",
        ] {
            assert_eq!(CivilDate::parse(text), None, "{text}");
        }
        assert_eq!(CivilDate::new(i64::MAX, 1, 1), None);
        assert_eq!(CivilDate::new(2024, 255, 255), None);
    }

    proptest! {
        #[test]
        fn every_day_has_one_date(days in any::<i64>()) {
            let date = CivilDate::from_days(days);
            prop_assert_eq!(date.days(), days.clamp(-LAST_DAY, LAST_DAY));
            prop_assert_eq!(CivilDate::new(date.year, date.month, date.day), Some(date));
        }

        #[test]
        fn dates_order_and_read_back_as_their_days(days in -719_528_i64..2_932_897, other in -719_528_i64..2_932_897) {
            let (date, later) = (CivilDate::from_days(days), CivilDate::from_days(other));
            prop_assert_eq!(date.cmp(&later), days.cmp(&other));
            prop_assert_eq!(CivilDate::parse(&date.to_string()), Some(date));
        }
    }
}
