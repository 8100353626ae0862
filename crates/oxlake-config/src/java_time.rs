//! Moments in the two forms in which Java prints them at the head of a properties file.

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// A moment as `java.util.Date` prints it in UTC: `Sat Mar 07 16:24:37 UTC 2026`.
pub fn java_date_line(epoch_ms: i64) -> String {
    let moment = Moment::at(epoch_ms);
    let weekday = WEEKDAYS.get(moment.weekday).copied().unwrap_or_default();
    let month = MONTHS.get(moment.month - 1).copied().unwrap_or_default();
    let Moment {
        year,
        day,
        hour,
        minute,
        second,
        ..
    } = moment;
    format!("{weekday} {month} {day:02} {hour:02}:{minute:02}:{second:02} UTC {year:04}")
}

/// A moment as `java.time.Instant` prints it: `2026-03-07T22:24:59.031Z`, without a fraction when it is
/// zero.
pub fn java_instant(epoch_ms: i64) -> String {
    let Moment {
        year,
        month,
        day,
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
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// A moment in UTC, taken apart.
struct Moment {
    year: i64,
    month: usize,
    day: i64,
    /// From the weekday of 1 January 1970.
    weekday: usize,
    hour: i64,
    minute: i64,
    second: i64,
    millis: i64,
}

impl Moment {
    /// Counts in years that begin in March, so that the day that is sometimes missing is the last.
    fn at(epoch_ms: i64) -> Self {
        let (days, of_day) = (
            epoch_ms.div_euclid(86_400_000),
            epoch_ms.rem_euclid(86_400_000),
        );
        let from_march_0 = days + 719_468;
        let (era, of_era) = (
            from_march_0.div_euclid(146_097),
            from_march_0.rem_euclid(146_097),
        );
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 {
            from_march + 3
        } else {
            from_march - 9
        };
        Self {
            year: era * 400 + year_of_era + i64::from(month <= 2),
            month: usize::try_from(month).unwrap_or(1),
            day: of_year - (153 * from_march + 2) / 5 + 1,
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
