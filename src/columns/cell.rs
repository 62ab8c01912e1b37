//! Single values of a table.

use std::borrow::Cow;
use std::fmt;

use super::times::{Moment, Order, parse};

/// The value of a row in a column. Texts have no spaces around them and are not empty.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell<'a> {
    Missing,
    Number(f64),
    Truth(bool),
    /// Microseconds since 1970.
    Time(i64),
    Text(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// A text without the spaces around it, which is missing if nothing is left.
    pub(super) fn of_text(text: &'a str) -> Self {
        match text.trim() {
            "" => Self::Missing,
            text => Self::Text(text.into()),
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        *self == Self::Missing
    }

    /// The value as a number: truths are 0 and 1.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Truth(truth) => Some(f64::from(u8::from(*truth))),
            _ => None,
        }
    }

    /// The value as text.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Missing => None,
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Truth(true) => Some("true".into()),
            Self::Truth(false) => Some("false".into()),
            // A zero has no sign.
            Self::Number(number) => Some((number + 0.0).to_string().into()),
            Self::Time(micros) => Some(Moment::of_micros(*micros).to_string().into()),
        }
    }

    /// The value as a time, if it is one.
    pub(super) fn moment(&self, order: Order) -> Option<Moment> {
        match self {
            Self::Time(micros) => Some(Moment::of_micros(*micros)),
            Self::Text(text) => parse(text, order),
            _ => None,
        }
    }

    /// The value as a time; numbers count seconds since 1970, or parts of seconds.
    pub(super) fn moment_or_epoch(&self, order: Order) -> Option<Moment> {
        match self {
            Self::Number(number) => Moment::of_number(*number),
            _ => self.moment(order),
        }
    }

    /// A copy that has its text for itself.
    pub(super) fn into_owned(self) -> Cell<'static> {
        match self {
            Self::Missing => Cell::Missing,
            Self::Number(number) => Cell::Number(number),
            Self::Truth(truth) => Cell::Truth(truth),
            Self::Time(micros) => Cell::Time(micros),
            Self::Text(text) => Cell::Text(text.into_owned().into()),
        }
    }
}

/// Number of characters that a message shows of a text.
const SHOWN: usize = 40;

impl fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) if number.abs() >= 1e16 => write!(f, "{number:e}"),
            Self::Text(text) => match text.char_indices().nth(SHOWN) {
                Some((end, _)) => write!(f, "{:?}...", &text[..end]),
                None => write!(f, "{text:?}"),
            },
            other => f.write_str(other.text().as_deref().unwrap_or("missing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cell: &Cell<'_>) -> String {
        cell.text().unwrap().into_owned()
    }

    #[test]
    fn every_value_has_a_text() {
        let numbers = [3.0, -0.0, 2.5, 1e20, 1e-7].map(|number| text(&Cell::Number(number)));
        assert_eq!(
            numbers,
            ["3", "0", "2.5", "100000000000000000000", "0.0000001"]
        );
        assert_eq!(text(&Cell::Truth(true)), "true");
        assert_eq!(text(&Cell::Time(0)), "1970-01-01T00:00:00");
        assert_eq!(text(&Cell::of_text(" a b ")), "a b");
        assert_eq!(Cell::Missing.text(), None);
        assert!(Cell::of_text(" \t").is_missing());
    }

    #[test]
    fn truths_count_as_numbers_and_texts_do_not() {
        assert_eq!(Cell::Truth(true).number(), Some(1.0));
        assert_eq!(Cell::Number(-2.0).number(), Some(-2.0));
        assert_eq!(Cell::of_text("3").number(), None);
    }

    #[test]
    fn numbers_are_times_only_where_that_is_stated() {
        let (number, order) = (Cell::Number(60.0), Order::MonthFirst);
        assert_eq!(number.moment(order), None);
        let minute = Some(Moment::of_micros(60_000_000));
        assert_eq!(number.moment_or_epoch(order), minute);
        assert_eq!(Cell::of_text("1970-01-01 00:01").moment(order), minute);
        assert_eq!(Cell::Time(60_000_000).moment_or_epoch(order), minute);
    }

    #[test]
    fn messages_show_the_beginning_of_a_text() {
        assert_eq!(Cell::of_text("a\"b").to_string(), r#""a\"b""#);
        let long = "é".repeat(41);
        assert_eq!(
            Cell::of_text(&long).to_string(),
            format!("{:?}...", "é".repeat(40))
        );
        assert_eq!(Cell::Number(1e300).to_string(), "1e300");
        assert_eq!(Cell::Number(f64::INFINITY).to_string(), "inf");
    }
}
