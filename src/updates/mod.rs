//! How a hypothesis moves when a label arrives.

mod gradient;
mod kernel_gradient;
mod newton;

pub use gradient::{AdaptiveStep, Gradient};
pub use kernel_gradient::KernelGradient;
pub use newton::Newton;

/// `l'(yhat, y)`, the derivative of the square loss `(yhat - y)^2`.
pub fn loss_derivative(yhat: f64, y: f64) -> f64 {
    2.0 * (yhat - y)
}
