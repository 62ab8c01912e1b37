//! Updates that store every row and work in the space of the kernel.

mod gradient;
mod newton;
mod ridge;

pub use gradient::KernelGradient;
pub use newton::{KernelNewton, Look};
pub use ridge::{KernelRidge, Regression};
