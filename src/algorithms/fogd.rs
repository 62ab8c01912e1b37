//! FOGD: gradient descent on random Fourier features.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use super::in_blocks::LONGEST;
use crate::block::Block;
use crate::error::{Error, Place};
use crate::kernels::{AnyKernel, Geometry, Spectrum};
use crate::linalg::Panels;
use crate::memory::heap;
use crate::params::positive;
use crate::random::generator;
use crate::rows::{LARGEST, Rows};
use crate::simd::sin_cos_in_place;
use crate::state::State;
use crate::updates::{Gradient, Rate, loss_derivative};

/// The largest number of frequencies: more would be a mistake, and may not fit into memory.
const LARGEST_NUMBER: usize = 1_000_000;

/// Parameters of [`Fogd`].
///
/// ```
/// use nystream::{FogdParams, Learner};
///
/// let mut learner = Learner::new(FogdParams::default())?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// // One step of gradient descent on features of norm 1: 2 eta y.
/// assert!((learner.predict_row(&[0.0, 1.0])? - 0.1).abs() < 1e-14);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FogdParams {
    /// The kernel, one that depends on the difference of two rows alone. Default Gaussian.
    pub kernel: AnyKernel,
    /// `D`, 1 to 1,000,000: number of frequencies, half that of features. Default 400.
    pub n_frequencies: usize,
    /// Learning rate, positive. Above 1 the descent diverges. Default 0.1.
    pub eta: f64,
    /// Seed of the frequencies. Default 0.
    pub random_state: u64,
    /// The frequencies themselves, each as wide as a row. Default: drawn from the kernel's spectral density.
    pub frequencies: Option<Vec<Vec<f64>>>,
}

impl Default for FogdParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            n_frequencies: 400,
            eta: 0.1,
            random_state: 0,
            frequencies: None,
        }
    }
}

impl FogdParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Fogd, Error> {
        self.kernel.check()?;
        if !(1..=LARGEST_NUMBER).contains(&self.n_frequencies) {
            let expected = "at least 1 and at most 1000000";
            let value = self.n_frequencies as f64;
            return Err(Error::parameter("n_frequencies", expected, value));
        }
        positive("eta", self.eta)?;
        let spectrum = self.kernel.spectrum().ok_or(Error::Kernel {
            expected: "shift invariant (Gaussian, Laplacian, Matern32, Matern52 or RationalQuadratic)",
            name: self.kernel.name(),
        })?;
        let given = self.frequencies.as_deref().map(panels).transpose()?;
        let mut fogd = Fogd {
            spectrum,
            n_frequencies: self.n_frequencies,
            random_state: self.random_state,
            frequencies: Panels::default(),
            gradient: Gradient::new(Rate::Constant { eta: self.eta }),
            phi: Vec::new(),
        };
        if let Some(given) = given {
            fogd.start(given);
        }
        Ok(fogd)
    }
}

/// The frequencies as rows, if they are of one width and finite.
fn panels(frequencies: &[Vec<f64>]) -> Result<Panels, Error> {
    let width = frequencies.first().map_or(0, Vec::len);
    if width == 0 {
        return Err(Error::Empty {
            argument: "frequencies",
            wanted: "row and one feature",
        });
    }
    for (i, row) in frequencies.iter().enumerate() {
        if row.len() != width {
            return Err(Error::Width {
                argument: "frequencies",
                expected: width,
                found: row.len(),
            });
        }
        if let Some(j) = row.iter().position(|v| v.is_nan() || v.abs() > LARGEST) {
            let (place, value) = (Place::new("frequencies", [i, j]), row[j]);
            return Err(Error::Number { place, value });
        }
    }
    Ok(frequencies.iter().map(Vec::as_slice).collect())
}

/// Gradient descent on `D` pairs of random Fourier features, `(cos(omega . x), sin(omega . x)) / sqrt(D)`, whose inner
/// products are those of the kernel on average. By Lu, Hoi, Wang, Zhao and Liu (2016).
///
/// No row is kept; a row costs O(dD).
#[derive(Debug, Clone)]
pub struct Fogd {
    spectrum: Spectrum,
    n_frequencies: usize,
    random_state: u64,
    /// None before the first row, unless they were given.
    frequencies: Panels,
    gradient: Gradient,
    phi: Vec<f64>,
}

