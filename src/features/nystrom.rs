//! The Nyström map of a growing dictionary.

use std::sync::Arc;

use nalgebra::DMatrix;

use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::Range;
use crate::linalg::{CholeskyFactor, Givens, Panels, norm_squared};
use crate::persist::{State, index};
use crate::predictor::Expansion;
use crate::runtime::heap;

/// The map `phi(x) = L^{-1} k_S(x)`, where `K_S = L L^T` is the kernel matrix of the stored rows `S`.
///
/// It is the paper's `Sigma^{-1/2} U^T k_S(x)` up to a rotation, so inner products, norms and predictions are the same,
/// and it is nested: a new row of `S` appends a coordinate and leaves the others as they were.
#[derive(Debug, Clone)]
pub struct NystromMap {
    kernel: AnyKernel,
    nugget: f64,
    /// True if features are found by substitution with the factor, instead of the faster product with its inverse.
    is_accurate: bool,
    rows: Arc<Panels>,
    factor: CholeskyFactor,
    /// Number of rows removed since the factor was last computed anew.
    removals: usize,
}

/// The projection of a row. Made once and reused for every row, so that a round does not allocate.
#[derive(Debug, Clone, Default)]
pub struct Projection {
    /// `k_S(x)`.
    pub k: Vec<f64>,
    /// `phi(x)`.
    pub phi: Vec<f64>,
    /// `kappa(x, x)`.
    pub kappa: f64,
    /// The squared distance of `kappa(x, .)` to its projection, `kappa(x, x) - ||phi(x)||^2`, never below 0; with a
    /// nugget, the distance in the kernel that has it.
    pub residual: f64,
}

impl NystromMap {
    /// A map of no rows.
    pub fn new(kernel: AnyKernel) -> Self {
        Self::with_nugget(kernel, 0.0)
    }

    /// A map of no rows for the kernel with `nugget kappa(x, x)` added to the value of a row with itself.
    pub(crate) fn with_nugget(kernel: AnyKernel, nugget: f64) -> Self {
        Self {
            kernel,
            nugget,
            is_accurate: false,
            rows: Arc::default(),
            factor: CholeskyFactor::default(),
            removals: 0,
        }
    }

