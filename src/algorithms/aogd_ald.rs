//! AOGD-ALD: kernel gradient descent with an ALD dictionary (the paper's Algorithm 1).

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::block::Block;
use crate::dictionary::Dictionary;
use crate::error::Error;
use crate::hypothesis::{Coefficients, Hypothesis};
use crate::kernels::AnyKernel;
use crate::linalg::{Panels, norm_squared};
use crate::memory::{Heap, heap};
use crate::params::{at_least_one, positive};
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Gradient, KernelGradient, Rate, loss_derivative};

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
    /// `U`, positive: the hypothesis stays in the ball of this radius. Default 2.
    pub bound: f64,
    /// `B_0`: from this many rows on every row is stored and ALD is no longer asked. Default: never.
    pub switch_at: Option<usize>,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
}

impl Default for AogdAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            bound: 2.0,
            switch_at: None,
            max_basis: None,
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
        Ok(AogdAld {
            phase: Phase::Dictionary(Box::new(OnDictionary {
                dictionary,
                gradient: Gradient::new(Rate::adaptive(self.bound)),
                coefficients: Coefficients::default(),
            })),
            switch_at: self.switch_at.unwrap_or(usize::MAX),
        })
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
#[derive(Debug, Clone)]
pub struct AogdAld {
    phase: Phase,
    switch_at: usize,
}

#[derive(Debug, Clone)]
enum Phase {
    Dictionary(Box<OnDictionary>),
    EveryRow(KernelGradient),
}

#[derive(Debug, Clone)]
struct OnDictionary {
    dictionary: Dictionary,
    gradient: Gradient,
    coefficients: Coefficients,
}

impl OnDictionary {
    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.coefficients.forget();
        self.dictionary.project(x);
        let yhat = self.gradient.predict(self.dictionary.phi());
        if self.dictionary.grow_if_novel(x).is_some() {
            self.gradient.grow();
        }
        self.gradient
            .step(self.dictionary.phi(), loss_derivative(yhat, y));
        yhat
    }

    /// The same hypothesis as a kernel expansion.
    fn to_every_row(&self) -> KernelGradient {
        let (map, w) = (self.dictionary.map(), self.gradient.w());
        KernelGradient::from_expansion(
            map.kernel().clone(),
            self.gradient.rate().clone(),
            map.rows().clone(),
            map.coefficients(w),
            norm_squared(w),
        )
    }
}

impl AogdAld {
    /// The norm of the hypothesis, `||f||_H`.
    pub fn norm(&self) -> f64 {
        match &self.phase {
            Phase::Dictionary(phase) => norm_squared(phase.gradient.w()).sqrt(),
            Phase::EveryRow(descent) => descent.norm(),
        }
    }

    fn switch_if_due(&mut self) {
        if let Phase::Dictionary(phase) = &self.phase
            && phase.dictionary.size() >= self.switch_at
        {
            self.phase = Phase::EveryRow(phase.to_every_row());
        }
    }
}

impl Algorithm for AogdAld {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        Some(match &self.phase {
            Phase::Dictionary(phase) => phase
                .coefficients
                .of(phase.dictionary.map(), phase.gradient.w()),
            Phase::EveryRow(descent) => descent.hypothesis(),
        })
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.switch_if_due();
        match &mut self.phase {
            Phase::Dictionary(phase) => phase.learn(x, y),
            Phase::EveryRow(descent) => descent.learn(x, y),
        }
    }

    fn n_coordinates(&self) -> Option<usize> {
        match &self.phase {
            Phase::Dictionary(phase) => Some(phase.dictionary.size()),
            Phase::EveryRow(_) => Some(0),
        }
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.switch_if_due();
        match &mut self.phase {
            Phase::Dictionary(phase) => {
                phase.coefficients.forget();
                phase.dictionary.project_rows(rows, self.switch_at, block);
                phase.gradient.learn_features(&block.features, y, yhat);
            }
            Phase::EveryRow(descent) => {
                yhat.extend(rows.iter().zip(y).map(|(x, &y)| descent.learn(x, y)));
            }
        }
    }

    fn basis(&self) -> Option<&Panels> {
        Some(match &self.phase {
            Phase::Dictionary(phase) => phase.dictionary.rows(),
            Phase::EveryRow(descent) => descent.rows(),
        })
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(match &self.phase {
            Phase::Dictionary(phase) => phase.dictionary.map().kernel(),
            Phase::EveryRow(descent) => descent.kernel(),
        })
    }

    fn save(&self, state: &mut State) {
        match &self.phase {
            Phase::Dictionary(phase) => {
                phase.dictionary.save(state);
                phase.gradient.save(state);
            }
            Phase::EveryRow(descent) => descent.save(state),
        }
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        if let Phase::Dictionary(phase) = &self.phase
            && state.has("coefficients")
        {
            self.phase = Phase::EveryRow(phase.to_every_row());
        }
        match &mut self.phase {
            Phase::Dictionary(phase) => {
                phase.dictionary.load(state)?;
                phase.gradient.load(state, phase.dictionary.size())
            }
            Phase::EveryRow(descent) => descent.load(state),
        }
    }
}

heap!(AogdAld: phase);
heap!(OnDictionary: dictionary, gradient, coefficients);

impl Heap for Phase {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Dictionary(phase) => phase.heap_bytes(),
            Self::EveryRow(descent) => descent.heap_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_round_by_hand() {
        let mut learner = AogdAldParams::default().build().unwrap();
        // e = -2, eta = 2 / sqrt(1 + 4), w = 4 / sqrt(5)
        assert_eq!(learner.learn(&[0.3], 1.0), 0.0);
        assert!((learner.predict(&[0.3]) - 4.0 / 5.0_f64.sqrt()).abs() < 1e-15);
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
            learner.learn(&[x], 1.0);
            learner.basis().unwrap().n_rows()
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
