//! Learning rates of gradient descent.

use crate::error::Error;
use crate::persist::State;

/// The largest step, with which a descent that diverges stays within float64.
const LARGEST_STEP: f64 = 1e150;

/// The learning rate, and the ball that the predictor is kept in, if any.
#[derive(Debug, Clone)]
pub enum Rate {
    /// `eta_t = U / sqrt(1 + sum_{s <= t} ||gradient_s||^2)` inside the ball of radius `U`.
    Adaptive {
        /// `U`.
        bound: f64,
        /// The sum of the squared norms so far.
        squared_norms: f64,
    },
    /// A constant rate, without a ball.
    Constant {
        /// The rate.
        eta: f64,
    },
}

impl Rate {
    /// The adaptive rate for predictors of norm at most `bound`.
    pub fn adaptive(bound: f64) -> Self {
        let squared_norms = 0.0;
        Self::Adaptive {
            bound,
            squared_norms,
        }
    }

    /// The step `eta_t e` of a round, given the derivative `e` of the loss. The squared norm of the features is only
    /// computed if the rate depends on it.
    pub(crate) fn next_step(&mut self, e: f64, squared_norm: impl FnOnce() -> f64) -> f64 {
        (self.next(e, squared_norm) * e).clamp(-LARGEST_STEP, LARGEST_STEP)
    }

    fn next(&mut self, e: f64, squared_norm: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Constant { eta } => *eta,
            Self::Adaptive {
                bound,
                squared_norms,
            } => {
                // At the largest number the rate is as good as 0; infinity could not be saved.
                *squared_norms = (*squared_norms + e * e * squared_norm()).min(f64::MAX);
                *bound / (1.0 + *squared_norms).sqrt()
            }
        }
    }

    /// The factor that brings a predictor of this norm back into the ball.
    pub(crate) fn shrink(&self, norm: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Adaptive { bound, .. } => (*bound / norm()).min(1.0),
            Self::Constant { .. } => 1.0,
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        if let Self::Adaptive { squared_norms, .. } = self {
            state.put("squared_norms", [*squared_norms]);
        }
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        if let Self::Adaptive { squared_norms, .. } = self {
            *squared_norms = state.not_negative("squared_norms")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_by_hand() {
        let mut adaptive = Rate::adaptive(2.0);
        assert_eq!(adaptive.next_step(1.0, || 3.0), 1.0);
        assert_eq!(adaptive.next_step(-2.0, || 3.0), -1.0);
        assert_eq!(
            [0.0, 1.0, 4.0].map(|norm| adaptive.shrink(|| norm)),
            [1.0, 1.0, 0.5]
        );
        let mut constant = Rate::Constant { eta: 0.1 };
        assert_eq!(constant.next_step(2.0, || f64::NAN), 0.2);
        assert_eq!(constant.shrink(|| f64::NAN), 1.0);
    }
}
