//! The correction of predictions by the errors made last.

use super::combiner::{RIDGE, ROBUSTNESS, noise};
use super::means::Mean;
use crate::error::Error;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::heap;
use crate::updates::{LeastSquares, Update};

/// Number of errors that are looked at one by one, and of labels, of which the differences are.
const LAST: usize = 3;

/// Forgetting factors of the running means of the errors.
const MEANS: [f64; 2] = [0.8, 0.97];

/// Number of features that errors and labels make.
const FEATURES: usize = LAST + MEANS.len() + LAST - 1;

/// Forgetting factor of the comparison with predictions that are not corrected, and the part of their error that is left
/// with a correction that helps.
const FORGETTING: f64 = 0.995;
const HELPS: f64 = 0.95;

/// What is known of a row when it is predicted: a number each for the prediction and for the step that least squares say
/// should correct it, then the features that they say it by.
pub(super) type Proposal = [f64; 2 + FEATURES];

/// What least squares tell of the next error by the last errors, their running means, and the last differences of labels.
///
/// It is added to a prediction for as long as it makes the errors smaller.
#[derive(Debug, Clone)]
pub(super) struct Correction {
    loss: AnyLoss,
    /// The last errors and the last labels, the newest first.
    errors: [f64; LAST],
    labels: [f64; LAST],
    means: Vec<Mean>,
    squares: LeastSquares,
    /// The sums of the squared errors without and with a correction, and the number of rows, with forgetting.
    losses: [f64; 2],
    count: f64,
}

impl Correction {
    /// A correction that forgets old rows by this factor.
    pub(super) fn new(forgetting: f64) -> Result<Self, Error> {
        let mut squares = LeastSquares::new(RIDGE, false)?.forgetting(forgetting)?;
        (0..FEATURES).for_each(|_| squares.grow());
        Ok(Self {
            loss: AnyLoss::default(),
            errors: [0.0; LAST],
            labels: [0.0; LAST],
            means: MEANS.iter().map(|f| Mean::new(*f, 1)).collect(),
            squares,
            losses: [0.0; 2],
            count: 0.0,
        })
    }

    /// What is proposed for the next row, given its prediction.
    pub(super) fn propose(&self, yhat: f64) -> Proposal {
        let [a, b, c] = self.errors;
        let [last, before, first] = self.labels;
        let [short, long] = [0, 1].map(|i| self.means[i].values[0]);
        let features = [a, b, c, short, long, last - before, before - first];
        let step = self.squares.predict(&features);
        std::array::from_fn(|i| match i {
            0 => yhat,
            1 => step,
            _ => features[i - 2],
        })
    }

    /// The corrected prediction: the step is made if such steps have helped.
    pub(super) fn corrected(&self, [yhat, step, ..]: &Proposal) -> f64 {
        let [without, with] = self.losses;
        if with < HELPS * without {
            yhat + step
        } else {
            *yhat
        }
    }

    /// Learns the label of a row that counts `weight` times, given what was proposed for it.
    pub(super) fn learn(&mut self, proposal: &Proposal, y: f64, weight: f64) {
        let [yhat, step, features @ ..] = proposal;
        let (yhat, corrected) = (*yhat, yhat + step);
        let noise =
            noise(self.losses[0], self.count) + self.loss.weighted(ROBUSTNESS, corrected, y);
        self.squares
            .learn_targets(features, &[y - yhat], weight / noise, &mut [0.0]);
        for (sum, yhat) in self.losses.iter_mut().zip([yhat, corrected]) {
            *sum = FORGETTING * *sum + self.loss.weighted(weight, yhat, y);
        }
        if self.count == 0.0 {
            self.labels = [y; LAST];
        }
        self.count = FORGETTING * self.count + weight;
        for (last, newest) in [(&mut self.errors, y - yhat), (&mut self.labels, y)] {
            last.rotate_right(1);
            last[0] = newest;
        }
        for mean in &mut self.means {
            mean.update(&[y - yhat], weight);
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("errors", self.errors);
        state.put("labels", self.labels);
        for (i, mean) in self.means.iter().enumerate() {
            mean.save(i, state);
        }
        self.squares.save(state);
        state.put("losses", self.losses);
        state.put("count", [self.count]);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.errors = state.numbers("errors")?;
        self.labels = state.numbers("labels")?;
        for (i, mean) in self.means.iter_mut().enumerate() {
            mean.load(i, state)?;
        }
        self.squares.load(state, Some(FEATURES))?;
        self.losses = state.numbers("losses")?;
        self.count = state.not_negative("count")?;
        Ok(())
    }
}

heap!(Correction: means, squares);

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean squared error of the last half of some rounds in which 0 is predicted, and the labels.
    fn error(labels: impl Fn(u32) -> f64) -> f64 {
        let mut correction = Correction::new(0.999).unwrap();
        let mut sum = 0.0;
        for i in 0..2000 {
            let (y, proposal) = (labels(i), correction.propose(0.0));
            let error = y - correction.corrected(&proposal);
            correction.learn(&proposal, y, 1.0);
            sum += if i < 1000 {
                0.0
            } else {
                error * error / 1000.0
            };
        }
        sum
    }

    #[test]
    fn errors_that_follow_from_the_last_ones_are_mended() {
        assert!(error(|i| (f64::from(i) / 5.0).sin()) < 0.05);
    }

    #[test]
    fn errors_that_do_not_are_left_alone() {
        let noise = |i: u32| (f64::from(i) * 12.9898).sin() * 43_758.545;
        let noise = |i: u32| noise(i) - noise(i).floor() - 0.5;
        let mean = (1000..2000)
            .map(|i| noise(i) * noise(i) / 1000.0)
            .sum::<f64>();
        assert!(error(noise) < 1.01 * mean);
    }
}
