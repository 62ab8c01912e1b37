//! Online kernel ridge regression.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::error::Error;
use crate::hypothesis::Hypothesis;
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::memory::heap;
use crate::params::{at_least_one_if_given, room_for};
use crate::state::State;
use crate::updates::{KernelRidge, Regression, Scores};

/// Parameters of [`OnlineKrr`].
///
/// ```
/// use nystream::{Learner, OnlineKrrParams};
///
/// let mut learner = Learner::new(OnlineKrrParams { ridge: 1.0, ..Default::default() })?;
/// learner.learn_row(&[0.0, 1.0], 1.0)?;
/// assert!((learner.predict_row(&[0.0, 1.0])? - 0.5).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OnlineKrrParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// `a`, the weight of `||f||^2`, 1e-10 to 1e100. Default 1e-2.
    pub ridge: f64,
    /// The most rows to store, at least 1. Default: no limit.
    pub max_rows: Option<usize>,
}

impl Default for OnlineKrrParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            ridge: 1e-2,
            max_rows: None,
        }
    }
}

impl OnlineKrrParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<OnlineKrr, Error> {
        self.build_with(false)
    }

    pub(super) fn build_with(&self, forward: bool) -> Result<OnlineKrr, Error> {
        at_least_one_if_given("max_rows", self.max_rows)?;
        Ok(OnlineKrr {
            ridge: KernelRidge::new(self.kernel.clone(), self.ridge)?,
            forward,
            max_rows: self.max_rows,
            scores: Scores::new(1),
        })
    }
}

/// Exact kernel ridge regression on the rows so far.
///
/// Every row learned is stored: row `t` costs O(d t + t^2) to learn and O(d t) to predict.
#[derive(Debug, Clone)]
pub struct OnlineKrr {
    ridge: KernelRidge,
    /// Whether the row to be predicted counts too, with the label 0.
    forward: bool,
    max_rows: Option<usize>,
    scores: Scores,
}

impl OnlineKrr {
    fn prediction(&self, regression: &Regression) -> f64 {
        if self.forward {
            regression.forward()
        } else {
            regression.yhat
        }
    }
}

impl Algorithm for OnlineKrr {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        (!self.forward).then(|| self.ridge.hypothesis())
    }

    fn predict(&self, x: &[f64]) -> f64 {
        match self.hypothesis() {
            Some(hypothesis) => hypothesis.predict(x),
            None => self.prediction(&self.ridge.regress(x)),
        }
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.learn_weighted(x, y, 1.0)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64) -> f64 {
        let regression = self.ridge.learn(x, y, weight);
        let yhat = self.prediction(&regression);
        self.scores.push([y - yhat], regression.uncertainty());
        yhat
    }

    fn scores(&self) -> Option<&Scores> {
        Some(&self.scores)
    }

    fn uncertainty(&self, x: &[f64]) -> f64 {
        self.ridge.regress(x).uncertainty()
    }

    fn basis(&self) -> Option<&Panels> {
        Some(self.ridge.rows())
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(self.ridge.kernel())
    }

    fn check_room(&self, n_rows: usize) -> Result<(), Error> {
        room_for(n_rows, self.ridge.rows().n_rows(), self.max_rows)
    }

    fn largest_kappa(&self) -> f64 {
        self.ridge.largest_kappa()
    }

    fn save(&self, state: &mut State) {
        self.ridge.save(state);
        self.scores.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.ridge.load(state)?;
        self.scores.load(state)
    }
}
heap!(OnlineKrr: ridge, scores);
