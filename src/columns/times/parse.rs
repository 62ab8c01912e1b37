//! Times as people write them.

use serde::{Deserialize, Serialize};

use super::calendar::{DAY, day_of};
use super::moment::Moment;

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// The order of day and month in dates with slashes that do not begin with the year.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::columns) enum Order {
    #[default]
    MonthFirst,
    DayFirst,
}

/// Reads a time; `None` if the text is none.
///
/// A date is yyyy-mm-dd, yyyy/mm/dd, dd.mm.yyyy, dd-mm-yyyy, or with slashes day and month in the order given. A time
/// HH:MM may follow, with seconds, a fraction of them, and AM or PM; after yyyy-mm-dd also an offset from UTC, which is
/// left out: the moment is that of the wall clock. A time of day may stand alone, also as HH.MM.SS.
pub(in crate::columns) fn parse(text: &str, order: Order) -> Option<Moment> {
    clock(text).or_else(|| {
        let mut scanner = Scanner(text.as_bytes());
        let moment = date_and_time(&mut scanner, order)?;
        scanner.is_done().then_some(moment)
    })
}

/// A time of day alone.
fn clock(text: &str) -> Option<Moment> {
    let with = |separator| {
        let mut scanner = Scanner(text.as_bytes());
        let micros = match separator {
            b':' => time(&mut scanner),
            _ => dotted_time(&mut scanner),
        };
        micros.filter(|_| scanner.is_done())
    };
    let micros = with(b':').or_else(|| with(b'.'))?;
    let has_date = false;
    Some(Moment { micros, has_date })
}

fn date_and_time(scanner: &mut Scanner<'_>, order: Order) -> Option<Moment> {
    let (day, is_iso) = date(scanner, order)?;
    let midnight = Moment::of_micros(day * DAY);
    if scanner.is_done() {
        return Some(midnight);
    }
    let begins = scanner.skip_spaces() || is_iso && scanner.skip(b'T');
    if !begins {
        return None;
    }
    let micros = time(scanner)?;
    if is_iso {
        scanner.skip_spaces();
        offset(scanner)?;
    }
    Some(Moment::of_micros(midnight.micros + micros))
}

/// Reads a date; also tells if it is of the form yyyy-mm-dd.
fn date(scanner: &mut Scanner<'_>, order: Order) -> Option<(i64, bool)> {
    let (first, digits) = scanner.number(1, 4)?;
    let separator = scanner.next()?;
    let second = scanner.number(1, 2)?.0;
    if !scanner.skip(separator) {
        return None;
    }
    let (third, last_digits) = scanner.number(1, 4)?;
    let (year, month, day) = match (digits, separator, last_digits) {
        (4, b'-' | b'/', 1..=2) => (first, second, third),
        (1..=2, b'/', 4) if order == Order::MonthFirst => (third, first, second),
        (1..=2, b'.' | b'-' | b'/', 4) => (third, second, first),
        _ => return None,
    };
    let day = day_of(year, month, day).filter(|_| year > 0)?;
    Some((day, digits == 4 && separator == b'-'))
}

/// Reads HH:MM, with or without seconds, a fraction of them, and half of the day.
fn time(scanner: &mut Scanner<'_>) -> Option<i64> {
    let hour = scanner.number(1, 2)?.0;
    if !scanner.skip(b':') {
        return None;
    }
    let minute = below_60(scanner)?;
    let mut micros = minute * MINUTE;
    if scanner.skip(b':') {
        micros += below_60(scanner)? * SECOND;
        if scanner.skip(b'.') {
            micros += scanner.fraction()?;
        }
    }
    Some(hour_of_day(hour, scanner.half_of_day())? * HOUR + micros)
}

/// Reads HH.MM.SS.
fn dotted_time(scanner: &mut Scanner<'_>) -> Option<i64> {
    let hour = scanner.number(1, 2)?.0;
    let mut micros = hour_of_day(hour, None)? * HOUR;
    for unit in [MINUTE, SECOND] {
        if !scanner.skip(b'.') {
            return None;
        }
        micros += below_60(scanner)? * unit;
    }
    Some(micros)
}

/// Reads an offset from UTC, if there is one.
fn offset(scanner: &mut Scanner<'_>) -> Option<()> {
    if scanner.is_done() || scanner.skip(b'Z') {
        return Some(());
    }
    if !scanner.skip(b'+') && !scanner.skip(b'-') {
        return None;
    }
    scanner.number(2, 2).filter(|(hours, _)| *hours < 24)?;
    if scanner.skip(b':') || !scanner.is_done() {
        below_60(scanner)?;
    }
    Some(())
}

/// Reads two digits of minutes or seconds.
fn below_60(scanner: &mut Scanner<'_>) -> Option<i64> {
    let (number, _) = scanner.number(2, 2)?;
    (number < 60).then_some(number)
}

/// The hour from 0 to 23, of an hour that counts to 12 if a half of the day is given.
fn hour_of_day(hour: i64, half: Option<Half>) -> Option<i64> {
    match half {
        None => (hour < 24).then_some(hour),
        Some(_) if !(1..=12).contains(&hour) => None,
        Some(Half::Morning) => Some(hour % 12),
        Some(Half::Afternoon) => Some(hour % 12 + 12),
    }
}

