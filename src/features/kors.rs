//! Kernel online row sampling (KORS).

use super::block::{Block, subtract_squares};
use super::{NystromMap, Projection};
use crate::data::Rows;
use crate::data::checks::{not_negative, positive};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::linalg::{Panels, Triangle, norm_squared};
use crate::persist::State;
use crate::runtime::{Uniforms, heap};

/// Part of its kernel value that a row must have outside the span to extend it. The new coordinate of such a row has
/// half the digits of float64, that of a nearer one fewer.
const SPAN: f64 = 1e-8;

/// Rows kept with a probability that grows with their ridge leverage score, and the Nyström map of their span.
///
/// A kept row has the weight `s_i = 1 / sqrt(p_i)`. The score of `x` is estimated as if it were kept with weight 1:
/// `tau = (1 + epsilon) / gamma (kappa(x, x) - (s k)^T (S K S + gamma I)^{-1} (s k))`, and `p = min(beta tau, 1)`.
/// The factor of `S K S + gamma I` grows by a row, so a row costs O(dJ + J^2).
#[derive(Debug, Clone)]
pub(crate) struct Kors {
    gamma: f64,
    beta: f64,
    epsilon: f64,
    uniforms: Uniforms,
    n_offered: usize,
    rows: Panels,
    weights: Vec<f64>,
    /// The factor of `S K S + gamma I`.
    factor: Triangle,
    /// The map of the kept rows that extended the span, and their indices among all kept rows.
    map: NystromMap,
    members: Vec<usize>,
}

/// A row on offer. Made once and reused for every row, so that a round does not allocate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Offer {
    /// The projection of the row.
    pub(crate) at: Projection,
    /// True if the row is to be kept.
    pub(crate) kept: bool,
    /// The coordinate that its features gain, if it is kept and extends the span.
    pub(crate) coordinate: Option<f64>,
    /// The probability with which it is kept.
    p: f64,
    /// The kernel values with the rows kept.
    k: Vec<f64>,
    /// `z = L^{-1} (s k)` with the factor `L`, and the residual `kappa(x, x) - ||z||^2`.
    z: Vec<f64>,
    residual: f64,
}

impl Kors {
    pub(crate) fn new(
        kernel: AnyKernel,
        (gamma_name, gamma): (&'static str, f64),
        beta: f64,
        epsilon: f64,
        uniforms: Uniforms,
    ) -> Result<Self, Error> {
        kernel.check()?;
        positive(gamma_name, gamma)?;
        positive("beta", beta)?;
        not_negative("epsilon", epsilon)?;
        Ok(Self {
            gamma,
            beta,
            epsilon,
            uniforms,
            n_offered: 0,
            rows: Panels::default(),
            weights: Vec::new(),
            factor: Triangle::default(),
            map: NystromMap::new(kernel),
            members: Vec::new(),
        })
    }

    /// The rows kept.
    pub(crate) fn rows(&self) -> &Panels {
        &self.rows
    }

    /// The Nyström map of the span of the rows kept.
    pub(crate) fn map(&self) -> &NystromMap {
        &self.map
    }

    /// Refuses rows if there are no draws for them.
    pub(crate) fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        self.uniforms.check_capacity(self.n_offered, n_rows)
    }

    /// Projects a row as the next one and decides if it is to be kept. Changes nothing.
    pub(crate) fn project(&self, x: &[f64], offer: &mut Offer) {
        let (n, kernel) = (self.rows.n_rows(), self.map.kernel());
        offer.k.resize(n, 0.0);
        kernel.row_into(x, &self.rows, &mut offer.k);
        offer.at.kappa = kernel.diagonal(x);
        offer.at.k.clear();
        offer.at.k.extend(self.members.iter().map(|&i| offer.k[i]));
        self.map.features_into(&mut offer.at);
        offer.p = self.probability(offer);
        offer.kept = self.uniforms.of_row(self.n_offered) < offer.p;
        offer.coordinate = if offer.kept {
            self.coordinate(&mut offer.at)
        } else {
            None
        };
    }

    /// Projects rows as the next ones, up to the first to be kept; returns the number before it. Changes nothing.
    pub(crate) fn project_rows(&self, rows: &Rows<'_>, block: &mut Block) -> usize {
        let width = block.compare(self.map.kernel(), &self.rows, rows);
        let mut z = block.k.clone();
        for (z, weight) in z.chunks_exact_mut(width).zip(&self.weights) {
            for z in z.iter_mut() {
                *z *= weight;
            }
        }
        self.factor.solve_columns_in_place(&mut z, width);
        let mut residuals = block.kappas.clone();
        for z in z.chunks_exact(width) {
            subtract_squares(z, &mut residuals);
        }
        let kept = |(i, residual): (usize, &f64)| {
            let p = self.probability_of(residual.max(0.0));
            self.uniforms.of_row(self.n_offered + i) < p
        };
        let n = residuals.iter().enumerate().position(kept);
        let n = n.unwrap_or(rows.len());
        self.features_of_block(block, rows.len(), width);
        block.features.truncate(n);
        n
    }

