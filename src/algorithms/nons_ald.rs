//! NONS-ALD: Nyström online Newton step with an ALD dictionary (the paper's Algorithm 3).

use serde::{Deserialize, Serialize};

use super::FeatureLearner;
use crate::data::checks::{at_least_one, positive, positive_if_given, within};
use crate::error::Error;
use crate::features::Dictionary;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::losses::{AnyLoss, Loss};
use crate::updates::Newton;

/// Parameters of [`NonsAld`].
///
/// ```
/// use nystream::kernels::Gaussian;
/// use nystream::{Learner, NonsAldParams};
///
/// let kernel = Gaussian { sigma: 8.0 }.into();
/// let mut learner = Learner::new(NonsAldParams { kernel, ..Default::default() })?;
/// assert_eq!(learner.learn_row(&[0.0, 1.0], 0.5)?, 0.0); // predicted before the label was seen
/// assert!(learner.predict_row(&[0.0, 1.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NonsAldParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// ALD threshold, 1e-10 to 1: a smaller one keeps more rows. Default 1e-3.
    pub alpha: f64,
    /// Regularisation, 1e-10 to 1e100: `A` starts as `mu I`. Default 1.
    pub mu: f64,
    /// `U`, positive: predictions stay within `[-U, U]`. Default 1.
    pub bound: f64,
    /// `Y`, positive: a bound on the labels. Default: `bound`.
    pub target_bound: Option<f64>,
    /// Weight of a squared gradient in `A`, positive. Default: `1 / (4 (U^2 + Y^2))` for the squared loss.
    pub eta: Option<f64>,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
    /// The loss, which has to be exp-concave. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for NonsAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            mu: 1.0,
            bound: 1.0,
            target_bound: None,
            eta: None,
            max_basis: None,
            loss: AnyLoss::default(),
        }
    }
}

impl NonsAldParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<NonsAld, Error> {
        positive("bound", self.bound)?;
        positive_if_given("target_bound", self.target_bound)?;
        positive_if_given("eta", self.eta)?;
        let dictionary = Dictionary::new(self.kernel.clone(), self.alpha, self.max_basis)?;
        let newton = newton((self.mu, self.eta), (self.bound, self.y()), 1.0, self.loss)?;
        Ok(NonsAld::new(dictionary, newton))
    }

    /// `Y`, the bound on the labels.
    fn y(&self) -> f64 {
        self.target_bound.unwrap_or(self.bound)
    }
}

/// The Newton step with the weight `eta` of squared gradients or, if it is not given, this part of the largest one for
/// which the loss is exp-concave.
pub(super) fn newton(
    (mu, eta): (f64, Option<f64>),
    (bound, target_bound): (f64, f64),
    part: f64,
    loss: AnyLoss,
) -> Result<Newton, Error> {
    let loss = loss.exp_concave()?;
    let weight = loss.newton_weight(bound, target_bound).unwrap_or_default();
    let eta = eta.unwrap_or(part * weight);
    let steepest = loss.steepest(bound, target_bound);
    Ok(Newton::new(mu, eta, bound, steepest)?.with_loss(loss))
}

/// The decay of the eigenvalues of the kernel matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// `lambda_i <= R r^i` with `r < 1`.
    Exponential,
    /// `lambda_i <= R i^{-p}` with `p >= 1`.
    Polynomial {
        /// The degree.
        p: f64,
    },
}

impl Decay {
    /// The `alpha` and `mu` with which the paper's corollaries bound the regret over `horizon` rows.
    /// For exponential decay any constant `mu` will do, and this one is 1.
    pub fn settings(self, horizon: usize) -> Result<(f64, f64), Error> {
        at_least_one("T", horizon)?;
        let t = horizon as f64;
        match self {
            Self::Exponential => Ok(((t.ln() / t).powi(4), 1.0)),
            Self::Polynomial { p } => {
                within("p", p, 1.0..=LARGEST, "at least 1 and finite")?;
                Ok((t.powf(-4.0 * p / (1.0 + p)), t.powf((1.0 + p).recip())))
            }
        }
    }
}

/// The paper's Algorithm 3: an online Newton step on the features of an ALD dictionary.
///
/// A row costs O(dJ + J^2) with J rows kept, whatever the length of the stream.
pub type NonsAld = FeatureLearner<Dictionary, Newton>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;
    use crate::features::FeatureMap;
    use crate::kernels::Gaussian;
    use crate::updates::Update;

    fn learn(learner: &mut NonsAld, y: f64) -> f64 {
        let mut yhat = [f64::NAN];
        learner.learn_row(&[0.3], &[y], 1.0, &mut yhat);
        yhat[0]
    }

    #[test]
    fn two_rounds_on_one_row_by_hand() {
        let mut learner = NonsAldParams::default().build().unwrap();
        // phi = 1 and eta = 1/8: e = -2, A = 1.5, w = 4/3, predicted as 1.
        assert_eq!(learn(&mut learner, 1.0), 0.0);
        assert!((learner.update().w(0)[0] - 4.0 / 3.0).abs() < 1e-15);
        let mut yhat = [f64::NAN];
        learner.predict_into(&[0.3], &mut yhat);
        assert_eq!(yhat, [1.0]);
        // Projected to w = 1 before the second label, which brings no error.
        assert_eq!(learn(&mut learner, 1.0), 1.0);
        assert!((learner.update().w(0)[0] - 1.0).abs() < 1e-15);
        assert_eq!(learner.map().size(), 1);
    }

    #[test]
    fn eta_follows_the_bounds() {
        let params = NonsAldParams {
            bound: 3.0,
            target_bound: Some(2.0),
            ..NonsAldParams::default()
        };
        let weight = params.loss.newton_weight(params.bound, params.y()).unwrap();
        assert!((weight - 1.0 / 52.0).abs() < 1e-17);
    }

    #[test]
    fn settings_are_those_of_the_corollaries() {
        let (alpha, mu) = Decay::Exponential.settings(1000).unwrap();
        assert!((alpha / (1000.0_f64.ln().powi(4) / 1e12) - 1.0).abs() < 1e-12);
        assert!((mu - 1.0).abs() < 1e-15);
        let (alpha, mu) = Decay::Polynomial { p: 3.0 }.settings(10_000).unwrap();
        assert!((alpha / 1e-12 - 1.0).abs() < 1e-12);
        assert!((mu - 10.0).abs() < 1e-12);
        assert!(Decay::Polynomial { p: 0.5 }.settings(10).is_err());
        assert!(Decay::Exponential.settings(0).is_err());
    }

    #[test]
    fn every_parameter_is_checked() {
        type Change = fn(&mut NonsAldParams);
        let changes: [(&str, Change); 7] = [
            ("sigma", |p| p.kernel = Gaussian { sigma: -1.0 }.into()),
            ("alpha", |p| p.alpha = 0.0),
            ("mu", |p| p.mu = f64::NAN),
            ("bound", |p| p.bound = f64::INFINITY),
            ("target_bound", |p| p.target_bound = Some(0.0)),
            ("eta", |p| p.eta = Some(-1.0)),
            ("max_basis", |p| p.max_basis = Some(0)),
        ];
        for (wrong, change) in changes {
            let mut params = NonsAldParams::default();
            change(&mut params);
            assert!(
                matches!(params.build(), Err(Error::Parameter { name, .. }) if name == wrong),
                "{wrong}"
            );
        }
    }
}
