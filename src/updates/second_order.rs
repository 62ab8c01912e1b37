//! Weights and the matrix that scales their steps.

use std::ops::RangeInclusive;

use super::{LARGEST_SHRINKAGE, cut};
use crate::error::Error;
use crate::linalg::{InverseRoot, axpy_in_place, dot, norm_squared};
use crate::rows::LARGEST;
use crate::state::State;

/// Part of what it was before any row below which `phi . P phi` is rounding.
const NOISE: f64 = 1e-26;

/// Curvatures whose inverses, and the roots of them, float64 can hold.
const CURVATURES: RangeInclusive<f64> = 1e-300..=1e300;

/// A weight vector `w` and `P = A^{-1}` of a matrix `A` that gains a rank-one term a round.
///
/// A round is [`measure`](Self::measure), then [`grow`](Self::grow) if the features gained a coordinate, then
/// [`step`](Self::step). Each costs O(J^2) at most and none allocates but `grow`.
#[derive(Debug, Clone)]
pub struct SecondOrder {
    /// `A` starts as this multiple of the identity.
    diagonal: f64,
    w: Vec<f64>,
    root: InverseRoot,
    /// The largest squared norm that a column of the root had when it was new: what `P` was before any row.
    largest_column: f64,
    /// `S^T phi` of the round at hand, where `P = S S^T`, and its squared norm `phi . P phi`.
    v: Vec<f64>,
    q: f64,
    /// Room for `P phi`.
    g: Vec<f64>,
}

impl SecondOrder {
    /// No dimensions yet; each that is to come brings `diagonal` to that of `A`.
    pub fn new(diagonal: f64) -> Self {
        Self {
            diagonal,
            w: Vec::new(),
            root: InverseRoot::default(),
            largest_column: 0.0,
            v: Vec::new(),
            q: 0.0,
            g: Vec::new(),
        }
    }

    /// What `A` starts as a multiple of the identity with.
    pub fn diagonal(&self) -> f64 {
        self.diagonal
    }

    /// The largest `||phi||^2` that `A` can gain with this curvature without losing too many digits.
    pub fn largest_kappa(&self, curvature: f64) -> f64 {
        (LARGEST_SHRINKAGE * self.diagonal / curvature).min(LARGEST)
    }

    /// The weights.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// The root of `P = A^{-1}`.
    pub fn root(&self) -> &InverseRoot {
        &self.root
    }

    /// `phi . P phi` of the features last measured.
    pub fn q(&self) -> f64 {
        self.q
    }

    /// `w . phi`; keeps what the rest of the round needs of `phi`.
    ///
    /// Where rows have shrunk `P` along `phi` by 26 digits, what is left is rounding and would send `w` anywhere: it
    /// counts as 0, and `w` stays where those rows have put it.
    pub fn measure(&mut self, phi: &[f64]) -> f64 {
        self.root.tr_mul_into(phi, &mut self.v);
        self.q = norm_squared(&self.v);
        if self.is_noise(self.q, phi) {
            self.v.fill(0.0);
            self.q = 0.0;
        }
        self.value(phi)
    }

    /// `w . phi` of other features.
    pub fn value(&self, phi: &[f64]) -> f64 {
        cut(dot(&self.w, phi))
    }

    /// `w . phi` and `phi . P phi` of other features, in new memory.
    pub fn peek(&self, phi: &[f64]) -> (f64, f64) {
        let mut v = vec![0.0; phi.len()];
        self.root.tr_mul_into(phi, &mut v);
        let q = norm_squared(&v);
        let q = if self.is_noise(q, phi) { 0.0 } else { q };
        (self.value(phi), q)
    }

    fn is_noise(&self, q: f64, phi: &[f64]) -> bool {
        q <= NOISE * norm_squared(phi) * self.largest_column
    }

    /// Follows features that have gained a coordinate.
    pub fn grow(&mut self, coordinate: f64) {
        self.root.push_diagonal(self.diagonal);
        self.largest_column = self.largest_column.max(self.diagonal.recip());
        self.w.push(0.0);
        self.v.push(coordinate / self.diagonal.sqrt());
        self.q += coordinate * coordinate / self.diagonal;
        self.g.push(0.0);
    }

