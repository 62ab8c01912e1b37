//! The part of a mixture that looks at rows with the past of the labels, in metrics of its own.

use super::{Curved, Expansion, Metric, Trees};
use crate::data::Rows;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::persist::State;
use crate::runtime::Heap;

/// Expansions in metrics, and trees, on the past of the labels, which is a constant, followed by compressed features.
#[derive(Debug, Clone)]
pub struct Extension {
    /// The past of the labels at the moment of the predictor.
    pub past: Vec<f64>,
    /// A metric and an expansion on the rows that it maps, for each dictionary.
    pub mapped: Vec<(Metric, Expansion)>,
    /// Trees for each target.
    pub trees: Vec<Trees>,
    /// The part of experts that have learned labels on curves, if there are any.
    pub curved: Option<Box<Curved>>,
}

impl Extension {
    /// Adds the predictions for compressed rows of this width to `out`.
    pub(crate) fn add_rows_into(&self, z: &[f64], width: usize, out: &mut [f64]) {
        let n_targets = self.trees.len();
        let wide = width + self.past.len();
        let mut rows = Vec::with_capacity(z.len() / width * wide);
        for z in z.chunks_exact(width) {
            rows.extend_from_slice(&self.past);
            rows.extend_from_slice(z);
        }
        for (metric, expansion) in &self.mapped {
            let mapped = metric.mapped(&rows);
            let mapped = Rows::trusted(&mapped, metric.mapped_width(), 0);
            expansion.add_rows_into(&mapped, out);
        }
        if let Some(curved) = &self.curved {
            curved.add_rows_into(&rows, out);
        }
        for (row, out) in rows.chunks_exact(wide).zip(out.chunks_exact_mut(n_targets)) {
            for (trees, out) in self.trees.iter().zip(out) {
                *out += trees.predict(row);
            }
        }
    }

    /// The kernels of the expansions.
    pub(crate) fn kernels(&self) -> Vec<AnyKernel> {
        let expansions = self.mapped.iter();
        expansions.map(|(_, e)| e.kernel.clone()).collect()
    }

    /// The kernel of experts on curves.
    pub(crate) fn curved_kernel(&self) -> Option<AnyKernel> {
        let curved = self.curved.as_ref();
        curved.map(|curved| curved.expansion.kernel.clone())
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put("past", &*self.past);
        for (i, (metric, expansion)) in self.mapped.iter().enumerate() {
            state.nest(&format!("mapped{i}"), |state| {
                metric.save(0.0, state);
                expansion.save(state);
            });
        }
        for (i, trees) in self.trees.iter().enumerate() {
            state.nest(&format!("trees{i}"), |state| trees.save(state));
        }
        if let Some(curved) = &self.curved {
            state.nest("curved", |state| curved.save(state));
        }
    }

    /// Reads an extension for rows of this width.
    pub(crate) fn load(
        (kernels, curved): (Vec<AnyKernel>, Option<AnyKernel>),
        (width, n_targets): (usize, usize),
        state: &State,
    ) -> Result<Self, Error> {
        let past = state.any_vector("past")?;
        let wide = width + past.len();
        let mapped = |(i, kernel): (usize, AnyKernel)| {
            let state = state.inner(&format!("mapped{i}"));
            let metric = Metric::load(&state, wide)?;
            let expansion = Expansion::load(kernel, n_targets, &state)?;
            let found = expansion.rows.n_features();
            if found != 0 && found != metric.mapped_width() {
                return Err(Error::model_file("a metric and its rows disagree"));
            }
            Ok((metric, expansion))
        };
        let curved = curved
            .map(|kernel| Curved::load(kernel, (wide, n_targets), &state.inner("curved")))
            .transpose()?
            .map(Box::new);
        let trees = |i| Trees::load(&state.inner(&format!("trees{i}")), wide);
        Ok(Self {
            mapped: kernels
                .into_iter()
                .enumerate()
                .map(mapped)
                .collect::<Result<_, Error>>()?,
            trees: (0..n_targets).map(trees).collect::<Result<_, Error>>()?,
            curved,
            past,
        })
    }
}

impl Heap for Extension {
    fn heap_bytes(&self) -> usize {
        let mapped = self.mapped.iter();
        let mapped = mapped.map(|(metric, e)| metric.heap_bytes() + e.heap_bytes());
        self.past.heap_bytes()
            + mapped.sum::<usize>()
            + self.trees.heap_bytes()
            + self.curved.heap_bytes()
    }
}
