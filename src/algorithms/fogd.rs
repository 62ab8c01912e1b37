//! FOGD: gradient descent on random Fourier features.

use serde::{Deserialize, Serialize};

use super::FeatureLearner;
use crate::data::checks::positive;
use crate::error::{Error, Place};
use crate::features::FourierMap;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::linalg::Panels;
use crate::losses::{AnyLoss, Loss};
use crate::updates::{Gradient, Rate};

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
    /// The loss. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for FogdParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            n_frequencies: 400,
            eta: 0.1,
            random_state: 0,
            frequencies: None,
            loss: AnyLoss::default(),
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
        let map = FourierMap::new(spectrum, self.n_frequencies, self.random_state);
        let map = match given {
            Some(frequencies) => map.given(frequencies),
            None => map,
        };
        self.loss.check()?;
        let gradient = Gradient::new(Rate::Constant { eta: self.eta });
        Ok(Fogd::new(map, gradient.with_loss(self.loss)))
    }
}

/// Checks that frequencies are finite and of one width, and stores them as rows.
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
pub type Fogd = FeatureLearner<FourierMap, Gradient>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;

    fn learn(learner: &mut Fogd, x: &[f64], y: f64) -> f64 {
        let mut yhat = [f64::NAN];
        learner.learn_row(x, &[y], 1.0, &mut yhat);
        yhat[0]
    }

    fn predict(learner: &Fogd, x: &[f64]) -> f64 {
        let mut yhat = [f64::NAN];
        learner.predict_into(x, &mut yhat);
        yhat[0]
    }

    #[test]
    fn given_frequencies_by_hand() {
        let params = FogdParams {
            eta: 0.25,
            frequencies: Some(vec![vec![0.0, 0.0], vec![1.0, -1.0]]),
            ..FogdParams::default()
        };
        let mut learner = params.build().unwrap();
        assert_eq!(learn(&mut learner, &[3.0, 3.0], 1.0), 0.0);
        // phi = (1, 1, 0, 0) / sqrt(2), w = phi / 2; at (pi, 0) phi = (1, -1, 0, 0) / sqrt(2).
        assert!((predict(&learner, &[0.5, 0.5]) - 0.5).abs() < 1e-15);
        assert!(predict(&learner, &[std::f64::consts::PI, 0.0]).abs() < 1e-15);
    }

    #[test]
    fn a_rate_that_diverges_stays_within_float64() {
        let params = FogdParams {
            eta: 1e100,
            ..FogdParams::default()
        };
        let mut learner = params.build().unwrap();
        for _ in 0..50 {
            assert!(learn(&mut learner, &[1.0], 1e100).is_finite());
        }
    }
}
