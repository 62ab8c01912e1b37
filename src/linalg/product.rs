//! Products of dense matrices.

use crate::linalg::simd::{Simd, WithTiles, entries, products, rows, run_tiled, store_tile};

/// `out = T X` for `width` columns, a multiple of eight; all are stored row by row.
pub(crate) fn mul_columns_into(t: &[f64], x: &[f64], width: usize, out: &mut [f64]) {
    run_tiled(MulColumns { t, x, width, out });
}

struct MulColumns<'a> {
    t: &'a [f64],
    x: &'a [f64],
    width: usize,
    out: &'a mut [f64],
}

impl WithTiles for MulColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        mul_columns_with::<S, ROWS, REGISTERS>(simd, self.t, self.x, self.width, self.out);
    }
}

/// `out = T X` for `width` columns, a multiple of eight, with this instruction set; all are stored row by row.
#[inline(always)]
pub(super) fn mul_columns_with<S: Simd, const ROWS: usize, const REGISTERS: usize>(
    simd: S,
    t: &[f64],
    x: &[f64],
    width: usize,
    out: &mut [f64],
) {
    let (n_rows, len) = (out.len() / width, x.len() / width);
    let whole = n_rows / ROWS * ROWS;
    for first in (0..whole).step_by(ROWS) {
        rows_with::<S, ROWS, REGISTERS>(
            simd,
            &t[first * len..],
            x,
            width,
            &mut out[first * width..],
        );
    }
    for i in whole..n_rows {
        rows_with::<S, 1, REGISTERS>(simd, &t[i * len..], x, width, &mut out[i * width..]);
    }
}

/// The first `ROWS` rows of the product `T X`.
#[inline(always)]
fn rows_with<S: Simd, const ROWS: usize, const REGISTERS: usize>(
    simd: S,
    t: &[f64],
    x: &[f64],
    width: usize,
    out: &mut [f64],
) {
    let (len, stride) = (x.len() / width, width / S::F64_LANES);
    let (x, out) = (S::as_simd_f64s(x).0, S::as_mut_simd_f64s(out).0);
    let rows: [&[f64]; ROWS] = rows(t, len);
    for at in (0..stride).step_by(REGISTERS) {
        let sums = products::<S, ROWS, REGISTERS>(simd, len, |i| entries(&rows, i), x, stride, at);
        store_tile::<S, ROWS, REGISTERS>(&sums, &mut out[at..], stride);
    }
}
