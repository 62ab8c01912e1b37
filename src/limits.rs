//! Limits of the numbers that learners compute with.

/// The largest magnitude of a feature or label: its square, and sums of squares, stay finite.
pub const LARGEST: f64 = 1e100;

/// The largest magnitude of a prediction. Labels stay below 1e100; a learner that diverges, as gradient descent with
/// too large a rate does, is cut here, so that no step from it overflows float64.
const LARGEST_PREDICTION: f64 = 1e120;

/// The least and the largest value that predictions may have.
pub type Range = (f64, f64);

/// The range of all numbers.
pub(crate) const UNBOUNDED: Range = (f64::NEG_INFINITY, f64::INFINITY);

/// Cuts a prediction to a magnitude that float64 can go on from.
pub(crate) fn cut(yhat: f64) -> f64 {
    yhat.clamp(-LARGEST_PREDICTION, LARGEST_PREDICTION)
}

/// Brings a prediction into a range.
pub(crate) fn clamp(yhat: f64, (low, high): Range) -> f64 {
    cut(yhat).clamp(low, high)
}
