//! Weights, and the matrix that scales their steps.

mod border;
mod changes;

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use super::LARGEST_SHRINKAGE;
use super::rounds::Rounds;
use crate::error::Error;
use crate::features::FeatureMatrix;
use crate::limits::{LARGEST, cut};
use crate::linalg::{InverseRoot, Rotation, axpy_in_place, dot, norm_squared, packed_len};
use crate::persist::{State, index};
use crate::runtime::heap;

pub(crate) use border::Border;

/// Part of its initial value below which `phi . P phi` counts as rounding.
const NOISE: f64 = 1e-26;

/// The fewest coordinates for which products of matrices pay.
const SMALLEST_BLOCKED: usize = 72;

/// Curvatures whose inverses, and the roots of these, float64 can hold.
const CURVATURES: RangeInclusive<f64> = 1e-300..=1e300;

/// A weight vector `w` for each target and `P = A^{-1}` of a matrix `A` that gains a rank-one term a round.
///
/// A round is [`measure`](Self::measure), then [`grow`](Self::grow) if the features gained a coordinate, then
/// [`step`](Self::step). Each costs O(J^2) at most, and only `grow` allocates. The change of `P` and `w` by a step is
/// left pending until the next measurement, which has to read `P` anyway.
#[derive(Debug, Clone)]
pub struct SecondOrder {
    /// `A` starts as this multiple of the identity.
    diagonal: f64,
    /// The weights of each target.
    w: Vec<Vec<f64>>,
    root: InverseRoot,
    /// The largest squared norm of a column of the root when it was new: the scale of `P` before any row.
    largest_column: f64,
    /// `S^T phi` of the current round, where `P = S S^T`, and its squared norm `phi . P phi`.
    v: Vec<f64>,
    q: f64,
    /// Scratch for `P phi`.
    g: Vec<f64>,
    pending: Pending,
}

/// A pending step of `P` and `w`: the root is to be rotated, and `w -= length P phi`.
#[derive(Debug, Clone, Default)]
struct Pending {
    is_due: bool,
    /// A length for each target.
    lengths: Vec<f64>,
    rotation: Rotation,
    /// `w` and the root after the step, once they have been asked for.
    w: OnceLock<Vec<Vec<f64>>>,
    root: OnceLock<InverseRoot>,
}

impl Pending {
    /// Becomes no step in so many dimensions.
    fn reset(&mut self, size: usize) {
        self.is_due = false;
        self.rotation.reset(size);
        self.w.take();
        self.root.take();
    }
}

/// The step of a round, in three parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// First `w -= shift P phi`,
    pub(crate) shift: f64,
    /// then `A += curvature phi phi^T`,
    pub(crate) curvature: f64,
    /// then `w -= e A^{-1} phi`.
    pub(crate) e: f64,
}

impl Step {
    /// The step of least squares for a row with this error that counts `weight` times.
    pub(crate) fn least_squares(error: f64, weight: f64) -> Self {
        Self {
            shift: 0.0,
            curvature: weight,
            e: weight * error,
        }
    }
}

impl SecondOrder {
    /// Weights in no dimensions yet; each new dimension adds `diagonal` to that of `A`.
    pub fn new(diagonal: f64) -> Self {
        Self::with_targets(diagonal, 1)
    }

    /// Weights for `n_targets` targets in no dimensions yet; each new dimension adds `diagonal` to that of `A`.
    pub(crate) fn with_targets(diagonal: f64, n_targets: usize) -> Self {
        Self {
            diagonal,
            w: vec![Vec::new(); n_targets],
            root: InverseRoot::default(),
            largest_column: 0.0,
            v: Vec::new(),
            q: 0.0,
            g: Vec::new(),
            pending: Pending::default(),
        }
    }

    /// The initial entry on the diagonal of `A`.
    pub fn diagonal(&self) -> f64 {
        self.diagonal
    }

    /// The largest `||phi||^2` that `A` can gain with this curvature without losing too many digits.
    pub(crate) fn largest_kappa(&self, curvature: f64) -> f64 {
        (LARGEST_SHRINKAGE * self.diagonal / curvature).min(LARGEST)
    }

    /// Number of dimensions.
    pub fn size(&self) -> usize {
        self.root.size()
    }

    /// Number of targets.
    pub fn n_targets(&self) -> usize {
        self.w.len()
    }

    /// The weights of a target.
    pub fn w(&self, target: usize) -> &[f64] {
        if !self.pending.is_due {
            return &self.w[target];
        }
        let w = self.pending.w.get_or_init(|| {
            let (mut g, mut w) = (vec![0.0; self.size()], self.w.clone());
            self.root.mul_into(self.pending.rotation.v(), &mut g);
            descend(&mut w, &self.pending.lengths, &g);
            w
        });
        &w[target]
    }

    /// The root of `P = A^{-1}`.
    pub fn root(&self) -> &InverseRoot {
        if !self.pending.is_due {
            return &self.root;
        }
        self.pending.root.get_or_init(|| self.rotated())
    }

