//! The Laplacian kernel.

use serde::{Deserialize, Serialize};

use super::gaussian::Exponential;
use super::{Geometry, Kernel, Law, Spectrum};
use crate::data::checks::positive;
use crate::error::Error;
use crate::linalg::simd::map_in_place;

/// `exp(-||x - z||_1 / sigma)`.
///
/// ```
/// use nystream::kernels::{Laplacian, Kernel};
///
/// let kernel = Laplacian { sigma: 2.0 };
/// assert_eq!(kernel.diagonal(&[1.0, 2.0]), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Laplacian {
    /// Width, positive. Default 1.
    pub sigma: f64,
}

impl Default for Laplacian {
    fn default() -> Self {
        Self { sigma: 1.0 }
    }
}

impl Kernel for Laplacian {
    fn check(&self) -> Result<(), Error> {
        positive("sigma", self.sigma)
    }

    fn geometry(&self) -> Geometry {
        Geometry::Manhattan
    }

    fn spectrum(&self) -> Option<Spectrum> {
        Some(Spectrum {
            law: Law::Cauchy,
            scale: self.sigma.recip(),
        })
    }

    fn profile_in_place(&self, values: &mut [f64]) {
        let rate = -self.sigma.recip();
        map_in_place(&Exponential { rate }, values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_follows_the_formula() {
        let mut values = [0.0, 3.0];
        Laplacian { sigma: 2.0 }.profile_in_place(&mut values);
        assert_eq!(values, [1.0, (-1.5_f64).exp()]);
    }
}
