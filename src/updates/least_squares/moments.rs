//! Least squares in closed form, from the moments of many rows.

use nalgebra::{DMatrix, DVector};

use super::LeastSquares;
use crate::updates::Update;

/// The moments of rows: `A` and `A w`.
#[derive(Debug)]
pub(crate) struct Moments {
    a: DMatrix<f64>,
    b: DMatrix<f64>,
}

impl LeastSquares {
    /// No moments of features yet: `A` and `A w` before any row.
    pub(crate) fn moments(&self) -> Moments {
        let (size, n_targets) = (self.size(), self.n_targets());
        Moments {
            a: DMatrix::from_diagonal_element(size, size, self.weights.diagonal()),
            b: DMatrix::zeros(size, n_targets),
        }
    }

    /// Adds rows to moments: `phi` has a row for each, and `later` rows come after them.
    pub(crate) fn add_moments(
        &self,
        phi: &DMatrix<f64>,
        (y, weights): (&[f64], &[f64]),
        later: usize,
        moments: &mut Moments,
    ) {
        let (n_targets, factor) = (self.n_targets(), self.forgetting.factor());
        let last = (later + weights.len()) as f64 - 1.0;
        let faded = |(i, weight): (usize, &f64)| (factor.powf(last - i as f64) * weight).sqrt();
        let roots = DVector::from_iterator(
            phi.nrows(),
            weights
                .iter()
                .enumerate()
                .map(faded)
                .chain(std::iter::repeat(0.0))
                .take(phi.nrows()),
        );
        let mut phi = phi.clone();
        phi.column_iter_mut()
            .for_each(|mut column| column.component_mul_assign(&roots));
        let y = DMatrix::from_fn(phi.nrows(), n_targets, |i, target| {
            y.get(i * n_targets + target).map_or(0.0, |y| roots[i] * y)
        });
        let transposed = phi.transpose();
        moments.a.gemm(1.0, &transposed, &phi, 1.0);
        moments.b.gemm(1.0, &transposed, &y, 1.0);
    }

    /// Sets weights and matrix to those of least squares with these moments.
    pub(crate) fn set_moments(&mut self, moments: &Moments) {
        self.weights.set_moments(&moments.a, &moments.b);
        self.forgetting.restart();
    }
}