    /// Makes features as accurate as the factor, for rows that nearly depend on each other.
    #[must_use]
    pub(crate) fn accurate(self) -> Self {
        let is_accurate = true;
        Self {
            is_accurate,
            ..self
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &AnyKernel {
        &self.kernel
    }

    /// The stored rows `S`.
    pub fn rows(&self) -> &Arc<Panels> {
        &self.rows
    }

    /// Number of stored rows, and of features.
    pub fn size(&self) -> usize {
        self.rows.n_rows()
    }

    /// The factor of `K_S`.
    pub fn factor(&self) -> &CholeskyFactor {
        &self.factor
    }

    /// Projects `x` onto the span of the stored rows.
    pub fn project_into(&self, x: &[f64], at: &mut Projection) {
        at.kappa = self.kernel.diagonal(x);
        at.k.resize(self.size(), 0.0);
        self.kernel.row_into(x, &self.rows, &mut at.k);
        self.features_into(at);
    }

    /// Computes `phi` and the residual of a projection whose `k` and `kappa` are known.
    pub(crate) fn features_into(&self, at: &mut Projection) {
        if self.is_accurate {
            return self.refine(at);
        }
        at.phi.resize(self.size(), 0.0);
        self.factor.solve_into(&at.k, &mut at.phi);
        self.measure(at);
    }

    /// Computes `phi` of many rows from their kernel values: `width` columns that are stored row by row.
    pub(crate) fn features_of_columns_into(&self, k: &[f64], width: usize, phi: &mut [f64]) {
        if self.is_accurate {
            let phi = &mut phi[..k.len()];
            phi.copy_from_slice(k);
            self.factor.lower().solve_columns_in_place(phi, width);
        } else {
            self.factor.solve_columns_into(k, width, phi);
        }
    }

    /// Computes `phi` and the residual of a projection by substitution: slower, and as accurate as the factor.
    pub(crate) fn refine(&self, at: &mut Projection) {
        at.phi.resize(at.k.len(), 0.0);
        self.factor.substitute_into(&at.k, &mut at.phi);
        self.measure(at);
    }

    /// `kappa(x, x)` with the nugget, from which the residual is computed.
    pub(crate) fn own_value(&self, kappa: f64) -> f64 {
        kappa + self.nugget * kappa
    }

    fn measure(&self, at: &mut Projection) {
        at.residual = (self.own_value(at.kappa) - norm_squared(&at.phi)).max(0.0);
    }

    /// Stores `x`, given its projection, which gains the root of its residual as a coordinate.
    pub fn grow(&mut self, x: &[f64], at: &mut Projection) -> Result<(), Error> {
        self.factor.push(&at.phi, at.residual)?;
        Arc::make_mut(&mut self.rows).push(x);
        at.phi.push(at.residual.sqrt());
        Ok(())
    }

    /// Removes row `j`; returns the rotations of the features, as [`CholeskyFactor::remove`] does.
    ///
    /// After as many removals as there are rows, the factor is computed anew, so that rounding does not add up.
    pub fn remove(&mut self, j: usize) -> Vec<Givens> {
        let rotations = self.factor.remove(j);
        self.rows = Arc::new(self.rows.without(j));
        self.removals += 1;
        if self.removals > self.size() {
            self.refactor();
        }
        rotations
    }

    /// Computes the factor of the stored rows anew; keeps the old one if rounding makes that impossible.
    fn refactor(&mut self) {
        self.removals = 0;
        let mut fresh = Self::with_nugget(self.kernel.clone(), self.nugget);
        let mut at = Projection::default();
        for i in 0..self.size() {
            let x: Vec<f64> = self.rows.row(i).collect();
            fresh.project_accurately(&x, &mut at);
            if fresh.grow(&x, &mut at).is_err() {
                return;
            }
        }
        self.factor = fresh.factor;
    }

    /// Projects `x` onto the span of the stored rows by substitution.
    pub(crate) fn project_accurately(&self, x: &[f64], at: &mut Projection) {
        self.project_into(x, at);
        self.refine(at);
    }

    /// `M = L'^{-1} K L^{-T}`, where `K` has the kernel values between the rows of another map, whose factor is `L'`,
    /// and those of this one: features `phi` there, projected onto the span of the rows here, are `M^T phi`.
    pub(crate) fn change_from(&self, other: &Self) -> DMatrix<f64> {
        let (mut at, mut projected) = (Projection::default(), Vec::new());
        for i in 0..other.size() {
            let x: Vec<f64> = other.rows.row(i).collect();
            self.project_accurately(&x, &mut at);
            projected.extend_from_slice(&at.phi);
        }
        let mut change = DMatrix::from_row_slice(other.size(), self.size(), &projected);
        for mut column in change.column_iter_mut() {
            other.factor.lower().solve_in_place(column.as_mut_slice());
        }
        change
    }

    /// The coefficients `c = L^{-T} w` with which `w . phi(x) = sum_i c_i kappa(x, z_i)`.
    pub fn coefficients(&self, w: &[f64]) -> Vec<f64> {
        let mut c = w.to_vec();
        if self.is_accurate {
            self.factor.lower().tr_solve_in_place(&mut c);
        } else {
            self.factor.tr_solve_into(w, &mut c);
        }
        c
    }

    /// The kernel expansions equal to `w . phi(x)`, with a weight vector and a range for each target.
    pub(crate) fn expansion<'w>(
        &self,
        w: impl Fn(usize) -> &'w [f64],
        ranges: &[Range],
    ) -> Expansion {
        let mut c = self.coefficients(w(0));
        for target in 1..ranges.len() {
            c.extend(self.coefficients(w(target)));
        }
        Expansion::new(&self.kernel, &self.rows, c, ranges)
    }

    /// Appends the width of the rows, the rows and the factor as plain numbers.
    pub(crate) fn pack(&self, numbers: &mut Vec<f64>) {
        numbers.push(self.rows.n_features() as f64);
        self.rows.pack_onto(numbers);
        self.factor.pack_onto(numbers);
    }

    /// Becomes the map of `size` rows that [`pack`](Self::pack) has written, in the same memory; returns the numbers after
    /// those, or nothing if they are no such numbers.
    pub(crate) fn unpack<'n>(&mut self, size: usize, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let (width, rest) = numbers.split_first()?;
        let width = index(*width, 0..rest.len() + 1)?;
        let (rows, rest) = rest.split_at_checked(size.checked_mul(width)?)?;
        let rest = self.factor.unpack(size, rest)?;
        Arc::make_mut(&mut self.rows).unpack(width, rows);
        Some(rest)
    }