    /// Computes the features of all rows of a block from their kernel values.
    fn features_of_block(&self, block: &mut Block, n_rows: usize, width: usize) {
        // Forwards, so that no row is overwritten before it is moved.
        for (m, &member) in self.members.iter().enumerate() {
            block
                .k
                .copy_within(member * width..(member + 1) * width, m * width);
        }
        block.features.reset(n_rows, self.map.size());
        let (k, phi) = (&block.k, block.features.data_mut());
        self.map.features_of_columns_into(k, width, phi);
    }

    /// Ends the rounds of `n_rows` rows, none of which is kept.
    pub(crate) fn pass(&mut self, n_rows: usize) {
        self.n_offered += n_rows;
    }

    fn probability(&self, offer: &mut Offer) -> f64 {
        let weighted = offer.k.iter().zip(&self.weights).map(|(k, s)| k * s);
        offer.z.clear();
        offer.z.extend(weighted);
        self.factor.solve_in_place(&mut offer.z);
        offer.residual = (offer.at.kappa - norm_squared(&offer.z)).max(0.0);
        self.probability_of(offer.residual)
    }

    fn probability_of(&self, residual: f64) -> f64 {
        // With the row itself in the dictionary the residual shrinks by gamma / (gamma + residual).
        let tau = (1.0 + self.epsilon) * residual / (self.gamma + residual);
        (self.beta * tau).min(1.0)
    }

    fn coordinate(&self, at: &mut Projection) -> Option<f64> {
        self.map.refine(at);
        let novel = at.kappa > LARGEST.recip() && at.residual > SPAN * at.kappa;
        novel.then(|| at.residual.sqrt())
    }

    /// Ends the round of the row last projected: keeps it if it is to be kept.
    pub(crate) fn admit(&mut self, x: &[f64], offer: &mut Offer) {
        self.n_offered += 1;
        if !offer.kept {
            return;
        }
        if offer.coordinate.is_some() && self.map.grow(x, &mut offer.at).is_ok() {
            self.members.push(self.rows.n_rows());
        }
        let weight = offer.p.sqrt().recip();
        offer.z.iter_mut().for_each(|z| *z *= weight);
        // The pivot is never below the root of gamma.
        let pivot = (self.gamma + offer.residual / offer.p).sqrt();
        offer.z.push(pivot);
        self.factor.push_row(&offer.z);
        self.rows.push(x);
        self.weights.push(weight);
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put("n_offered", [self.n_offered as f64]);
        state.put_rows("kept", &self.rows);
        state.put("kept_weights", &*self.weights);
        state.put("kept_factor", self.factor.packed());
        state.put_indices("members", &self.members);
        self.map.save(state);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.n_offered = state.count("n_offered")?;
        self.rows = state.rows("kept")?;
        let size = self.rows.n_rows();
        self.weights = state.vector("kept_weights", size)?;
        self.factor = state.factor("kept_factor", size)?;
        self.members = state.indices("members", size)?;
        self.map.load(state)?;
        let widths = [self.map.rows().n_features(), self.rows.n_features()];
        if self.map.size() == self.members.len() && (self.map.size() == 0 || widths[0] == widths[1])
        {
            return Ok(());
        }
        Err(Error::model_file("kept rows and basis disagree"))
    }
}

heap!(Kors: uniforms, rows, weights, factor, map, members);
heap!(Offer: at, k, z);

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(uniforms: &[f64], rows: &[f64]) -> (Kors, Vec<f64>) {
        let uniforms = Uniforms::new(0, Some(uniforms)).unwrap();
        let mut kors = Kors::new(AnyKernel::default(), ("gamma", 1.0), 1.0, 0.5, uniforms).unwrap();
        let mut offer = Offer::default();
        let probabilities = rows.iter().map(|&x| {
            kors.project(&[x], &mut offer);
            kors.admit(&[x], &mut offer);
            offer.p
        });
        let probabilities = probabilities.collect();
        (kors, probabilities)
    }

    #[test]
    fn probabilities_of_a_repeated_row_by_hand() {
        let (kors, p) = offered(&[0.7, 0.44, 0.9], &[0.0, 0.0, 0.0]);
        // With weights 4/3 and then 20/9 more on one row, 1.5 r / (1 + r) for r = 1, 3/7 and 9/41.
        for (p, expected) in p.iter().zip([0.75, 0.45, 0.27]) {
            assert!((p - expected).abs() < 1e-14, "{p} {expected}");
        }
        assert_eq!(kors.rows().n_rows(), 2);
        assert_eq!(kors.map().size(), 1);
    }

    #[test]
    fn a_row_is_kept_if_its_number_is_below_its_probability() {
        let kept = |uniform| offered(&[uniform], &[0.0]).0.rows().n_rows();
        assert_eq!([kept(0.0), kept(0.7499), kept(0.7501)], [1, 1, 0]);
    }
}
