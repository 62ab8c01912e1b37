//! What becomes of predictions once they are made.

use super::{Clip, Scores};
use crate::error::Error;
use crate::hypothesis::Range;
use crate::memory::heap;
use crate::state::State;

/// Keeps predictions within the range of the labels, if asked to, and remembers how far they were off.
#[derive(Debug, Clone)]
pub struct Forecasts {
    clip: Clip,
    scores: Scores,
}

impl Forecasts {
    /// Of so many targets.
    pub fn new(clip: bool, n_targets: usize) -> Self {
        Self {
            clip: Clip::new(clip, n_targets),
            scores: Scores::new(n_targets),
        }
    }

    /// Those of several learners, at least one, as one.
    pub(crate) fn merged(all: &[&Self]) -> Self {
        let clips: Vec<&Clip> = all.iter().map(|own| &own.clip).collect();
        let scores: Vec<&Scores> = all.iter().map(|own| &own.scores).collect();
        Self {
            clip: Clip::merged(&clips),
            scores: Scores::merged(&scores),
        }
    }

    /// Where the predictions of each target are to be.
    pub fn ranges(&self) -> &[Range] {
        self.clip.ranges()
    }

    /// How far they were off.
    pub fn scores(&self) -> &Scores {
        &self.scores
    }

    /// Brings predictions for a row into the ranges.
    pub fn clip(&self, yhat: &mut [f64]) {
        self.clip.apply(yhat);
    }

    /// Clips predictions for a row with `q = phi . P phi`, then takes in its labels.
    pub fn close(&mut self, yhat: &mut [f64], y: &[f64], q: f64) {
        self.clip.apply(yhat);
        self.clip.include(y);
        self.scores
            .push(yhat.iter().zip(y).map(|(yhat, y)| y - yhat), q);
    }

    /// The same for many rows, each with its `q`.
    pub fn close_rows(&mut self, yhat: &mut [f64], y: &[f64], q: &[f64]) {
        let n_targets = self.ranges().len();
        let rows = yhat
            .chunks_exact_mut(n_targets)
            .zip(y.chunks_exact(n_targets));
        for ((yhat, y), q) in rows.zip(q) {
            self.close(yhat, y, *q);
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.clip.save(state);
        self.scores.save(state);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.clip.load(state)?;
        self.scores.load(state)
    }
}

heap!(Forecasts: scores);
