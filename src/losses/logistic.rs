//! The logistic loss.

use serde::{Deserialize, Serialize};

use super::Loss;
use crate::limits::Range;

/// The logistic loss, `ln(1 + exp(v)) - y v`, for labels from 0 to 1: the prediction `1 / (1 + exp(-v))` goes to the
/// probability of the label 1.
///
/// ```
/// use nystream::losses::{Logistic, Loss};
///
/// assert_eq!(Logistic {}.value(0.0, 1.0), 2.0_f64.ln());
/// assert_eq!(Logistic {}.derivative(0.0, 1.0), -0.5);
/// assert_eq!(Logistic {}.prediction(0.0), 0.5);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Logistic {}

impl Loss for Logistic {
    fn value(&self, v: f64, y: f64) -> f64 {
        v.max(0.0) - y * v + (-v.abs()).exp().ln_1p()
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        self.prediction(v) - y
    }

    fn curvature(&self, v: f64, _y: f64) -> f64 {
        self.prediction(v) * self.prediction(-v)
    }

    fn prediction(&self, v: f64) -> f64 {
        let e = (-v.abs()).exp();
        if v < 0.0 {
            e / (1.0 + e)
        } else {
            (1.0 + e).recip()
        }
    }

    fn has_link(&self) -> bool {
        true
    }

    fn labels(&self) -> Range {
        (0.0, 1.0)
    }

    fn exp_concavity(&self, bound: f64, _target_bound: f64) -> Option<f64> {
        Some((-bound).exp())
    }
}
