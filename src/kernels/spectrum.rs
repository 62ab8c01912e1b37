//! The spectral density of a shift-invariant kernel.

use rand_chacha::rand_core::Rng;
use rand_distr::{Cauchy, ChiSquared, Distribution, Gamma, StandardNormal};

use crate::limits::LARGEST;

/// The distribution of `omega` with `kappa(x, z) = E cos(omega . (x - z))`, by Bochner's theorem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spectrum {
    /// The distribution of `omega / scale`.
    pub law: Law,
    /// `1 / sigma`.
    pub scale: f64,
}

/// A distribution of vectors.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Normal: of the Gaussian kernel.
    Normal,
    /// Each coordinate Cauchy: of the Laplacian kernel.
    Cauchy,
    /// The multivariate t: of the Matérn kernels.
    Student {
        /// Degrees of freedom, twice the smoothness of the kernel.
        freedom: f64,
    },
    /// Normal with a variance that is Gamma distributed around 1: of the rational quadratic kernel.
    Mixture {
        /// Shape of the Gamma distribution.
        shape: f64,
    },
}

impl Spectrum {
    /// Draws a vector; returns the factor that all its coordinates share.
    pub fn sample_into(&self, generator: &mut impl Rng, omega: &mut [f64]) -> f64 {
        let scale = self.scale * self.law.factor(generator);
        for value in omega {
            *value = self.coordinate(generator, scale);
        }
        scale
    }

    /// Draws one more coordinate of a vector with this factor.
    pub fn coordinate(&self, generator: &mut impl Rng, scale: f64) -> f64 {
        let drawn: f64 = match self.law {
            Law::Cauchy => Cauchy::new(0.0, 1.0).map_or(0.0, |law| law.sample(generator)),
            _ => StandardNormal.sample(generator),
        };
        (scale * drawn).clamp(-LARGEST, LARGEST)
    }
}

impl Law {
    /// Draws the factor that all coordinates of a vector share.
    fn factor(self, generator: &mut impl Rng) -> f64 {
        match self {
            Self::Normal | Self::Cauchy => 1.0,
            Self::Student { freedom } => {
                let sum = ChiSquared::new(freedom).map_or(freedom, |law| law.sample(generator));
                (freedom / sum).sqrt()
            }
            Self::Mixture { shape } => {
                Gamma::new(shape, shape.recip()).map_or(1.0, |law| law.sample(generator).sqrt())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kernels::{
        AnyKernel, Gaussian, Laplacian, Linear, Matern32, Matern52, Polynomial, RationalQuadratic,
    };
    use crate::linalg::{Panels, dot};
    use crate::runtime::generator;

    #[test]
    fn the_mean_cosine_is_the_kernel() {
        let kernels: [AnyKernel; 6] = [
            Gaussian { sigma: 1.5 }.into(),
            Laplacian { sigma: 2.0 }.into(),
            Matern32 { sigma: 1.2 }.into(),
            Matern52 { sigma: 0.8 }.into(),
            RationalQuadratic {
                sigma: 1.5,
                alpha: 0.7,
            }
            .into(),
            RationalQuadratic {
                sigma: 0.6,
                alpha: 3.0,
            }
            .into(),
        ];
        let x = [0.5, -1.0, 0.25];
        let origin: Panels = [&[0.0; 3][..]].into_iter().collect();
        for kernel in kernels {
            let spectrum = kernel.spectrum().unwrap();
            let (mut generator, mut omega) = (generator(1), [0.0; 3]);
            let n = 40_000;
            let mean = (0..n)
                .map(|_| {
                    spectrum.sample_into(&mut generator, &mut omega);
                    dot(&omega, &x).cos()
                })
                .sum::<f64>()
                / f64::from(n);
            let mut expected = [0.0];
            kernel.row_into(&x, &origin, &mut expected);
            // Four standard deviations of the mean of numbers in [-1, 1] at most.
            assert!(
                (mean - expected[0]).abs() < 0.02,
                "{kernel:?}: {mean} {expected:?}"
            );
        }
    }

    #[test]
    fn kernels_of_inner_products_have_none() {
        assert_eq!(AnyKernel::from(Linear {}).spectrum(), None);
        assert_eq!(AnyKernel::from(Polynomial::default()).spectrum(), None);
    }
}
