//! Kernels: a geometry that compares two rows and a profile applied to the result.
//!
//! A kernel is one file here plus a `mod` line and a line in [`AnyKernel`].

mod gaussian;
mod geometry;
mod laplacian;
mod linear;
mod matern32;
mod matern52;
mod polynomial;
mod rational_quadratic;
mod spectrum;

use std::fmt;
use std::ops::{Deref, Range};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Place};
use crate::linalg::{Batch, LANES, Panels, dot};

pub use gaussian::Gaussian;
pub use geometry::Geometry;
pub use laplacian::Laplacian;
pub use linear::Linear;
pub use matern32::Matern32;
pub use matern52::Matern52;
pub use polynomial::Polynomial;
pub use rational_quadratic::RationalQuadratic;
pub use spectrum::{Law, Spectrum};

/// Number of kernel values computed at a time when they are summed up and not kept.
const CHUNK: usize = 32 * LANES;

/// A positive semidefinite kernel `kappa(x, z) = profile(geometry(x, z))`.
pub trait Kernel: fmt::Debug + Send + Sync {
    /// Refuses parameters outside their range.
    fn check(&self) -> Result<(), Error>;

    /// The comparison of two rows.
    fn geometry(&self) -> Geometry;

    /// Turns the results of comparisons into kernel values, in place.
    fn profile_in_place(&self, values: &mut [f64]);

    /// The spectral density, if the kernel depends on `x - z` alone.
    fn spectrum(&self) -> Option<Spectrum> {
        None
    }

    /// `kappa(x, z)` for every stored row `z`.
    fn row_into(&self, x: &[f64], rows: &Panels, out: &mut [f64]) {
        self.geometry().compare_into(x, rows, 0, out);
        self.profile_in_place(out);
    }

    /// `kappa(x, z)` for the rows `x` of a batch and a range of the stored rows `z`; those of one `z` are side by side.
    fn batch_into(&self, batch: &Batch, rows: &Panels, range: Range<usize>, out: &mut [f64]) {
        self.geometry().compare_batch_into(batch, rows, range, out);
        self.profile_in_place(out);
    }

    /// `kappa(x, x)`.
    fn diagonal(&self, x: &[f64]) -> f64 {
        let mut value = [self.geometry().with_itself(x)];
        self.profile_in_place(&mut value);
        value[0]
    }

    /// `sum_i c_i kappa(x, z_i)` over the stored rows.
    fn expand(&self, x: &[f64], rows: &Panels, c: &[f64]) -> f64 {
        let mut value = [0.0];
        self.expand_into(x, rows, c, &mut value);
        value[0]
    }

    /// `sum_i c_i kappa(x, z_i)` for each target: `c` holds the coefficients of the first target, then the next.
    fn expand_into(&self, x: &[f64], rows: &Panels, c: &[f64], out: &mut [f64]) {
        let mut values = [0.0; CHUNK];
        let n_rows = rows.n_rows();
        out.fill(0.0);
        for first in (0..n_rows).step_by(CHUNK) {
            let values = &mut values[..CHUNK.min(n_rows - first)];
            self.geometry().compare_into(x, rows, first, values);
            self.profile_in_place(values);
            for (target, out) in out.iter_mut().enumerate() {
                *out += dot(&c[target * n_rows + first..][..values.len()], values);
            }
        }
    }
}

macro_rules! registry {
    ($($kernel:ident),*) => {
        /// Any of the kernels.
        #[non_exhaustive]
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum AnyKernel {
            $(#[doc = concat!("[`", stringify!($kernel), "`].")] $kernel($kernel),)*
        }

        impl AnyKernel {
            /// The names of all kernels.
            pub const NAMES: &[&str] = &[$(stringify!($kernel)),*];

            /// Name of the kernel.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$kernel(_) => stringify!($kernel),)*
                }
            }
        }

        impl Deref for AnyKernel {
            type Target = dyn Kernel;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$kernel(kernel) => kernel,)*
                }
            }
        }

        $(impl From<$kernel> for AnyKernel {
            fn from(kernel: $kernel) -> Self {
                Self::$kernel(kernel)
            }
        })*
    };
}

registry!(
    Gaussian,
    Laplacian,
    Matern32,
    Matern52,
    RationalQuadratic,
    Polynomial,
    Linear
);

impl AnyKernel {
    /// Returns true if no kernel value is above 1, however large the rows are.
    pub fn is_bounded(&self) -> bool {
        self.geometry() != Geometry::Dot
    }

    /// Refuses rows whose kernel value with themselves is above `largest`; with a bounded kernel there are none.
    pub fn check_rows<'a>(
        &self,
        rows: impl Iterator<Item = &'a [f64]>,
        largest: f64,
        place: impl Fn(usize) -> Place,
    ) -> Result<(), Error> {
        if self.is_bounded() {
            return Ok(());
        }
        for (i, x) in rows.enumerate() {
            let value = self.diagonal(x);
            if value > largest {
                return Err(Error::KernelValue {
                    place: place(i),
                    largest,
                    value,
                });
            }
        }
        Ok(())
    }
}

impl Default for AnyKernel {
    fn default() -> Self {
        Gaussian::default().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<AnyKernel> {
        let normalize = true;
        let cosine = Polynomial {
            normalize,
            ..Polynomial::default()
        };
        vec![
            Gaussian::default().into(),
            Laplacian::default().into(),
            Matern32::default().into(),
            Matern52::default().into(),
            RationalQuadratic::default().into(),
            Polynomial::default().into(),
            cosine.into(),
            Linear::default().into(),
        ]
    }

    #[test]
    fn expand_sums_the_kernel_row_past_a_chunk() {
        let data: Vec<f64> = (0..600).map(|i| f64::from(i % 7) / 7.0).collect();
        let rows: Panels = data.chunks_exact(2).collect();
        let c: Vec<f64> = (0..300).map(|i| f64::from(i % 3) - 1.0).collect();
        for kernel in all() {
            let mut row = vec![0.0; 300];
            kernel.row_into(&[0.3, -0.2], &rows, &mut row);
            let sum: f64 = row.iter().zip(&c).map(|(k, c)| k * c).sum();
            assert!((kernel.expand(&[0.3, -0.2], &rows, &c) - sum).abs() < 1e-12);
        }
    }

    #[test]
    fn the_diagonal_is_the_kernel_row_of_a_row_with_itself() {
        let x = [0.5, -1.5, 2.0];
        let rows: Panels = [&x[..]].into_iter().collect();
        for kernel in all() {
            let mut row = [0.0];
            kernel.row_into(&x, &rows, &mut row);
            assert!((kernel.diagonal(&x) - row[0]).abs() < 1e-14, "{kernel:?}");
        }
    }

    #[test]
    fn values_stay_finite_at_the_ends_of_the_ranges() {
        let rows: Panels = [&[-1e100, 1e100][..], &[0.0, 1e-100]].into_iter().collect();
        for kernel in all()
            .iter()
            .filter(|kernel| kernel.geometry() != Geometry::Dot)
        {
            let mut row = [f64::NAN; 2];
            kernel.row_into(&[1e100, 1e100], &rows, &mut row);
            assert!(row.iter().all(|k| k.is_finite()), "{kernel:?}: {row:?}");
        }
    }
}
