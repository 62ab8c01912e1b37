//! FOGD: gradient descent on random Fourier features.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::block::Block;
use crate::error::{Error, Place};
use crate::fourier::Fourier;
use crate::function::Function;
use crate::kernels::{AnyKernel, Spectrum};
use crate::linalg::Panels;
use crate::memory::heap;
use crate::params::positive;
use crate::random::generator;
use crate::rows::{LARGEST, Rows};
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
            fourier: Fourier::default(),
            scales: Vec::new(),
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
    /// Of no frequencies before the first row, unless they were given.
    fourier: Fourier,
    /// What the coordinates of each frequency were scaled by; none if they were given.
    scales: Vec<f64>,
    gradient: Gradient,
    phi: Vec<f64>,
}

impl Fogd {
    fn start(&mut self, frequencies: Panels) {
        self.fourier = Fourier(frequencies);
        (0..self.fourier.size()).for_each(|_| self.gradient.grow());
    }

    fn start_if_new(&mut self, n_features: usize) {
        if self.fourier.size() == 0 {
            let (drawn, scales) = self.draw(n_features);
            self.scales = scales;
            self.start(drawn);
        }
    }

    fn draw(&self, n_features: usize) -> (Panels, Vec<f64>) {
        let (mut generator, mut omega) = (generator(self.random_state), vec![0.0; n_features]);
        let (mut frequencies, mut scales) = (Panels::default(), Vec::new());
        for _ in 0..self.n_frequencies {
            scales.push(self.spectrum.sample_into(&mut generator, &mut omega));
            frequencies.push(&omega);
        }
        (frequencies, scales)
    }

    /// A coordinate of every frequency for this feature, from a stream of random numbers of its own.
    fn draw_feature(&mut self, feature: usize) {
        let mut generator = generator(self.random_state);
        generator.set_stream(feature as u64);
        for (i, &scale) in self.scales.iter().enumerate() {
            let value = self.spectrum.coordinate(&mut generator, scale);
            self.fourier.0.set(i, feature, value);
        }
    }
}

impl Algorithm for Fogd {
    fn predict(&self, x: &[f64]) -> f64 {
        self.fourier.predict(self.gradient.w(), x)
    }

    fn function(&self) -> Option<Function> {
        let (fourier, w) = (self.fourier.clone(), self.gradient.w().to_vec());
        Some(Function::Waves { fourier, w })
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.start_if_new(x.len());
        let mut phi = std::mem::take(&mut self.phi);
        self.fourier.features_into(x, &mut phi);
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
        self.fourier.features_of_block(rows, block);
        self.gradient.learn_features(&block.features, y, yhat);
    }

    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        let w = self.gradient.w();
        self.fourier.predict_rows_into(w, rows, out);
    }

    fn n_features(&self) -> Option<usize> {
        (self.fourier.size() > 0).then(|| self.fourier.0.n_features())
    }

    fn numbers_at(&self, n_features: usize) -> usize {
        self.n_frequencies.saturating_mul(n_features)
    }

    fn widen(&mut self, from: usize, to: usize) -> Result<(), Error> {
        if self.scales.is_empty() {
            return Err(Error::FixedWidth);
        }
        (from..to).for_each(|feature| self.draw_feature(feature));
        Ok(())
    }

    fn save(&self, state: &mut State) {
        state.put_rows("frequencies", &self.fourier.0);
        state.put("scales", &*self.scales);
        self.gradient.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        let frequencies = state.rows("frequencies")?;
        let n = frequencies.n_rows();
        self.scales = state.any_vector("scales")?;
        if !self.scales.is_empty() && self.scales.len() != n {
            return Err(Error::model_file("scales and frequencies disagree"));
        }
        self.fourier = Fourier(frequencies);
        self.gradient.load(state, 2 * n)
    }
}

heap!(Fogd: fourier, scales, gradient, phi);

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
