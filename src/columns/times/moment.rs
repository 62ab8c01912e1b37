//! A time on the wall clock.

use std::fmt;

use super::calendar::{DAY, date_of, part_of_year, weekday};

/// Numbers below this magnitude count seconds since 1970; those below 1000 times it milliseconds, then microseconds.
const SECONDS: f64 = 1e11;

/// A time on the wall clock, with its date or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::columns) struct Moment {
    /// Microseconds since 1970; since midnight if there is no date.
    pub(in crate::columns) micros: i64,
    /// False for a time of day alone.
    pub(in crate::columns) has_date: bool,
}

impl Moment {
    /// The moment so many microseconds after 1970 began.
    pub(in crate::columns) fn of_micros(micros: i64) -> Self {
        let has_date = true;
        Self { micros, has_date }
    }

    /// The moment that a number stands for: seconds since 1970 or, if it is large, thousandths of them, and so on down
    /// to nanoseconds. `None` if it is too large.
    pub(in crate::columns) fn of_number(number: f64) -> Option<Self> {
        let factor = match number.abs() {
            size if size < SECONDS => 1e6,
            size if size < 1e3 * SECONDS => 1e3,
            size if size < 1e6 * SECONDS => 1.0,
            _ => 1e-3,
        };
        let micros = (number * factor).round();
        #[allow(clippy::cast_possible_truncation, reason = "checked")]
        (micros.abs() < 2.0_f64.powi(63)).then(|| Self::of_micros(micros as i64))
    }

    /// Days since 1970.
    pub(in crate::columns) fn day(self) -> i64 {
        self.micros.div_euclid(DAY)
    }

    /// Microseconds since midnight.
    pub(in crate::columns) fn time_of_day(self) -> i64 {
        self.micros.rem_euclid(DAY)
    }

    /// Days since Monday.
    pub(in crate::columns) fn weekday(self) -> i64 {
        weekday(self.day())
    }

    /// The part of its day that is over.
    pub(in crate::columns) fn part_of_day(self) -> f64 {
        self.time_of_day() as f64 / DAY as f64
    }

    /// The part of its year that is over when its day begins.
    pub(in crate::columns) fn part_of_year(self) -> f64 {
        part_of_year(self.day())
    }
}

impl fmt::Display for Moment {
    /// Writes date and time as in 2013-01-31T10:05:00, with a fraction if there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_date {
            let (year, month, day) = date_of(self.day());
            write!(f, "{year:04}-{month:02}-{day:02}T")?;
        }
        let (seconds, micros) = (
            self.time_of_day() / 1_000_000,
            self.micros.rem_euclid(1_000_000),
        );
        let (minutes, second) = (seconds / 60, seconds % 60);
        write!(f, "{:02}:{:02}:{second:02}", minutes / 60, minutes % 60)?;
        if micros != 0 {
            write!(f, ".{micros:06}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_seconds_or_by_their_size_parts_of_seconds() {
        let micros = 1_357_034_400_000_000;
        for number in [
            1_357_034_400.0,
            1_357_034_400e3,
            1_357_034_400e6,
            1_357_034_400e9,
        ] {
            assert_eq!(Moment::of_number(number), Some(Moment::of_micros(micros)));
        }
        assert_eq!(Moment::of_number(-0.5), Some(Moment::of_micros(-500_000)));
        for number in [1e22, -1e100, f64::INFINITY, f64::NAN] {
            assert_eq!(Moment::of_number(number), None);
        }
    }

    #[test]
    fn moments_have_a_day_and_a_time_of_day() {
        let moment = Moment::of_micros(-1);
        assert_eq!((moment.day(), moment.time_of_day()), (-1, DAY - 1));
        assert_eq!(Moment::of_micros(DAY / 4).part_of_day(), 0.25);
        for micros in [i64::MIN, i64::MAX] {
            assert!(Moment::of_micros(micros).part_of_year() < 1.0);
        }
    }

    #[test]
    fn moments_are_written_as_iso_8601_has_them() {
        let text = |micros| Moment::of_micros(micros).to_string();
        assert_eq!(text(1_357_034_400_000_000), "2013-01-01T10:00:00");
        assert_eq!(text(-1), "1969-12-31T23:59:59.999999");
        let clock = Moment {
            micros: 65_000_000,
            has_date: false,
        };
        assert_eq!(clock.to_string(), "00:01:05");
    }
}
