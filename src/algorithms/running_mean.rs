//! The running mean of the labels: the baseline of every learner.

use serde::{Deserialize, Serialize};

use super::{Algorithm, Facts, Intervals};
use crate::data::Rows;
use crate::error::Error;
use crate::persist::State;
use crate::predictor::{Line, Predictor, Scores};
use crate::runtime::heap;

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

impl RunningMean {
    /// The variance of the mean, as a multiple of that of a label; before the first label, 10.
    fn uncertainty(&self) -> f64 {
        self.count.max(0.1).recip()
    }
}

impl Algorithm for RunningMean {
    fn facts(&self) -> Facts {
        Facts {
            takes_weights: true,
            ..Facts::default()
        }
    }

    fn learn_row(&mut self, _x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        yhat[0] = self.mean;
        self.scores.push(y, yhat, self.uncertainty());
        self.count += weight;
        self.mean += (y[0] - self.mean) * (weight / self.count);
    }

    fn predict_into(&self, _x: &[f64], out: &mut [f64]) {
        out[0] = self.mean;
    }

    fn predict_rows_into(&self, _rows: &Rows<'_>, out: &mut [f64]) {
        out.fill(self.mean);
    }

    fn predictor(&self) -> Option<Predictor> {
        Some(Predictor::Linear(vec![Line::constant(self.mean)]))
    }

    fn scores_mut(&mut self) -> Option<&mut Scores> {
        Some(&mut self.scores)
    }

    fn intervals(&self) -> Option<Intervals<'_>> {
        Some(Intervals::new(&self.scores, |_| self.uncertainty()))
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
        let mut yhat = [f64::NAN];
        for (y, expected) in [(3.0, 0.0), (5.0, 3.0), (1.0, 4.0)] {
            learner.learn_row(&[], &[y], 1.0, &mut yhat);
            assert_eq!(yhat, [expected]);
        }
    }
}
