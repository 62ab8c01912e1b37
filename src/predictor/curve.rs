//! Curves: labels with a long tail on a scale on which the tail is short.

use crate::error::Error;
use crate::limits::{Range, clamp};
use crate::persist::State;

/// A monotone function from numbers on which experts learn to labels: `origin + spread * sinh(centre + scale * z)`.
///
/// It is linear near the origin and exponential far from it. A curve with the spread 0 is straight: it leaves numbers as
/// they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// The label where the curve is steepest on the side of numbers.
    pub origin: f64,
    /// The distance from the origin at which the curve bends; negative if the lower tail of the labels is the long one.
    pub spread: f64,
    /// The argument of the hyperbolic sine for the number 0.
    pub centre: f64,
    /// The part of that argument that a number of 1 adds.
    pub scale: f64,
}

impl Curve {
    /// The curve that leaves numbers as they are.
    pub(crate) const STRAIGHT: Self = Self {
        origin: 0.0,
        spread: 0.0,
        centre: 0.0,
        scale: 1.0,
    };

    /// Returns true if the curve leaves numbers as they are.
    pub(crate) fn is_straight(&self) -> bool {
        self.spread == 0.0
    }

    /// The number of a label.
    pub(crate) fn number(&self, y: f64) -> f64 {
        if self.is_straight() {
            return y;
        }
        (((y - self.origin) / self.spread).asinh() - self.centre) / self.scale
    }

    /// The label of a number, brought into a range unless the curve is straight.
    pub(crate) fn label(&self, z: f64, range: Range) -> f64 {
        if self.is_straight() {
            return z;
        }
        let argument = self.centre + self.scale * z;
        clamp(self.origin + self.spread * argument.sinh(), range)
    }

    /// The curve of the mean label of numbers that err: with errors `e` whose mean `exp(scale * e)` is `up`, and whose mean
    /// `exp(-scale * e)` is `down`, its label of `z` is the mean of the labels of `z + e`.
    pub(crate) fn smeared(&self, up: f64, down: f64) -> Self {
        Self {
            spread: self.spread * (up * down).sqrt(),
            centre: self.centre + 0.5 * (up / down).ln(),
            ..*self
        }
    }

    /// The origin, the spread, the centre and the scale.
    pub(crate) fn numbers(&self) -> [f64; 4] {
        [self.origin, self.spread, self.centre, self.scale]
    }

    /// Writes some curves.
    pub(crate) fn save_all(curves: &[Self], state: &mut State) {
        let numbers = curves.iter().flat_map(Self::numbers).collect();
        state.put_matrix("curves", [curves.len(), 4], numbers);
    }

    /// Reads the curves that there are.
    pub(crate) fn load_all(state: &State) -> Result<Vec<Self>, Error> {
        let (_, numbers) = state.matrix("curves", 4)?;
        let curve = |&[origin, spread, centre, scale]: &[f64; 4]| Self {
            origin,
            spread,
            centre,
            scale,
        };
        let curves: Vec<Self> = numbers.as_chunks::<4>().0.iter().map(curve).collect();
        if curves.iter().all(|curve| curve.scale > 0.0) {
            return Ok(curves);
        }
        Err(Error::model_file("the scales of curves should be positive"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::UNBOUNDED;

    const CURVE: Curve = Curve {
        origin: 2.0,
        spread: 0.5,
        centre: 1.0,
        scale: 0.7,
    };
    const MIRRORED: Curve = Curve {
        spread: -0.5,
        ..CURVE
    };

    #[test]
    fn a_label_and_its_number_belong_together() {
        for curve in [CURVE, MIRRORED, Curve::STRAIGHT] {
            for y in [-1e50, -3.0, 0.0, 2.0, 7.5, 1e50] {
                let again = curve.label(curve.number(y), UNBOUNDED);
                assert!((again - y).abs() <= 1e-12 * y.abs().max(1.0), "{curve:?}");
            }
        }
    }

    #[test]
    fn labels_stay_in_the_range_however_far_numbers_are() {
        for curve in [CURVE, MIRRORED] {
            for z in [-1e300, -1e3, 1e3, 1e300] {
                assert!((0.0..=9.0).contains(&curve.label(z, (0.0, 9.0))));
                assert!(curve.label(z, UNBOUNDED).is_finite());
            }
        }
    }

    #[test]
    fn a_smeared_curve_has_the_mean_label_of_numbers_that_err() {
        let errors = [-1.0, -0.2, 0.1, 2.0];
        let mean = |f: &dyn Fn(f64) -> f64| errors.iter().map(|e| f(*e)).sum::<f64>() / 4.0;
        for curve in [CURVE, MIRRORED] {
            let up = mean(&|e| (curve.scale * e).exp());
            let down = mean(&|e| (-curve.scale * e).exp());
            for z in [-2.0, 0.0, 3.0] {
                let expected = mean(&|e| curve.label(z + e, UNBOUNDED));
                let found = curve.smeared(up, down).label(z, UNBOUNDED);
                assert!((found - expected).abs() < 1e-12 * expected.abs());
            }
        }
    }

    #[test]
    fn curves_come_back_from_files_and_flat_ones_are_refused() {
        let mut state = State::default();
        Curve::save_all(&[CURVE, Curve::STRAIGHT], &mut state);
        assert_eq!(Curve::load_all(&state), Ok(vec![CURVE, Curve::STRAIGHT]));
        let flat = Curve {
            scale: 0.0,
            ..CURVE
        };
        Curve::save_all(&[flat], &mut state);
        assert!(Curve::load_all(&state).is_err());
    }
}
