//! Nyström features of a fixed set of rows.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, DVectorView};

use super::{Block, FeatureMap};
use crate::data::Rows;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::Range;
use crate::linalg::{Panels, dot, mul_columns_into, symmetric_eigen};
use crate::persist::State;
use crate::predictor::{Expansion, Predictor};
use crate::runtime::heap;

/// Part of the largest eigenvalue below which others count as rounding.
const SMALLEST_EIGENVALUE: f64 = 1e-10;

/// The map `phi(x) = Sigma_r^{-1/2} U_r^T k(x)`, where `U Sigma U^T` is the kernel matrix of the stored rows, of which
/// the `r` largest eigenvalues are used.
#[derive(Debug, Clone)]
pub struct FixedNystrom {
    kernel: AnyKernel,
    rows: Arc<Panels>,
    /// `U_r Sigma_r^{-1/2}`: `phi(x)` is its transpose times `k(x)`.
    embedding: DMatrix<f64>,
    /// `k(x)` and `phi(x)` of the row at hand.
    k: Vec<f64>,
    phi: Vec<f64>,
}

impl FixedNystrom {
    /// A map of no rows, to be loaded from a file.
    pub(crate) fn empty(kernel: AnyKernel) -> Self {
        Self::with(kernel, Arc::default(), DMatrix::zeros(0, 0))
    }

    /// The map of these rows with at most `rank` features, and `w = Sigma_r^{1/2} U_r^T c`, with which `w . phi(x)` is
    /// the kernel expansion with the coefficients `c`.
    pub(crate) fn of_rows(
        kernel: AnyKernel,
        rows: Arc<Panels>,
        rank: usize,
        c: &[f64],
    ) -> (Self, Vec<f64>) {
        let (embedding, roots) = embedding(kernel_matrix(&kernel, &rows), rank);
        let c = DVectorView::from_slice(c, rows.n_rows());
        // The columns of the embedding are those of U over the roots of the eigenvalues.
        let w = embedding
            .tr_mul(&c)
            .component_mul(&roots)
            .component_mul(&roots);
        let w = w.as_slice().to_vec();
        (Self::with(kernel, rows, embedding), w)
    }

    fn with(kernel: AnyKernel, rows: Arc<Panels>, embedding: DMatrix<f64>) -> Self {
        Self {
            k: vec![0.0; embedding.nrows()],
            phi: vec![0.0; embedding.ncols()],
            kernel,
            rows,
            embedding,
        }
    }

    fn features_into(&self, k: &[f64], phi: &mut [f64]) {
        let columns = self.embedding.as_slice().chunks_exact(k.len());
        for (phi, column) in phi.iter_mut().zip(columns) {
            *phi = dot(column, k);
        }
    }
}

fn kernel_matrix(kernel: &AnyKernel, rows: &Panels) -> DMatrix<f64> {
    let n = rows.n_rows();
    let mut matrix = DMatrix::zeros(n, n);
    for (i, column) in matrix.as_mut_slice().chunks_exact_mut(n).enumerate() {
        let x: Vec<f64> = rows.row(i).collect();
        kernel.row_into(&x, rows, column);
    }
    matrix
}

/// `U_r Sigma_r^{-1/2}` of a kernel matrix, and the roots of the eigenvalues.
fn embedding(kernel_matrix: DMatrix<f64>, rank: usize) -> (DMatrix<f64>, DVector<f64>) {
    let (values, vectors) = symmetric_eigen(kernel_matrix);
    let largest = values.first().copied().unwrap_or(0.0);
    let large = values.iter().take(rank);
    let large = large.take_while(|value| **value > SMALLEST_EIGENVALUE * largest);
    let roots = DVector::from_vec(large.map(|value| value.sqrt()).collect());
    let mut embedding = vectors.columns(0, roots.len()).into_owned();
    for (mut column, root) in embedding.column_iter_mut().zip(&roots) {
        column /= *root;
    }
    (embedding, roots)
}

impl FeatureMap for FixedNystrom {
    fn size(&self) -> usize {
        self.phi.len()
    }

    fn project(&mut self, x: &[f64]) {
        self.kernel.row_into(x, &self.rows, &mut self.k);
        let mut phi = std::mem::take(&mut self.phi);
        self.features_into(&self.k, &mut phi);
        self.phi = phi;
    }

    fn phi(&self) -> &[f64] {
        &self.phi
    }

    fn project_rows(&mut self, rows: &Rows<'_>, _full: usize, block: &mut Block) {
        let width = block.compare(&self.kernel, &self.rows, rows);
        block.features.reset(rows.len(), self.size());
        let phi = block.features.data_mut();
        mul_columns_into(self.embedding.as_slice(), &block.k, width, phi);
    }

    fn peek(&self, x: &[f64]) -> Vec<f64> {
        let (mut k, mut phi) = (vec![0.0; self.k.len()], vec![0.0; self.size()]);
        self.kernel.row_into(x, &self.rows, &mut k);
        self.features_into(&k, &mut phi);
        phi
    }

    fn predictor<'w>(&self, w: &dyn Fn(usize) -> &'w [f64], ranges: &[Range]) -> Predictor {
        let w = DVectorView::from_slice(w(0), self.embedding.ncols());
        let c = (&self.embedding * w).as_slice().to_vec();
        Predictor::Expansion(Expansion::new(&self.kernel, &self.rows, c, ranges))
    }

    fn basis(&self) -> Option<(&Panels, &AnyKernel)> {
        Some((&self.rows, &self.kernel))
    }

    fn block_size(&self) -> usize {
        self.k.len()
    }

    fn save(&self, state: &mut State) {
        state.put_rows("basis", &self.rows);
        let shape = [self.embedding.ncols(), self.embedding.nrows()];
        state.put_matrix("embedding", shape, self.embedding.as_slice().to_vec());
    }

    fn load(&mut self, state: &State) -> Result<Option<usize>, Error> {
        let rows = state.rows("basis")?;
        let (rank, embedding) = state.matrix("embedding", rows.n_rows())?;
        let embedding = DMatrix::from_vec(rows.n_rows(), rank, embedding);
        *self = Self::with(self.kernel.clone(), Arc::new(rows), embedding);
        Ok(Some(rank))
    }
}

heap!(FixedNystrom: rows, embedding, k, phi);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Gaussian;

    #[test]
    fn repeated_rows_add_no_features() {
        let rows: Panels = [[0.0], [0.0], [1.0], [0.0]]
            .iter()
            .map(|x| &x[..])
            .collect();
        let kernel = Gaussian::default().into();
        let (map, w) = FixedNystrom::of_rows(kernel, Arc::new(rows), 4, &[1.0; 4]);
        assert_eq!((map.size(), w.len()), (2, 2));
    }
}
