//! The wall clocks of time zones.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;

use super::values::SECOND;

const DAY: i64 = 24 * 3600 * SECOND;

/// Spans of time, from long to short. A clock that is as far ahead of UTC at the end of one as at its beginning is so all
/// through it.
const SPANS: [i64; 2] = [DAY, 900 * SECOND];

/// The first and the last second since 1970 of which a zone is asked: Python's calendar ends with the years 1 and 9999.
const ASKED: (i64, i64) = (-62_000_000_000, 253_300_000_000);

/// The clock of a time zone. Python knows the zones, and is asked a few times for each day that comes.
pub(super) enum Clock {
    /// So many microseconds ahead of UTC at any time.
    Fixed(i64),
    Zone(Zone),
}

pub(super) struct Zone {
    tzinfo: Py<PyAny>,
    /// 1970-01-01 in UTC.
    epoch: Py<PyAny>,
    timedelta: Py<PyAny>,
    /// How far the clock is ahead in a span with a number; `None` if that changes within the span.
    ahead: HashMap<(i64, i64), Option<i64>>,
}

impl Clock {
    /// The clock of a zone such as Europe/Berlin or +01:00.
    pub(super) fn of(py: Python<'_>, name: &str) -> PyResult<Self> {
        fixed(name).map_or_else(
            || Zone::of(py, name).map(Self::Zone),
            |ahead| Ok(Self::Fixed(ahead)),
        )
    }

    /// What the clock shows at a time, both in microseconds since 1970.
    pub(super) fn shows(&mut self, micros: i64) -> PyResult<i64> {
        let ahead = match self {
            Self::Fixed(ahead) => *ahead,
            Self::Zone(zone) => zone.ahead(micros)?,
        };
        Ok(micros.saturating_add(ahead))
    }
}

impl Zone {
    fn of(py: Python<'_>, name: &str) -> PyResult<Self> {
        let datetime = py.import("datetime")?;
        let utc = datetime.getattr("timezone")?.getattr("utc")?;
        let epoch = datetime
            .getattr("datetime")?
            .call_method1("fromtimestamp", (0, utc))?;
        let zone = py.import("zoneinfo")?.getattr("ZoneInfo")?.call1((name,));
        let zone = zone.map_err(|error| {
            PyValueError::new_err(format!(
                "has the unknown time zone {name:?}: {}",
                error.value(py)
            ))
        })?;
        Ok(Self {
            tzinfo: zone.unbind(),
            epoch: epoch.unbind(),
            timedelta: datetime.getattr("timedelta")?.unbind(),
            ahead: HashMap::new(),
        })
    }

    fn ahead(&mut self, micros: i64) -> PyResult<i64> {
        for span in SPANS {
            if let Some(ahead) = self.within(span, micros.div_euclid(span))? {
                return Ok(ahead);
            }
        }
        self.ask(micros.div_euclid(SECOND))
    }

    /// How far the clock is ahead all through a span.
    fn within(&mut self, span: i64, number: i64) -> PyResult<Option<i64>> {
        if let Some(known) = self.ahead.get(&(span, number)) {
            return Ok(*known);
        }
        let seconds = span / SECOND;
        let first = self.ask(number * seconds)?;
        let last = self.ask((number + 1) * seconds - 1)?;
        let ahead = (first == last).then_some(first);
        self.ahead.insert((span, number), ahead);
        Ok(ahead)
    }

    /// Asks Python how far the clock is ahead at a second since 1970.
    fn ask(&self, second: i64) -> PyResult<i64> {
        Python::attach(|py| {
            let second = second.clamp(ASKED.0, ASKED.1);
            let since = self.timedelta.bind(py).call1((0, second))?;
            let time = self.epoch.bind(py).add(since)?;
            let local = time.call_method1(intern!(py, "astimezone"), (&self.tzinfo,))?;
            let ahead = local.call_method0(intern!(py, "utcoffset"))?;
            let seconds: f64 = ahead
                .call_method0(intern!(py, "total_seconds"))?
                .extract()?;
            #[allow(clippy::cast_possible_truncation, reason = "an offset is below a day")]
            Ok((seconds * SECOND as f64) as i64)
        })
    }
}

/// How far a zone is ahead whose name tells it: UTC, +01:00 or +0100.
fn fixed(name: &str) -> Option<i64> {
    if name.eq_ignore_ascii_case("utc") || name == "Z" {
        return Some(0);
    }
    let (sign, rest) = match name.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits = rest.replace(':', "");
    let is_right = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = digits.parse().ok().filter(|_| is_right)?;
    Some(sign * (number / 100 * 60 + number % 100) * 60 * SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_zones_may_tell_how_far_they_are_ahead() {
        let minute = 60 * SECOND;
        let cases = [("UTC", 0), ("+01:00", 60), ("-0330", -210), ("+05:45", 345)];
        for (name, minutes) in cases {
            assert_eq!(fixed(name), Some(minutes * minute), "{name}");
        }
        for name in ["", "Europe/Berlin", "+1", "+ab:cd", "é", "+é00"] {
            assert_eq!(fixed(name), None, "{name}");
        }
    }
}
