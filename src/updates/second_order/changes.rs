//! Changes of the whole matrix, outside the rounds.

use nalgebra::{Cholesky, DMatrix, DVectorView};

use super::SecondOrder;
use crate::linalg::{
    CholeskyFactor, Givens, InverseRoot, axpy_in_place, index_of_least, rotate_in_place,
};

impl SecondOrder {
    /// Multiplies `A`, and `A w` with it, by a positive number; `w` stays.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.settle();
        self.root.scale(factor);
    }

    /// The cost of removing each row of the dictionary whose kernel matrix has this factor: the least increase of the
    /// squared loss, `(w - w')^T A (w - w')`, over the `w'` of predictors without that row, summed over the targets.
    ///
    /// With the column `u` of `L^{-1}` that is orthogonal to all other rows it is `(u . w)^2 / (u . P u)`.
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

    /// Indices, in order, of the `size` rows of a dictionary that are left when the row whose removal costs least is
    /// removed again and again.
    ///
    /// Coefficients `c = L^{-T} w` whose `H = L A L^T` has the inverse `V` lose `c_j` as if they were conditioned on
    /// `c_j = 0`: `c -= c_j V_j / V_jj` and `V -= V_j V_j^T / V_jj`. So a removal costs O(J^2).
    pub(crate) fn rows_worth_keeping(&self, factor: &CholeskyFactor, size: usize) -> Vec<usize> {
        let root = self.root_transposed() * factor.inverse().to_matrix();
        let mut v = root.tr_mul(&root);
        let mut c = factor.inverse().to_matrix().tr_mul(&self.weight_matrix());
        let mut kept: Vec<usize> = (0..self.size()).collect();
        while kept.len() > size {
            // Rounding may leave 0 of a small form: then the coefficient is well known.
            let cost = |&i: &usize| c.row(i).norm_squared() / v[(i, i)].max(f64::MIN_POSITIVE);
            let costs: Vec<f64> = kept.iter().map(cost).collect();
            let j = kept.remove(index_of_least(&costs));
            let unit = v[(j, j)].max(f64::MIN_POSITIVE).sqrt();
            let (direction, lost) = (v.column(j) / unit, c.row(j) / unit);
            c -= &direction * lost;
            v.ger(-1.0, &direction, &direction, 1.0);
        }
        kept
    }

    /// The transposed root `S^T` of `P = S S^T`.
    fn root_transposed(&self) -> DMatrix<f64> {
        self.root().columns().to_matrix()
    }

    /// The weights, with a column for each target.
    fn weight_matrix(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.size(), self.n_targets(), |i, target| self.w(target)[i])
    }

    /// Rows `F`, one a column, as many as there are dimensions, and labels `e`, one a row, that lead to the same
    /// weights and matrix: `F F^T = A - diagonal I` and `F e = A w`.
    pub(crate) fn to_rows(&self) -> (DMatrix<f64>, DMatrix<f64>) {
        // The factor is that of S^T (A - diagonal I) S = I - diagonal S^T S, which is between 0 and I, so that no small
        // number is lost in a large one.
        let (size, mut labels) = (self.size(), self.weight_matrix());
        let c = self.root_transposed();
        let share = DMatrix::identity(size, size) - &c * c.transpose() * self.diagonal;
        let factor = semidefinite_factor(&share);
        let mut features = factor.clone();
        c.solve_lower_triangular_unchecked_mut(&mut features);
        c.tr_solve_lower_triangular_unchecked_mut(&mut labels);
        factor.solve_lower_triangular_unchecked_mut(&mut labels);
        (features, labels)
    }

    /// Follows features that were rotated and lost the last coordinate, as in [`InverseRoot::remove`]: `A` and `A w`
    /// become what they would be if all past features had been projected onto the remaining coordinates.
    pub fn remove(&mut self, rotations: &[Givens], j: usize) {
        self.settle();
        let ratios = self.root.remove(rotations, j);
        for w in &mut self.w {
            rotate_in_place(rotations, j, w);
            let gone = w.pop().unwrap_or_default();
            axpy_in_place(-gone, &ratios, w);
        }
        self.reset_scratch();
    }

    /// `A`, and `A w` with a column for each target.
    pub(crate) fn moments(&self) -> (DMatrix<f64>, DMatrix<f64>) {
        // With the columns of S as rows of C, P = C^T C.
        let mut inverse = DMatrix::identity(self.size(), self.size());
        self.root_transposed()
            .solve_lower_triangular_unchecked_mut(&mut inverse);
        let a = &inverse * inverse.transpose();
        let b = &a * self.weight_matrix();
        (a, b)
    }

    /// Sets `A` and `A w`; does nothing if `A` is not positive definite.
    pub(crate) fn set_moments(&mut self, a: &DMatrix<f64>, b: &DMatrix<f64>) {
        let Ok(factor) = CholeskyFactor::of(a) else {
            return;
        };
        let solve = |b: DVectorView<'_, f64>| {
            let mut w = b.as_slice().to_vec();
            factor.lower().solve_in_place(&mut w);
            factor.lower().tr_solve_in_place(&mut w);
            w
        };
        self.w = b.column_iter().map(solve).collect();
        self.root = InverseRoot::from_columns(factor.into_inverse());
        self.reset_scratch();
    }
}

