//! NOGD: gradient descent on the Nyström features of the first rows.

use nalgebra::{DMatrix, DVector, DVectorView, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::block::Block;
use crate::error::Error;
use crate::hypothesis::{Coefficients, Hypothesis};
use crate::kernels::AnyKernel;
use crate::linalg::{Panels, dot, mul_columns_into};
use crate::memory::{Heap, heap};
use crate::params::{at_least_one, positive};
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Gradient, KernelGradient, Rate, loss_derivative};

/// Part of the largest eigenvalue below which the others are rounding.
const SMALLEST_EIGENVALUE: f64 = 1e-10;

/// The largest kernel value: with it and any rate a descent that diverges stays within float64.
const LARGEST_KAPPA: f64 = 1e30;

/// Parameters of [`Nogd`].
///
/// ```
/// use nystream::{Learner, NogdParams};
///
/// let mut learner = Learner::new(NogdParams { budget: 2, ..Default::default() })?;
/// for x in [0.0, 1.0, 2.0, 3.0] {
///     learner.learn_row(&[x], 0.5)?;
/// }
/// assert_eq!(learner.n_basis(), 2);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NogdParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// `B`, at least 1: the first rows, all of which are kept. Default 400.
    pub budget: usize,
    /// Number of features, 1 to `budget`. Default: as many as there are eigenvalues above 1e-10 of the largest.
    pub rank: Option<usize>,
    /// Learning rate, positive. Above 1 over the largest kernel value the descent diverges. Default 0.1.
    pub eta: f64,
}

impl Default for NogdParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            budget: 400,
            rank: None,
            eta: 0.1,
        }
    }
}

impl NogdParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Nogd, Error> {
        self.kernel.check()?;
        at_least_one("budget", self.budget)?;
        positive("eta", self.eta)?;
        if let Some(rank) = self.rank.filter(|rank| !(1..=self.budget).contains(rank)) {
            let expected = "None, or at least 1 and at most budget";
            return Err(Error::parameter("rank", expected, rank as f64));
        }
        let step = Rate::Constant { eta: self.eta };
        Ok(Nogd {
            budget: self.budget,
            rank: self.rank.unwrap_or(self.budget),
            step: step.clone(),
            phase: Phase::Filling(KernelGradient::new(self.kernel.clone(), step)),
        })
    }
}

/// Gradient descent in the space of the kernel on the first `B` rows, then on the Nyström features that they give.
/// By Lu, Hoi, Wang, Zhao and Liu (2016).
///
/// A row costs O(dB + rB) with `r` features, and the change of phase O(B^3).
#[derive(Debug, Clone)]
pub struct Nogd {
    budget: usize,
    rank: usize,
    step: Rate,
    phase: Phase,
}

#[derive(Debug, Clone)]
enum Phase {
    Filling(KernelGradient),
    Full(OnFeatures),
}

#[derive(Debug, Clone)]
struct OnFeatures {
    kernel: AnyKernel,
    rows: Panels,
    /// `U_r Sigma_r^{-1/2}`: `phi(x)` is its transpose times `k(x)`.
    embedding: DMatrix<f64>,
    gradient: Gradient,
    coefficients: Coefficients,
    /// `k(x)` and `phi(x)` of the row at hand.
    k: Vec<f64>,
    phi: Vec<f64>,
}

impl OnFeatures {
    fn new(kernel: AnyKernel, rows: Panels, embedding: DMatrix<f64>, gradient: Gradient) -> Self {
        Self {
            k: vec![0.0; embedding.nrows()],
            phi: vec![0.0; embedding.ncols()],
            coefficients: Coefficients::default(),
            kernel,
            rows,
            embedding,
            gradient,
        }
    }

    /// Carries the function of the first phase over: `w = Sigma_r^{1/2} U_r^T c`.
    fn from_filled(filled: &KernelGradient, rank: usize, step: Rate) -> Self {
        let (kernel, rows) = (filled.kernel().clone(), filled.rows().clone());
        let (embedding, roots) = embedding(kernel_matrix(&kernel, &rows), rank);
        let c = DVectorView::from_slice(filled.coefficients(), rows.n_rows());
        // The columns of the embedding are those of U over the roots of the eigenvalues.
        let w = embedding
            .tr_mul(&c)
            .component_mul(&roots)
            .component_mul(&roots);
        let gradient = Gradient::from_weights(step, w.as_slice().to_vec());
        Self::new(kernel, rows, embedding, gradient)
    }

