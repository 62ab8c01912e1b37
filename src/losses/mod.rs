//! Losses: what a prediction costs, given the label.
//!
//! A learner has a value for a row, `w . phi`; its loss is convex in that value. For most losses the value is the
//! prediction; others have a [link](Loss::prediction) from one to the other.
//!
//! | loss | of a value `v` and a label `y` | labels | prediction |
//! |---|---|---|---|
//! | [`Squared`] | `(v - y)^2` | any | the mean |
//! | [`Absolute`] | `abs(v - y)` | any | the median |
//! | [`Quantile`] | `q (y - v)` below the label, `(1 - q) (v - y)` above it | any | the quantile `q` |
//! | [`Huber`] | `(v - y)^2 / 2` up to `delta`, then a line | any | between mean and median |
//! | [`EpsilonInsensitive`] | `abs(v - y) - epsilon`, but at least 0 | any | the middle |
//! | [`Logistic`] | `ln(1 + exp(v)) - y v` | 0 to 1 | a probability, `1 / (1 + exp(-v))` |
//! | [`SquaredHinge`] | `(1 - y v)^2` where `y v < 1` | -1 to 1 | positive for the label 1 |
//! | [`Hinge`] | `1 - y v` where `y v < 1` | -1 to 1 | positive for the label 1 |
//! | [`Poisson`] | `exp(v) - y v` | from 0 on | a mean count, `exp(v)` |
//!
//! A loss is one file here plus a `mod` line and a line in [`AnyLoss`].

mod absolute;
mod epsilon_insensitive;
mod hinge;
mod huber;
mod logistic;
mod poisson;
mod quantile;
mod squared;
mod squared_hinge;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::limits::{Range, UNBOUNDED};

pub use absolute::Absolute;
pub use epsilon_insensitive::EpsilonInsensitive;
pub use hinge::Hinge;
pub use huber::Huber;
pub use logistic::Logistic;
pub use poisson::Poisson;
pub use quantile::Quantile;
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;

/// The cost of a value that a learner has for a row, given the label: convex in the value.
pub trait Loss {
    /// The loss of a value.
    fn value(&self, v: f64, y: f64) -> f64;

    /// The loss of a value that counts `weight` times.
    fn weighted(&self, weight: f64, v: f64, y: f64) -> f64 {
        weight * self.value(v, y)
    }

    /// The derivative of the loss with respect to the value; at a kink, one between those of both sides.
    fn derivative(&self, v: f64, y: f64) -> f64;

    /// The second derivative of the loss with respect to the value, where there is one, and 0 at a kink.
    fn curvature(&self, v: f64, y: f64) -> f64;

    /// The step of Newton's method, from the value to the minimum of the parabola that touches the loss there.
    fn residual(&self, v: f64, y: f64) -> f64 {
        self.derivative(v, y) / self.curvature(v, y)
    }

    /// Derivative and curvature of the loss with its kinks made round, over a distance of `width` on both sides.
    fn rounded(&self, v: f64, y: f64, _width: f64) -> (f64, f64) {
        (self.derivative(v, y), self.curvature(v, y))
    }

    /// Returns true if the loss has kinks.
    fn has_kinks(&self) -> bool {
        false
    }

    /// The prediction that belongs to a value.
    fn prediction(&self, v: f64) -> f64 {
        v
    }

    /// Returns true if a value is not the prediction itself.
    fn has_link(&self) -> bool {
        false
    }

    /// The labels that the loss takes.
    fn labels(&self) -> Range {
        UNBOUNDED
    }

    /// The largest derivative for values within `[-bound, bound]` and labels within `[-target_bound, target_bound]`.
    fn steepest(&self, bound: f64, target_bound: f64) -> f64 {
        let corners = self.corners(bound, target_bound);
        let slopes = corners.map(|(v, y)| self.derivative(v, y).abs());
        slopes.into_iter().fold(0.0, f64::max)
    }

    /// The largest `a` for which `exp(-a loss)` is concave for such values and labels; `None` for a loss that is somewhere
    /// straight.
    fn exp_concavity(&self, _bound: f64, _target_bound: f64) -> Option<f64> {
        None
    }

    /// The weight of a squared gradient in the matrix of the online Newton step, for such values and labels: for any two
    /// values, the loss lies above the parabola that touches it at one of them with this weight times its squared
    /// derivative as the curvature. `None` for a loss without exp-concavity.
    fn newton_weight(&self, bound: f64, target_bound: f64) -> Option<f64> {
        let diameter = 2.0 * bound;
        let reach = (self.steepest(bound, target_bound) * diameter).recip();
        let concavity = self.exp_concavity(bound, target_bound)?;
        Some(0.5 * reach.min(concavity))
    }

