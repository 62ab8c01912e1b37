//! What two rows look like to each other, before a kernel's profile is applied.

use crate::linalg::{LANES, Lanes, Panels, norm_squared};

/// How a kernel compares two rows.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Geometry {
    /// `||x - z||_2^2`.
    SquaredEuclidean,
    /// `||x - z||_1`.
    Manhattan,
    /// `x . z`.
    Dot,
    /// `(x . z + c) / sqrt((x . x + c)(z . z + c))` with the offset `c`; 0 where the denominator is 0.
    Cosine {
        /// `c`, at least 0.
        offset: f64,
    },
}

impl Geometry {
    /// Compares `x` with each stored row.
    pub(crate) fn compare_into(self, x: &[f64], rows: &Panels, out: &mut [f64]) {
        for (panel, chunk) in rows.panels().zip(out.chunks_mut(LANES)) {
            chunk.copy_from_slice(&self.lanes(x, panel)[..chunk.len()]);
        }
    }

    /// Compares `x` with itself.
    pub(crate) fn with_itself(self, x: &[f64]) -> f64 {
        match self {
            Self::Dot => norm_squared(x),
            Self::Cosine { offset } if norm_squared(x) + offset > 0.0 => 1.0,
            Self::SquaredEuclidean | Self::Manhattan | Self::Cosine { .. } => 0.0,
        }
    }

    /// Compares `x` with the eight rows of a panel.
    pub(crate) fn lanes(self, x: &[f64], panel: &[Lanes]) -> Lanes {
        match self {
            Self::SquaredEuclidean => sum(x, panel, |x, z| (x - z) * (x - z)),
            Self::Manhattan => sum(x, panel, |x, z| (x - z).abs()),
            Self::Dot => sum(x, panel, |x, z| x * z),
            Self::Cosine { offset } => cosine(x, panel, offset),
        }
    }
}

#[inline]
fn sum(x: &[f64], panel: &[Lanes], term: impl Fn(f64, f64) -> f64) -> Lanes {
    let mut sums = [0.0; LANES];
    for (&x, z) in x.iter().zip(panel) {
        for (sum, &z) in sums.iter_mut().zip(z) {
            *sum += term(x, z);
        }
    }
    sums
}

fn cosine(x: &[f64], panel: &[Lanes], offset: f64) -> Lanes {
    let dots = sum(x, panel, |x, z| x * z);
    let z_norms = sum(x, panel, |_, z| z * z);
    let x_norm = norm_squared(x);
    std::array::from_fn(|lane| {
        // Two roots, not one of the product: the product of two large norms overflows.
        let denominator = (x_norm + offset).sqrt() * (z_norms[lane] + offset).sqrt();
        if denominator > 0.0 {
            (dots[lane] + offset) / denominator
        } else {
            0.0
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(geometry: Geometry, x: &[f64], z: &[f64]) -> f64 {
        let rows: Panels = [z].into_iter().collect();
        let mut out = [f64::NAN];
        geometry.compare_into(x, &rows, &mut out);
        out[0]
    }

    #[test]
    fn each_geometry_follows_its_formula() {
        let (x, z) = ([1.0, 2.0], [4.0, -2.0]);
        assert_eq!(compare(Geometry::SquaredEuclidean, &x, &z), 25.0);
        assert_eq!(compare(Geometry::Manhattan, &x, &z), 7.0);
        assert_eq!(compare(Geometry::Dot, &x, &z), 0.0);
        assert_eq!(
            compare(Geometry::Cosine { offset: 4.0 }, &x, &z),
            4.0 / (9.0_f64.sqrt() * 24.0_f64.sqrt())
        );
    }

    #[test]
    fn the_cosine_with_a_zero_row_is_zero() {
        let geometry = Geometry::Cosine { offset: 0.0 };
        assert_eq!(compare(geometry, &[0.0], &[1.0]), 0.0);
    }
}
