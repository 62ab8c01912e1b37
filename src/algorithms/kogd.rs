//! KOGD: kernel online gradient descent.

use serde::{Deserialize, Serialize};

use super::{Algorithm, Basis, Facts};
use crate::data::checks::{at_least_one_if_given, capacity_for, positive};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::heap;
use crate::updates::Rate;
use crate::updates::every_row::KernelGradient;

/// Parameters of [`Kogd`].
///
/// ```
/// use nystream::{KogdParams, Learner};
///
/// let mut learner = Learner::new(KogdParams::default())?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!(learner.predict_row(&[0.0, 1.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KogdParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// `U`, positive: the predictor stays in the ball of this radius. Default 2.
    pub bound: f64,
    /// The most rows to store, at least 1. Default: no limit.
    pub max_rows: Option<usize>,
    /// The loss. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for KogdParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            bound: 2.0,
            max_rows: None,
            loss: AnyLoss::default(),
        }
    }
}

impl KogdParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Kogd, Error> {
        self.kernel.check()?;
        positive("bound", self.bound)?;
        at_least_one_if_given("max_rows", self.max_rows)?;
        self.loss.check()?;
        let rate = Rate::adaptive(self.bound);
        Ok(Kogd {
            descent: KernelGradient::new(self.kernel.clone(), rate).with_loss(self.loss),
            max_rows: self.max_rows,
        })
    }
}

/// Gradient descent in the space of the kernel (the paper's section 3).
///
/// Every row learned is stored: row `t` costs O(d t).
#[derive(Debug, Clone)]
pub struct Kogd {
    descent: KernelGradient,
    max_rows: Option<usize>,
}

impl Kogd {
    /// A learner that goes on from this descent, without a limit on the rows.
    pub(super) fn of(descent: KernelGradient) -> Self {
        let max_rows = None;
        Self { descent, max_rows }
    }

    /// The gradient descent.
    pub(super) fn descent(&self) -> &KernelGradient {
        &self.descent
    }

    fn prediction(&self, value: f64) -> f64 {
        self.descent.loss().prediction(value)
    }

    /// The norm of the predictor, `||f||_H`.
    pub fn norm(&self) -> f64 {
        self.descent.norm()
    }
}

impl Algorithm for Kogd {
    fn facts(&self) -> Facts {
        Facts {
            n_basis: self.descent.rows().n_rows(),
            ..Facts::default()
        }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], _weight: f64, yhat: &mut [f64]) {
        let value = self.descent.learn_row(x, y[0]);
        yhat[0] = self.prediction(value);
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = self.prediction(self.descent.predict(x));
    }

    fn predictor(&self) -> Option<Predictor> {
        let expansion = Predictor::Expansion(self.descent.expansion());
        Some(expansion.linked(self.descent.loss()))
    }

    fn basis(&self) -> Option<Basis<'_>> {
        Some(Basis {
            rows: self.descent.rows(),
            kernel: self.descent.kernel(),
            largest_kappa: LARGEST,
        })
    }

    fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        capacity_for(n_rows, self.descent.rows().n_rows(), self.max_rows)
    }

    fn save(&self, state: &mut State) {
        self.descent.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.descent.load(state)
    }
}

heap!(Kogd: descent);
