//! The squared hinge loss.

use serde::{Deserialize, Serialize};

use super::Loss;
use crate::limits::Range;

/// The squared hinge loss, `(1 - y v)^2` where `y v < 1` and 0 elsewhere, for labels -1 and 1: the sign of the value says
/// which. A label between the two counts for less.
///
/// ```
/// use nystream::losses::{Loss, SquaredHinge};
///
/// assert_eq!(SquaredHinge {}.value(-1.0, 1.0), 4.0);
/// assert_eq!(SquaredHinge {}.value(2.0, 1.0), 0.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SquaredHinge {}

impl Loss for SquaredHinge {
    fn value(&self, v: f64, y: f64) -> f64 {
        let short = (1.0 - y * v).max(0.0);
        short * short
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        -2.0 * y * (1.0 - y * v).max(0.0)
    }

    fn curvature(&self, v: f64, y: f64) -> f64 {
        if y * v < 1.0 { 2.0 * y * y } else { 0.0 }
    }

    fn labels(&self) -> Range {
        (-1.0, 1.0)
    }

    fn exp_concavity(&self, bound: f64, _target_bound: f64) -> Option<f64> {
        Some(0.5 / ((1.0 + bound) * (1.0 + bound)))
    }
}
