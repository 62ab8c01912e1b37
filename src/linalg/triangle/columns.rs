//! Products with many columns at once.

use super::Triangle;
use crate::linalg::simd::{LANES, Simd, WithTiles, entries, products, run_tiled};

impl Triangle {
    /// `out = T X` for `width` columns that are stored row by row; `out` may have more rows than needed.
    pub(crate) fn mul_columns_into(&self, x: &[f64], width: usize, out: &mut [f64]) {
        run_tiled(MulColumns {
            t: self,
            x,
            width,
            out,
        });
    }

    /// The squared norm of each column of `T X` for another triangle `X`; `out` is padded to a multiple of eight.
    pub(crate) fn square_sums_into(&self, x: &Self, out: &mut [f64]) {
        let width = self.size.next_multiple_of(LANES);
        let mut dense = vec![0.0; self.size * width];
        for (i, row) in dense.chunks_exact_mut(width).enumerate() {
            row[..=i].copy_from_slice(x.row(i));
        }
        run_tiled(SquareSums {
            t: self,
            x: &dense,
            width,
            out,
        });
    }

    /// Solves `T Y = B` for `width` columns that are stored row by row; `Y` replaces `B`.
    pub(crate) fn solve_columns_in_place(&self, b: &mut [f64], width: usize) {
        run_tiled(SolveColumns { t: self, b, width });
    }
}

struct MulColumns<'a> {
    t: &'a Triangle,
    x: &'a [f64],
    width: usize,
    out: &'a mut [f64],
}

impl WithTiles for MulColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let stride = self.width / S::F64_LANES;
        let x = S::as_simd_f64s(self.x).0;
        let out = S::as_mut_simd_f64s(self.out).0;
        for first in (0..self.t.size).step_by(ROWS) {
            let rows: [&[f64]; ROWS] = self.t.stored_rows(first);
            let len = self.t.size.min(first + ROWS);
            for at in (0..stride).step_by(REGISTERS) {
                let factors = |i| entries(&rows, i);
                let sums = products::<S, ROWS, REGISTERS>(simd, len, factors, x, stride, at);
                for (i, sums) in (first..len).zip(&sums) {
                    out[i * stride + at..][..REGISTERS].copy_from_slice(sums);
                }
            }
        }
    }
}

struct SquareSums<'a> {
    t: &'a Triangle,
    x: &'a [f64],
    width: usize,
    out: &'a mut [f64],
}

impl WithTiles for SquareSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let stride = self.width / S::F64_LANES;
        let x = S::as_simd_f64s(self.x).0;
        let out = S::as_mut_simd_f64s(self.out).0;
        for at in (0..stride).step_by(REGISTERS) {
            // The rows of X before this one are zero in these columns.
            let start = at * S::F64_LANES / ROWS * ROWS;
            let mut squares = [simd.splat_f64s(0.0); REGISTERS];
            for first in (start..self.t.size).step_by(ROWS) {
                let rows: [&[f64]; ROWS] = self.t.stored_rows(first);
                let len = self.t.size.min(first + ROWS) - start;
                let (x, factors) = (&x[start * stride..], |i| entries(&rows, start + i));
                let sums = products::<S, ROWS, REGISTERS>(simd, len, factors, x, stride, at);
                for n in 0..ROWS.min(self.t.size - first) {
                    for r in 0..REGISTERS {
                        squares[r] = simd.mul_add_e_f64s(sums[n][r], sums[n][r], squares[r]);
                    }
                }
            }
            out[at..][..REGISTERS].copy_from_slice(&squares);
        }
    }
}

struct SolveColumns<'a> {
    t: &'a Triangle,
    b: &'a mut [f64],
    width: usize,
}

impl WithTiles for SolveColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let stride = self.width / S::F64_LANES;
        let b = S::as_mut_simd_f64s(self.b).0;
        for first in (0..self.t.size).step_by(ROWS) {
            let rows: [&[f64]; ROWS] = self.t.stored_rows(first);
            let (known, rest) = b.split_at_mut(first * stride);
            for at in (0..stride).step_by(REGISTERS) {
                let factors = |i| entries(&rows, i);
                let sums = products::<S, ROWS, REGISTERS>(simd, first, factors, known, stride, at);
                for n in 0..ROWS.min(self.t.size - first) {
                    let row = &rows[n][first..];
                    let pivot = simd.splat_f64s(row[n].recip());
                    for r in 0..REGISTERS {
                        let mut y = simd.sub_f64s(rest[n * stride + at + r], sums[n][r]);
                        for m in 0..n {
                            let factor = simd.splat_f64s(-row[m]);
                            y = simd.mul_add_e_f64s(factor, rest[m * stride + at + r], y);
                        }
                        rest[n * stride + at + r] = simd.mul_f64s(y, pivot);
                    }
                }
            }
        }
    }
}