    /// A copy of the root after the pending step.
    fn rotated(&self) -> InverseRoot {
        let mut root = self.root.clone();
        root.rotate(&self.pending.rotation);
        root
    }

    /// The packed columns of the root, without keeping a copy of it.
    fn packed_root(&self) -> Vec<f64> {
        let is_known = !self.pending.is_due || self.pending.root.get().is_some();
        if is_known {
            self.root().columns().packed()
        } else {
            self.rotated().columns().packed()
        }
    }

    /// `phi . P phi` of the features last measured.
    pub fn q(&self) -> f64 {
        self.q
    }

    /// Begins a round: keeps what the rest of it needs of `phi`.
    ///
    /// If rows have shrunk `P` along `phi` by 26 digits, the rest is rounding and would move `w` at random: it
    /// counts as 0, and `w` stays where those rows have put it.
    pub fn measure(&mut self, phi: &[f64]) {
        let Self { root, pending, .. } = self;
        if std::mem::take(&mut pending.is_due) {
            let g = root.rotate_and_tr_mul(&pending.rotation, phi, &mut self.v);
            descend(&mut self.w, &pending.lengths, g);
        } else {
            root.tr_mul_into(phi, &mut self.v);
        }
        self.q = norm_squared(&self.v);
        if self.is_noise(self.q, norm_squared(phi)) {
            self.v.fill(0.0);
            self.q = 0.0;
        }
    }

    /// `w . phi` of a target.
    pub fn value(&self, target: usize, phi: &[f64]) -> f64 {
        cut(dot(self.w(target), phi))
    }

    /// `phi . P phi` of other features; allocates.
    pub(crate) fn peek(&self, phi: &[f64]) -> f64 {
        let q = norm_squared(&self.tr_mul(phi));
        if self.is_noise(q, norm_squared(phi)) {
            0.0
        } else {
            q
        }
    }

