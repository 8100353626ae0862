//! Moments in the two forms in which Java prints them at the head of a properties file.

use oxlake_model::CivilDate;

const DAY_MS: i64 = 86_400_000;
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// A moment as `java.util.Date` prints it in UTC: `Sat Mar 07 16:24:37 UTC 2026`.
pub fn java_date_line(epoch_ms: i64) -> String {
    let Moment {
        date,
        weekday,
        hour,
        minute,
        second,
        ..
    } = Moment::at(epoch_ms);
    let weekday = WEEKDAYS.get(weekday).copied().unwrap_or_default();
    let month = MONTHS.get(usize::from(date.month()) - 1).copied();
    let (month, day, year) = (month.unwrap_or_default(), date.day(), date.year());
    format!("{weekday} {month} {day:02} {hour:02}:{minute:02}:{second:02} UTC {year:04}")
}

/// A moment as `java.time.Instant` prints it: `2026-03-07T22:24:59.031Z`, without a fraction when it is
/// zero.
pub fn java_instant(epoch_ms: i64) -> String {
    let Moment {
        date,
        hour,
        minute,
        second,
        millis,
        ..
    } = Moment::at(epoch_ms);
    let fraction = if millis == 0 {
        String::new()
    } else {
        format!(".{millis:03}")
    };
    format!("{date}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// A moment in UTC, taken apart.
struct Moment {
    date: CivilDate,
    /// From the weekday of 1 January 1970.
    weekday: usize,
    hour: i64,
    minute: i64,
    second: i64,
    millis: i64,
}

impl Moment {
    fn at(epoch_ms: i64) -> Self {
        let (days, of_day) = (epoch_ms.div_euclid(DAY_MS), epoch_ms.rem_euclid(DAY_MS));
        Self {
            date: CivilDate::from_days(days),
            weekday: usize::try_from(days.rem_euclid(7)).unwrap_or_default(),
            hour: of_day / 3_600_000,
            minute: of_day / 60_000 % 60,
            second: of_day / 1000 % 60,
            millis: of_day % 1000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_printed_as_java_prints_them() {
        assert_eq!(
            java_date_line(1_772_900_677_000),
            "Sat Mar 07 16:24:37 UTC 2026"
        );
        assert_eq!(java_instant(1_772_900_677_031), "2026-03-07T16:24:37.031Z");
        assert_eq!(java_instant(1_772_900_677_000), "2026-03-07T16:24:37Z");
        assert_eq!(java_instant(0), "1970-01-01T00:00:00Z");
        assert_eq!(java_instant(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(
            java_date_line(951_782_400_000),
            "Tue Feb 29 00:00:00 UTC 2000"
        );
        assert_eq!(java_instant(4_107_542_399_000), "2100-02-28T23:59:59Z");
        assert_eq!(java_instant(4_107_542_400_000), "2100-03-01T00:00:00Z");
    }
}
