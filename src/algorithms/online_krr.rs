//! Online kernel ridge regression.

use serde::{Deserialize, Serialize};

use super::{Algorithm, Basis, Facts, Intervals};
use crate::data::checks::{at_least_one_if_given, capacity_for};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::persist::State;
use crate::predictor::{Predictor, Scores};
use crate::runtime::heap;
use crate::updates::every_row::{KernelRidge, Regression};

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
    /// True if the row to be predicted counts too, with the label 0.
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
    fn facts(&self) -> Facts {
        Facts {
            n_basis: self.ridge.rows().n_rows(),
            takes_weights: true,
            ..Facts::default()
        }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        let regression = self.ridge.learn_row(x, y[0], weight);
        yhat[0] = self.prediction(&regression);
        self.scores.push(y, yhat, regression.uncertainty());
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = if self.forward {
            self.prediction(&self.ridge.regress(x))
        } else {
            self.ridge.predict(x)
        };
    }

    fn predictor(&self) -> Option<Predictor> {
        (!self.forward).then(|| Predictor::Expansion(self.ridge.expansion()))
    }

    fn basis(&self) -> Option<Basis<'_>> {
        Some(Basis {
            rows: self.ridge.rows(),
            kernel: self.ridge.kernel(),
            largest_kappa: self.ridge.largest_kappa(),
        })
    }

    fn scores_mut(&mut self) -> Option<&mut Scores> {
        Some(&mut self.scores)
    }

    fn intervals(&self) -> Option<Intervals<'_>> {
        let uncertainty = |x: &[f64]| self.ridge.regress(x).uncertainty();
        Some(Intervals::new(&self.scores, uncertainty))
    }

    fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        capacity_for(n_rows, self.ridge.rows().n_rows(), self.max_rows)
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