    fn hypothesis(&self) -> Hypothesis<'_> {
        let c = self.coefficients.get(|| {
            let w = DVectorView::from_slice(self.gradient.w(), self.embedding.ncols());
            (&self.embedding * w).as_slice().to_vec()
        });
        Hypothesis::new(&self.kernel, &self.rows, c)
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.coefficients.forget();
        let width = block.compare(&self.kernel, &self.rows, rows);
        block.features.reset(rows.len(), self.phi.len());
        let phi = block.features.data_mut();
        mul_columns_into(self.embedding.as_slice(), &block.k, width, phi);
        self.gradient.learn_features(&block.features, y, yhat);
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.coefficients.forget();
        self.kernel.row_into(x, &self.rows, &mut self.k);
        let columns = self.embedding.as_slice().chunks_exact(self.k.len());
        for (phi, column) in self.phi.iter_mut().zip(columns) {
            *phi = dot(column, &self.k);
        }
        let yhat = self.gradient.predict(&self.phi);
        self.gradient.step(&self.phi, loss_derivative(yhat, y));
        yhat
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
    let eigen = SymmetricEigen::new(kernel_matrix);
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let smallest = SMALLEST_EIGENVALUE * eigen.eigenvalues.max();
    order.truncate(rank);
    order.retain(|&i| eigen.eigenvalues[i] > smallest);
    let roots = DVector::from_iterator(
        order.len(),
        order.iter().map(|&i| eigen.eigenvalues[i].sqrt()),
    );
    let mut embedding = eigen.eigenvectors.select_columns(&order);
    for (mut column, root) in embedding.column_iter_mut().zip(&roots) {
        column /= *root;
    }
    (embedding, roots)
}

impl Algorithm for Nogd {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        Some(match &self.phase {
            Phase::Filling(descent) => descent.hypothesis(),
            Phase::Full(phase) => phase.hypothesis(),
        })
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        match &mut self.phase {
            Phase::Full(phase) => phase.learn(x, y),
            Phase::Filling(descent) => {
                let yhat = descent.learn(x, y);
                if descent.rows().n_rows() >= self.budget {
                    let phase = OnFeatures::from_filled(descent, self.rank, self.step.clone());
                    self.phase = Phase::Full(phase);
                }
                yhat
            }
        }
    }

    fn n_coordinates(&self) -> Option<usize> {
        match &self.phase {
            Phase::Filling(_) => Some(0),
            Phase::Full(phase) => Some(phase.k.len()),
        }
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        if let Phase::Full(phase) = &mut self.phase {
            phase.learn_block(rows, y, block, yhat);
        } else {
            let mut rounds = rows.iter().zip(y);
            while let Phase::Filling(_) = self.phase
                && let Some((x, &y)) = rounds.next()
            {
                yhat.push(self.learn(x, y));
            }
        }
    }

    fn basis(&self) -> Option<&Panels> {
        Some(match &self.phase {
            Phase::Filling(descent) => descent.rows(),
            Phase::Full(phase) => &phase.rows,
        })
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(match &self.phase {
            Phase::Filling(descent) => descent.kernel(),
            Phase::Full(phase) => &phase.kernel,
        })
    }

    fn largest_kappa(&self) -> f64 {
        LARGEST_KAPPA
    }

    fn save(&self, state: &mut State) {
        match &self.phase {
            Phase::Filling(descent) => descent.save(state),
            Phase::Full(phase) => {
                state.put_rows("basis", &phase.rows);
                let shape = [phase.embedding.ncols(), phase.embedding.nrows()];
                state.put_matrix("embedding", shape, phase.embedding.as_slice().to_vec());
                phase.gradient.save(state);
            }
        }
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        let Phase::Filling(descent) = &mut self.phase else {
            return Err(Error::model_file("the learner is not a new one"));
        };
        if !state.has("embedding") {
            descent.load(state)?;
            return match descent.rows().n_rows() {
                n if n < self.budget => Ok(()),
                _ => Err(Error::model_file("basis should be below the budget")),
            };
        }
        let rows = state.rows("basis")?;
        let (rank, embedding) = state.matrix("embedding", rows.n_rows())?;
        let embedding = DMatrix::from_vec(rows.n_rows(), rank, embedding);
        let mut gradient = Gradient::new(self.step.clone());
        gradient.load(state, rank)?;
        let kernel = descent.kernel().clone();
        self.phase = Phase::Full(OnFeatures::new(kernel, rows, embedding, gradient));
        Ok(())
    }
}

heap!(Nogd: phase);
heap!(OnFeatures: rows, embedding, gradient, coefficients, k, phi);

impl Heap for Phase {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Filling(descent) => descent.heap_bytes(),
            Self::Full(phase) => phase.heap_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_carried_over() {
        let params = NogdParams {
            budget: 5,
            ..NogdParams::default()
        };
        let longer = NogdParams {
            budget: 6,
            ..NogdParams::default()
        };
        let (mut full, mut filling) = (params.build().unwrap(), longer.build().unwrap());
        for t in 0..5_u8 {
            let x = [f64::from(t)];
            assert_eq!(full.learn(&x, x[0].cos()), filling.learn(&x, x[0].cos()));
        }
        assert!(matches!(full.phase, Phase::Full(_)));
        assert!(matches!(filling.phase, Phase::Filling(_)));
        for x in [0.0, 0.3, 2.5] {
            assert!((full.predict(&[x]) - filling.predict(&[x])).abs() < 1e-14);
        }
    }

    #[test]
    fn repeated_rows_add_no_features() {
        let params = NogdParams {
            budget: 4,
            ..NogdParams::default()
        };
        let mut learner = params.build().unwrap();
        for x in [0.0, 0.0, 1.0, 0.0] {
            learner.learn(&[x], 1.0);
        }
        let Phase::Full(phase) = &learner.phase else {
            panic!("the budget is used up")
        };
        assert_eq!(phase.embedding.ncols(), 2);
    }
}
