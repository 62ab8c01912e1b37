//! The quantile loss.

use serde::{Deserialize, Serialize};

use super::{Loss, ramp};
use crate::data::checks::part;
use crate::error::Error;

/// The quantile or pinball loss, `q (y - v)` for a value below the label and `(1 - q) (v - y)` above it: predictions go to
/// the quantile `q` of the labels.
///
/// ```
/// use nystream::losses::{Loss, Quantile};
///
/// let loss = Quantile { q: 0.9 };
/// assert_eq!(loss.value(1.0, 3.0), 1.8);
/// assert_eq!(loss.derivative(1.0, 3.0), -0.9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quantile {
    /// The part of the labels that are below the prediction, between 0 and 1. Default 0.5.
    pub q: f64,
}

impl Default for Quantile {
    fn default() -> Self {
        Self { q: 0.5 }
    }
}

impl Loss for Quantile {
    fn value(&self, v: f64, y: f64) -> f64 {
        if v < y {
            self.q * (y - v)
        } else {
            (1.0 - self.q) * (v - y)
        }
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        self.rounded(v, y, 0.0).0
    }

    fn curvature(&self, _v: f64, _y: f64) -> f64 {
        0.0
    }

    fn rounded(&self, v: f64, y: f64, width: f64) -> (f64, f64) {
        let (above, slope) = ramp(v - y, width);
        (above - self.q, slope)
    }

    fn has_kinks(&self) -> bool {
        true
    }

    fn check(&self) -> Result<(), Error> {
        part("q", self.q)
    }
}
