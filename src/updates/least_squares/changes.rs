//! Changes of what least squares has learned, outside the rounds.

use nalgebra::DMatrix;

use super::LeastSquares;
use crate::features::FeatureMatrix;
use crate::updates::{Rounds, Step, Update};

/// Number of rows that are added together.
const TOGETHER: usize = 32;

impl LeastSquares {
    /// Takes over what another has learned on the same features, with its own ridge.
    pub(crate) fn take_over(&mut self, other: &Self) {
        let (mut a, b) = other.weights.moments();
        let unit = other.forgetting.unit(0).recip();
        let size = a.nrows();
        a -= DMatrix::identity(size, size) * other.weights.diagonal();
        a *= unit;
        a += DMatrix::identity(size, size) * self.weights.diagonal();
        self.weights.set_moments(&a, &(b * unit));
        self.forgetting.restart();
    }

    /// Adds to the ridge, by a row with the label 0 for each coordinate.
    pub(super) fn renew(&mut self, ridge: f64) {
        let fill = |row: usize, features: &mut FeatureMatrix, i: usize| features.set(i, row, 1.0);
        self.add(self.size(), ridge, fill, |_, _| 0.0);
    }

    /// Rows of weight 1, one a column, and their labels, one a row, that lead to the same weights and matrix.
    pub(crate) fn to_rows(&self) -> (DMatrix<f64>, DMatrix<f64>) {
        let (features, labels) = self.weights.to_rows();
        let scale = self.forgetting.unit(0).sqrt().recip();
        (features * scale, labels * scale)
    }

    /// Learns rows, one a column, and their labels, one a row, that belong to no round; nothing is forgotten.
    pub(crate) fn add_rows(&mut self, phi: &DMatrix<f64>, labels: &DMatrix<f64>) {
        let fill = |row: usize, features: &mut FeatureMatrix, i: usize| {
            features.set_row(i, phi.column(row).as_slice());
        };
        self.add(phi.ncols(), self.forgetting.unit(0), fill, |row, target| {
            labels[(row, target)]
        });
    }

    /// Adds rows that belong to no round, so that nothing is forgotten; each counts `weight` times in the scale of this
    /// period. `fill` writes the features of a row to a place of the matrix.
    fn add(
        &mut self,
        n_rows: usize,
        weight: f64,
        fill: impl Fn(usize, &mut FeatureMatrix, usize),
        label: impl Fn(usize, usize) -> f64,
    ) {
        let (mut features, mut rounds) = (FeatureMatrix::default(), Rounds::default());
        let (mut sink, mut phi) = (Vec::new(), Vec::new());
        for first in (0..n_rows).step_by(TOGETHER) {
            let len = TOGETHER.min(n_rows - first);
            features.reset(len, self.size());
            (0..len).for_each(|i| fill(first + i, &mut features, i));
            let error = |i: usize, target: usize, v: f64| v - label(first + i, target);
            let round =
                |i, target, v, _| Some((v, Step::least_squares(error(i, target, v), weight)));
            let done = self
                .weights
                .step_rows(&features, &mut rounds, &mut sink, round);
            for i in done..len {
                features.row_into(i, &mut phi);
                self.weights.measure(&phi);
                let errors: Vec<f64> = (0..self.n_targets())
                    .map(|target| error(i, target, self.weights.value(target, &phi)))
                    .collect();
                let steps = errors.into_iter().map(|error| weight * error);
                self.weights.step(weight, steps);
            }
        }
        self.weights.settle();
    }
}
