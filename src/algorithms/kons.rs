//! KONS: kernel online Newton step (the paper's Algorithm 2).

use serde::{Deserialize, Serialize};

use super::sketched_kons::Sketch;
use super::{Algorithm, Basis, Facts};
use crate::data::checks::{at_least_one_if_given, capacity_for};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::heap;
use crate::updates::every_row::KernelNewton;

/// Parameters of [`Kons`].
///
/// ```
/// use nystream::{KonsParams, Learner};
///
/// let mut learner = Learner::new(KonsParams::default())?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!(learner.predict_row(&[0.0, 1.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KonsParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// Regularisation, 1e-10 to 1e100: `A` starts as `mu I`. Default 1.
    pub mu: f64,
    /// Weight of a squared gradient in `A`, positive. Default: `1 / (8 bound^2)`, or 1/8 without a bound,
    /// for the squared loss.
    pub eta: Option<f64>,
    /// Predictions stay within `[-bound, bound]`, positive. Default: no bound.
    pub bound: Option<f64>,
    /// The most rows to store, at least 1. Default: no limit.
    pub max_rows: Option<usize>,
    /// The loss, which has to be exp-concave. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for KonsParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            mu: 1.0,
            eta: None,
            bound: None,
            max_rows: None,
            loss: AnyLoss::default(),
        }
    }
}

impl KonsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Kons, Error> {
        let (loss, scale) = (self.loss.exp_concave()?, self.bound.unwrap_or(1.0));
        let eta = self.eta.or_else(|| loss.newton_weight(scale, scale));
        let newton = KernelNewton::new(self.kernel.clone(), self.mu, eta, self.bound)?;
        let learner = Kons::new(newton, None, self.max_rows)?;
        Ok(Kons { loss, ..learner })
    }
}

/// An online Newton step in the space of the kernel.
///
/// Every row learned is stored: row `t` costs O(d t + t^2).
#[derive(Debug, Clone)]
pub struct Kons {
    loss: AnyLoss,
    newton: KernelNewton,
    /// Decides which gradients enter the matrix; `None` if all do.
    sketch: Option<Sketch>,
    max_rows: Option<usize>,
}

impl Kons {
    pub(super) fn new(
        newton: KernelNewton,
        sketch: Option<Sketch>,
        max_rows: Option<usize>,
    ) -> Result<Self, Error> {
        at_least_one_if_given("max_rows", max_rows)?;
        Ok(Self {
            loss: AnyLoss::default(),
            newton,
            sketch,
            max_rows,
        })
    }

    fn n_rows(&self) -> usize {
        self.newton.rows().n_rows()
    }
}

impl Algorithm for Kons {
    fn facts(&self) -> Facts {
        Facts {
            n_basis: self.n_rows(),
            ..Facts::default()
        }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], _weight: f64, yhat: &mut [f64]) {
        let look = self.newton.look(x);
        let e = self.loss.derivative(look.yhat, y[0]);
        let enters = self.sketch.as_ref().is_none_or(|sketch| {
            let leverage = self.newton.leverage(&look, e);
            sketch.takes(self.n_rows(), leverage)
        });
        self.newton.step(x, &look, e, enters);
        yhat[0] = self.loss.prediction(look.yhat);
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = self.loss.prediction(self.newton.predict(x));
    }

    fn predictor(&self) -> Option<Predictor> {
        Some(Predictor::Expansion(self.newton.expansion()).linked(self.loss))
    }

    fn basis(&self) -> Option<Basis<'_>> {
        Some(Basis {
            rows: self.newton.rows(),
            kernel: self.newton.kernel(),
            largest_kappa: LARGEST,
        })
    }

    fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        capacity_for(n_rows, self.n_rows(), self.max_rows)?;
        match &self.sketch {
            Some(sketch) => sketch.check_capacity(self.n_rows(), n_rows),
            None => Ok(()),
        }
    }

    fn save(&self, state: &mut State) {
        self.newton.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.newton.load(state)
    }
}

heap!(Kons: newton, sketch);
