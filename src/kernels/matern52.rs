//! The Matérn kernel of smoothness 5/2.

use serde::{Deserialize, Serialize};

use super::matern32::scaled_distance;
use super::{Geometry, Kernel, Law, Spectrum};
use crate::data::checks::positive;
use crate::error::Error;
use crate::linalg::simd::{Arithmetic, Elementwise, exp, map_in_place};

/// `(1 + a + a^2 / 3) exp(-a)` with `a = sqrt(5) ||x - z|| / sigma`: the Matérn kernel of smoothness 5/2.
///
/// ```
/// use nystream::kernels::{Matern52, Kernel};
///
/// let kernel = Matern52 { sigma: 2.0 };
/// assert_eq!(kernel.diagonal(&[1.0, 2.0]), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Matern52 {
    /// Width, positive. Default 1.
    pub sigma: f64,
}

impl Default for Matern52 {
    fn default() -> Self {
        Self { sigma: 1.0 }
    }
}

impl Kernel for Matern52 {
    fn check(&self) -> Result<(), Error> {
        positive("sigma", self.sigma)
    }

    fn geometry(&self) -> Geometry {
        Geometry::SquaredEuclidean
    }

    fn spectrum(&self) -> Option<Spectrum> {
        Some(Spectrum {
            law: Law::Student { freedom: 5.0 },
            scale: self.sigma.recip(),
        })
    }

    fn profile_in_place(&self, values: &mut [f64]) {
        map_in_place(self, values);
    }
}

impl Elementwise for Matern52 {
    #[inline(always)]
    fn at<A: Arithmetic>(&self, value: f64) -> f64 {
        let a = scaled_distance(5.0 * value, self.sigma);
        (1.0 + a + a * a / 3.0) * exp::<A>(-a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_follows_the_formula() {
        let mut values = [0.0, 12.0];
        Matern52 { sigma: 2.0 }.profile_in_place(&mut values);
        let a = 15.0_f64.sqrt();
        let expected = (1.0 + a + a * a / 3.0) * (-a).exp();
        assert_eq!(values[0].to_bits(), 1.0_f64.to_bits());
        assert!((values[1] - expected).abs() < 1e-15);
    }
}
