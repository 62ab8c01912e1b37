//! Huber's loss.

use serde::{Deserialize, Serialize};

use super::Loss;
use crate::data::checks::positive;
use crate::error::Error;

/// Huber's loss: `(v - y)^2 / 2` while that is at most `delta` apart, then `delta (abs(v - y) - delta / 2)`.
///
/// ```
/// use nystream::losses::{Huber, Loss};
///
/// let loss = Huber { delta: 1.0 };
/// assert_eq!(loss.value(0.5, 0.0), 0.125);
/// assert_eq!(loss.value(3.0, 0.0), 2.5);
/// assert_eq!(loss.derivative(3.0, 0.0), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Huber {
    /// The difference from which on the loss is straight, positive, in the unit of the labels. Default 1.
    pub delta: f64,
}

impl Default for Huber {
    fn default() -> Self {
        Self { delta: 1.0 }
    }
}

impl Loss for Huber {
    fn value(&self, v: f64, y: f64) -> f64 {
        let r = (v - y).abs();
        if r <= self.delta {
            0.5 * r * r
        } else {
            self.delta * (r - 0.5 * self.delta)
        }
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        (v - y).clamp(-self.delta, self.delta)
    }

    fn curvature(&self, v: f64, y: f64) -> f64 {
        f64::from((v - y).abs() <= self.delta)
    }

    fn check(&self) -> Result<(), Error> {
        positive("delta", self.delta)
    }
}
