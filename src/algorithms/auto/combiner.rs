//! One prediction of many.

use crate::error::Error;
use crate::linalg::dot;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::heap;
use crate::updates::{LeastSquares, Update};

/// How many times the variance of the noise counts in the weights of the experts: errors are neither normal nor
/// independent, and weights that follow them too closely would jump.
const TEMPERATURE: f64 = 16.0;

/// Rows as good as which it takes to move away from the weighted mean of the experts.
const RIDGE: f64 = 300.0;

/// How much an error in itself counts towards the noise that it is compared with: rows that are far off count less.
const ROBUSTNESS: f64 = 0.03;

/// The smallest variance of the noise: labels have a scale of about 1.
const SMALLEST: f64 = 1e-100;

/// The predictions of experts, combined for one target.
///
/// A mean of them, weighted by how well each has done lately, as if their errors were normal; and from there a step that
/// least squares, on the differences from that mean, finds to have been good lately.
#[derive(Debug, Clone)]
pub(super) struct Combiner {
    loss: AnyLoss,
    forgetting: f64,
    /// The sum of the squared errors of each expert, of which old ones count less and less; and what an error of 1 in each
    /// row would be.
    losses: Vec<f64>,
    count: f64,
    squares: LeastSquares,
    differences: Vec<f64>,
}

impl Combiner {
    pub(super) fn new(n_experts: usize, forgetting: f64) -> Result<Self, Error> {
        let mut squares = LeastSquares::new(RIDGE, false)?.forgetting(forgetting)?;
        (0..n_experts).for_each(|_| squares.grow());
        Ok(Self {
            loss: AnyLoss::default(),
            forgetting,
            losses: vec![0.0; n_experts],
            count: 0.0,
            squares,
            differences: vec![0.0; n_experts],
        })
    }

    /// The variance of the noise, as the best expert shows it.
    fn noise(&self) -> f64 {
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        match self.count {
            0.0 => 1.0,
            count => (least / count).max(SMALLEST),
        }
    }

    /// The weight of each expert in the mean; they add up to 1.
    fn shares(&self) -> Vec<f64> {
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        let scale = 2.0 * TEMPERATURE * self.noise();
        let mut shares: Vec<f64> = self
            .losses
            .iter()
            .map(|loss| ((least - loss) / scale).exp())
            .collect();
        let sum: f64 = shares.iter().sum();
        for share in &mut shares {
            *share /= sum;
        }
        shares
    }

    /// The weight of each expert in the prediction.
    pub(super) fn weights(&self) -> Vec<f64> {
        let w = self.squares.w(0);
        let rest = 1.0 - w.iter().sum::<f64>();
        let shares = self.shares();
        shares
            .iter()
            .zip(w)
            .map(|(share, w)| rest * share + w)
            .collect()
    }

    /// The mean of a number for each expert, weighted by how well they have done.
    pub(super) fn mean(&self, numbers: &[f64]) -> f64 {
        dot(&self.shares(), numbers)
    }

    /// The mean squared error of each expert.
    pub(super) fn losses(&self) -> impl Iterator<Item = f64> {
        self.losses.iter().map(|loss| loss / self.count.max(1.0))
    }

    /// One round: combines the predictions of the experts, then learns the label; returns the prediction, and the mean of
    /// what each of them does not know.
    pub(super) fn learn(&mut self, experts: &[f64], q: &[f64], y: f64, weight: f64) -> (f64, f64) {
        let (shares, mut differences) = (self.shares(), std::mem::take(&mut self.differences));
        let (mean, q) = (dot(&shares, experts), dot(&shares, q));
        differences
            .iter_mut()
            .zip(experts)
            .for_each(|(d, e)| *d = e - mean);
        let yhat = mean + self.squares.predict(&differences);
        let noise = self.noise() + self.loss.weighted(ROBUSTNESS, yhat, y);
        self.squares
            .learn_weighted(&differences, &[y - mean], weight / noise, &mut [0.0]);
        self.differences = differences;
        for (sum, expert) in self.losses.iter_mut().zip(experts) {
            *sum = self.forgetting * *sum + self.loss.weighted(weight, *expert, y);
        }
        self.count = self.forgetting * self.count + weight;
        (yhat, q)
    }

    pub(super) fn save(&self, state: &mut State) {
        self.squares.save(state);
        state.put("losses", &*self.losses);
        state.put("count", [self.count]);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let n_experts = self.losses.len();
        self.squares.load(state, Some(n_experts))?;
        self.losses = state.vector("losses", n_experts)?;
        self.count = state.not_negative("count")?;
        Ok(())
    }
}

heap!(Combiner: losses, squares, differences);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expert_that_is_right_is_followed() {
        let mut combiner = Combiner::new(3, 0.999).unwrap();
        let mut last = 0.0;
        for i in 0..300 {
            let y = f64::from(i).sin();
            let experts = [y + 0.01 * f64::from(i % 2), 2.0 * y, 0.3];
            last = combiner.learn(&experts, &[0.0; 3], y, 1.0).0 - y;
        }
        assert!(last.abs() < 0.02);
        let weights = combiner.weights();
        assert!(weights[0] > 0.8 && weights[2].abs() < 0.1, "{weights:?}");
    }

    #[test]
    fn two_experts_that_err_in_turns_are_better_together() {
        let mut combiner = Combiner::new(2, 1.0).unwrap();
        let mut loss = 0.0;
        for i in 0..2000_u32 {
            let (y, error) = (f64::from(i).sin(), f64::from(i % 7) - 3.0);
            let experts = [y + error, y - 2.0 * error];
            let (yhat, q) = combiner.learn(&experts, &[0.5; 2], y, 1.0);
            assert!((q - 0.5).abs() < 1e-12);
            if i >= 1000 {
                loss += (yhat - y) * (yhat - y) / 1000.0;
            }
        }
        assert!(loss < 0.05, "{loss}");
    }
}
