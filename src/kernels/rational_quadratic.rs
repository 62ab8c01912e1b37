//! The rational quadratic kernel.

use serde::{Deserialize, Serialize};

use super::{Geometry, Kernel, Law, Spectrum};
use crate::data::checks::positive;
use crate::error::Error;

/// `(1 + ||x - z||^2 / (2 alpha sigma^2))^(-alpha)`: a mixture of Gaussian kernels of many widths.
///
/// ```
/// use nystream::kernels::{RationalQuadratic, Kernel};
///
/// let kernel = RationalQuadratic { sigma: 2.0, alpha: 0.5 };
/// assert_eq!(kernel.diagonal(&[1.0, 2.0]), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RationalQuadratic {
    /// Width, positive. Default 1.
    pub sigma: f64,
    /// Exponent, positive; the larger, the closer to a Gaussian. Default 1.
    pub alpha: f64,
}

impl Default for RationalQuadratic {
    fn default() -> Self {
        Self {
            sigma: 1.0,
            alpha: 1.0,
        }
    }
}

impl Kernel for RationalQuadratic {
    fn check(&self) -> Result<(), Error> {
        positive("sigma", self.sigma)?;
        positive("alpha", self.alpha)
    }

    fn geometry(&self) -> Geometry {
        Geometry::SquaredEuclidean
    }

    fn spectrum(&self) -> Option<Spectrum> {
        Some(Spectrum {
            law: Law::Mixture { shape: self.alpha },
            scale: self.sigma.recip(),
        })
    }

    fn profile_in_place(&self, values: &mut [f64]) {
        let rate = 0.5 / (self.alpha * self.sigma * self.sigma);
        for value in values {
            // Infinity would give 0 even where the exponent is so small that the value is 1.
            let ratio = (rate * *value).min(f64::MAX);
            *value = (-self.alpha * ratio.ln_1p()).exp();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profile_follows_the_formula() {
        let mut values = [0.0, 8.0];
        let kernel = RationalQuadratic {
            sigma: 2.0,
            alpha: 2.0,
        };
        kernel.profile_in_place(&mut values);
        assert!((values[0] - 1.0).abs() < 1e-15);
        assert!((values[1] - 1.5_f64.powi(-2)).abs() < 1e-15);
    }
}
