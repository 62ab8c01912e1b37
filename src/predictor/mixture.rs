//! Mixtures: sums of kernel expansions of several widths and a linear predictor, on scaled features.

use super::line::{load_lines, save_lines};
use super::scaling::compress_in_place;
use super::{Expansion, Extension, Line, Scaling};
use crate::data::Rows;
use crate::error::Error;
use crate::kernels::{AnyKernel, Gaussian};
use crate::limits::clamp;
use crate::persist::State;
use crate::runtime::heap;

/// The predictor of [`Auto`](crate::algorithms::Auto): for each target a linear predictor on scaled features plus
/// Gaussian expansions on the same features, compressed, plus the part of adaptive experts; the sum is clipped to the
/// range of the linear predictor.
#[derive(Debug, Clone)]
pub struct Mixture {
    /// Centre and scale of each feature.
    pub scaling: Scaling,
    /// An expansion for each width, without clipping.
    pub expansions: Vec<Expansion>,
    /// A linear predictor for each target.
    pub lines: Vec<Line>,
    /// The part that adaptive experts add, if there are any.
    pub extension: Option<Extension>,
}

impl Mixture {
    /// Writes the predictions for a row, one for each target.
    pub(crate) fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        let (mut z, mut part) = (self.scaling.scaled(x), vec![0.0; out.len()]);
        for (line, out) in self.lines.iter().zip(out.iter_mut()) {
            *out = line.value(&z);
        }
        compress_in_place(&mut z);
        for expansion in &self.expansions {
            expansion.predict_into(&z, &mut part);
            out.iter_mut()
                .zip(&part)
                .for_each(|(out, part)| *out += part);
        }
        if let Some(extension) = &self.extension {
            extension.add_rows_into(&z, z.len(), out);
        }
        self.clamp_in_place(out);
    }

    /// Writes the predictions for many rows: those of all targets for the first row, then those for the next.
    pub(crate) fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        let (width, n_targets) = (rows.n_features(), self.lines.len());
        let mut z = self.scaling.scaled(rows.data());
        for (z, out) in z.chunks_exact(width).zip(out.chunks_exact_mut(n_targets)) {
            for (line, out) in self.lines.iter().zip(out) {
                *out = line.value(z);
            }
        }
        compress_in_place(&mut z);
        let scaled = Rows::trusted(&z, width, 0);
        for expansion in &self.expansions {
            expansion.add_rows_into(&scaled, out);
        }
        if let Some(extension) = &self.extension {
            extension.add_rows_into(&z, width, out);
        }
        out.chunks_exact_mut(n_targets)
            .for_each(|out| self.clamp_in_place(out));
    }

    fn clamp_in_place(&self, out: &mut [f64]) {
        for (out, line) in out.iter_mut().zip(&self.lines) {
            *out = clamp(*out, line.range);
        }
    }

    /// The widths of the expansions.
    pub(crate) fn widths(&self) -> Vec<f64> {
        let width = |expansion: &Expansion| match &expansion.kernel {
            AnyKernel::Gaussian(gaussian) => gaussian.sigma,
            _ => 1.0,
        };
        self.expansions.iter().map(width).collect()
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.scaling.save(state);
        save_lines(&self.lines, state);
        for (i, expansion) in self.expansions.iter().enumerate() {
            state.nest(&format!("part{i}"), |state| expansion.save(state));
        }
        if let Some(extension) = &self.extension {
            state.nest("extension", |state| extension.save(state));
        }
    }

    /// Reads a mixture with expansions of these widths and, in an extension, these kernels.
    pub(crate) fn load(
        widths: &[f64],
        extension: Option<(Vec<AnyKernel>, Option<AnyKernel>)>,
        n_targets: usize,
        state: &State,
    ) -> Result<Self, Error> {
        let scaling = Scaling::load(state)?;
        let lines = load_lines(n_targets, state)?;
        let expansion = |(i, &sigma): (usize, &f64)| {
            let state = state.inner(&format!("part{i}"));
            Expansion::load(Gaussian { sigma }.into(), n_targets, &state)
        };
        let expansions: Vec<Expansion> = widths
            .iter()
            .enumerate()
            .map(expansion)
            .collect::<Result<_, Error>>()?;
        let shape = (scaling.width(), n_targets);
        let extension = extension
            .map(|kernels| Extension::load(kernels, shape, &state.inner("extension")))
            .transpose()?;
        let agrees = |n: usize| n == 0 || n == scaling.width();
        let basis = expansions.iter().map(|e| e.rows.n_features());
        let slopes = lines.iter().map(|line| line.slopes.len());
        if basis.chain(slopes).all(agrees) {
            return Ok(Self {
                scaling,
                expansions,
                lines,
                extension,
            });
        }
        Err(Error::model_file("its arrays have rows of several widths"))
    }
}

heap!(Mixture: scaling, expansions, lines, extension);
