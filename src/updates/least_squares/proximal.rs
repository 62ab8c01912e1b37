//! The step of a row whose loss need not be squared.

use super::super::{LARGEST_SHRINKAGE, Step};
use crate::error::Error;
use crate::limits::cut;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;

/// Part of the mean difference between values and labels over which a kink of the loss is made round.
const ROUND: f64 = 0.25;

/// Forgetting factor of the mean difference.
const MEMORY: f64 = 0.99;

/// The most steps to a new value: more than an interval of float64 can be halved.
const MOST_STEPS: usize = 2200;

/// Part of a value that is rounding.
const ROUNDING: f64 = 1e-15;

/// A loss, and the mean difference between values and labels so far, by which its kinks are made round.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Proximal {
    loss: AnyLoss,
    difference: f64,
    count: f64,
}

impl Proximal {
    pub(super) fn new(loss: AnyLoss) -> Self {
        let (difference, count) = (0.0, 0.0);
        Self {
            loss,
            difference,
            count,
        }
    }

    pub(super) fn loss(&self) -> AnyLoss {
        self.loss
    }

    pub(super) fn is_squared(&self) -> bool {
        self.loss.is_squared()
    }

    /// The step of a row whose value is `v`, whose loss counts `weight` times and whose `phi . P phi` is `q`: the value goes
    /// to the `u` with `u = v - weight q l'(u) / 2`.
    pub(super) fn step(&mut self, (v, y): (f64, f64), weight: f64, q: f64) -> Step {
        let width = self.width((v - y).abs());
        let half = |u: f64| {
            let (derivative, curvature) = self.loss.rounded(u, y, width);
            (0.5 * weight * derivative, 0.5 * weight * curvature)
        };
        let u = balance(v, |u| {
            let (slope, curvature) = half(u);
            (cut(q * slope), q * curvature)
        });
        let (slope, curvature) = half(u);
        // Where the loss is steep beside the past, the move tells the slope to more digits than the loss does.
        let slope = if curvature * q > 1.0 {
            (v - u) / q
        } else {
            slope
        };
        let curvature = curvature.min(LARGEST_SHRINKAGE.sqrt() / q);
        Step {
            shift: 0.0,
            curvature,
            e: slope * (1.0 + curvature * q),
        }
    }

    /// The distance over which kinks are made round, after a row with this difference between value and label.
    fn width(&mut self, difference: f64) -> f64 {
        if !self.loss.has_kinks() {
            return 0.0;
        }
        self.count = MEMORY * self.count + 1.0;
        self.difference += (difference - self.difference) / self.count;
        ROUND * self.difference
    }

    /// Appends the numbers that rows have changed.
    pub(super) fn pack(&self, numbers: &mut Vec<f64>) {
        if self.loss.has_kinks() {
            numbers.extend([self.difference, self.count]);
        }
    }

    /// Reads what [`pack`](Self::pack) has written; returns the numbers after that.
    pub(super) fn unpack<'n>(&mut self, numbers: &'n [f64]) -> Option<&'n [f64]> {
        if !self.loss.has_kinks() {
            return Some(numbers);
        }
        let (own, rest) = numbers.split_first_chunk()?;
        [self.difference, self.count] = *own;
        Some(rest)
    }

    pub(super) fn save(&self, state: &mut State) {
        if self.loss.has_kinks() {
            state.put("difference", [self.difference, self.count]);
        }
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        if !self.loss.has_kinks() {
            return Ok(());
        }
        [self.difference, self.count] = state.numbers("difference")?;
        if self.difference >= 0.0 && self.count >= 0.0 {
            return Ok(());
        }
        Err(Error::model_file("difference should not be negative"))
    }
}

/// The `u` with `u + pull(u) = v`, where `pull` gives a function that never falls, and its derivative: by steps of Newton's
/// method while each is at most half of the one before, and else by halves.
fn balance(v: f64, pull: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (first, _) = pull(v);
    let (mut low, mut high) = ((v - first).min(v), (v - first).max(v));
    let (mut u, mut last) = (v, high - low);
    for _ in 0..MOST_STEPS {
        let (value, slope) = pull(u);
        let off = (u - v) + value;
        *(if off > 0.0 { &mut high } else { &mut low }) = u;
        let newton = u - off / (1.0 + slope);
        let is_good = low < newton && newton < high && (newton - u).abs() <= 0.5 * last;
        let next = if is_good {
            newton
        } else {
            low + 0.5 * (high - low)
        };
        last = (next - u).abs();
        u = next;
        if last <= ROUNDING * u.abs().max(v.abs()) {
            break;
        }
    }
    u
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::losses::{Absolute, Huber, Logistic, Poisson, Squared};

    /// `u` after a row with the value `v` and the label `y`.
    fn after(step: Step, v: f64, q: f64) -> f64 {
        v - step.e * q / (1.0 + step.curvature * q)
    }

    #[test]
    fn the_step_of_the_squared_loss_is_that_of_least_squares() {
        let mut loss = Proximal::new(Squared {}.into());
        for (v, y, weight, q) in [(0.3, 2.0, 1.0, 5.0), (-1.0, 4.0, 0.5, 1e-3)] {
            let step = loss.step((v, y), weight, q);
            let expected = Step::least_squares(v - y, weight);
            assert!((step.curvature - expected.curvature).abs() < 1e-15);
            assert!((step.e - expected.e).abs() < 1e-14 * expected.e.abs());
        }
    }

    #[test]
    fn a_value_goes_to_where_loss_and_past_balance() {
        let losses = [
            Logistic {}.into(),
            Poisson {}.into(),
            Huber { delta: 0.5 }.into(),
        ];
        for loss in losses.map(|loss: AnyLoss| loss) {
            for (v, y, q) in [
                (0.0, 1.0, 100.0),
                (-30.0, 1.0, 7.0),
                (80.0, 0.0, 0.1),
                (2.0, 0.5, 1e9),
            ] {
                let step = Proximal::new(loss).step((v, y), 1.0, q);
                let u = after(step, v, q);
                let off = u - v + 0.5 * q * loss.derivative(u, y);
                assert!(
                    off.abs() <= 1e-12 * (1.0 + 0.5 * q * loss.curvature(u, y)) * v.abs().max(1.0),
                    "{loss:?} {v} {y} {q}: {off}"
                );
            }
        }
    }

    #[test]
    fn far_labels_pull_no_more_than_near_ones() {
        let mut loss = Proximal::new(Absolute {}.into());
        let near = loss.step((0.0, 10.0), 1.0, 0.2);
        let far = loss.step((0.0, 1e6), 1.0, 0.2);
        assert!((after(near, 0.0, 0.2) - 0.1).abs() < 1e-15);
        assert!((after(far, 0.0, 0.2) - 0.1).abs() < 1e-15);
    }

    #[test]
    fn numbers_at_the_limits_are_followed() {
        for loss in AnyLoss::all() {
            let (low, high) = loss.labels();
            for y in [low.max(-1e100), high.min(1e100)] {
                for (v, q) in [
                    (0.0, 1e-300),
                    (1e100, 1e100),
                    (-1e100, 1e100),
                    (3.0, 1e10),
                    (0.0, 0.0),
                ] {
                    let step = Proximal::new(loss).step((v, y), 1.0, q);
                    assert!(
                        step.e.is_finite() && step.curvature >= 0.0,
                        "{loss:?} {v} {y} {q}"
                    );
                    assert!(after(step, v, q).is_finite(), "{loss:?} {v} {y} {q}");
                }
            }
        }
    }
}
