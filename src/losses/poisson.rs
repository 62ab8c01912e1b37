//! The loss of Poisson regression.

use serde::{Deserialize, Serialize};

use super::Loss;
use crate::limits::{LARGEST, Range};

/// The loss of Poisson regression, `exp(v) - y v`, for labels that are counts or other numbers from 0 on: the prediction
/// `exp(v)` goes to their mean.
///
/// ```
/// use nystream::losses::{Loss, Poisson};
///
/// assert_eq!(Poisson {}.value(0.0, 3.0), 1.0);
/// assert_eq!(Poisson {}.derivative(0.0, 3.0), -2.0);
/// assert_eq!(Poisson {}.prediction(0.0), 1.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Poisson {}

impl Loss for Poisson {
    fn value(&self, v: f64, y: f64) -> f64 {
        self.prediction(v) - y * v
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        self.prediction(v) - y
    }

    fn curvature(&self, v: f64, _y: f64) -> f64 {
        self.prediction(v)
    }

    fn prediction(&self, v: f64) -> f64 {
        v.exp().min(LARGEST)
    }

    fn has_link(&self) -> bool {
        true
    }

    fn labels(&self) -> Range {
        (0.0, f64::INFINITY)
    }

    fn exp_concavity(&self, bound: f64, target_bound: f64) -> Option<f64> {
        let at = |(v, y): (f64, f64)| {
            let slope = self.derivative(v, y);
            self.curvature(v, y) / (slope * slope)
        };
        let corners = self.corners(bound, target_bound);
        Some(corners.map(at).into_iter().fold(f64::INFINITY, f64::min))
    }
}
