//! The absolute loss.

use serde::{Deserialize, Serialize};

use super::{Loss, ramp};

/// The absolute loss, `abs(v - y)`: predictions go to the median of the labels, and a label far off pulls no more than one
/// close by.
///
/// ```
/// use nystream::losses::{Absolute, Loss};
///
/// assert_eq!(Absolute {}.value(3.0, 1.0), 2.0);
/// assert_eq!(Absolute {}.derivative(3.0, 1.0), 1.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Absolute {}

impl Loss for Absolute {
    fn value(&self, v: f64, y: f64) -> f64 {
        (v - y).abs()
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        self.rounded(v, y, 0.0).0
    }

    fn curvature(&self, _v: f64, _y: f64) -> f64 {
        0.0
    }

    fn rounded(&self, v: f64, y: f64, width: f64) -> (f64, f64) {
        let (above, slope) = ramp(v - y, width);
        (2.0 * above - 1.0, 2.0 * slope)
    }

    fn has_kinks(&self) -> bool {
        true
    }
}
