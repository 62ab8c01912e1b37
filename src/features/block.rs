//! Blocks: rows of a stream that are learned together.

use super::{FeatureMatrix, NystromMap, Projection};
use crate::data::Rows;
use crate::kernels::AnyKernel;
use crate::linalg::{Batch, Panels, mul_columns_into};

/// The features of a block of rows, with scratch for computing them. Made once and reused for every block.
#[derive(Debug, Default)]
pub struct Block {
    pub(crate) features: FeatureMatrix,
    pub(super) batch: Batch,
    /// The kernel values of all rows with each stored row.
    pub(super) k: Vec<f64>,
    /// `kappa(x, x)` and the residual of each row.
    pub(super) kappas: Vec<f64>,
    residuals: Vec<f64>,
}

impl Block {
    /// Projects all rows onto the span of the stored ones.
    pub(super) fn project(&mut self, map: &NystromMap, rows: &Rows<'_>) {
        let width = self.compare(map.kernel(), map.rows(), rows);
        self.features.reset(rows.len(), map.size());
        let phi = self.features.data_mut();
        map.features_of_columns_into(&self.k, width, phi);
        self.residuals.clear();
        let kappas = self.kappas.iter();
        self.residuals
            .extend(kappas.map(|&kappa| map.own_value(kappa)));
        self.residuals.resize(width, 0.0);
        for phi in self.features.data().chunks_exact(width) {
            subtract_squares(phi, &mut self.residuals);
        }
    }

    /// Sets the features to the rows themselves, after a constant if there is one.
    pub(super) fn set_rows(&mut self, rows: &Rows<'_>, constant: bool) {
        self.batch.fill(rows);
        let known = self.batch.data();
        self.features
            .reset(rows.len(), rows.n_features() + usize::from(constant));
        let features = self.features.data_mut();
        let (constant, features) = features.split_at_mut(features.len() - known.len());
        constant.fill(1.0);
        features.copy_from_slice(known);
    }

    /// Computes the kernel values of all rows with themselves and the stored ones; returns the number side by side.
    pub(super) fn compare(
        &mut self,
        kernel: &AnyKernel,
        stored: &Panels,
        rows: &Rows<'_>,
    ) -> usize {
        self.batch.fill(rows);
        let (n, width) = (stored.n_rows(), self.batch.width());
        self.k.resize(n * width, 0.0);
        kernel.batch_into(&self.batch, stored, 0..n, &mut self.k);
        self.kappas.clear();
        self.kappas
            .extend(rows.iter().map(|x| kernel.geometry().with_itself(x)));
        kernel.profile_in_place(&mut self.kappas);
        width
    }

    /// Writes `kappa(x, x)` and the residual of row `i` as they are at its turn.
    pub(super) fn look_at(&self, i: usize, at: &mut Projection) {
        at.kappa = self.kappas[i];
        at.residual = self.residuals[i].max(0.0);
    }

    /// Writes the kernel values of row `i` with the stored ones.
    pub(super) fn kernel_values_into(&self, i: usize, size: usize, k: &mut Vec<f64>) {
        k.clear();
        k.extend((0..size).map(|m| self.k[m * self.batch.width() + i]));
    }

    /// Appends the coordinate that row `i` brings by joining. A later row `x` has `(kappa(x, x_i) - phi(x) . phi(x_i))
    /// / phi_i` in it, where `phi_i` is the value of row `i` itself.
    pub(super) fn join(&mut self, i: usize, map: &NystromMap, phi: &[f64]) {
        let (width, last) = (self.batch.width(), phi.len() - 1);
        self.k.resize((last + 1) * width, 0.0);
        let k = &mut self.k[last * width..];
        map.kernel()
            .batch_into(&self.batch, map.rows(), last..last + 1, k);
        let (known, own) = self.features.join(i);
        mul_columns_into(&phi[..last], known, width, own);
        for (own, k) in own.iter_mut().zip(k) {
            *own = (*k - *own) / phi[last];
        }
        own[..i].fill(0.0);
        own[i] = phi[last];
        subtract_squares(own, &mut self.residuals);
    }
}

/// `out -= values^2`.
pub(super) fn subtract_squares(values: &[f64], out: &mut [f64]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out -= value * value;
    }
}
