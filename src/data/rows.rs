//! Checked views of the caller's rows and labels: past this file every number is finite.

use std::ops::Range;

use crate::error::{Error, Place};
use crate::limits::LARGEST;
use crate::runtime::fill_in_chunks;
use crate::runtime::memory::{refill, zeros};

/// Rows that one thread scores at a time.
pub(crate) const SCORED: usize = 1024;

/// A type of numbers that data may have. Learners compute with float64.
pub trait Number: Copy + Into<f64> + Send + Sync {
    /// The values as float64, copied into `buffer` unless they are that already.
    fn float64<'a>(values: &'a [Self], buffer: &'a mut Vec<f64>) -> Result<&'a [f64], Error>;
}

impl Number for f64 {
    fn float64<'a>(values: &'a [Self], _buffer: &'a mut Vec<f64>) -> Result<&'a [f64], Error> {
        Ok(values)
    }
}

impl Number for f32 {
    fn float64<'a>(values: &'a [Self], buffer: &'a mut Vec<f64>) -> Result<&'a [f64], Error> {
        refill(buffer, values.iter().map(|&value| f64::from(value)))?;
        Ok(buffer)
    }
}

/// Rows of equal width, checked to be finite, stored one after the other.
///
/// ```
/// use nystream::Rows;
///
/// let rows = Rows::new(&[0.0, 1.0, 2.0, 3.0], 2)?;
/// assert_eq!(rows.iter().nth(1), Some(&[2.0, 3.0][..]));
/// assert!(Rows::new(&[0.0, f64::NAN], 2).is_err());
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, T = f64> {
    data: &'a [T],
    n_features: usize,
    /// The number of the first row in the caller's array, for messages.
    first: usize,
}

impl<'a, T: Number> Rows<'a, T> {
    /// A view of `data` as rows of `n_features` numbers, named `X` in messages.
    pub fn new(data: &'a [T], n_features: usize) -> Result<Self, Error> {
        Self::named("X", data, n_features)
    }

    /// A view of `data` as rows of `n_features` numbers, named `argument` in messages.
    pub fn named(argument: &'static str, data: &'a [T], n_features: usize) -> Result<Self, Error> {
        let rows = Self::unchecked(argument, data, n_features)?;
        rows.check_numbers(argument)?;
        Ok(rows)
    }

    /// A view of `data` as rows of `n_features` numbers, of which some are missing: these are NaN.
    ///
    /// They are for learners that take missing values; others refuse them.
    pub fn with_gaps(data: &'a [T], n_features: usize) -> Result<Self, Error> {
        let rows = Self::unchecked("X", data, n_features)?;
        rows.check_numbers_or_gaps("X")?;
        Ok(rows)
    }

    /// A view of `data` as rows of `n_features` numbers that have not been checked yet.
    pub(crate) fn unchecked(
        argument: &'static str,
        data: &'a [T],
        n_features: usize,
    ) -> Result<Self, Error> {
        if data.is_empty() || n_features == 0 {
            let wanted = "row and one feature";
            return Err(Error::Empty { argument, wanted });
        }
        if !data.len().is_multiple_of(n_features) {
            return Err(Error::Width {
                argument,
                expected: n_features,
                found: data.len() % n_features,
            });
        }
        Ok(Self {
            data,
            n_features,
            first: 0,
        })
    }

    /// A view of valid rows, at least one, of which the first has this number in the caller's array.
    pub(crate) fn trusted(data: &'a [T], n_features: usize, first: usize) -> Self {
        Self {
            data,
            n_features,
            first,
        }
    }

    /// Refuses numbers that are not finite.
    pub(crate) fn check_numbers(&self, argument: &'static str) -> Result<(), Error> {
        check_numbers(self.data, |i| self.place(argument, i))
    }

    /// The place of a number in the caller's array.
    fn place(&self, argument: &'static str, i: usize) -> Place {
        let row = self.first + i / self.n_features;
        Place::new(argument, [row, i % self.n_features])
    }

