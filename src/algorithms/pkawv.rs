//! PKAWV: forward kernel regression over the span of sampled rows.

use serde::{Deserialize, Serialize};

use super::{Algorithm, Basis, Facts, Intervals};
use crate::data::checks::{at_least_one_if_given, capacity_for};
use crate::error::Error;
use crate::features::{Kors, Offer};
use crate::kernels::AnyKernel;
use crate::linalg::{Panels, axpy_in_place, dot, norm_squared};
use crate::persist::State;
use crate::predictor::Scores;
use crate::runtime::{Uniforms, heap};
use crate::updates::{Border, LeastSquares, Update};

/// Parameters of [`Pkawv`].
///
/// ```
/// use nystream::{Learner, PkawvParams};
///
/// let uniforms = Some(vec![0.0; 2]); // keeps every row
/// let mut learner = Learner::new(PkawvParams { ridge: 1.0, uniforms, ..Default::default() })?;
/// learner.learn_row(&[0.0], 1.0)?;
/// assert!((learner.predict_row(&[0.0])? - 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PkawvParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// Weight of `||f||^2`, 1e-10 to 1e100. Default 1e-2.
    pub ridge: f64,
    /// Regularisation of the leverage scores, positive: a larger one samples fewer rows. Default 1.
    pub kors_mu: f64,
    /// Factor of the leverage scores, positive: a larger one samples more rows. Default 1.
    pub beta: f64,
    /// The part by which leverage scores are overestimated, 0 or positive. Default 0.5.
    pub epsilon: f64,
    /// Seed of the draws. Default 0.
    pub random_state: u64,
    /// The draws themselves, one number in [0, 1) for each row. Default: drawn.
    pub uniforms: Option<Vec<f64>>,
    /// The most rows to store, at least 1. Default: no limit.
    pub max_rows: Option<usize>,
}

impl Default for PkawvParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            ridge: 1e-2,
            kors_mu: 1.0,
            beta: 1.0,
            epsilon: 0.5,
            random_state: 0,
            uniforms: None,
            max_rows: None,
        }
    }
}

impl PkawvParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Pkawv, Error> {
        at_least_one_if_given("max_rows", self.max_rows)?;
        let uniforms = Uniforms::new(self.random_state, self.uniforms.as_deref())?;
        let (kernel, gamma) = (self.kernel.clone(), ("kors_mu", self.kors_mu));
        Ok(Pkawv {
            kors: Kors::new(kernel, gamma, self.beta, self.epsilon, uniforms)?,
            squares: LeastSquares::new(self.ridge, true)?,
            past: Past::default(),
            max_rows: self.max_rows,
            scores: Scores::new(1),
            offer: Offer::default(),
        })
    }
}

/// Least squares, with the prediction of Vovk, Azoury and Warmuth, over the span of rows sampled by their leverage
/// scores. By Jézéquel, Gaillard and Rudi (2019).
///
/// A row that is sampled gives every past row a new coordinate, so every row learned is stored: row `t` costs
/// O(d t + t J) if it is sampled and O(dJ + J^2) if not.
#[derive(Debug, Clone)]
pub struct Pkawv {
    kors: Kors,
    squares: LeastSquares,
    past: Past,
    max_rows: Option<usize>,
    scores: Scores,
    offer: Offer,
}

/// All rows learned, their labels, and their features, stored coordinate by coordinate.
#[derive(Debug, Clone, Default)]
struct Past {
    rows: Panels,
    y: Vec<f64>,
    features: Vec<Vec<f64>>,
}

impl Past {
    /// The coordinate of every past row along a row that extends the span, given its features and own coordinate.
    fn embed(&self, kernel: &AnyKernel, x: &[f64], phi: &[f64], coordinate: f64) -> Vec<f64> {
        let mut column = vec![0.0; self.rows.n_rows()];
        kernel.row_into(x, &self.rows, &mut column);
        for (feature, &phi) in self.features.iter().zip(phi) {
            axpy_in_place(-phi, feature, &mut column);
        }
        for value in &mut column {
            *value /= coordinate;
        }
        column
    }

    fn push(&mut self, x: &[f64], y: f64, phi: &[f64]) {
        self.rows.push(x);
        self.y.push(y);
        for (feature, &phi) in self.features.iter_mut().zip(phi) {
            feature.push(phi);
        }
    }
}

