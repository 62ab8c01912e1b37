//! Focus: which features are worth looking at.

use super::boosting::screen;
use super::window::Recent;
use crate::data::Rows;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;

/// The gain, in mean gains of shadows, from which on a feature counts fully; one that gains less counts by a power of
/// its part of it.
const ENOUGH: f64 = 6.0;
const POWER: f64 = 2.0;

/// The most rows, and the fewest, in which useless features are looked for.
const MOST: usize = 4096;
const FEWEST: usize = 64;

/// The seed of the draws.
const SEED: u64 = 1;

/// How much each feature is worth looking at, by the gains of trees.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Focus {
    /// The factor of each feature in a distance, 0 to 1.
    pub(super) factors: Vec<f64>,
    /// True if trees are not to ask for it.
    pub(super) is_useless: Vec<bool>,
}

impl Focus {
    /// Looks at all features alike.
    pub(super) fn none(width: usize) -> Self {
        Self {
            factors: vec![1.0; width],
            is_useless: vec![false; width],
        }
    }

    /// The focus for rows like these, whose first `n_known` features count fully. With several targets a feature counts
    /// as much as for the one that it tells most about.
    pub(super) fn of(recent: &Recent, n_known: usize, n_targets: usize) -> Self {
        let recent = recent.part(MOST);
        let n_rows = recent.weights.len();
        let width = recent.rows.len() / n_rows.max(1);
        let mut focus = Self::none(width);
        if n_rows < FEWEST {
            return focus;
        }
        let rows = Rows::trusted(&recent.rows, width, 0);
        focus.factors[n_known..].fill(0.0);
        focus.is_useless[n_known..].fill(true);
        for target in 0..n_targets {
            let screened = screen(&rows, n_known, &recent.labels(target, n_targets), SEED);
            let factors = focus.factors[n_known..].iter_mut().zip(screened.ratios);
            factors.for_each(|(factor, ratio)| *factor = factor.max(factor_of(ratio)));
            let useless = focus.is_useless[n_known..].iter_mut();
            useless
                .zip(screened.is_useless)
                .for_each(|(all, own)| *all &= own);
        }
        focus
    }

    /// Returns true if a feature is useless, but not all are.
    pub(super) fn is_some(&self) -> bool {
        let n_useless = self.is_useless.iter().filter(|useless| **useless).count();
        0 < n_useless && n_useless < self.is_useless.len()
    }

    pub(super) fn save(&self, state: &mut State) {
        let is_useless: Vec<f64> = self
            .is_useless
            .iter()
            .map(|u| f64::from(u8::from(*u)))
            .collect();
        let width = self.factors.len();
        state.put_padded("focus", &self.factors, width, 1.0);
        state.put_padded("useless", &is_useless, width, 0.0);
    }

    pub(super) fn load(width: usize, state: &State) -> Result<Self, Error> {
        let ((n, factors), (m, is_useless)) = (
            state.matrix("focus", width)?,
            state.matrix("useless", width)?,
        );
        let is_part = |factor: &f64| (0.0..=1.0).contains(factor);
        if [n, m] != [1, 1] || !factors.iter().all(is_part) {
            return Err(Error::model_file("focus should be from 0 to 1"));
        }
        Ok(Self {
            factors,
            is_useless: is_useless.iter().map(|u| *u != 0.0).collect(),
        })
    }
}

/// The factor of a feature whose gain is so many mean gains of shadows.
fn factor_of(ratio: f64) -> f64 {
    (ratio / ENOUGH).min(1.0).powf(POWER)
}

heap!(Focus: factors, is_useless);
