//! Losses: what a prediction costs, given the label.
//!
//! A loss is one file here plus a `mod` line and a line in [`AnyLoss`].

mod squared;

use serde::{Deserialize, Serialize};

pub use squared::Squared;

/// The cost of a prediction, given the label.
pub trait Loss {
    /// The loss of a prediction.
    fn value(&self, yhat: f64, y: f64) -> f64;

    /// The loss of a prediction that counts `weight` times.
    fn weighted(&self, weight: f64, yhat: f64, y: f64) -> f64 {
        weight * self.value(yhat, y)
    }

    /// The derivative of the loss with respect to the prediction.
    fn derivative(&self, yhat: f64, y: f64) -> f64;

    /// The second derivative of the loss with respect to the prediction.
    fn curvature(&self, yhat: f64, y: f64) -> f64;

    /// The step of Newton's method, from the prediction to the minimum of the parabola that touches the loss there.
    fn residual(&self, yhat: f64, y: f64) -> f64 {
        self.derivative(yhat, y) / self.curvature(yhat, y)
    }
}

macro_rules! registry {
    ($($loss:ident),*) => {
        /// Any of the losses.
        #[non_exhaustive]
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        pub enum AnyLoss {
            $(#[doc = concat!("[`", stringify!($loss), "`].")] $loss($loss),)*
        }

        impl AnyLoss {
            /// The names of all losses.
            pub const NAMES: &[&str] = &[$(stringify!($loss)),*];

            /// Every loss, with its default parameters.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$loss($loss::default())),*]
            }
        }

        impl Loss for AnyLoss {
            fn value(&self, yhat: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.value(yhat, y),)* }
            }

            fn weighted(&self, weight: f64, yhat: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.weighted(weight, yhat, y),)* }
            }

            fn derivative(&self, yhat: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.derivative(yhat, y),)* }
            }

            fn curvature(&self, yhat: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.curvature(yhat, y),)* }
            }

            fn residual(&self, yhat: f64, y: f64) -> f64 {
                match self { $(Self::$loss(loss) => loss.residual(yhat, y),)* }
            }
        }
    };
}

registry!(Squared);

impl Default for AnyLoss {
    fn default() -> Self {
        Self::Squared(Squared {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Step of the difference quotients, and how far they may be off for values of about 1.
    const STEP: f64 = 1e-4;
    const TOLERANCE: f64 = 1e-6;

    #[test]
    fn derivatives_are_those_of_the_value() {
        for loss in AnyLoss::all() {
            for (yhat, y) in [(-1.3, 0.4), (0.2, 0.9), (2.5, -1.0)] {
                let value = |step: f64| loss.value(yhat + step, y);
                let slope = (value(STEP) - value(-STEP)) / (2.0 * STEP);
                let bend = (value(STEP) - 2.0 * value(0.0) + value(-STEP)) / (STEP * STEP);
                assert!(
                    (loss.derivative(yhat, y) - slope).abs() < TOLERANCE,
                    "{loss:?}"
                );
                assert!(
                    (loss.curvature(yhat, y) - bend).abs() < TOLERANCE,
                    "{loss:?}"
                );
                let thrice = loss.weighted(3.0, yhat, y) - 3.0 * value(0.0);
                assert!(thrice.abs() < TOLERANCE, "{loss:?}");
            }
        }
    }
}