    /// Refuses numbers that are infinite or too large; NaN stands for a missing value.
    pub(crate) fn check_numbers_or_gaps(&self, argument: &'static str) -> Result<(), Error> {
        let is_right = |value: T| is_number(value) || is_gap(value);
        check_values(self.data, is_right, |i| self.place(argument, i))
    }

    /// Returns true if a number is missing.
    pub(crate) fn has_gaps(&self) -> bool {
        // No early exit, so that the check of a whole array vectorises.
        self.data
            .iter()
            .fold(false, |any, value| any | is_gap(*value))
    }

    /// Number of rows.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.data.len() / self.n_features
    }

    /// Width of every row.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The number of the first row in the caller's array.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// All numbers, row by row.
    pub(crate) fn data(&self) -> &'a [T] {
        self.data
    }

    /// The rows of this range.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let n_features = self.n_features;
        let data = &self.data[range.start * n_features..range.end * n_features];
        Self {
            data,
            n_features,
            first: self.first + range.start,
        }
    }

    /// The rows as float64, copied into `buffer` unless they are that already.
    pub fn float64<'b>(&self, buffer: &'b mut Vec<f64>) -> Result<Rows<'b>, Error>
    where
        'a: 'b,
    {
        let data = T::float64(self.data, buffer)?;
        Ok(Rows::trusted(data, self.n_features, self.first))
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &'a [T] {
        &self.data[i * self.n_features..][..self.n_features]
    }

    /// The rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [T]> + use<'a, T> {
        self.data.chunks_exact(self.n_features)
    }
}

/// Computes `n` numbers for each row. `score` is given some rows at a time; threads share the work if there are many.
pub(crate) fn score_rows<T: Number>(
    rows: &Rows<'_, T>,
    n: usize,
    score: impl Fn(&Rows<'_>, &mut [f64]) -> Result<(), Error> + Sync,
) -> Result<Vec<f64>, Error> {
    let n_numbers = n.saturating_mul(rows.len());
    let mut out = zeros(n_numbers, || format!("predictions for {} rows", rows.len()))?;
    fill_in_chunks(&mut out, n * SCORED, |start, out| {
        let range = start / n..(start + out.len()) / n;
        let (some, mut buffer) = (rows.slice(range), Vec::new());
        // Checked while the chunk is in the nearest caches.
        some.check_numbers("X")?;
        score(&some.float64(&mut buffer)?, out)
    })?;
    Ok(out)
}

/// Refuses another width than the one expected, if any is.
pub(crate) fn check_width(
    argument: &'static str,
    expected: Option<usize>,
    found: usize,
) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != found => Err(Error::Width {
            argument,
            expected,
            found,
        }),
        _ => Ok(()),
    }
}

/// Refuses a row that is empty or holds anything but finite numbers.
pub(crate) fn check_row(x: &[f64]) -> Result<(), Error> {
    check_filled(x)?;
    check_numbers(x, |i| Place::new("x", [i]))
}

fn check_filled(x: &[f64]) -> Result<(), Error> {
    let (argument, wanted) = ("x", "feature");
    if x.is_empty() {
        return Err(Error::Empty { argument, wanted });
    }
    Ok(())
}

/// Refuses a row that is empty or holds infinite numbers; NaN stands for a missing value.
pub(crate) fn check_row_or_gaps(x: &[f64]) -> Result<(), Error> {
    check_filled(x)?;
    let is_right = |value| is_number(value) || is_gap(value);
    check_values(x, is_right, |i| Place::new("x", [i]))
}

/// Refuses labels that are not finite numbers, one for each of `n_rows` rows and each target.
pub(crate) fn check_labels(y: &[f64], n_rows: usize, n_targets: usize) -> Result<(), Error> {
    if n_targets == 1 {
        check_length(("y", "labels"), y, n_rows)?;
    } else if Some(y.len()) != n_rows.checked_mul(n_targets) {
        let (expected, found) = (n_rows.saturating_mul(n_targets), y.len());
        return Err(Error::Labels { expected, found });
    }
    check_numbers(y, |i| match n_targets {
        1 => Place::new("y", [i]),
        n => Place::new("y", [i / n, i % n]),
    })
}

