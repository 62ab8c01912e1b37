//! Learning rates of gradient descent.

use crate::error::Error;
use crate::state::State;

/// The learning rate, and the ball that the hypothesis is kept in, if any.
#[derive(Debug, Clone)]
pub enum Step {
    /// `eta_t = U / sqrt(1 + sum_{s <= t} ||gradient_s||^2)` inside the ball of radius `U`.
    Adaptive {
        /// `U`.
        bound: f64,
        /// The sum so far.
        squared_norms: f64,
    },
    /// The same rate in every round, and no ball.
    Constant {
        /// The rate.
        eta: f64,
    },
}

impl Step {
    /// The adaptive rate for hypotheses of norm at most `bound`.
    pub fn adaptive(bound: f64) -> Self {
        let squared_norms = 0.0;
        Self::Adaptive {
            bound,
            squared_norms,
        }
    }

    /// The rate of a round whose gradient has this squared norm.
    pub fn next_rate(&mut self, squared_norm: f64) -> f64 {
        match self {
            Self::Constant { eta } => *eta,
            Self::Adaptive {
                bound,
                squared_norms,
            } => {
                // At the largest number the rate is as good as 0; infinity could not be saved.
                *squared_norms = (*squared_norms + squared_norm).min(f64::MAX);
                *bound / (1.0 + *squared_norms).sqrt()
            }
        }
    }

    /// The factor that brings a hypothesis of this norm back into the ball.
    pub fn shrink(&self, norm: f64) -> f64 {
        match self {
            Self::Adaptive { bound, .. } if norm > *bound => *bound / norm,
            _ => 1.0,
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
        let mut adaptive = Step::adaptive(2.0);
        assert_eq!(adaptive.next_rate(3.0), 1.0);
        assert_eq!(adaptive.next_rate(12.0), 0.5);
        assert_eq!([adaptive.shrink(1.0), adaptive.shrink(4.0)], [1.0, 0.5]);
        let mut constant = Step::Constant { eta: 0.1 };
        assert_eq!([constant.next_rate(3.0), constant.shrink(1e9)], [0.1, 1.0]);
    }
}
