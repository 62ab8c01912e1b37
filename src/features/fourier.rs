//! Random Fourier features.

use super::{Block, FeatureMap};
use crate::data::Rows;
use crate::error::Error;
use crate::kernels::Spectrum;
use crate::limits::Range;
use crate::linalg::Panels;
use crate::persist::State;
use crate::predictor::{Fourier, Predictor, Waves};
use crate::runtime::{generator, heap};

/// Cosines and sines of frequencies that are given, or drawn from a kernel's spectral density with the first row.
#[derive(Debug, Clone)]
pub struct FourierMap {
    spectrum: Spectrum,
    n_frequencies: usize,
    random_state: u64,
    /// The frequencies: none before the first row, unless they were given.
    fourier: Fourier,
    /// The factor that the coordinates of each frequency share; none if frequencies were given.
    scales: Vec<f64>,
    phi: Vec<f64>,
}

impl FourierMap {
    /// A map whose frequencies are to be drawn.
    pub(crate) fn new(spectrum: Spectrum, n_frequencies: usize, random_state: u64) -> Self {
        Self {
            spectrum,
            n_frequencies,
            random_state,
            fourier: Fourier::default(),
            scales: Vec::new(),
            phi: Vec::new(),
        }
    }

    /// Sets the frequencies instead of drawing them.
    #[must_use]
    pub(crate) fn given(self, frequencies: Panels) -> Self {
        let fourier = Fourier::new(frequencies);
        Self { fourier, ..self }
    }

    fn draw_if_new(&mut self, n_features: usize) {
        if self.fourier.size() > 0 {
            return;
        }
        let (mut generator, mut omega) = (generator(self.random_state), vec![0.0; n_features]);
        let mut frequencies = Panels::default();
        for _ in 0..self.n_frequencies {
            let scale = self.spectrum.sample_into(&mut generator, &mut omega);
            self.scales.push(scale);
            frequencies.push(&omega);
        }
        self.fourier = Fourier::new(frequencies);
    }

    /// Draws the coordinate of every frequency for this feature, from random numbers of its own.
    fn draw_feature(&mut self, feature: usize) {
        let mut generator = generator(self.random_state);
        generator.set_stream(feature as u64);
        for (i, &scale) in self.scales.iter().enumerate() {
            let value = self.spectrum.coordinate(&mut generator, scale);
            self.fourier.frequencies_mut().set(i, feature, value);
        }
    }
}

impl FeatureMap for FourierMap {
    fn size(&self) -> usize {
        self.fourier.size()
    }

    fn project(&mut self, x: &[f64]) {
        self.draw_if_new(x.len());
        self.fourier.features_into(x, &mut self.phi);
    }

    fn phi(&self) -> &[f64] {
        &self.phi
    }

    fn project_rows(&mut self, rows: &Rows<'_>, _full: usize, block: &mut Block) {
        self.draw_if_new(rows.n_features());
        block.batch.fill(rows);
        block.features.reset(rows.len(), self.size());
        let phi = block.features.data_mut();
        self.fourier.features_of_batch_into(&block.batch, phi);
    }

    fn peek(&self, x: &[f64]) -> Vec<f64> {
        let mut phi = Vec::new();
        self.fourier.features_into(x, &mut phi);
        phi
    }

    fn predictor<'w>(&self, w: &dyn Fn(usize) -> &'w [f64], _ranges: &[Range]) -> Predictor {
        Predictor::Waves(Waves {
            fourier: self.fourier.clone(),
            w: w(0).to_vec(),
        })
    }

    fn predict_into<'w>(
        &self,
        w: &dyn Fn(usize) -> &'w [f64],
        _ranges: &[Range],
        x: &[f64],
        out: &mut [f64],
    ) -> bool {
        out[0] = self.fourier.predict(w(0), x);
        true
    }

    fn n_features(&self, _size: usize) -> Option<usize> {
        (self.fourier.size() > 0).then(|| self.fourier.n_features())
    }

    fn min_floats(&self, width: usize) -> usize {
        self.n_frequencies.saturating_mul(width)
    }

    fn widen(&mut self, from: usize, to: usize) -> Result<(), Error> {
        if self.scales.is_empty() {
            return Err(Error::FixedWidth);
        }
        (from..to).for_each(|feature| self.draw_feature(feature));
        Ok(())
    }

    fn save(&self, state: &mut State) {
        state.put_rows("frequencies", self.fourier.frequencies());
        state.put("scales", &*self.scales);
    }

    fn load(&mut self, state: &State) -> Result<Option<usize>, Error> {
        let frequencies = state.rows("frequencies")?;
        self.scales = state.any_vector("scales")?;
        if !self.scales.is_empty() && self.scales.len() != frequencies.n_rows() {
            return Err(Error::model_file("scales and frequencies disagree"));
        }
        self.fourier = Fourier::new(frequencies);
        Ok(Some(self.size()))
    }
}

heap!(FourierMap: fourier, scales, phi);
