//! The loss of support vector regression.

use serde::{Deserialize, Serialize};

use super::{Loss, ramp};
use crate::data::checks::not_negative;
use crate::error::Error;

/// The loss of support vector regression, `abs(v - y) - epsilon`, but at least 0: errors up to `epsilon` cost nothing.
///
/// ```
/// use nystream::losses::{EpsilonInsensitive, Loss};
///
/// let loss = EpsilonInsensitive { epsilon: 0.5 };
/// assert_eq!(loss.value(1.3, 1.0), 0.0);
/// assert_eq!(loss.value(3.0, 1.0), 1.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EpsilonInsensitive {
    /// The error that costs nothing, 0 or positive, in the unit of the labels. Default 0.1.
    pub epsilon: f64,
}

impl Default for EpsilonInsensitive {
    fn default() -> Self {
        Self { epsilon: 0.1 }
    }
}

impl Loss for EpsilonInsensitive {
    fn value(&self, v: f64, y: f64) -> f64 {
        ((v - y).abs() - self.epsilon).max(0.0)
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        self.rounded(v, y, 0.0).0
    }

    fn curvature(&self, _v: f64, _y: f64) -> f64 {
        0.0
    }

    fn rounded(&self, v: f64, y: f64, width: f64) -> (f64, f64) {
        let (above, rise) = ramp(v - y - self.epsilon, width);
        let (below, fall) = ramp(y - v - self.epsilon, width);
        (above - below, rise + fall)
    }

    fn has_kinks(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), Error> {
        not_negative("epsilon", self.epsilon)
    }
}