    /// The corners of the values and labels within these bounds.
    fn corners(&self, bound: f64, target_bound: f64) -> [(f64, f64); 4] {
        let (low, high) = self.labels();
        let (low, high) = (low.max(-target_bound), high.min(target_bound));
        [(-bound, low), (-bound, high), (bound, low), (bound, high)]
    }

    /// Refuses parameters out of range.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A step from 0 to 1 at `x = 0`, made round over a distance of `width` on both sides; and its derivative.
fn ramp(x: f64, width: f64) -> (f64, f64) {
    if x <= -width && x < 0.0 {
        (0.0, 0.0)
    } else if x >= width && x > 0.0 {
        (1.0, 0.0)
    } else if width > 0.0 {
        (0.5 + 0.5 * (x / width), (2.0 * width).recip())
    } else {
        (0.5, 0.0)
    }
}

macro_rules! registry {
    ($($loss:ident),*) => {
        /// Any of the losses.
        #[non_exhaustive]
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        pub enum AnyLoss {
            $(#[doc = concat!("[`", stringify!($loss), "`].")] $loss($loss),)*
        }

        impl AnyLoss {
            /// The names of all losses.
            pub const NAMES: &[&str] = &[$(stringify!($loss)),*];

            /// Every loss, with its default parameters.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$loss($loss::default())),*]
            }

            /// Name of the loss.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$loss(_) => stringify!($loss),)* }
            }

            fn loss(&self) -> &dyn Loss {
                match self { $(Self::$loss(loss) => loss,)* }
            }
        }

        $(impl From<$loss> for AnyLoss {
            fn from(loss: $loss) -> Self {
                Self::$loss(loss)
            }
        })*

        impl Loss for AnyLoss {
            fn value(&self, v: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.value(v, y),)* }
            }

            fn weighted(&self, weight: f64, v: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.weighted(weight, v, y),)* }
            }

            fn derivative(&self, v: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.derivative(v, y),)* }
            }

            fn curvature(&self, v: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.curvature(v, y),)* }
            }

            fn residual(&self, v: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.residual(v, y),)* }
            }

            fn rounded(&self, v: f64, y: f64, width: f64) -> (f64, f64) {
                match self { $(Self::$loss(loss) => loss.rounded(v, y, width),)* }
            }

            fn has_kinks(&self) -> bool {
                self.loss().has_kinks()
            }

            fn prediction(&self, v: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.prediction(v),)* }
            }

            fn has_link(&self) -> bool {
                self.loss().has_link()
            }

            fn labels(&self) -> Range {
                self.loss().labels()
            }

            fn steepest(&self, bound: f64, target_bound: f64) -> f64 {
                self.loss().steepest(bound, target_bound)
            }

            fn exp_concavity(&self, bound: f64, target_bound: f64) -> Option<f64> {
                self.loss().exp_concavity(bound, target_bound)
            }

            fn newton_weight(&self, bound: f64, target_bound: f64) -> Option<f64> {
                self.loss().newton_weight(bound, target_bound)
            }

            fn check(&self) -> Result<(), Error> {
                self.loss().check()
            }
        }
    };
}

registry!(
    Squared,
    Absolute,
    Quantile,
    Huber,
    EpsilonInsensitive,
    Logistic,
    SquaredHinge,
    Hinge,
    Poisson
);

impl Default for AnyLoss {
    fn default() -> Self {
        Self::Squared(Squared {})
    }
}

impl AnyLoss {
    /// Returns true for the squared loss.
    pub fn is_squared(&self) -> bool {
        matches!(self, Self::Squared(_))
    }

    /// Returns true if labels may be any numbers, so that predictions are labels, too.
    pub(crate) fn takes_any_label(&self) -> bool {
        self.labels() == UNBOUNDED
    }

    /// Brings values to predictions.
    pub(crate) fn predict_in_place(&self, values: &mut [f64]) {
        if self.has_link() {
            for v in values {
                *v = self.prediction(*v);
            }
        }
    }

    /// The loss, checked, if it is exp-concave, as the online Newton step needs it.
    pub(crate) fn exp_concave(self) -> Result<Self, Error> {
        self.check()?;
        self.if_fit(|loss| loss.exp_concavity(1.0, 1.0).is_some())
    }

    /// The loss, if its labels may be any numbers, as those of residuals are.
    pub(crate) fn of_any_label(self) -> Result<Self, Error> {
        self.if_fit(Self::takes_any_label)
    }

