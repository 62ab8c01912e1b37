//! Rounds of many rows at once.

use super::second_order::Step;
use crate::features::FeatureMatrix;
use crate::limits::cut;
use crate::linalg::simd::{
    LANES, Simd, WithTiles, add_tile, axpy_with, first, products, run_tiled, store_tile,
};
use crate::linalg::{ColumnsScratch, InverseRoot, dot};

/// The most that the rows of a block may shrink `P` by, one after the other and along whatever direction. In the products
/// of matrices, which all start from the same `P`, as many digits are lost.
const LARGEST_BLOCKED_SHRINKAGE: f64 = 1e4;

/// Rounds of second-order steps on features that are known beforehand.
///
/// With `V = S^T Phi` for the root `S` of `P` before the first of them, all that a round needs follows from `V^T V` and
/// `w . Phi`: with `g_j = P_j phi_j` of round `j`, `N_ij = phi_i . g_j` is `(V^T V)_ij - sum_{l < j} c_l N_il N_jl`.
#[derive(Debug, Default)]
pub struct Rounds {
    width: usize,
    /// `V`, with rows of zeros up to a multiple of eight.
    pub(super) v: Vec<f64>,
    /// `w . phi_i` of each target, up to date with the rounds made.
    values: Vec<f64>,
    /// `||phi_i||^2`.
    norms: Vec<f64>,
    /// Column `j` of `N`, one after the other; `V^T V` before round `j`.
    n: Vec<f64>,
    /// `w` of each target moves by `-t_j g_j` in round `j`.
    t: Vec<f64>,
    /// `c_j = curvature / (1 + curvature q)`, where `q = N_jj`.
    c: Vec<f64>,
    /// The roots of the curvatures.
    roots: Vec<f64>,
    /// `-c_l N_il` of the round `i` at hand.
    factors: Vec<f64>,
    scratch: ColumnsScratch,
}

fn reset(values: &mut Vec<f64>, len: usize) {
    values.clear();
    values.resize(len, 0.0);
}

impl Rounds {
    /// Makes room for the rounds of these features.
    pub(super) fn reset(&mut self, features: &FeatureMatrix, n_targets: usize) {
        self.width = features.width();
        let size = features.size().next_multiple_of(LANES);
        reset(&mut self.v, size * self.width);
        reset(&mut self.n, self.width * self.width);
        for values in [&mut self.values, &mut self.t] {
            reset(values, n_targets * self.width);
        }
        for values in [
            &mut self.norms,
            &mut self.factors,
            &mut self.c,
            &mut self.roots,
        ] {
            reset(values, self.width);
        }
    }

    /// Fills in `V` for coordinates that `S` does not have yet: it is diagonal there.
    pub(super) fn extend(&mut self, features: &FeatureMatrix, known: usize, scale: f64) {
        let start = known * self.width;
        for (v, phi) in self.v[start..].iter_mut().zip(&features.data()[start..]) {
            *v = scale * phi;
        }
    }

    /// Makes the rounds; see [`SecondOrder::learn_rows`](super::SecondOrder::learn_rows).
    pub(super) fn learn(
        &mut self,
        features: &FeatureMatrix,
        w: &[Vec<f64>],
        is_noise: impl Fn(f64, f64) -> bool,
        yhat: &mut Vec<f64>,
        round: impl FnMut(usize, usize, f64, f64) -> Option<(f64, Step)>,
    ) -> usize {
        run_tiled(Learn {
            rounds: self,
            features,
            w,
            is_noise,
            yhat,
            round,
        })
    }

    /// `sum_j t_j S^{-1} g_j` of a target in this many coordinates.
    pub(super) fn direction(&self, target: usize, size: usize) -> Vec<f64> {
        // `sum_j t_j g_j = P Phi x` with `x_j = t_j - c_j sum_{i > j} N_ij x_i`.
        let width = self.width;
        let mut x = self.t[target * width..][..width].to_vec();
        for (j, n) in self.n.chunks_exact(width).enumerate().rev() {
            let sum: f64 = (j + 1..width).map(|i| n[i] * x[i]).sum();
            x[j] -= self.c[j] * sum;
        }
        let rows = self.v.chunks_exact(width).take(size);
        rows.map(|v| dot(v, &x)).collect()
    }

    /// `A += Phi D Phi^T` with the curvatures `D`.
    pub(super) fn add_to(&mut self, root: &mut InverseRoot) {
        let v = &mut self.v[..root.size().next_multiple_of(LANES) * self.width];
        for v in v.chunks_exact_mut(self.width) {
            for (v, root) in v.iter_mut().zip(&self.roots) {
                *v *= root;
            }
        }
        root.add_columns(v, self.width, &mut self.scratch);
    }
}

struct Learn<'a, N, F> {
    rounds: &'a mut Rounds,
    features: &'a FeatureMatrix,
    w: &'a [Vec<f64>],
    is_noise: N,
    yhat: &'a mut Vec<f64>,
    round: F,
}

