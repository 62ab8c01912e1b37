//! The Gaussian kernel.

use serde::{Deserialize, Serialize};

use super::{Geometry, Kernel, Law, Spectrum};
use crate::data::checks::positive;
use crate::error::Error;
use crate::linalg::simd::{Arithmetic, Elementwise, exp, map_in_place};

/// `exp(-||x - z||^2 / (2 sigma^2))`, the kernel of the paper's experiments.
///
/// ```
/// use nystream::kernels::{Gaussian, Kernel};
///
/// let kernel = Gaussian { sigma: 8.0 };
/// assert_eq!(kernel.diagonal(&[1.0, 2.0]), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gaussian {
    /// Width, positive. Default 1.
    pub sigma: f64,
}

impl Default for Gaussian {
    fn default() -> Self {
        Self { sigma: 1.0 }
    }
}

impl Kernel for Gaussian {
    fn check(&self) -> Result<(), Error> {
        positive("sigma", self.sigma)
    }

    fn geometry(&self) -> Geometry {
        Geometry::SquaredEuclidean
    }

    fn spectrum(&self) -> Option<Spectrum> {
        Some(Spectrum {
            law: Law::Normal,
            scale: self.sigma.recip(),
        })
    }

    fn profile_in_place(&self, values: &mut [f64]) {
        let rate = -0.5 / (self.sigma * self.sigma);
        map_in_place(&Exponential { rate }, values);
    }
}

/// `exp(rate value)` with a rate that is not positive.
pub(super) struct Exponential {
    pub(super) rate: f64,
}

impl Elementwise for Exponential {
    #[inline(always)]
    fn at<A: Arithmetic>(&self, value: f64) -> f64 {
        exp::<A>(self.rate * value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_follows_the_formula() {
        let mut values = [0.0, 8.0];
        Gaussian { sigma: 2.0 }.profile_in_place(&mut values);
        assert_eq!(values[0], 1.0);
        assert!((values[1] - (-1.0_f64).exp()).abs() < 1e-16);
    }
}
