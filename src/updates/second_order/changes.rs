//! Changes of the matrix as a whole.

use nalgebra::DMatrix;

use super::SecondOrder;
use crate::linalg::{
    CholeskyFactor, Givens, InverseRoot, Triangle, axpy_in_place, rotate_in_place,
};

impl SecondOrder {
    /// `A` is multiplied by a positive number, and `A w` with it, so that `w` stays.
    pub fn scale(&mut self, factor: f64) {
        self.settle();
        self.root.scale(factor);
    }

    /// What it would cost to leave out each row of the dictionary whose kernel matrix has this factor: by how much the
    /// least of `(w - w')^T A (w - w')`, the increase of a squared loss, is more than 0 over the `w'` of functions without
    /// that row, summed over the targets.
    ///
    /// With `u` the column of `L^{-1}` that is orthogonal to all other rows it is `(u . w)^2 / (u . P u)`.
    pub fn removal_costs(&self, factor: &CholeskyFactor) -> Vec<f64> {
        let forms = self.root().quadratic_forms(factor.inverse());
        let (mut costs, mut c) = (vec![0.0; self.size()], vec![0.0; self.size()]);
        for target in 0..self.n_targets() {
            factor.tr_solve_into(self.w(target), &mut c);
            for ((cost, c), form) in costs.iter_mut().zip(&c).zip(&forms) {
                *cost += c * c / form;
            }
        }
        costs
    }

    /// Follows features that were rotated and lost the last coordinate, as [`InverseRoot::remove`] tells: `A` and `A w`
    /// become what they would be if all past features had been projected onto the coordinates that are left.
    pub fn remove(&mut self, rotations: &[Givens], j: usize) {
        self.settle();
        let ratios = self.root.remove(rotations, j);
        for w in &mut self.w {
            rotate_in_place(rotations, j, w);
            let gone = w.pop().unwrap_or_default();
            axpy_in_place(-gone, &ratios, w);
        }
        self.make_room();
    }

    /// `A`, and `A w` with a column for each target.
    pub fn moments(&self) -> (DMatrix<f64>, DMatrix<f64>) {
        // With the columns of S as rows of C, P = C^T C.
        let (size, columns) = (self.size(), self.root().columns());
        let c = DMatrix::from_fn(
            size,
            size,
            |i, j| if j <= i { columns.row(i)[j] } else { 0.0 },
        );
        let mut inverse = DMatrix::identity(size, size);
        c.solve_lower_triangular_unchecked_mut(&mut inverse);
        let a = &inverse * inverse.transpose();
        let w = DMatrix::from_fn(size, self.n_targets(), |i, target| self.w(target)[i]);
        let b = &a * w;
        (a, b)
    }

    /// Sets them; `A` stays as it is if it is not positive definite.
    pub fn set_moments(&mut self, a: DMatrix<f64>, b: &DMatrix<f64>) {
        let Some(factor) = a.cholesky() else {
            return;
        };
        let w = factor.solve(b);
        let mut c = DMatrix::identity(w.nrows(), w.nrows());
        factor
            .l_dirty()
            .solve_lower_triangular_unchecked_mut(&mut c);
        let rows = c.transpose();
        let rows = rows.as_slice().chunks_exact(w.nrows().max(1));
        self.root = InverseRoot::from_columns(Triangle::from_rows(rows));
        self.w = w
            .column_iter()
            .map(|w| w.iter().copied().collect())
            .collect();
        self.make_room();
    }
}
