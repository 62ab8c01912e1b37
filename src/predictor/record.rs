//! The record of past predictions: ranges of the labels and errors.

use super::Scores;
use super::clip::Clip;
use crate::error::Error;
use crate::limits::Range;
use crate::persist::State;
use crate::runtime::heap;

/// Clips predictions to the range of the labels, if asked to, and records their errors.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// `None` for a learner that never clips.
    clip: Option<Clip>,
    scores: Scores,
}

impl Record {
    /// A record for `n_targets` targets, without clipping.
    pub(crate) fn new(n_targets: usize) -> Self {
        Self {
            clip: None,
            scores: Scores::new(n_targets),
        }
    }

    /// A record for `n_targets` targets of a learner that can clip, and does if asked to.
    pub(crate) fn clipping(asked: bool, n_targets: usize) -> Self {
        Self {
            clip: Some(Clip::new(asked, n_targets)),
            scores: Scores::new(n_targets),
        }
    }

    /// The records of several learners, at least one, merged.
    pub(crate) fn merged(all: &[&Self]) -> Self {
        let clips: Vec<&Clip> = all.iter().filter_map(|own| own.clip.as_ref()).collect();
        let scores: Vec<&Scores> = all.iter().map(|own| &own.scores).collect();
        Self {
            clip: (!clips.is_empty()).then(|| Clip::merged(&clips)),
            scores: Scores::merged(&scores),
        }
    }

    /// The range of the predictions of each target, for a learner that can clip.
    pub(crate) fn ranges(&self) -> Option<&[Range]> {
        self.clip.as_ref().map(Clip::ranges)
    }

    /// The errors of past predictions.
    pub(crate) fn scores(&self) -> &Scores {
        &self.scores
    }

    /// The errors of past predictions, to be recorded.
    pub(crate) fn scores_mut(&mut self) -> &mut Scores {
        &mut self.scores
    }

    /// Clips the predictions for a row.
    pub(crate) fn clip(&self, yhat: &mut [f64]) {
        if let Some(clip) = &self.clip {
            clip.apply(yhat);
        }
    }

    /// Clips the predictions for a row with `q = phi . P phi`, then records its labels.
    pub(crate) fn clip_and_record(&mut self, yhat: &mut [f64], y: &[f64], q: f64) {
        self.clip(yhat);
        if let Some(clip) = &mut self.clip {
            clip.include(y);
        }
        self.scores.push(y, yhat, q);
    }

    /// Appends the ranges of the labels; the errors of past predictions are left out.
    pub(crate) fn pack(&self, numbers: &mut Vec<f64>) {
        if let Some(clip) = &self.clip {
            clip.pack(numbers);
        }
    }

    /// Reads what [`pack`](Self::pack) has written; returns false if the numbers are not that.
    pub(crate) fn unpack(&mut self, numbers: &[f64]) -> bool {
        match &mut self.clip {
            Some(clip) => clip.unpack(numbers),
            None => numbers.is_empty(),
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        if let Some(clip) = &self.clip {
            clip.save(state);
        }
        self.scores.save(state);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        if let Some(clip) = &mut self.clip {
            clip.load(state)?;
        }
        self.scores.load(state)
    }
}

heap!(Record: clip, scores);
