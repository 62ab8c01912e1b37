//! The Gregorian calendar. Days are counted from 1970-01-01, and may be negative.

/// Microseconds of a day.
pub(crate) const DAY: i64 = 86_400_000_000;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Days of 400 years, after which the calendar repeats itself.
const CYCLE: i64 = 146_097;

/// The number of a date's day; `None` if there is no such date.
pub(super) fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let exists = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    exists.then(|| number_of(year, month, day))
}

/// Year, month and day of the day with a number.
pub(super) fn date_of(day: i64) -> (i64, i64, i64) {
    let day = day + EPOCH;
    let (cycle, day) = (day.div_euclid(CYCLE), day.rem_euclid(CYCLE));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months count from March, so that a leap day is the last of its year.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = year + 400 * cycle;
    if month < 10 {
        (year, month + 3, day)
    } else {
        (year + 1, month - 9, day)
    }
}

/// The part of its year that is over when a day begins, 0 for the first of January.
pub(super) fn part_of_year(day: i64) -> f64 {
    let (year, _, _) = date_of(day);
    let first = number_of(year, 1, 1);
    (day - first) as f64 / (number_of(year + 1, 1, 1) - first) as f64
}

/// The number of a time's month, counted from the year 0.
pub(crate) fn months_of(micros: i64) -> i64 {
    let (year, month, _) = date_of(micros.div_euclid(DAY));
    12 * year + month - 1
}

/// The time at which a month begins, in microseconds since 1970.
pub(crate) fn start_of_month(number: i64) -> i64 {
    number_of(number.div_euclid(12), number.rem_euclid(12) + 1, 1).saturating_mul(DAY)
}

/// Days since Monday.
pub(super) fn weekday(day: i64) -> i64 {
    // The first of January 1970 was a Thursday.
    (day + 3).rem_euclid(7)
}

fn number_of(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (cycle, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day = (153 * month + 2) / 5 + day - 1;
    cycle * CYCLE + 365 * year + year / 4 - year / 100 + day - EPOCH
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        let cases = [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2013, 1, 1), 15_706),
            ((1, 1, 1), -719_162),
        ];
        for ((year, month, day), number) in cases {
            assert_eq!(day_of(year, month, day), Some(number));
            assert_eq!(date_of(number), (year, month, day));
        }
    }

    #[test]
    fn every_day_of_800_years_follows_the_one_before() {
        let mut number = day_of(1600, 1, 1).unwrap();
        for year in 1600..2400 {
            for month in 1..=12 {
                for day in 1..=days_in(year, month) {
                    assert_eq!(day_of(year, month, day), Some(number));
                    assert_eq!(date_of(number), (year, month, day));
                    number += 1;
                }
            }
        }
    }

    #[test]
    fn dates_that_do_not_exist_are_none() {
        for (year, month, day) in [(2013, 2, 29), (1900, 2, 29), (2013, 4, 31), (2013, 13, 1)] {
            assert_eq!(day_of(year, month, day), None);
        }
        assert_eq!(day_of(2013, 0, 1), None);
        assert_eq!(day_of(2013, 1, 0), None);
        assert!(day_of(2012, 2, 29).is_some());
    }

    #[test]
    fn weeks_begin_on_monday_and_years_at_0() {
        assert_eq!([4, 5, 10].map(weekday), [0, 1, 6]);
        assert_eq!(weekday(-1), 2);
        let first = day_of(2012, 1, 1).unwrap();
        assert_eq!(part_of_year(first), 0.0);
        assert_eq!(part_of_year(first + 365), 365.0 / 366.0);
        assert_eq!(part_of_year(first + 366), 0.0);
        assert_eq!(part_of_year(-1), 364.0 / 365.0);
    }
}
