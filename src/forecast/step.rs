//! The distance between two rows of a series in time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::columns::{DAY, months_of, start_of_month};

const SECOND: i64 = 1_000_000;

/// The most rows that a season found by itself may have: beyond it, histories become large.
const LONGEST_SEASON: i64 = 20_000;

/// The time between two rows of a series: so many microseconds, or so many months.
///
/// ```
/// use nystream::forecast::Step;
///
/// assert_eq!(Step::try_from("30min".to_owned())?.to_string(), "30min");
/// assert_eq!(Step::try_from("1h".to_owned())?.seasons(), [24, 168]);
/// assert!(Step::try_from("soon".to_owned()).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Step {
    /// Microseconds.
    Micros(i64),
    /// Months of the calendar.
    Months(i64),
}

/// The units of steps, the longest first of those that say the same; the last three are counted in months.
const UNITS: [(&str, Step); 9] = [
    ("y", Step::Months(12)),
    ("q", Step::Months(3)),
    ("mo", Step::Months(1)),
    ("w", Step::Micros(7 * DAY)),
    ("d", Step::Micros(DAY)),
    ("h", Step::Micros(3600 * SECOND)),
    ("min", Step::Micros(60 * SECOND)),
    ("s", Step::Micros(SECOND)),
    ("ms", Step::Micros(1000)),
];

impl Step {
    /// The lengths in rows of the seasons that people live by, the shortest first: day and week, the week, or the year.
    pub fn seasons(self) -> Vec<usize> {
        let lengths = match self {
            Self::Micros(step) if step < 7 * DAY => vec![(DAY, step), (7 * DAY, step)],
            Self::Micros(step) => vec![(365 * DAY, step)],
            Self::Months(step) => vec![(12, step)],
        };
        let whole = lengths.into_iter().map(|(length, step)| length / step);
        let lengths = whole.filter(|n| (2..=LONGEST_SEASON).contains(n));
        lengths.filter_map(|n| usize::try_from(n).ok()).collect()
    }

    /// The number of steps from the time `origin` to another, to the nearest.
    pub(super) fn slot(self, origin: i64, micros: i64) -> i64 {
        match self {
            Self::Micros(step) => {
                let distance = i128::from(micros) - i128::from(origin) + i128::from(step / 2);
                let slot = distance.div_euclid(i128::from(step));
                i64::try_from(slot).unwrap_or(i64::MAX)
            }
            Self::Months(step) => (months_of(micros) - months_of(origin)).div_euclid(step),
        }
    }

    /// The time so many steps after `origin`; steps of months begin with the month.
    pub(super) fn time(self, origin: i64, slot: i64) -> i64 {
        match self {
            Self::Micros(step) => origin.saturating_add(slot.saturating_mul(step)),
            Self::Months(step) => start_of_month(months_of(origin) + slot * step),
        }
    }

    /// The number of steps in another one; `None` if months and days cannot be compared.
    pub(super) fn per(self, other: Self) -> Option<f64> {
        match (self, other) {
            (Self::Micros(own), Self::Micros(other)) | (Self::Months(own), Self::Months(other)) => {
                Some(other as f64 / own as f64)
            }
            _ => None,
        }
    }
}

impl TryFrom<String> for Step {
    type Error = String;

    /// Reads a whole number, or 1 if there is none, and a unit: ms, s, min, h, d, w, mo, q or y.
    fn try_from(text: String) -> Result<Self, String> {
        let wrong =
            || format!("every should be a time like 15min, 1h, 1d, 1w or 1mo, but is {text:?}");
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let number = if digits.is_empty() {
            Ok(1)
        } else {
            digits.parse::<i64>()
        };
        let number = number
            .ok()
            .filter(|n| (1..=1_000_000).contains(n))
            .ok_or_else(wrong)?;
        let unit = text[digits.len()..].trim();
        let unit = UNITS
            .into_iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(wrong)?;
        Ok(match unit.1 {
            Self::Micros(unit) => Self::Micros(number * unit),
            Self::Months(unit) => Self::Months(number * unit),
        })
    }
}

impl From<Step> for String {
    fn from(step: Step) -> Self {
        step.to_string()
    }
}

impl fmt::Display for Step {
    /// Writes the number of the longest unit that it is a multiple of.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |unit: Self| match (*self, unit) {
            (Self::Micros(own), Self::Micros(unit)) | (Self::Months(own), Self::Months(unit)) => {
                (own % unit == 0).then_some(own / unit)
            }
            _ => None,
        };
        let found = UNITS
            .into_iter()
            .find_map(|(name, unit)| Some((number(unit)?, name)));
        match found {
            Some((number, name)) => write!(f, "{number}{name}"),
            None => f.write_str("less than 1ms"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(text: &str) -> Step {
        Step::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn every_step_comes_back_from_its_text() {
        for text in [
            "1ms", "15s", "30min", "1h", "6h", "1d", "2w", "1mo", "1q", "1y",
        ] {
            assert_eq!(step(text).to_string(), text);
        }
        assert_eq!(step("h"), step("1h"));
        assert_eq!(step("12mo").to_string(), "1y");
        for text in [
            "",
            "1",
            "0h",
            "-1h",
            "1.5h",
            "1 fortnight",
            "h1",
            "99999999999999h",
        ] {
            assert!(Step::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn seasons_are_those_of_the_calendar() {
        let cases = [
            ("30min", vec![48, 336]),
            ("1d", vec![7]),
            ("1w", vec![52]),
            ("1mo", vec![12]),
            ("1q", vec![4]),
            ("1y", vec![]),
            ("1s", vec![]),
        ];
        for (text, expected) in cases {
            assert_eq!(step(text).seasons(), expected, "{text}");
        }
    }

    #[test]
    fn times_are_rounded_to_the_nearest_slot() {
        let hour = step("1h");
        let micros = |minutes: i64| minutes * 60 * SECOND;
        for (minutes, slot) in [(0, 0), (29, 0), (30, 1), (61, 1), (-29, 0), (-31, -1)] {
            assert_eq!(hour.slot(0, micros(minutes)), slot, "{minutes}");
        }
        assert_eq!(hour.time(micros(5), 2), micros(125));
        assert_eq!(hour.slot(i64::MIN, i64::MAX), 5_124_095_576);
    }

    #[test]
    fn months_are_those_of_the_calendar() {
        let month = step("1mo");
        let january = start_of_month(12 * 2020);
        for (days, slot) in [(0, 0), (30, 0), (31, 1), (59, 1), (60, 2), (-1, -1)] {
            assert_eq!(month.slot(january, january + days * DAY), slot, "{days}");
        }
        assert_eq!(month.time(january + 5 * DAY, 2), january + 60 * DAY);
    }

    #[test]
    fn steps_are_compared_with_their_like_alone() {
        assert_eq!(step("1h").per(step("30d")), Some(720.0));
        assert_eq!(step("1mo").per(step("1y")), Some(12.0));
        assert_eq!(step("1mo").per(step("30d")), None);
    }
}
