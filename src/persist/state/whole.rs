//! Whole numbers among the numbers of a file.

use std::ops::Range;

/// The end of the range in which every whole number is a float64.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number as a count, if it is one.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked"
)]
pub(crate) fn whole(number: f64) -> Option<u64> {
    let is_count = number.fract() == 0.0 && (0.0..EXACT).contains(&number);
    is_count.then_some(number as u64)
}

/// A number as an index in a range, if it is one.
pub(crate) fn index(number: f64, range: Range<usize>) -> Option<usize> {
    let index = usize::try_from(whole(number)?).ok()?;
    range.contains(&index).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_in_the_range_pass() {
        assert_eq!(index(3.0, 3..4), Some(3));
        assert_eq!(whole(EXACT - 1.0), Some((1 << 53) - 1));
        for number in [-1.0, 2.0, 3.5, 4.0, 1e300, f64::NAN, f64::INFINITY] {
            assert_eq!(index(number, 3..4), None, "{number}");
        }
    }
}
