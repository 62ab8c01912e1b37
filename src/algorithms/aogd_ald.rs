//! AOGD-ALD: kernel gradient descent with an ALD dictionary (the paper's Algorithm 1).

use serde::{Deserialize, Serialize};

use super::{FeatureLearner, Kogd, Switch, TwoPhases};
use crate::data::checks::{at_least_one, positive};
use crate::error::Error;
use crate::features::{Dictionary, FeatureMap};
use crate::kernels::AnyKernel;
use crate::linalg::norm_squared;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::updates::every_row::KernelGradient;
use crate::updates::{Gradient, Rate, Update};

/// Parameters of [`AogdAld`].
///
/// ```
/// use nystream::kernels::Gaussian;
/// use nystream::{AogdAldParams, Learner};
///
/// let kernel = Gaussian { sigma: 8.0 }.into();
/// let mut learner = Learner::new(AogdAldParams { kernel, ..Default::default() })?;
/// assert_eq!(learner.learn_row(&[0.0, 1.0], 0.5)?, 0.0); // predicted before the label was seen
/// assert!(learner.predict_row(&[0.0, 1.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AogdAldParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// ALD threshold, 1e-10 to 1: a smaller one keeps more rows. Default 1e-3.
    pub alpha: f64,
    /// `U`, positive: the predictor stays in the ball of this radius. Default 2.
    pub bound: f64,
    /// `B_0`: once the dictionary has this many rows, every row is stored, whatever its distance. Default: never.
    pub switch_at: Option<usize>,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
    /// The loss. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for AogdAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            bound: 2.0,
            switch_at: None,
            max_basis: None,
            loss: AnyLoss::default(),
        }
    }
}

impl AogdAldParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<AogdAld, Error> {
        positive("bound", self.bound)?;
        if self.switch_at.is_some() && self.max_basis.is_some() {
            return Err(Error::Conflict {
                first: "switch_at",
                second: "max_basis",
                reason: "past the switch every row is stored, past the cap none",
            });
        }
        let dictionary = Dictionary::new(self.kernel.clone(), self.alpha, self.max_basis)?;
        self.loss.check()?;
        let gradient = Gradient::new(Rate::adaptive(self.bound)).with_loss(self.loss);
        let switch = StoreEveryRow {
            at: self.switch_at.unwrap_or(usize::MAX),
        };
        let first = FeatureLearner::new(dictionary, gradient).full_at(switch.at);
        Ok(AogdAld::new(switch, first))
    }

    /// The `alpha = 1 / T` and `B_0 = floor((sqrt(d^2 + 4 d T) - d) / 2)` of the paper's theorem for `horizon` rows.
    /// At `B_0` rows a round with a dictionary costs as much as a round that stores every row.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and at most the horizon"
    )]
    pub fn settings(n_features: usize, horizon: usize) -> Result<(f64, usize), Error> {
        at_least_one("n_features", n_features)?;
        at_least_one("T", horizon)?;
        let (d, t) = (n_features as f64, horizon as f64);
        let switch_at = ((d * d + 4.0 * d * t).sqrt() - d) / 2.0;
        Ok((t.recip(), switch_at.floor() as usize))
    }
}

/// The paper's Algorithm 1: gradient descent on the features of an ALD dictionary.
///
/// A row costs O(dJ + J^2) with J rows kept, and O(dJ) once every row is stored.
pub type AogdAld = TwoPhases<StoreEveryRow>;

/// The switch to storing every row, once the dictionary has `at` rows.
#[derive(Debug, Clone)]
pub struct StoreEveryRow {
    at: usize,
}

impl Switch for StoreEveryRow {
    type First = FeatureLearner<Dictionary, Gradient>;
    type Second = Kogd;

    const AT_ONCE: bool = false;

    fn rows_left(&self, first: &Self::First) -> usize {
        if first.map().size() < self.at {
            usize::MAX
        } else {
            0
        }
    }

    /// Goes on from the kernel expansion of the same predictor.
    fn switch(&self, first: &Self::First) -> Kogd {
        let (map, w) = (first.map().map(), first.update().w(0));
        let rate = first.update().rate().clone();
        let descent = KernelGradient::from_expansion(
            map.kernel().clone(),
            rate,
            map.rows().clone(),
            map.coefficients(w),
            norm_squared(w),
        );
        Kogd::of(descent.with_loss(first.update().loss()))
    }

    fn second_in(&self, first: &Self::First, state: &State) -> Option<Kogd> {
        state.has("coefficients").then(|| self.switch(first))
    }
}

impl AogdAld {
    /// The norm of the predictor, `||f||_H`.
    pub fn norm(&self) -> f64 {
        let first = self
            .first()
            .map(|first| norm_squared(first.update().w(0)).sqrt());
        first.or(self.second().map(Kogd::norm)).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;

    #[test]
    fn one_round_by_hand() {
        let mut learner = AogdAldParams::default().build().unwrap();
        // e = -2, eta = 2 / sqrt(1 + 4), w = 4 / sqrt(5)
        let mut yhat = [f64::NAN];
        learner.learn_row(&[0.3], &[1.0], 1.0, &mut yhat);
        assert_eq!(yhat, [0.0]);
        learner.predict_into(&[0.3], &mut yhat);
        assert!((yhat[0] - 4.0 / 5.0_f64.sqrt()).abs() < 1e-15);
        assert!((learner.norm() - 4.0 / 5.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn from_the_switch_on_every_row_is_stored() {
        let params = AogdAldParams {
            switch_at: Some(2),
            ..AogdAldParams::default()
        };
        let mut learner = params.build().unwrap();
        let stored = [0.0, 0.0, 9.0, 9.0, 9.0].map(|x| {
            learner.learn_row(&[x], &[1.0], 1.0, &mut [0.0]);
            learner.facts().n_basis
        });
        assert_eq!(stored, [1, 1, 2, 3, 4]);
    }

    #[test]
    fn settings_are_those_of_the_theorem() {
        let alpha = 1.0 / 16599.0;
        assert_eq!(AogdAldParams::settings(18, 16599), Ok((alpha, 537)));
        assert_eq!(AogdAldParams::settings(1, 1), Ok((1.0, 0)));
        assert!(AogdAldParams::settings(0, 1).is_err());
        assert!(AogdAldParams::settings(1, 0).is_err());
    }

    #[test]
    fn a_cap_and_a_switch_exclude_each_other() {
        let params = AogdAldParams {
            switch_at: Some(2),
            max_basis: Some(2),
            ..AogdAldParams::default()
        };
        assert!(matches!(params.build(), Err(Error::Conflict { .. })));
    }
}
