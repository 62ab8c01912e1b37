//! PROS-N-KONS: online Newton step on sampled rows, with restarts.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::block::Block;
use crate::error::Error;
use crate::hypothesis::{Coefficients, Hypothesis};
use crate::kernels::AnyKernel;
use crate::kors::{Kors, Offer};
use crate::linalg::Panels;
use crate::memory::heap;
use crate::params::{positive, positive_if_given};
use crate::random::Uniforms;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Newton, loss_derivative};

/// Parameters of [`ProsNKons`].
///
/// ```
/// use nystream::{Learner, ProsNKonsParams};
///
/// let uniforms = Some(vec![0.0, 0.9]);
/// let mut learner = Learner::new(ProsNKonsParams { uniforms, ..Default::default() })?;
/// learner.learn_row(&[0.0], 0.5)?; // kept: it gives the space of the next round
/// assert_eq!(learner.predict_row(&[0.0])?, 0.0);
/// learner.learn_row(&[0.0], 0.5)?;
/// assert!(learner.predict_row(&[0.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProsNKonsParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// Regularisation, 1e-10 to 1e100: `A` starts as `mu I`. Default 1.
    pub mu: f64,
    /// Regularisation of the leverage scores, positive: a larger one keeps fewer rows. Default 1.
    pub gamma: f64,
    /// Factor of the leverage scores, positive: a larger one keeps more rows. Default 1.
    pub beta: f64,
    /// The leverage scores are estimated too high by this part, 0 or positive. Default 0.5.
    pub epsilon: f64,
    /// `C`, positive: predictions stay within `[-C, C]`, but where a new space was carried over to. Default 1.
    pub bound: f64,
    /// Weight of a squared gradient in `A`, positive. Default: `1 / (16 C^2)`.
    pub eta: Option<f64>,
    /// Seed of the draws. Default 0.
    pub random_state: u64,
    /// The draws themselves, one number in [0, 1) for each row. Default: drawn.
    pub uniforms: Option<Vec<f64>>,
}

impl Default for ProsNKonsParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            mu: 1.0,
            gamma: 1.0,
            beta: 1.0,
            epsilon: 0.5,
            bound: 1.0,
            eta: None,
            random_state: 0,
            uniforms: None,
        }
    }
}

impl ProsNKonsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<ProsNKons, Error> {
        self.build_with(NewSpace::Restart)
    }

    pub(super) fn build_with(&self, new_space: NewSpace) -> Result<ProsNKons, Error> {
        positive("bound", self.bound)?;
        positive_if_given("eta", self.eta)?;
        let eta = self.eta.unwrap_or(0.0625 / (self.bound * self.bound));
        let uniforms = Uniforms::new(self.random_state, self.uniforms.as_deref())?;
        let (kernel, gamma) = (self.kernel.clone(), ("gamma", self.gamma));
        Ok(ProsNKons {
            kors: Kors::new(kernel, gamma, self.beta, self.epsilon, uniforms)?,
            newton: Newton::new(self.mu, eta)?,
            bound: self.bound,
            new_space,
            projects: true,
            coefficients: Coefficients::default(),
            offer: Offer::default(),
        })
    }
}

/// What happens to the matrix and the weights when a row is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NewSpace {
    /// Both start anew.
    Restart,
    /// Both are carried over; the weights are those before the step of the round that kept the row, and the next round
    /// does not project them.
    CarryOver,
}

/// An online Newton step on the Nyström features of rows sampled by their leverage scores, by Calandriello, Lazaric and
/// Valko (2017). A row kept in one round changes the space in the next.
///
/// A row costs O(dJ + J^2) with J rows kept.
#[derive(Debug, Clone)]
pub struct ProsNKons {
    kors: Kors,
    newton: Newton,
    bound: f64,
    new_space: NewSpace,
    /// Whether the next round keeps its prediction within the bound.
    projects: bool,
    coefficients: Coefficients,
    offer: Offer,
}

impl ProsNKons {
    fn round_bound(&self) -> f64 {
        if self.projects {
            self.bound
        } else {
            f64::INFINITY
        }
    }

    /// Learns a row that is kept, and changes to the space that it gives.
    fn change_space(&mut self, x: &[f64], e: f64, offer: &mut Offer) {
        self.kors.take(x, offer);
        match self.new_space {
            NewSpace::Restart => self.newton.restart(self.kors.map().size()),
            NewSpace::CarryOver => {
                self.newton.step_matrix(e);
                if offer.coordinate.is_some() {
                    self.newton.grow(0.0);
                }
                self.projects = false;
            }
        }
    }
}

impl Algorithm for ProsNKons {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        let f = self.coefficients.of(self.kors.map(), self.newton.w());
        let bound = self.round_bound();
        Some(f.within(-bound, bound))
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.coefficients.forget();
        let mut offer = std::mem::take(&mut self.offer);
        self.kors.look(x, &mut offer);
        let yhat = self.newton.predict(&offer.at.phi, self.round_bound());
        self.projects = true;
        let e = loss_derivative(yhat, y);
        if offer.kept {
            self.change_space(x, e, &mut offer);
        } else {
            self.newton.step(e);
            self.kors.take(x, &mut offer);
        }
        self.offer = offer;
        yhat
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.kors.map().size())
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.coefficients.forget();
        let mut n = 0;
        // A row that changes the space, and the one after it, go by themselves.
        if self.projects {
            n = self.kors.look_at_rows(rows, block);
        }
        if n > 0 {
            let Block {
                features, rounds, ..
            } = block;
            self.newton
                .learn_features(features, rounds, &y[..n], self.bound, yhat);
            self.kors.pass(n);
        }
        if n < rows.len() {
            yhat.extend(rows.iter().nth(n).map(|x| self.learn(x, y[n])));
        }
    }

    fn basis(&self) -> Option<&Panels> {
        Some(self.kors.rows())
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(self.kors.map().kernel())
    }

    fn largest_kappa(&self) -> f64 {
        self.newton.largest_kappa(4.0 * self.bound)
    }

    fn check_room(&self, n_rows: usize) -> Result<(), Error> {
        self.kors.check_room(n_rows)
    }

    fn save(&self, state: &mut State) {
        self.kors.save(state);
        self.newton.save(state);
        state.put("projects", [f64::from(self.projects)]);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.kors.load(state)?;
        self.newton.load(state, self.kors.map().size())?;
        self.projects = state.scalar("projects")? != 0.0;
        Ok(())
    }
}
heap!(ProsNKons: kors, newton, coefficients, offer);
