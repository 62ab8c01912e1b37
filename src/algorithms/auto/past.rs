//! The past of the labels as features.

use super::means::Mean;
use crate::error::Error;
use crate::persist::State;
use crate::predictor::Scaling;
use crate::runtime::heap;

/// Forgetting factors of the running means of the labels.
const MEANS: [f64; 2] = [0.8, 0.97];

/// Number of past labels that are looked at one by one.
const LAGS: usize = 3;

/// Number of features that each target has.
const FEATURES: usize = LAGS + MEANS.len();

/// The last labels of each target, and features that are made of them.
///
/// The features are the last label, the last two differences of labels, and the distance of two running means from the
/// last label. They are 0 for the first row.
#[derive(Debug, Clone)]
pub(super) struct Past {
    /// The last labels of each target, the newest first.
    last: Vec<[f64; LAGS]>,
    means: Vec<Mean>,
    scaling: Scaling,
}

/// True for each of these features that is a label; the others are differences of labels.
pub(super) const LABELS: [bool; FEATURES] = [true, false, false, false, false];

impl Past {
    /// A past without labels, with features scaled for labels like these, at least one. With no targets it has no
    /// features.
    pub(super) fn new(y: &[f64], n_targets: usize) -> Self {
        let mut past = Self::with(Scaling::default(), n_targets);
        let (mut trial, mut features) = (past.clone(), Vec::new());
        if n_targets > 0 {
            for y in y.chunks_exact(n_targets) {
                features.extend(trial.raw());
                trial.update(y, 1.0);
            }
            past.scaling = Scaling::of(&features, past.width());
        }
        past
    }

    fn with(scaling: Scaling, n_targets: usize) -> Self {
        Self {
            last: vec![[0.0; LAGS]; n_targets],
            means: MEANS.iter().map(|f| Mean::new(*f, n_targets)).collect(),
            scaling,
        }
    }

    /// Number of features.
    pub(super) fn width(&self) -> usize {
        FEATURES * self.last.len()
    }

    /// Appends the features of a row for which labels were in this state.
    pub(super) fn append_to(&mut self, row: &mut Vec<f64>, raw: &[f64]) {
        self.scaling.update(raw);
        row.extend(self.scaled(raw));
    }

    /// The features that the next row has.
    pub(super) fn features(&self) -> Vec<f64> {
        self.scaled(&self.raw())
    }

    fn scaled(&self, raw: &[f64]) -> Vec<f64> {
        let mut features = raw.to_vec();
        self.scaling.scale_into(raw, &mut features);
        features
    }

    /// The features that the next row has, in units of the labels.
    pub(super) fn raw(&self) -> Vec<f64> {
        let mut features = Vec::with_capacity(self.width());
        for (target, last) in self.last.iter().enumerate() {
            features.push(last[0]);
            features.extend(last.windows(2).map(|pair| pair[0] - pair[1]));
            features.extend(
                self.means
                    .iter()
                    .map(|means| means.values[target] - last[0]),
            );
        }
        features
    }

    /// Learns the labels of a row.
    pub(super) fn update(&mut self, y: &[f64], weight: f64) {
        for (last, y) in self.last.iter_mut().zip(y) {
            last.rotate_right(1);
            last[0] = *y;
        }
        for means in &mut self.means {
            means.update(y, weight);
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("last_labels", self.last.concat());
        for (i, means) in self.means.iter().enumerate() {
            means.save(i, state);
        }
        self.scaling.save(state);
    }

    pub(super) fn load(n_targets: usize, state: &State) -> Result<Self, Error> {
        let mut past = Self::with(Scaling::load(state)?, n_targets);
        let last = state.vector("last_labels", LAGS * n_targets)?;
        past.last = last.as_chunks::<LAGS>().0.to_vec();
        for (i, means) in past.means.iter_mut().enumerate() {
            means.load(i, state)?;
        }
        if past.scaling.width() != past.width() {
            return Err(Error::model_file("the past and its scales disagree"));
        }
        Ok(past)
    }
}

heap!(Past: last, means, scaling);
