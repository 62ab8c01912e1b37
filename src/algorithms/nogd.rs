//! NOGD: gradient descent on the Nyström features of the first rows.

use serde::{Deserialize, Serialize};

use super::{FeatureLearner, Kogd, Switch, TwoPhases};
use crate::data::checks::{at_least_one, positive};
use crate::error::Error;
use crate::features::FixedNystrom;
use crate::kernels::AnyKernel;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::updates::every_row::KernelGradient;
use crate::updates::{Gradient, Rate};

/// The largest kernel value of a row with itself: up to it, a descent that diverges stays within float64 at any rate.
const LARGEST_KAPPA: f64 = 1e30;

/// Parameters of [`Nogd`].
///
/// ```
/// use nystream::{Learner, NogdParams};
///
/// let mut learner = Learner::new(NogdParams { budget: 2, ..Default::default() })?;
/// for x in [0.0, 1.0, 2.0, 3.0] {
///     learner.learn_row(&[x], 0.5)?;
/// }
/// assert_eq!(learner.n_basis(), 2);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NogdParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// `B`, at least 1: number of the first rows, all of which are kept. Default 400.
    pub budget: usize,
    /// Number of features, 1 to `budget`. Default: as many as there are eigenvalues above 1e-10 of the largest.
    pub rank: Option<usize>,
    /// Learning rate, positive. Above 1 over the largest kernel value the descent diverges. Default 0.1.
    pub eta: f64,
    /// The loss. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for NogdParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            budget: 400,
            rank: None,
            eta: 0.1,
            loss: AnyLoss::default(),
        }
    }
}

impl NogdParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Nogd, Error> {
        self.kernel.check()?;
        at_least_one("budget", self.budget)?;
        positive("eta", self.eta)?;
        if let Some(rank) = self.rank.filter(|rank| !(1..=self.budget).contains(rank)) {
            let expected = "None, or at least 1 and at most budget";
            return Err(Error::parameter("rank", expected, rank as f64));
        }
        let rate = Rate::Constant { eta: self.eta };
        self.loss.check()?;
        let descent = KernelGradient::new(self.kernel.clone(), rate.clone());
        let first = Kogd::of(descent.with_loss(self.loss));
        let switch = UseFirstRows {
            budget: self.budget,
            rank: self.rank.unwrap_or(self.budget),
            rate,
        };
        Ok(Nogd::new(switch, first))
    }
}

/// Gradient descent in the space of the kernel on the first `B` rows, then on the Nyström features that they give.
/// By Lu, Hoi, Wang, Zhao and Liu (2016).
///
/// A row costs O(dB + rB) with `r` features, and the change of phase O(B^3).
pub type Nogd = TwoPhases<UseFirstRows>;

/// The switch to the Nyström features of the first `budget` rows.
#[derive(Debug, Clone)]
pub struct UseFirstRows {
    budget: usize,
    rank: usize,
    rate: Rate,
}

impl Switch for UseFirstRows {
    type First = Kogd;
    type Second = FeatureLearner<FixedNystrom, Gradient>;

    const LARGEST_KAPPA: f64 = LARGEST_KAPPA;
    const AT_ONCE: bool = true;

    fn rows_left(&self, first: &Kogd) -> usize {
        self.budget.saturating_sub(first.descent().rows().n_rows())
    }

    /// Carries the predictor of the first phase over.
    fn switch(&self, first: &Kogd) -> Self::Second {
        let descent = first.descent();
        let (kernel, rows) = (descent.kernel().clone(), descent.rows().clone());
        let (map, w) = FixedNystrom::of_rows(kernel, rows, self.rank, descent.coefficients());
        let gradient = Gradient::from_weights(self.rate.clone(), w);
        FeatureLearner::new(map, gradient.with_loss(descent.loss()))
    }

    fn second_in(&self, first: &Kogd, state: &State) -> Option<Self::Second> {
        let map = || FixedNystrom::empty(first.descent().kernel().clone());
        let gradient = || Gradient::new(self.rate.clone()).with_loss(first.descent().loss());
        let learner = || FeatureLearner::new(map(), gradient());
        state.has("embedding").then(learner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;

    #[test]
    fn the_function_is_carried_over() {
        let learner = |budget| {
            let params = NogdParams {
                budget,
                ..NogdParams::default()
            };
            params.build().unwrap()
        };
        let (mut full, mut filling) = (learner(5), learner(6));
        let mut yhat = [[f64::NAN]; 2];
        for t in 0..5_u8 {
            let (x, y) = ([f64::from(t)], [f64::from(t).cos()]);
            full.learn_row(&x, &y, 1.0, &mut yhat[0]);
            filling.learn_row(&x, &y, 1.0, &mut yhat[1]);
            assert_eq!(yhat[0], yhat[1]);
        }
        assert!(full.second().is_some() && filling.first().is_some());
        for x in [0.0, 0.3, 2.5] {
            full.predict_into(&[x], &mut yhat[0]);
            filling.predict_into(&[x], &mut yhat[1]);
            assert!((yhat[0][0] - yhat[1][0]).abs() < 1e-14);
        }
    }
}
