//! Limits of the numbers that learners compute with.

/// The largest magnitude of a feature or label: its square, and sums of squares, stay finite.
pub const LARGEST: f64 = 1e100;

/// The largest magnitude of a prediction. Labels stay below 1e100; a learner that leaves them far behind, as a descent with
/// too large a rate does, is cut here, so that no step from it leaves float64.
const LARGEST_PREDICTION: f64 = 1e120;

/// The least and the largest value that predictions may have.
pub type Range = (f64, f64);

/// The range of all numbers.
pub(crate) const ANYTHING: Range = (f64::NEG_INFINITY, f64::INFINITY);

/// A prediction of a magnitude that float64 can go on from.
pub(crate) fn cut(yhat: f64) -> f64 {
    yhat.clamp(-LARGEST_PREDICTION, LARGEST_PREDICTION)
}

/// A prediction within a range.
pub(crate) fn clamp(yhat: f64, (low, high): Range) -> f64 {
    cut(yhat).clamp(low, high)
}
