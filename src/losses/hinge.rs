//! The hinge loss.

use serde::{Deserialize, Serialize};

use super::{Loss, ramp};
use crate::limits::Range;

/// The hinge loss, `1 - y v` where `y v < 1` and 0 elsewhere, for labels -1 and 1: the sign of the value says which. A
/// label between the two counts for less.
///
/// ```
/// use nystream::losses::{Hinge, Loss};
///
/// assert_eq!(Hinge {}.value(-1.0, 1.0), 2.0);
/// assert_eq!(Hinge {}.derivative(-1.0, 1.0), -1.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Hinge {}

impl Loss for Hinge {
    fn value(&self, v: f64, y: f64) -> f64 {
        (1.0 - y * v).max(0.0)
    }

    fn derivative(&self, v: f64, y: f64) -> f64 {
        self.rounded(v, y, 0.0).0
    }

    fn curvature(&self, _v: f64, _y: f64) -> f64 {
        0.0
    }

    fn rounded(&self, v: f64, y: f64, width: f64) -> (f64, f64) {
        let (short, slope) = ramp(1.0 - y * v, width * y.abs());
        (-y * short, y * y * slope)
    }

    fn has_kinks(&self) -> bool {
        true
    }

    fn labels(&self) -> Range {
        (-1.0, 1.0)
    }
}
