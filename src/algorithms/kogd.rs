//! KOGD: kernel online gradient descent.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::error::Error;
use crate::hypothesis::Hypothesis;
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::memory::heap;
use crate::params::{at_least_one_if_given, positive, room_for};
use crate::state::State;
use crate::updates::{KernelGradient, Rate};

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
    /// `U`, positive: the hypothesis stays in the ball of this radius. Default 2.
    pub bound: f64,
    /// The most rows to store, at least 1. Default: no limit.
    pub max_rows: Option<usize>,
}

impl Default for KogdParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            bound: 2.0,
            max_rows: None,
        }
    }
}

impl KogdParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Kogd, Error> {
        self.kernel.check()?;
        positive("bound", self.bound)?;
        at_least_one_if_given("max_rows", self.max_rows)?;
        Ok(Kogd {
            descent: KernelGradient::new(self.kernel.clone(), Rate::adaptive(self.bound)),
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

impl Algorithm for Kogd {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        Some(self.descent.hypothesis())
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.descent.learn(x, y)
    }

    fn basis(&self) -> Option<&Panels> {
        Some(self.descent.rows())
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(self.descent.kernel())
    }

    fn check_room(&self, n_rows: usize) -> Result<(), Error> {
        room_for(n_rows, self.descent.rows().n_rows(), self.max_rows)
    }

    fn save(&self, state: &mut State) {
        self.descent.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.descent.load(state)
    }
}
heap!(Kogd: descent);