/// A new coordinate of the span.
struct Extension {
    coordinate: f64,
    column: Vec<f64>,
    border: Border,
}

impl Pkawv {
    /// The coordinate that the row on offer adds to the span, if it is kept and adds one.
    fn extension(&self, x: &[f64], offer: &Offer) -> Option<Extension> {
        let coordinate = offer.coordinate?;
        let kernel = self.kors.map().kernel();
        let column = self.past.embed(kernel, x, &offer.at.phi, coordinate);
        let features = &self.past.features;
        let a: Vec<f64> = features.iter().map(|phi| dot(phi, &column)).collect();
        let (squares, target) = (norm_squared(&column), dot(&self.past.y, &column));
        let border = self.squares.weights().border(&a, squares, target);
        Some(Extension {
            coordinate,
            column,
            border,
        })
    }

    fn uncertainty(&self, x: &[f64]) -> f64 {
        let mut offer = Offer::default();
        self.kors.project(x, &mut offer);
        let phi = &offer.at.phi;
        match self.extension(x, &offer) {
            None => self.squares.uncertainty(phi).unwrap_or(0.0),
            Some(Extension {
                border, coordinate, ..
            }) => self.squares.uncertainty_embedded(&border, phi, coordinate),
        }
    }
}

impl Algorithm for Pkawv {
    fn facts(&self) -> Facts {
        let rows = &self.past.rows;
        Facts {
            n_features: (rows.n_rows() > 0).then(|| rows.n_features()),
            n_basis: self.kors.rows().n_rows(),
            ..Facts::default()
        }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], _weight: f64, yhat: &mut [f64]) {
        let mut offer = std::mem::take(&mut self.offer);
        self.kors.project(x, &mut offer);
        if let Some(extension) = self.extension(x, &offer) {
            self.squares.embed(&extension.border);
            self.past.features.push(extension.column);
        }
        self.kors.admit(x, &mut offer);
        let q = self.squares.learn_targets(&offer.at.phi, y, 1.0, yhat);
        self.scores.push(y, yhat, q);
        self.past.push(x, y[0], &offer.at.phi);
        self.offer = offer;
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        let mut offer = Offer::default();
        self.kors.project(x, &mut offer);
        let phi = &offer.at.phi;
        match self.extension(x, &offer) {
            None => self.squares.predict_into(phi, out),
            Some(Extension {
                border, coordinate, ..
            }) => out[0] = self.squares.predict_embedded(&border, phi, coordinate),
        }
    }

    fn basis(&self) -> Option<Basis<'_>> {
        Some(Basis {
            rows: self.kors.rows(),
            kernel: self.kors.map().kernel(),
            largest_kappa: self.squares.largest_kappa(),
        })
    }

    fn scores_mut(&mut self) -> Option<&mut Scores> {
        Some(&mut self.scores)
    }

    fn intervals(&self) -> Option<Intervals<'_>> {
        Some(Intervals::new(&self.scores, |x| self.uncertainty(x)))
    }

    fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        capacity_for(n_rows, self.past.rows.n_rows(), self.max_rows)?;
        self.kors.check_capacity(n_rows)
    }

    fn save(&self, state: &mut State) {
        self.kors.save(state);
        self.squares.save(state);
        self.scores.save(state);
        state.put_rows("rows", &self.past.rows);
        state.put("labels", &*self.past.y);
        let shape = [self.past.features.len(), self.past.y.len()];
        state.put_matrix("features", shape, self.past.features.concat());
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.kors.load(state)?;
        let (size, rows) = (self.kors.map().size(), state.rows("rows")?);
        self.squares.load(state, Some(size))?;
        self.scores.load(state)?;
        let y = state.vector("labels", rows.n_rows())?;
        let (n_features, features) = state.matrix("features", y.len())?;
        if n_features != size {
            return Err(Error::model_file("features and basis disagree"));
        }
        let features = features
            .chunks_exact(y.len().max(1))
            .map(<[f64]>::to_vec)
            .collect();
        self.past = Past { rows, y, features };
        Ok(())
    }
}
heap!(Past: rows, y, features);
heap!(Pkawv: kors, squares, past, scores, offer);