    /// `S^T phi`; allocates.
    fn tr_mul(&self, phi: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; phi.len()];
        self.root().tr_mul_into(phi, &mut v);
        v
    }

    /// Returns true if `phi . P phi` is no more than rounding, given `||phi||^2`.
    fn is_noise(&self, q: f64, norm_squared: f64) -> bool {
        q <= NOISE * norm_squared * self.largest_column
    }

    /// Completes the pending step. Reading `P` before the next measurement would otherwise take a copy of it.
    pub(crate) fn settle(&mut self) {
        if std::mem::take(&mut self.pending.is_due) {
            let g = self.root.rotate(&self.pending.rotation);
            descend(&mut self.w, &self.pending.lengths, g);
        }
    }

    /// Follows features that have gained a coordinate.
    pub fn grow(&mut self, coordinate: f64) {
        self.root.push_diagonal(self.diagonal);
        self.largest_column = self.largest_column.max(self.diagonal.recip());
        self.extend(0.0, coordinate / self.diagonal.sqrt());
        self.q += coordinate * coordinate / self.diagonal;
    }

    /// Gains a coordinate with this weight, for one target, and this column of the root.
    pub fn push(&mut self, weight: f64, column: &[f64]) {
        self.root.push(column);
        self.largest_column = self.largest_column.max(norm_squared(column));
        self.extend(weight, 0.0);
    }

    fn extend(&mut self, weight: f64, v: f64) {
        self.w.iter_mut().for_each(|w| w.push(weight));
        self.v.push(v);
        self.g.push(0.0);
        self.pending.rotation.push();
        self.pending.w.take();
        self.pending.root.take();
    }

    /// `w -= length P phi` for the features last measured, with a length for each target.
    pub(crate) fn shift(&mut self, lengths: impl IntoIterator<Item = f64>) {
        self.root.mul_into(&self.v, &mut self.g);
        for (w, length) in self.w.iter_mut().zip(lengths) {
            axpy_in_place(-length, &self.g, w);
        }
    }

    /// `A += curvature phi phi^T`, then `w -= e A^{-1} phi` for each target's `e`, for the features last measured.
    pub fn step(&mut self, curvature: f64, e: impl IntoIterator<Item = f64>) {
        if self.is_flat(curvature) {
            self.shift(e);
            return;
        }
        let curvature = curvature.min(*CURVATURES.end());
        let scale = 1.0 + curvature * self.q;
        let pending = &mut self.pending;
        pending.rotation.set(curvature, &self.v);
        pending.lengths.clear();
        pending.lengths.extend(e.into_iter().map(|e| e / scale));
        pending.is_due = true;
        pending.w.take();
        pending.root.take();
    }

    /// Resets the scratch to the current size, without a pending step.
    fn reset_scratch(&mut self) {
        let size = self.size();
        for scratch in [&mut self.v, &mut self.g] {
            scratch.clear();
            scratch.resize(size, 0.0);
        }
        self.pending.reset(size);
    }

    /// `A += curvature phi phi^T` for the features last measured; leaves `P phi` from before in `g`.
    pub fn add(&mut self, curvature: f64) {
        if self.is_flat(curvature) {
            self.root.mul_into(&self.v, &mut self.g);
        } else {
            let curvature = curvature.min(*CURVATURES.end());
            self.g.copy_from_slice(self.root.add(curvature, &self.v));
        }
    }

    /// Returns true if this curvature leaves `A` as it is.
    fn is_flat(&self, curvature: f64) -> bool {
        curvature < *CURVATURES.start() || self.q == 0.0
    }

    /// `P phi` as [`add`](Self::add) has left it.
    pub fn g(&self) -> &[f64] {
        &self.g
    }

    /// Makes the rounds of many rows as products of matrices.
    ///
    /// `round` is given the index of a row and of a target, `w . phi` and `phi . P phi`, including any coordinate that
    /// the row brings. It returns the prediction, which is appended to `yhat`, and the step; the matrix takes the step
    /// of the first target.
    ///
    /// Returns the number of rows learned: all, or those before one that has to be learned by itself, because `round`
    /// returned `None` or because `P` would shrink so much along it that the products lose digits.
    pub(crate) fn step_rows(
        &mut self,
        features: &FeatureMatrix,
        rounds: &mut Rounds,
        yhat: &mut Vec<f64>,
        round: impl FnMut(usize, usize, f64, f64) -> Option<(f64, Step)>,
    ) -> usize {
        if features.size() < SMALLEST_BLOCKED {
            return 0;
        }
        self.settle();
        rounds.reset(features, self.n_targets());
        self.root.tr_mul_columns_into(
            &features.data()[..self.size() * features.width()],
            features.width(),
            &mut rounds.v,
        );
        let scale = self.diagonal.sqrt().recip();
        rounds.extend(features, self.size(), scale);
        let is_noise = |q: f64, norm_squared: f64| self.is_noise(q, norm_squared);
        let n_rows = rounds.run(features, &self.w, is_noise, yhat, round);
        if n_rows == 0 {
            return 0;
        }
        (0..features.n_joined_before(n_rows)).for_each(|_| self.grow(0.0));
        for target in 0..self.n_targets() {
            let direction = rounds.direction(target, self.size());
            self.root.mul_into(&direction, &mut self.g);
            axpy_in_place(-1.0, &self.g, &mut self.w[target]);
        }
        rounds.add_to(&mut self.root);
        n_rows
    }

    /// Appends weights and matrix as plain numbers, after the number of dimensions.
    pub(crate) fn pack(&mut self, numbers: &mut Vec<f64>) {
        self.settle();
        numbers.push(self.size() as f64);
        self.w.iter().for_each(|w| numbers.extend_from_slice(w));
        self.root.columns().pack_onto(numbers);
        numbers.push(self.largest_column);
    }

    /// Becomes what [`pack`](Self::pack) has written; returns the numbers after those, or nothing if they are no such
    /// numbers.
    pub(crate) fn unpack<'n>(&mut self, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let (size, rest) = numbers.split_first()?;
        let size = index(*size, 0..rest.len() + 1)?;
        let (w, rest) = rest.split_at_checked(size * self.n_targets())?;
        let (root, rest) = rest.split_at_checked(packed_len(size))?;
        let (largest, rest) = rest.split_first()?;
        let own = &numbers[..numbers.len() - rest.len()];
        let is_factor = (0..size).all(|i| root[packed_len(i) + i] > 0.0);
        if !is_factor || own.iter().any(|number| !number.is_finite()) || *largest < 0.0 {
            return None;
        }
        let resized = size != self.size();
        for (i, weights) in self.w.iter_mut().enumerate() {
            weights.clear();
            weights.extend_from_slice(&w[i * size..][..size]);
        }
        self.root.unpack(size, root);
        self.largest_column = *largest;
        self.pending.is_due = false;
        if resized {
            self.reset_scratch();
        }
        Some(rest)
    }

    pub(crate) fn save(&self, state: &mut State) {
        let w: Vec<f64> = (0..self.n_targets())
            .flat_map(|target| self.w(target).iter().copied())
            .collect();
        state.put("w", w);
        state.put("root", self.packed_root());
        state.put("largest_column", [self.largest_column]);
    }

    /// Reads the weights and the matrix of `size` dimensions, or of as many as there are weights.
    pub(crate) fn load(&mut self, state: &State, size: Option<usize>) -> Result<(), Error> {
        let size = match size {
            Some(size) => size,
            None => state.any_vector("w")?.len() / self.n_targets(),
        };
        let w = state.vector("w", size * self.n_targets())?;
        for (i, own) in self.w.iter_mut().enumerate() {
            *own = w[i * size..(i + 1) * size].to_vec();
        }
        self.root = InverseRoot::from_columns(state.factor("root", size)?);
        self.largest_column = state.not_negative("largest_column")?;
        self.reset_scratch();
        Ok(())
    }
}

/// `w -= length g` for each target.
fn descend(w: &mut [Vec<f64>], lengths: &[f64], g: &[f64]) {
    for (w, length) in w.iter_mut().zip(lengths) {
        axpy_in_place(-length, g, w);
    }
}

heap!(SecondOrder: w, root, v, g, pending);
heap!(Pending: lengths, rotation, w, root);