impl<N, F> WithTiles for Learn<'_, N, F>
where
    N: Fn(f64, f64) -> bool,
    F: FnMut(usize, usize, f64, f64) -> Option<(f64, Step)>,
{
    type Output = usize;

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(mut self, simd: S) -> usize {
        gram::<S, ROWS, REGISTERS>(simd, self.rounds);
        sums::<S, REGISTERS>(simd, self.rounds, self.features.data(), self.w);
        let (rounds, mut shrinkage) = (self.rounds, 0.0);
        for i in 0..self.features.n_rows() {
            let (known, rest) = rounds.n.split_at_mut(i * rounds.width);
            let (q_before, column) = (rest[i], &mut rest[..rounds.width]);
            if q_before > 0.0 && (self.is_noise)(q_before, rounds.norms[i]) {
                return i;
            }
            let past = rounds.c.iter().zip(known.chunks_exact(rounds.width));
            for (factor, (c, n)) in rounds.factors.iter_mut().zip(past) {
                *factor = -c * n[i];
            }
            combine::<S, REGISTERS>(simd, &rounds.factors[..i], known, column, i);
            let (q, width, mut scale) = (column[i], rounds.width, 0.0);
            if q < 0.0 {
                return i;
            }
            for (target, values) in rounds.values.chunks_exact_mut(width).enumerate() {
                let Some((predicted, step)) = (self.round)(i, target, cut(values[i]), q) else {
                    return i;
                };
                if target == 0 {
                    shrinkage += step.curvature * q_before;
                    if !(0.0..=LARGEST_BLOCKED_SHRINKAGE).contains(&shrinkage) {
                        return i;
                    }
                    scale = (1.0 + step.curvature * q).recip();
                    rounds.c[i] = step.curvature * scale;
                    rounds.roots[i] = step.curvature.sqrt();
                }
                self.yhat.push(predicted);
                let t = &mut rounds.t[target * width + i];
                *t = step.shift + step.e * scale;
                axpy_with(simd, -*t, &column[i..], &mut values[i..]);
            }
        }
        self.features.n_rows()
    }
}

/// `V^T V`, from the diagonal on.
#[inline(always)]
fn gram<S: Simd, const ROWS: usize, const REGISTERS: usize>(simd: S, rounds: &mut Rounds) {
    let (width, stride) = (rounds.width, rounds.width / S::F64_LANES);
    let v = &rounds.v;
    let (lanes, out) = (S::as_simd_f64s(v).0, S::as_mut_simd_f64s(&mut rounds.n).0);
    for column in (0..width).step_by(ROWS) {
        let factors = |i: usize| first::<ROWS>(&v[i * width + column..]);
        let diagonal = column / LANES * REGISTERS;
        for at in (diagonal..stride).step_by(REGISTERS) {
            let sums =
                products::<S, ROWS, REGISTERS>(simd, v.len() / width, factors, lanes, stride, at);
            let out = &mut out[column * stride + at..];
            store_tile::<S, ROWS, REGISTERS>(&sums, out, stride);
        }
    }
}

/// `w . phi_i` of each target and `||phi_i||^2`.
#[inline(always)]
fn sums<S: Simd, const REGISTERS: usize>(
    simd: S,
    rounds: &mut Rounds,
    phi: &[f64],
    w: &[Vec<f64>],
) {
    let stride = rounds.width / S::F64_LANES;
    let phi = S::as_simd_f64s(phi).0;
    let values = S::as_mut_simd_f64s(&mut rounds.values).0;
    let norms = S::as_mut_simd_f64s(&mut rounds.norms).0;
    for at in (0..stride).step_by(REGISTERS) {
        for (w, values) in w.iter().zip(values.chunks_exact_mut(stride)) {
            let sums = products::<S, 1, REGISTERS>(simd, w.len(), |i| [w[i]], phi, stride, at);
            values[at..][..REGISTERS].copy_from_slice(&sums[0]);
        }
        let mut squares = [simd.splat_f64s(0.0); REGISTERS];
        for phi in phi.chunks_exact(stride) {
            for r in 0..REGISTERS {
                squares[r] = simd.mul_add_e_f64s(phi[at + r], phi[at + r], squares[r]);
            }
        }
        norms[at..][..REGISTERS].copy_from_slice(&squares);
    }
}

/// `column += sum_l factors_l columns_l`, from the group of row `i` on.
#[inline(always)]
fn combine<S: Simd, const REGISTERS: usize>(
    simd: S,
    factors: &[f64],
    columns: &[f64],
    column: &mut [f64],
    i: usize,
) {
    let (columns, column) = (S::as_simd_f64s(columns).0, S::as_mut_simd_f64s(column).0);
    let stride = column.len();
    for at in (i / LANES * REGISTERS..stride).step_by(REGISTERS) {
        let sums =
            products::<S, 1, REGISTERS>(simd, factors.len(), |l| [factors[l]], columns, stride, at);
        add_tile::<S, 1, REGISTERS>(simd, &sums, &mut column[at..], stride);
    }
}