impl Fogd {
    fn start(&mut self, frequencies: Panels) {
        (0..2 * frequencies.n_rows()).for_each(|_| self.gradient.grow());
        self.frequencies = frequencies;
    }

    fn start_if_new(&mut self, n_features: usize) {
        if self.frequencies.n_rows() == 0 {
            let drawn = self.draw(n_features);
            self.start(drawn);
        }
    }

    fn scale(&self) -> f64 {
        (self.frequencies.n_rows() as f64).sqrt().recip()
    }

    fn draw(&self, n_features: usize) -> Panels {
        let (mut generator, mut omega) = (generator(self.random_state), vec![0.0; n_features]);
        let mut frequencies = Panels::default();
        for _ in 0..self.n_frequencies {
            self.spectrum.sample_into(&mut generator, &mut omega);
            frequencies.push(&omega);
        }
        frequencies
    }

    fn features_of_block(&self, rows: &Rows<'_>, block: &mut Block) {
        let n = self.frequencies.n_rows();
        block.batch.fill(rows);
        block.features.reset(rows.len(), 2 * n);
        let (cosines, sines) = block
            .features
            .data_mut()
            .split_at_mut(n * block.batch.width());
        Geometry::Dot.compare_batch_into(&block.batch, &self.frequencies, 0..n, cosines);
        sin_cos_in_place(cosines, sines, self.scale());
    }

    /// All cosines, then all sines.
    fn features_into(&self, x: &[f64], phi: &mut Vec<f64>) {
        let n = self.frequencies.n_rows();
        phi.resize(2 * n, 0.0);
        let (cosines, sines) = phi.split_at_mut(n);
        Geometry::Dot.compare_into(x, &self.frequencies, 0, cosines);
        sin_cos_in_place(cosines, sines, self.scale());
    }
}

impl Algorithm for Fogd {
    fn predict(&self, x: &[f64]) -> f64 {
        let mut phi = Vec::new();
        self.features_into(x, &mut phi);
        self.gradient.predict(&phi)
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.start_if_new(x.len());
        let mut phi = std::mem::take(&mut self.phi);
        self.features_into(x, &mut phi);
        let yhat = self.gradient.predict(&phi);
        self.gradient.step(&phi, loss_derivative(yhat, y));
        self.phi = phi;
        yhat
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.gradient.w().len())
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.start_if_new(rows.n_features());
        self.features_of_block(rows, block);
        self.gradient.learn_features(&block.features, y, yhat);
    }

    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        let mut block = Block::default();
        for (i, out) in out.chunks_mut(LONGEST).enumerate() {
            let some = rows.slice(i * LONGEST..i * LONGEST + out.len());
            self.features_of_block(&some, &mut block);
            self.gradient.predict_rows_into(&block.features, out);
        }
    }

    fn n_features(&self) -> Option<usize> {
        (self.frequencies.n_rows() > 0).then(|| self.frequencies.n_features())
    }

    fn save(&self, state: &mut State) {
        state.put_rows("frequencies", &self.frequencies);
        self.gradient.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.frequencies = state.rows("frequencies")?;
        self.gradient.load(state, 2 * self.frequencies.n_rows())
    }
}

heap!(Fogd: frequencies, gradient, phi);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_frequencies_by_hand() {
        let params = FogdParams {
            eta: 0.25,
            frequencies: Some(vec![vec![0.0, 0.0], vec![1.0, -1.0]]),
            ..FogdParams::default()
        };
        let mut learner = params.build().unwrap();
        assert_eq!(learner.learn(&[3.0, 3.0], 1.0), 0.0);
        // phi = (1, 1, 0, 0) / sqrt(2), w = phi / 2; at (pi, 0) phi = (1, -1, 0, 0) / sqrt(2).
        assert!((learner.predict(&[0.5, 0.5]) - 0.5).abs() < 1e-15);
        assert!(learner.predict(&[std::f64::consts::PI, 0.0]).abs() < 1e-15);
    }

    #[test]
    fn a_rate_that_diverges_stays_within_float64() {
        let params = FogdParams {
            eta: 1e100,
            ..FogdParams::default()
        };
        let mut learner = params.build().unwrap();
        for _ in 0..50 {
            assert!(learner.learn(&[1.0], 1e100).is_finite());
        }
    }
}