    /// Appends the number of removals, which only a map that loses rows needs.
    pub(crate) fn pack_removals(&self, numbers: &mut Vec<f64>) {
        numbers.push(self.removals as f64);
    }

    /// Reads what [`pack_removals`](Self::pack_removals) has written; returns the numbers after that.
    pub(crate) fn unpack_removals<'n>(&mut self, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let (removals, rest) = numbers.split_first()?;
        self.removals = index(*removals, 0..usize::MAX)?;
        Some(rest)
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put_rows("basis", &self.rows);
        state.put("factor", self.factor.lower().packed());
        state.put("inverse_factor", self.factor.inverse().packed());
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.rows = Arc::new(state.rows("basis")?);
        let size = self.rows.n_rows();
        let lower = state.factor("factor", size)?;
        let inverse = state.factor("inverse_factor", size)?;
        self.factor = CholeskyFactor::from_parts(lower, inverse);
        Ok(())
    }

    /// Writes the number of removals, which only a map that loses rows needs.
    pub(crate) fn save_removals(&self, state: &mut State) {
        state.put_indices("removals", &[self.removals]);
    }

    pub(crate) fn load_removals(&mut self, state: &State) -> Result<(), Error> {
        self.removals = state.count("removals")?;
        Ok(())
    }
}

heap!(NystromMap: rows, factor);
heap!(Projection: k, phi);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Linear;

    #[test]
    fn features_of_orthogonal_rows_are_their_coordinates() {
        let mut map = NystromMap::new(Linear {}.into());
        let mut at = Projection::default();
        for x in [[2.0, 0.0], [0.0, 3.0]] {
            map.project_into(&x, &mut at);
            map.grow(&x, &mut at).unwrap();
        }
        map.project_into(&[5.0, 7.0], &mut at);
        assert_eq!(at.phi, [5.0, 7.0]);
        assert!(at.residual.abs() < 1e-12);
        assert_eq!(map.coefficients(&[4.0, 6.0]), [2.0, 2.0]);
    }

    #[test]
    fn features_change_to_those_of_projections() {
        let map_of = |rows: &[[f64; 2]]| {
            let mut map = NystromMap::new(Linear {}.into());
            let mut at = Projection::default();
            for x in rows {
                map.project_into(x, &mut at);
                map.grow(x, &mut at).unwrap();
            }
            map
        };
        let (plane, line) = (map_of(&[[2.0, 0.0], [3.0, 1.0]]), map_of(&[[3.0, 4.0]]));
        // The plane's features are the coordinates, the line's that along (3, 4) / 5.
        for change in [line.change_from(&plane), plane.change_from(&line)] {
            assert!((change[0] - 0.6).abs() < 1e-14 && (change[1] - 0.8).abs() < 1e-14);
        }
        assert_eq!(plane.change_from(&map_of(&[])).shape(), (0, 2));
    }
}
