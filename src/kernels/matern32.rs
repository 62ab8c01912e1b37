//! The Matérn kernel of smoothness 3/2.

use serde::{Deserialize, Serialize};

use super::{Geometry, Kernel, Law, Spectrum};
use crate::data::checks::positive;
use crate::error::Error;
use crate::linalg::simd::{Arithmetic, Elementwise, exp, map_in_place};

/// `(1 + a) exp(-a)` with `a = sqrt(3) ||x - z|| / sigma`: the Matérn kernel of smoothness 3/2.
///
/// ```
/// use nystream::kernels::{Matern32, Kernel};
///
/// let kernel = Matern32 { sigma: 2.0 };
/// assert_eq!(kernel.diagonal(&[1.0, 2.0]), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Matern32 {
    /// Width, positive. Default 1.
    pub sigma: f64,
}

impl Default for Matern32 {
    fn default() -> Self {
        Self { sigma: 1.0 }
    }
}

impl Kernel for Matern32 {
    fn check(&self) -> Result<(), Error> {
        positive("sigma", self.sigma)
    }

    fn geometry(&self) -> Geometry {
        Geometry::SquaredEuclidean
    }

    fn spectrum(&self) -> Option<Spectrum> {
        Some(Spectrum {
            law: Law::Student { freedom: 3.0 },
            scale: self.sigma.recip(),
        })
    }

    fn profile_in_place(&self, values: &mut [f64]) {
        map_in_place(self, values);
    }
}

impl Elementwise for Matern32 {
    #[inline(always)]
    fn at<A: Arithmetic>(&self, value: f64) -> f64 {
        let a = scaled_distance(3.0 * value, self.sigma);
        (1.0 + a) * exp::<A>(-a)
    }
}

/// The root of a squared distance in units of `sigma`, cut where the exponential of its negative is 0
/// and the polynomial before it could only overflow.
#[inline(always)]
pub(super) fn scaled_distance(squared: f64, sigma: f64) -> f64 {
    (squared.sqrt() / sigma).min(1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_follows_the_formula() {
        let mut values = [0.0, 12.0];
        Matern32 { sigma: 2.0 }.profile_in_place(&mut values);
        let a = 3.0_f64;
        let expected = (1.0 + a) * (-a).exp();
        assert_eq!(values[0].to_bits(), 1.0_f64.to_bits());
        assert!((values[1] - expected).abs() < 1e-15);
    }
}