    /// What it takes to follow features that gain a coordinate on past rows too: then `A` gains the row `a` and, beside
    /// what it starts with, `squares` on the diagonal, and `A w` the entry `target`.
    pub fn border(&self, a: &[f64], squares: f64, target: f64) -> Border {
        let (mut v, mut p_a) = (vec![0.0; a.len()], vec![0.0; a.len()]);
        self.root.tr_mul_into(a, &mut v);
        self.root.mul_into(&v, &mut p_a);
        // In exact arithmetic it is never below the diagonal that `A` starts with.
        let schur = (self.diagonal + squares - norm_squared(&v)).max(self.diagonal);
        let weight = (target - dot(a, &self.w)) / schur;
        Border { p_a, schur, weight }
    }

    /// Gains the coordinate of this border.
    pub fn embed(&mut self, border: &Border) {
        axpy_in_place(-border.weight, &border.p_a, &mut self.w);
        self.push(border.weight, &border.column());
    }

    /// Gains a coordinate with this weight and this column of the root.
    pub fn push(&mut self, weight: f64, column: &[f64]) {
        self.root.push(column);
        self.largest_column = self.largest_column.max(norm_squared(column));
        self.w.push(weight);
        self.v.push(0.0);
        self.g.push(0.0);
    }

    /// `w += length P phi` for the features last measured.
    pub fn shift(&mut self, length: f64) {
        self.root.mul_into(&self.v, &mut self.g);
        axpy_in_place(length, &self.g, &mut self.w);
    }

    /// `A += curvature phi phi^T`, then `w -= e A^{-1} phi`, for the features last measured.
    pub fn step(&mut self, curvature: f64, e: f64) {
        self.add(curvature);
        let length = e / (1.0 + curvature * self.q);
        axpy_in_place(-length, &self.g, &mut self.w);
    }

    /// `A += curvature phi phi^T`. What `P phi` was before is left in `g`.
    pub fn add(&mut self, curvature: f64) {
        if curvature < *CURVATURES.start() || self.q == 0.0 {
            self.root.mul_into(&self.v, &mut self.g);
        } else {
            let curvature = curvature.min(*CURVATURES.end());
            self.root.add(curvature, &self.v, &mut self.g);
        }
    }

    /// `P phi` as [`add`](Self::add) has left it.
    pub fn g(&self) -> &[f64] {
        &self.g
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put("w", &*self.w);
        state.put("root", self.root.columns().packed());
        state.put("largest_column", [self.largest_column]);
    }

    pub(crate) fn load(&mut self, state: &State, size: usize) -> Result<(), Error> {
        self.w = state.vector("w", size)?;
        self.root = InverseRoot::from_columns(state.factor("root", size)?);
        self.largest_column = state.not_negative("largest_column")?;
        self.v = vec![0.0; size];
        self.g = vec![0.0; size];
        Ok(())
    }
}

/// A coordinate to come; see [`SecondOrder::border`].
#[derive(Debug, Clone)]
pub struct Border {
    /// `P a`.
    p_a: Vec<f64>,
    /// The Schur complement of the new diagonal entry.
    schur: f64,
    weight: f64,
}

impl Border {
    /// What `w . phi` and `phi . P phi` become when `phi` gains this coordinate.
    pub fn peek(&self, (yhat, q): (f64, f64), phi: &[f64], coordinate: f64) -> (f64, f64) {
        let novelty = coordinate - dot(&self.p_a, phi);
        (
            cut(yhat + self.weight * novelty),
            q + novelty * novelty / self.schur,
        )
    }

    /// The new column of the root, `[-P a, 1] / sqrt(schur)`.
    fn column(&self) -> Vec<f64> {
        let scale = self.schur.sqrt().recip();
        let mut column: Vec<f64> = self.p_a.iter().map(|p_a| -p_a * scale).collect();
        column.push(scale);
        column
    }
}