    fn if_fit(self, is_fit: impl Fn(&Self) -> bool) -> Result<Self, Error> {
        if is_fit(&self) {
            return Ok(self);
        }
        let names = Self::all().into_iter().filter(is_fit);
        Err(Error::Loss {
            expected: names.map(|loss| loss.name()).collect(),
            name: self.name(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Step of the difference quotients, and how far they may be off for values of about 1.
    const STEP: f64 = 1e-4;
    const TOLERANCE: f64 = 1e-6;

    /// Values and labels that are not near a kink of any loss, for those that take the labels.
    fn pairs(loss: &AnyLoss) -> Vec<(f64, f64)> {
        let (low, high) = loss.labels();
        let labels = [0.4, 0.9, -1.0, 1.0, 0.0, 7.0].into_iter();
        let labels = labels.filter(|y| (low..=high).contains(y));
        labels
            .flat_map(|y| [-1.3, 0.2, 2.6, 4.1].map(|v| (v, y)))
            .collect()
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        for loss in AnyLoss::all() {
            for (v, y) in pairs(&loss) {
                let value = |step: f64| loss.value(v + step, y);
                let slope = (value(STEP) - value(-STEP)) / (2.0 * STEP);
                let bend = (value(STEP) - 2.0 * value(0.0) + value(-STEP)) / (STEP * STEP);
                assert!(
                    (loss.derivative(v, y) - slope).abs() < TOLERANCE,
                    "{loss:?}"
                );
                assert!(
                    (loss.curvature(v, y) - bend).abs() < TOLERANCE * 10.0,
                    "{loss:?}"
                );
                let thrice = loss.weighted(3.0, v, y) - 3.0 * value(0.0);
                assert!(thrice.abs() < TOLERANCE, "{loss:?}");
            }
        }
    }

    #[test]
    fn round_kinks_are_means_of_the_loss_over_a_distance() {
        let width = 0.3;
        for loss in AnyLoss::all().into_iter().filter(Loss::has_kinks) {
            for v in (-40..40).map(|i| 0.07 * f64::from(i) + 0.003) {
                let slope =
                    (loss.value(v + width, 1.0) - loss.value(v - width, 1.0)) / (2.0 * width);
                let bend = loss.derivative(v + width, 1.0) - loss.derivative(v - width, 1.0);
                let (derivative, curvature) = loss.rounded(v, 1.0, width);
                assert!((derivative - slope).abs() < 1e-12, "{loss:?} at {v}");
                assert!(
                    (curvature - bend / (2.0 * width)).abs() < 1e-12,
                    "{loss:?} at {v}"
                );
                assert_eq!(loss.rounded(v, 1.0, 0.0).0, loss.derivative(v, 1.0));
            }
        }
    }

    #[test]
    fn losses_are_convex_and_their_links_rise() {
        for loss in AnyLoss::all() {
            for (v, y) in pairs(&loss) {
                assert!(loss.curvature(v, y) >= 0.0);
                assert!(loss.derivative(v + 0.5, y) >= loss.derivative(v, y));
                assert!(loss.prediction(v + 0.5) > loss.prediction(v));
                assert!(loss.has_link() || loss.prediction(v) == v);
            }
        }
    }

    #[test]
    fn a_loss_lies_above_the_parabolas_of_its_newton_weight() {
        for (loss, bound, target_bound) in AnyLoss::all()
            .into_iter()
            .flat_map(|loss| [(0.5, 1.0), (1.0, 1.0), (3.0, 2.0)].map(|(u, y)| (loss, u, y)))
        {
            let Some(weight) = loss.newton_weight(bound, target_bound) else {
                assert!(loss.exp_concavity(bound, target_bound).is_none());
                continue;
            };
            let (low, high) = loss.labels();
            let (low, high) = (low.max(-target_bound), high.min(target_bound));
            let grid = |low: f64, high: f64| {
                (0..=20).map(move |i| low + (high - low) * f64::from(i) / 20.0)
            };
            for y in [low, high].into_iter().chain(grid(low, high)) {
                for (a, b) in
                    grid(-bound, bound).flat_map(|a| grid(-bound, bound).map(move |b| (a, b)))
                {
                    let slope = loss.derivative(b, y) * (a - b);
                    let parabola = loss.value(b, y) + slope + 0.5 * weight * slope * slope;
                    assert!(loss.value(a, y) >= parabola - 1e-12, "{loss:?} {a} {b} {y}");
                    assert!(
                        loss.derivative(b, y).abs() <= loss.steepest(bound, target_bound) + 1e-12
                    );
                }
            }
        }
    }

    #[test]
    fn the_newton_step_is_for_losses_that_are_nowhere_straight() {
        assert!(AnyLoss::from(Logistic {}).exp_concave().is_ok());
        let error = AnyLoss::from(Hinge {}).exp_concave().unwrap_err();
        let expected =
            "loss should be one of Squared, Logistic, SquaredHinge, Poisson, but is Hinge";
        assert_eq!(error.to_string(), expected);
    }
}
