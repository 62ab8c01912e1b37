//! Ridge regression on an ALD dictionary.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::block::Block;
use crate::dictionary::Dictionary;
use crate::error::Error;
use crate::hypothesis::{Coefficients, Hypothesis};
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::memory::heap;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Clip, LeastSquares};

/// Parameters of [`RidgeAld`].
///
/// ```
/// use nystream::{Learner, RidgeAldParams};
///
/// let mut learner = Learner::new(RidgeAldParams { ridge: 1.0, ..Default::default() })?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!((learner.predict_row(&[0.0, 1.0])? - 0.25).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RidgeAldParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// ALD threshold, 1e-10 to 1: a smaller one keeps more rows. Default 1e-3.
    pub alpha: f64,
    /// Weight of `||f||^2`, 1e-10 to 1e100. Default 1e-2.
    pub ridge: f64,
    /// Whether to predict as Vovk, Azoury and Warmuth do. Default false.
    pub forward: bool,
    /// Whether to keep predictions within the range of the labels seen. Default false.
    pub clip: bool,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
}

impl Default for RidgeAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            ridge: 1e-2,
            forward: false,
            clip: false,
            max_basis: None,
        }
    }
}

impl RidgeAldParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<RidgeAld, Error> {
        Ok(RidgeAld {
            dictionary: Dictionary::new(self.kernel.clone(), self.alpha, self.max_basis)?,
            squares: LeastSquares::new(self.ridge, self.forward)?,
            clip: Clip::new(self.clip),
            coefficients: Coefficients::default(),
        })
    }
}

/// Least squares on the features of an ALD dictionary.
///
/// A row costs O(dJ + J^2) with J rows kept, whatever the length of the stream.
#[derive(Debug, Clone)]
pub struct RidgeAld {
    dictionary: Dictionary,
    squares: LeastSquares,
    clip: Clip,
    coefficients: Coefficients,
}

impl Algorithm for RidgeAld {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        let (map, w) = (self.dictionary.map(), self.squares.w());
        let (low, high) = self.clip.range();
        (!self.squares.is_forward()).then(|| self.coefficients.of(map, w).within(low, high))
    }

    fn predict(&self, x: &[f64]) -> f64 {
        if let Some(hypothesis) = self.hypothesis() {
            return hypothesis.predict(x);
        }
        let phi = self.dictionary.peek(x);
        self.clip.apply(self.squares.predict(&phi))
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.learn_weighted(x, y, 1.0)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64) -> f64 {
        self.coefficients.forget();
        self.dictionary.project(x);
        if self.dictionary.grow_if_novel(x).is_some() {
            self.squares.grow();
        }
        let phi = self.dictionary.phi();
        let yhat = self.squares.learn_weighted(phi, y, weight);
        let yhat = self.clip.apply(yhat);
        self.clip.include(y);
        yhat
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.dictionary.size())
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.coefficients.forget();
        self.dictionary.project_rows(rows, usize::MAX, block);
        let start = yhat.len();
        self.squares
            .learn_features(&block.features, &mut block.rounds, y, yhat);
        self.clip.apply_and_include(&mut yhat[start..], y);
    }

    fn basis(&self) -> Option<&Panels> {
        Some(self.dictionary.rows())
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(self.dictionary.map().kernel())
    }

    fn largest_kappa(&self) -> f64 {
        self.squares.largest_kappa()
    }

    fn save(&self, state: &mut State) {
        self.dictionary.save(state);
        self.squares.save(state);
        self.clip.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.dictionary.load(state)?;
        self.squares.load(state, self.dictionary.size())?;
        self.clip.load(state)
    }
}

heap!(RidgeAld: dictionary, squares, coefficients);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forward_prediction_knows_that_its_row_will_join() {
        let params = RidgeAldParams {
            forward: true,
            clip: true,
            ..RidgeAldParams::default()
        };
        let mut learner = params.build().unwrap();
        for (x, y) in [(0.0, 1.0), (0.5, 2.0), (3.0, 0.5), (0.4, 1.5), (0.4, 3.0)] {
            let predicted = learner.predict(&[x]);
            assert!((predicted - learner.learn(&[x], y)).abs() < 1e-14);
        }
    }
}