#[derive(Debug, Clone, Copy)]
enum Half {
    Morning,
    Afternoon,
}

/// The bytes that have not been read yet.
struct Scanner<'a>(&'a [u8]);

impl Scanner<'_> {
    fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Passes over this byte, if it comes next.
    fn skip(&mut self, byte: u8) -> bool {
        let comes = self.0.first() == Some(&byte);
        if comes {
            self.0 = &self.0[1..];
        }
        comes
    }

    /// Passes over spaces; returns true if there are any.
    fn skip_spaces(&mut self) -> bool {
        let before = self.0.len();
        while self.skip(b' ') {}
        self.0.len() < before
    }

    /// Reads as many digits as come, up to `most`: the number and how many they are.
    fn number(&mut self, least: usize, most: usize) -> Option<(i64, usize)> {
        let digits = self
            .0
            .iter()
            .take(most)
            .take_while(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        if digits < least {
            return None;
        }
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        let value = number
            .iter()
            .fold(0, |sum, digit| 10 * sum + i64::from(digit - b'0'));
        Some((value, digits))
    }

    /// Reads the digits after a decimal point as microseconds; those beyond are left out.
    fn fraction(&mut self) -> Option<i64> {
        let (mut micros, mut unit, before) = (0, SECOND / 10, self.0.len());
        while let Some(digit) = self.0.first().filter(|byte| byte.is_ascii_digit()) {
            micros += i64::from(digit - b'0') * unit;
            unit /= 10;
            self.0 = &self.0[1..];
        }
        (self.0.len() < before).then_some(micros)
    }

    /// Reads AM or PM, if it comes next.
    fn half_of_day(&mut self) -> Option<Half> {
        let trimmed = self.0.trim_ascii_start();
        let (word, rest) = trimmed.split_at_checked(2)?;
        let half = match word.to_ascii_lowercase().as_slice() {
            b"am" => Half::Morning,
            b"pm" => Half::Afternoon,
            _ => return None,
        };
        self.0 = rest;
        Some(half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        parse(text, Order::MonthFirst).map(|moment| moment.to_string())
    }

    #[test]
    fn dates_and_times_of_every_form_are_read() {
        let cases = [
            ("2013-01-31", "2013-01-31T00:00:00"),
            ("2013-1-2", "2013-01-02T00:00:00"),
            ("2013/01/31 7:05", "2013-01-31T07:05:00"),
            ("01/31/2013", "2013-01-31T00:00:00"),
            ("31.01.2013 23:59:59.5", "2013-01-31T23:59:59.500000"),
            ("31-12-2002 01:00", "2002-12-31T01:00:00"),
            ("1/2/2013 12:30 AM", "2013-01-02T00:30:00"),
            ("1/2/2013 12:30:01pm", "2013-01-02T12:30:01"),
            ("2013-01-31T10:00:00Z", "2013-01-31T10:00:00"),
            ("2013-01-31T10:00:00.1234567", "2013-01-31T10:00:00.123456"),
            ("2013-01-31 10:00+05:30", "2013-01-31T10:00:00"),
            ("2013-01-31 10:00:00 -0800", "2013-01-31T10:00:00"),
            ("2013-01-31T10:00:00+02", "2013-01-31T10:00:00"),
            ("9:05", "09:05:00"),
            ("18.00.00", "18:00:00"),
            ("11:59:59 PM", "23:59:59"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        let texts = [
            "",
            "x",
            "2013",
            "2013-01",
            "2013-02-29",
            "2013-13-01",
            "31/01/2013",
            "0000-01-01",
            "24:00",
            "12:60",
            "12:3",
            "13:00 PM",
            "0:30 AM",
            "1.5",
            "18.00",
            "18.00.60",
            "2013-01-31x",
            "2013-01-31T",
            "2013-01-31 10",
            "2013-01-31 10:00+24:00",
            "2013-01-31 10:00 CET",
            "01/02/13",
            "2013-01/31",
            "2013.01.31",
            "12:30:",
            "12:30:10.",
            "1/2/2013T10:00",
            "1/2/2013 10:00Z",
            "é",
            "12345-01-01",
            "10:00 é",
        ];
        for text in texts {
            assert_eq!(shown(text), None, "{text}");
        }
    }

    #[test]
    fn slashes_alone_have_either_order() {
        let both = |text| [Order::MonthFirst, Order::DayFirst].map(|order| parse(text, order));
        let [month, day] = both("03/04/2013").map(Option::unwrap);
        assert_eq!(month.to_string(), "2013-03-04T00:00:00");
        assert_eq!(day.to_string(), "2013-04-03T00:00:00");
        assert!(matches!(both("31/01/2013"), [None, Some(_)]));
        for text in [
            "03.04.2013",
            "03-04-2013",
            "2013/03/04",
            "2013-03-04",
            "03:04",
        ] {
            let [month, day] = both(text);
            assert_eq!(month, day);
        }
    }
}
