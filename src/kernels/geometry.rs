//! Geometries: the comparison of two rows, before a kernel's profile is applied.

use std::ops::Range;

use crate::linalg::simd::{Simd, WithTiles, run_tiled, store_tile};
use crate::linalg::{Batch, LANES, Panels, norm_squared};

/// The comparison of two rows that a kernel starts from.
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

/// Runs one body of code with the term of each geometry.
macro_rules! for_geometry {
    ($geometry:expr, |$term:ident| $body:expr) => {
        match $geometry {
            Geometry::SquaredEuclidean => {
                let $term = SquaredDifference;
                $body
            }
            Geometry::Manhattan => {
                let $term = Difference;
                $body
            }
            Geometry::Dot | Geometry::Cosine { .. } => {
                let $term = Product;
                $body
            }
        }
    };
}

impl Geometry {
    /// Compares `x` with as many stored rows as `out` has entries, from `first`, a multiple of eight, on.
    pub(crate) fn compare_into(self, x: &[f64], rows: &Panels, first: usize, out: &mut [f64]) {
        for_geometry!(self, |term| run_tiled(Compare {
            term,
            x,
            rows,
            first,
            out,
        }));
        if let Self::Cosine { offset } = self {
            let x_root = root(norm_squared(x), offset);
            for (i, value) in out.iter_mut().enumerate() {
                let z_root = root(rows.norm_squared(first + i), offset);
                *value = cosine(*value + offset, x_root * z_root);
            }
        }
    }

    /// Compares the rows of a batch with a range of the stored rows; the results for one stored row are side by side.
    pub(crate) fn compare_batch_into(
        self,
        batch: &Batch,
        rows: &Panels,
        range: Range<usize>,
        out: &mut [f64],
    ) {
        let first = range.start;
        for_geometry!(self, |term| run_tiled(CompareBatch {
            term,
            batch,
            rows,
            range,
            out,
        }));
        if let Self::Cosine { offset } = self {
            let mut x_roots = batch.norms_squared();
            for x in &mut x_roots {
                *x = root(*x, offset);
            }
            for (i, out) in out.chunks_exact_mut(batch.width()).enumerate() {
                let z_root = root(rows.norm_squared(first + i), offset);
                for (value, x_root) in out.iter_mut().zip(&x_roots) {
                    *value = cosine(*value + offset, x_root * z_root);
                }
            }
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
}

/// The term that a comparison sums up over the features.
trait Term: Copy {
    fn add<S: Simd>(self, simd: S, x: S::f64s, z: S::f64s, sum: S::f64s) -> S::f64s;
}

#[derive(Clone, Copy)]
struct SquaredDifference;
#[derive(Clone, Copy)]
struct Difference;
#[derive(Clone, Copy)]
struct Product;

impl Term for SquaredDifference {
    #[inline(always)]
    fn add<S: Simd>(self, simd: S, x: S::f64s, z: S::f64s, sum: S::f64s) -> S::f64s {
        let difference = simd.sub_f64s(x, z);
        simd.mul_add_e_f64s(difference, difference, sum)
    }
}

impl Term for Difference {
    #[inline(always)]
    fn add<S: Simd>(self, simd: S, x: S::f64s, z: S::f64s, sum: S::f64s) -> S::f64s {
        simd.add_f64s(simd.abs_f64s(simd.sub_f64s(x, z)), sum)
    }
}

impl Term for Product {
    #[inline(always)]
    fn add<S: Simd>(self, simd: S, x: S::f64s, z: S::f64s, sum: S::f64s) -> S::f64s {
        simd.mul_add_e_f64s(x, z, sum)
    }
}

/// Compares one row with stored rows, eight of them at a time.
struct Compare<'a, T> {
    term: T,
    x: &'a [f64],
    rows: &'a Panels,
    first: usize,
    out: &'a mut [f64],
}

impl<T: Term> WithTiles for Compare<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        for (n, out) in self.out.chunks_mut(LANES).enumerate() {
            let panel = self.rows.panel(self.first / LANES + n);
            let panel = S::as_simd_f64s(panel.as_flattened()).0;
            let mut sums = [simd.splat_f64s(0.0); REGISTERS];
            for (&x, z) in self.x.iter().zip(panel.chunks_exact(REGISTERS)) {
                let x = simd.splat_f64s(x);
                for r in 0..REGISTERS {
                    sums[r] = self.term.add(simd, x, z[r], sums[r]);
                }
            }
            for (out, sum) in out.chunks_mut(S::F64_LANES).zip(sums) {
                simd.partial_store_f64s(out, sum);
            }
        }
    }
}

/// Compares many rows, eight of them at a time, with a range of the stored rows.
struct CompareBatch<'a, T> {
    term: T,
    batch: &'a Batch,
    rows: &'a Panels,
    range: Range<usize>,
    out: &'a mut [f64],
}

impl<T: Term> WithTiles for CompareBatch<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(mut self, simd: S) {
        let mut i = self.range.start;
        while i < self.range.end {
            // A tile's rows are in one panel.
            if i.is_multiple_of(ROWS) && i + ROWS <= self.range.end {
                self.tile::<S, ROWS, REGISTERS>(simd, i);
                i += ROWS;
            } else {
                self.tile::<S, 1, REGISTERS>(simd, i);
                i += 1;
            }
        }
    }
}

impl<T: Term> CompareBatch<'_, T> {
    #[inline(always)]
    fn tile<S: Simd, const ROWS: usize, const REGISTERS: usize>(&mut self, simd: S, i: usize) {
        let x = S::as_simd_f64s(self.batch.data()).0;
        let stride = self.batch.width() / S::F64_LANES;
        let out = S::as_mut_simd_f64s(self.out).0;
        let out = &mut out[(i - self.range.start) * stride..][..ROWS * stride];
        let (panel, lane) = (self.rows.panel(i / LANES), i % LANES);
        for at in (0..stride).step_by(REGISTERS) {
            let mut sums = [[simd.splat_f64s(0.0); REGISTERS]; ROWS];
            for (x, z) in x.chunks_exact(stride).zip(panel) {
                let (x, z) = (&x[at..][..REGISTERS], &z[lane..][..ROWS]);
                for n in 0..ROWS {
                    let z = simd.splat_f64s(z[n]);
                    for r in 0..REGISTERS {
                        sums[n][r] = self.term.add(simd, x[r], z, sums[n][r]);
                    }
                }
            }
            store_tile::<S, ROWS, REGISTERS>(&sums, &mut out[at..], stride);
        }
    }
}

/// The root of a squared norm plus the offset. The product of two such numbers could overflow before the root.
fn root(norm_squared: f64, offset: f64) -> f64 {
    (norm_squared + offset).sqrt()
}

fn cosine(product: f64, roots: f64) -> f64 {
    if roots > 0.0 { product / roots } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(geometry: Geometry, x: &[f64], z: &[f64]) -> f64 {
        let rows: Panels = [z].into_iter().collect();
        let mut out = [f64::NAN];
        geometry.compare_into(x, &rows, 0, &mut out);
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
