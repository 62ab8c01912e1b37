//! Checks of parameters and capacity.

use std::ops::RangeInclusive;

use crate::error::Error;
use crate::limits::LARGEST;

/// Refuses a value outside this range, described by `expected`; NaN is outside.
pub(crate) fn within(
    name: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
    expected: &'static str,
) -> Result<(), Error> {
    if range.contains(&value) {
        Ok(())
    } else {
        Err(Error::parameter(name, expected, value))
    }
}

/// Refuses a value that is not positive, or so small or large that squares and inverses would overflow.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    let expected = "positive and finite (1e-100 to 1e100)";
    within(name, value, LARGEST.recip()..=LARGEST, expected)
}

/// Refuses a level of intervals outside 0 to 1, and 0 and 1 themselves; NaN is outside.
pub(crate) fn level(level: f64) -> Result<(), Error> {
    part("level", level)
}

/// Refuses a value outside 0 to 1, and 0 and 1 themselves; NaN is outside.
pub(crate) fn part(name: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    let expected = "more than 0 and less than 1";
    Err(Error::parameter(name, expected, value))
}

/// Refuses a value that is given and not [`positive`].
pub(crate) fn positive_if_given(name: &'static str, value: Option<f64>) -> Result<(), Error> {
    value.map_or(Ok(()), |value| positive(name, value))
}

/// Refuses a multiple of the identity that is too small for float64 to tell it from rounding in a matrix.
pub(crate) fn regularisation(name: &'static str, value: f64) -> Result<(), Error> {
    let expected = "between 1e-10, below which rounding decides, and 1e100";
    within(name, value, 1e-10..=LARGEST, expected)
}

/// Refuses a value that is neither 0 nor [`positive`].
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<(), Error> {
    if value == 0.0 {
        return Ok(());
    }
    positive(name, value).map_err(|_| Error::parameter(name, "0 or positive and finite", value))
}

/// Refuses 0.
pub(crate) fn at_least_one(name: &'static str, value: usize) -> Result<(), Error> {
    match value {
        0 => Err(Error::parameter(name, "at least 1", 0.0)),
        _ => Ok(()),
    }
}

/// Refuses a number of targets outside 1 to 10,000: each target has weights of its own before the first row.
pub(crate) fn targets(n_targets: usize) -> Result<(), Error> {
    let expected = "between 1 and 10,000";
    within("n_targets", n_targets as f64, 1.0..=1e4, expected)
}

/// Refuses a value that is given and 0.
pub(crate) fn at_least_one_if_given(name: &'static str, value: Option<usize>) -> Result<(), Error> {
    match value {
        Some(0) => Err(Error::parameter(name, "None or at least 1", 0.0)),
        _ => Ok(()),
    }
}

/// Refuses more rows than a learner may store.
pub(crate) fn capacity_for(
    offered: usize,
    stored: usize,
    max_rows: Option<usize>,
) -> Result<(), Error> {
    match max_rows {
        Some(max_rows) if max_rows.saturating_sub(stored) < offered => Err(Error::Full {
            max_rows,
            stored,
            offered,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_infinity_and_negative_values_are_refused() {
        for value in [f64::NAN, f64::INFINITY, -1.0, 1e-200] {
            assert!(positive("alpha", value).is_err());
            assert!(not_negative("coef0", value).is_err());
        }
        assert!(positive("alpha", 0.0).is_err());
        assert!(not_negative("coef0", 0.0).is_ok());
        assert!(positive_if_given("eta", None).is_ok());
        assert!(at_least_one_if_given("max_basis", Some(0)).is_err());
    }

    #[test]
    fn capacity_ends_at_the_most_rows() {
        assert!(capacity_for(3, 7, None).is_ok());
        assert!(capacity_for(3, 7, Some(10)).is_ok());
        assert!(capacity_for(4, 7, Some(10)).is_err());
        assert!(capacity_for(1, 11, Some(10)).is_err());
    }
}
