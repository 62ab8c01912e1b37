//! The combination of the experts' predictions.

use crate::error::Error;
use crate::linalg::dot;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::heap;
use crate::updates::{LeastSquares, Update};

/// Factor of the noise's variance in the weights of the experts, which would follow errors too closely without it.
const TEMPERATURE: f64 = 16.0;

/// That factor at first, and the number of rows that raise it by 1: among few rows, good experts are found sooner.
const FIRST_TEMPERATURE: f64 = 4.0;
const WARMING: f64 = 20.0;

/// Number of rows that it takes to believe in a step of least squares, such as one away from the weighted mean.
pub(super) const RIDGE: f64 = 300.0;

/// Factor of a row's own squared error in the noise that it is compared with: rows predicted badly count less.
pub(super) const ROBUSTNESS: f64 = 0.03;

/// The smallest variance of the noise; labels have a scale of about 1.
const SMALLEST: f64 = 1e-100;

/// The loss of an expert that is asleep and not listened to.
const ASLEEP: f64 = f64::MAX;

/// Combines the predictions of the experts for one target.
///
/// The result is their mean, weighted by how well each has done lately, as if errors were normal, plus a step that
/// least squares on the differences from that mean finds to have been good lately.
#[derive(Debug, Clone)]
pub(super) struct Combiner {
    loss: AnyLoss,
    forgetting: f64,
    /// The sum of the squared errors of each expert, and the number of rows, both with forgetting.
    losses: Vec<f64>,
    count: f64,
    squares: LeastSquares,
    differences: Vec<f64>,
    /// True if the temperature rises; in older files it does not.
    is_warming: bool,
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
            is_warming: true,
        })
    }

    /// The variance of the noise: the mean squared error of the best expert.
    fn noise(&self) -> f64 {
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        noise(least, self.count)
    }

    fn temperature(&self) -> f64 {
        if self.is_warming {
            return (self.count / WARMING).clamp(FIRST_TEMPERATURE, TEMPERATURE);
        }
        TEMPERATURE
    }

    /// The weight of each expert in the mean; they add up to 1.
    fn shares(&self) -> Vec<f64> {
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        let scale = 2.0 * self.temperature() * self.noise();
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
        let awake = self.squares.w(0).iter().zip(&self.losses);
        let w: Vec<f64> = awake
            .map(|(w, loss)| if *loss == ASLEEP { 0.0 } else { *w })
            .collect();
        let rest = 1.0 - w.iter().sum::<f64>();
        let shares = self.shares();
        shares
            .iter()
            .zip(w)
            .map(|(share, w)| rest * share + w)
            .collect()
    }

    /// Leaves an expert out of the combination from now on.
    pub(super) fn ignore(&mut self, expert: usize) {
        self.losses[expert] = ASLEEP;
    }

    /// The mean squared error of each expert lately.
    pub(super) fn losses(&self) -> impl Iterator<Item = f64> {
        let mean = |loss: &f64| match *loss {
            ASLEEP => f64::INFINITY,
            loss => loss / self.count.max(1.0),
        };
        self.losses.iter().map(mean)
    }

    /// The least mean squared error of some experts lately.
    pub(super) fn least_loss(&self, experts: impl Iterator<Item = usize>) -> f64 {
        let losses: Vec<f64> = self.losses().collect();
        experts
            .map(|expert| losses[expert])
            .fold(f64::INFINITY, f64::min)
    }

    /// Makes one round: combines the predictions of the experts, then learns the label. Returns the prediction and the
    /// weighted mean of the experts' uncertainties `q`.
    pub(super) fn learn_row(
        &mut self,
        experts: &[f64],
        q: &[f64],
        y: f64,
        weight: f64,
    ) -> (f64, f64) {
        let (shares, mut differences) = (self.shares(), std::mem::take(&mut self.differences));
        let (mean, q) = (dot(&shares, experts), dot(&shares, q));
        self.differences_into(experts, mean, &mut differences);
        let yhat = mean + self.squares.predict(&differences);
        let noise = self.noise() + self.loss.weighted(ROBUSTNESS, yhat, y);
        self.squares
            .learn_targets(&differences, &[y - mean], weight / noise, &mut [0.0]);
        self.differences = differences;
        let awake = self.losses.iter_mut().zip(experts);
        for (sum, expert) in awake.filter(|(loss, _)| **loss != ASLEEP) {
            *sum = self.forgetting * *sum + self.loss.weighted(weight, *expert, y);
        }
        self.count = self.forgetting * self.count + weight;
        (yhat, q)
    }

    /// Combines the predictions of the experts. Returns the prediction and the weighted mean of their uncertainties `q`.
    pub(super) fn predict(&self, experts: &[f64], q: &[f64]) -> (f64, f64) {
        let shares = self.shares();
        let (mean, mut differences) = (dot(&shares, experts), vec![0.0; experts.len()]);
        self.differences_into(experts, mean, &mut differences);
        let yhat = mean + self.squares.predict(&differences);
        (yhat, dot(&shares, q))
    }

    /// Writes the differences of the experts' predictions from their mean; 0 for an expert that is asleep.
    fn differences_into(&self, experts: &[f64], mean: f64, differences: &mut [f64]) {
        let awake = experts.iter().zip(&self.losses);
        for (difference, (expert, loss)) in differences.iter_mut().zip(awake) {
            *difference = if *loss == ASLEEP { 0.0 } else { expert - mean };
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        self.squares.save(state);
        state.put("losses", &*self.losses);
        state.put("count", [self.count]);
        if self.is_warming {
            state.put("is_warming", [1.0]);
        }
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let n_experts = self.losses.len();
        self.squares.load(state, Some(n_experts))?;
        self.losses = state.vector("losses", n_experts)?;
        self.count = state.not_negative("count")?;
        self.is_warming = state.has("is_warming");
        Ok(())
    }
}

/// The variance of the noise, given the sum of the squared errors of so many rows; 1 before the first.
pub(super) fn noise(squares: f64, count: f64) -> f64 {
    match count {
        0.0 => 1.0,
        count => (squares / count).max(SMALLEST),
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
            last = combiner.learn_row(&experts, &[0.0; 3], y, 1.0).0 - y;
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
            let (yhat, q) = combiner.learn_row(&experts, &[0.5; 2], y, 1.0);
            assert!((q - 0.5).abs() < 1e-12);
            if i >= 1000 {
                loss += (yhat - y) * (yhat - y) / 1000.0;
            }
        }
        assert!(loss < 0.05, "{loss}");
    }
}
