//! The part of a mixture whose experts have learned labels on curves.

use super::{Curve, Expansion, Metric};
use crate::data::Rows;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::Range;
use crate::persist::State;
use crate::runtime::Heap;

/// An expansion in a metric with a number for each expert and target, of which curves make labels. The numbers of the
/// first expert come first.
#[derive(Debug, Clone)]
pub struct Curved {
    /// The metric.
    pub metric: Metric,
    /// The expansion on the rows that the metric maps.
    pub expansion: Expansion,
    /// The curve of each number.
    pub curves: Vec<Curve>,
    /// The weight of each label in the prediction of its target.
    pub weights: Vec<f64>,
    /// The range of the labels of each target.
    pub ranges: Vec<Range>,
}

impl Curved {
    /// Adds the predictions for extended rows, one after the other, to `out`.
    pub(super) fn add_rows_into(&self, rows: &[f64], out: &mut [f64]) {
        let (n_targets, n_numbers) = (self.ranges.len(), self.curves.len());
        let mapped = self.metric.mapped(rows);
        let mapped = Rows::trusted(&mapped, self.metric.mapped_width(), 0);
        let mut numbers = vec![0.0; mapped.len() * n_numbers];
        self.expansion.add_rows_into(&mapped, &mut numbers);
        let each = numbers.chunks_exact(n_numbers);
        for (numbers, out) in each.zip(out.chunks_exact_mut(n_targets)) {
            let labels = numbers.iter().zip(&self.curves).zip(&self.weights);
            for (i, ((z, curve), weight)) in labels.enumerate() {
                let target = i % n_targets;
                out[target] += weight * curve.label(*z, self.ranges[target]);
            }
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        self.metric.save(0.0, state);
        self.expansion.save(state);
        Curve::save_all(&self.curves, state);
        state.put("curve_weights", &*self.weights);
        state.put_ranges("label_ranges", &self.ranges);
    }

    /// Reads the part for extended rows of this width.
    pub(super) fn load(
        kernel: AnyKernel,
        (width, n_targets): (usize, usize),
        state: &State,
    ) -> Result<Self, Error> {
        let (metric, curves) = (Metric::load(state, width)?, Curve::load_all(state)?);
        let expansion = Expansion::load(kernel, curves.len(), state)?;
        let found = expansion.rows.n_features();
        if found != 0 && found != metric.mapped_width() {
            return Err(Error::model_file("a metric and its rows disagree"));
        }
        if curves.is_empty() || !curves.len().is_multiple_of(n_targets) {
            return Err(Error::model_file("curves should be those of every target"));
        }
        Ok(Self {
            metric,
            expansion,
            weights: state.vector("curve_weights", curves.len())?,
            ranges: state.ranges("label_ranges", n_targets)?,
            curves,
        })
    }
}

impl Heap for Curved {
    fn heap_bytes(&self) -> usize {
        self.metric.heap_bytes()
            + self.expansion.heap_bytes()
            + self.curves.capacity() * size_of::<Curve>()
            + self.weights.heap_bytes()
            + self.ranges.capacity() * size_of::<Range>()
    }
}
