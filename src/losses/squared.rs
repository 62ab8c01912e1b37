//! The squared loss.

use serde::{Deserialize, Serialize};

use super::Loss;

/// The squared loss, `(yhat - y)^2`.
///
/// ```
/// use nystream::losses::{Loss, Squared};
///
/// let loss = Squared {};
/// assert_eq!(loss.value(3.0, 1.0), 4.0);
/// assert_eq!(loss.derivative(3.0, 1.0), 4.0);
/// assert_eq!(loss.residual(3.0, 1.0), 2.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Squared {}

impl Loss for Squared {
    fn value(&self, yhat: f64, y: f64) -> f64 {
        (yhat - y) * (yhat - y)
    }

    fn weighted(&self, weight: f64, yhat: f64, y: f64) -> f64 {
        weight * (yhat - y) * (yhat - y)
    }

    fn derivative(&self, yhat: f64, y: f64) -> f64 {
        2.0 * (yhat - y)
    }

    fn curvature(&self, _yhat: f64, _y: f64) -> f64 {
        2.0
    }

    fn residual(&self, yhat: f64, y: f64) -> f64 {
        yhat - y
    }

    fn steepest(&self, bound: f64, target_bound: f64) -> f64 {
        2.0 * (bound + target_bound)
    }

    fn exp_concavity(&self, bound: f64, target_bound: f64) -> Option<f64> {
        let largest = bound + target_bound;
        Some(0.5 / (largest * largest))
    }

    /// The paper's weight, `1 / (4 (U^2 + Y^2))`.
    fn newton_weight(&self, bound: f64, target_bound: f64) -> Option<f64> {
        Some(0.25 / (bound * bound + target_bound * target_bound))
    }
}