/// The Cholesky factor of a matrix between 0 and the identity; as little as rounding needs is added to its diagonal.
fn semidefinite_factor(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let identity = DMatrix::identity(matrix.nrows(), matrix.nrows());
    (-15..=0)
        .find_map(|digits| (matrix + &identity * 10_f64.powi(digits)).cholesky())
        .map_or(identity, Cholesky::unpack)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(rows: &[([f64; 2], f64)]) -> SecondOrder {
        let mut weights = SecondOrder::new(0.5);
        (0..2).for_each(|_| weights.grow(0.0));
        for (phi, y) in rows {
            weights.measure(phi);
            let error = weights.value(0, phi) - y;
            weights.step(1.0, [error]);
        }
        weights
    }

    #[test]
    fn one_row_comes_back_and_nothing_beside_it() {
        let (features, labels) = learned(&[([3.0, 0.0], 2.0)]).to_rows();
        assert!((features[(0, 0)] - 3.0).abs() < 1e-12 && (labels[0] - 2.0).abs() < 1e-12);
        assert!(features.column(1).amax() < 1e-6 && (features * labels)[1].abs() < 1e-14);
    }

    #[test]
    fn rows_have_the_moments_that_were_learned() {
        let weights = learned(&[([1.0, 2.0], 1.0), ([0.5, -1.0], 3.0), ([2.0, 2.0], -1.0)]);
        let ((features, labels), (a, b)) = (weights.to_rows(), weights.moments());
        let ridge = DMatrix::identity(2, 2) * 0.5;
        assert!((&features * features.transpose() + ridge - a).amax() < 1e-13);
        assert!((features * labels - b).amax() < 1e-13);
    }

    #[test]
    fn the_rows_worth_keeping_rows_are_those_that_removals_leave() {
        let mut factor = CholeskyFactor::default();
        let mut weights = SecondOrder::with_targets(0.1, 2);
        for i in 0..6_u32 {
            let phi: Vec<f64> = (0..i).map(|j| 0.8 / f64::from(1 + i + 2 * j)).collect();
            factor.push(&phi, 0.3 + 0.1 * f64::from(i % 4)).unwrap();
            weights.grow(0.0);
        }
        for t in 0..20_u32 {
            let phi: Vec<f64> = (0..6).map(|i| f64::from(t * (i + 3) % 7) / 7.0).collect();
            weights.measure(&phi);
            weights.step(1.0, [f64::from(t % 5) - 2.0, f64::from(t % 3)]);
        }
        let whole = (weights.clone(), factor.clone());
        let mut left: Vec<usize> = (0..6).collect();
        for size in (0..6).rev() {
            let j = index_of_least(&weights.removal_costs(&factor));
            weights.remove(&factor.remove(j), j);
            left.remove(j);
            assert_eq!(whole.0.rows_worth_keeping(&whole.1, size), left);
        }
    }
}
