//! The mean of the labels: what every learner has to beat.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::error::Error;
use crate::function::{Function, Line};
use crate::memory::heap;
use crate::state::State;
use crate::updates::Scores;

/// Parameters of [`RunningMean`]: none.
///
/// ```
/// use nystream::{Learner, RunningMeanParams};
///
/// let mut learner = Learner::new(RunningMeanParams {})?;
/// learner.learn_row(&[0.0], 1.0)?;
/// learner.learn_row(&[0.0], 2.0)?;
/// assert_eq!(learner.predict_row(&[7.0])?, 1.5);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunningMeanParams {}

impl RunningMeanParams {
    /// Makes a learner that has seen nothing.
    #[allow(clippy::unnecessary_wraps, reason = "the same for every algorithm")]
    pub fn build(&self) -> Result<RunningMean, Error> {
        Ok(RunningMean::default())
    }
}

/// Predicts the mean of the labels so far.
#[derive(Debug, Clone)]
pub struct RunningMean {
    mean: f64,
    count: f64,
    scores: Scores,
}

impl Default for RunningMean {
    fn default() -> Self {
        Self {
            mean: 0.0,
            count: 0.0,
            scores: Scores::new(1),
        }
    }
}

impl Algorithm for RunningMean {
    fn predict(&self, _x: &[f64]) -> f64 {
        self.mean
    }

    fn function(&self) -> Option<Function> {
        Some(Function::Linear(vec![Line::constant(self.mean)]))
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.learn_weighted(x, y, 1.0)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64) -> f64 {
        let yhat = self.predict(x);
        self.scores.push([y - yhat], self.uncertainty(x));
        self.count += weight;
        self.mean += (y - self.mean) * (weight / self.count);
        yhat
    }

    fn scores(&self) -> Option<&Scores> {
        Some(&self.scores)
    }

    /// Before there is a label, nothing is known: as little as after the tenth of one.
    fn uncertainty(&self, _x: &[f64]) -> f64 {
        self.count.max(0.1).recip()
    }

    fn save(&self, state: &mut State) {
        state.put("mean", [self.mean]);
        state.put("count", [self.count]);
        self.scores.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.mean = state.scalar("mean")?;
        self.count = state.not_negative("count")?;
        self.scores.load(state)
    }
}

heap!(RunningMean: scores);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicts_the_mean_of_the_labels_before() {
        let mut learner = RunningMean::default();
        let predictions = [3.0, 5.0, 1.0].map(|y| learner.learn(&[], y));
        assert_eq!(predictions, [0.0, 3.0, 4.0]);
    }
}
