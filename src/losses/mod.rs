//! Losses: what a prediction costs, given the label.
//!
//! A loss is one file here plus a `mod` line and a line in [`AnyLoss`].

mod squared;

use serde::{Deserialize, Serialize};

pub use squared::Squared;

/// What a prediction costs, given the label.
pub trait Loss {
    /// The loss of a prediction.
    fn value(&self, yhat: f64, y: f64) -> f64;

    /// The loss of a prediction that counts `weight` times.
    fn weighted(&self, weight: f64, yhat: f64, y: f64) -> f64 {
        weight * self.value(yhat, y)
    }

    /// Its derivative with respect to the prediction.
    fn derivative(&self, yhat: f64, y: f64) -> f64;

    /// Its second derivative with respect to the prediction.
    fn curvature(&self, yhat: f64, y: f64) -> f64;

    /// How far the prediction is from the minimum of the parabola that touches the loss there: a step of Newton's method.
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
