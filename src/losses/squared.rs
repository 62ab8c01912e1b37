//! The squared loss.

use serde::{Deserialize, Serialize};

use super::Loss;

/// `(yhat - y)^2`.
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
}