/// Refuses labels of one row that are not finite numbers, one for each target.
pub(crate) fn check_label(y: &[f64], n_targets: usize) -> Result<(), Error> {
    if y.len() != n_targets {
        let (expected, found) = (n_targets, y.len());
        return Err(Error::Labels { expected, found });
    }
    check_numbers(y, |i| match n_targets {
        1 => Place::new("y", []),
        _ => Place::new("y", [i]),
    })
}

/// Refuses anything but a number for each of `n_rows` rows.
pub(crate) fn check_length<T>(
    (argument, things): (&'static str, &'static str),
    values: &[T],
    n_rows: usize,
) -> Result<(), Error> {
    if values.len() == n_rows {
        return Ok(());
    }
    Err(Error::Length {
        argument,
        things,
        expected: n_rows,
        found: values.len(),
    })
}

/// Refuses predictions that are not finite: no valid row or label leads to one, but the state in a forged file may.
pub(crate) fn check_predictions(yhat: &[f64]) -> Result<(), Error> {
    // No early exit, so that the check of a whole array vectorises.
    if yhat.iter().fold(true, |ok, yhat| ok & yhat.is_finite()) {
        return Ok(());
    }
    match yhat.iter().find(|yhat| !yhat.is_finite()) {
        Some(&value) => Err(Error::Prediction { value }),
        None => Ok(()),
    }
}

fn check_numbers<T: Number>(values: &[T], place: impl Fn(usize) -> Place) -> Result<(), Error> {
    check_values(values, is_number, place)
}

/// Refuses the first value that is not right.
fn check_values<T: Number>(
    values: &[T],
    is_right: impl Fn(T) -> bool,
    place: impl Fn(usize) -> Place,
) -> Result<(), Error> {
    // No early exit, so that the check of a whole array vectorises.
    if values.iter().fold(true, |ok, value| ok & is_right(*value)) {
        return Ok(());
    }
    match values.iter().position(|value| !is_right(*value)) {
        None => Ok(()),
        Some(i) => Err(Error::Number {
            place: place(i),
            value: values[i].into(),
        }),
    }
}

/// Returns true if a value is finite and not too large; false for NaN.
fn is_number(value: impl Number) -> bool {
    value.into().abs() <= LARGEST
}

fn is_gap(value: impl Number) -> bool {
    value.into().is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bad_number_is_named() {
        let data = [0.0, 1.0, f64::INFINITY, f64::NAN];
        let error = Rows::new(&data, 2).unwrap_err();
        assert_eq!(
            error,
            Error::Number {
                place: Place::new("X", [1, 0]),
                value: f64::INFINITY
            }
        );
    }

    #[test]
    fn a_slice_is_whole_rows() {
        let data: Vec<f64> = (0..15).map(f64::from).collect();
        let rows = Rows::new(&data, 3).unwrap();
        let some: Vec<&[f64]> = rows.slice(1..3).iter().collect();
        assert_eq!(some, [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]);
        assert_eq!(rows.slice(5..5).len(), 0);
    }

    #[test]
    fn labels_are_counted_before_they_are_read() {
        assert_eq!(
            check_labels(&[f64::NAN], 2, 1),
            Err(Error::Length {
                argument: "y",
                things: "labels",
                expected: 2,
                found: 1
            })
        );
        assert!(check_labels(&[f64::NAN], 2, 3).is_err());
        assert!(check_label(&[-1e101], 1).is_err());
        assert!(check_label(&[-1e100], 1).is_ok());
        assert!(check_label(&[0.0, 1.0], 1).is_err());
    }

    #[test]
    fn empty_and_ragged_data_are_refused() {
        assert!(matches!(
            Rows::<f64>::new(&[], 3),
            Err(Error::Empty { argument: "X", .. })
        ));
        assert!(Rows::new(&[1.0], 0).is_err());
        assert!(Rows::new(&[1.0, 2.0, 3.0], 2).is_err());
        assert!(check_row(&[]).is_err());
    }
}
