//! Auto: an ensemble of experts that needs no tuning.

mod adaptive;
mod any_experts;
mod boosted;
mod boosting;
mod combiner;
mod correction;
mod drift;
mod ensemble;
mod events;
mod experts;
mod focus;
mod focused;
mod gradients;
mod kinds;
mod label_range;
mod lineup;
mod means;
mod params;
mod past;
mod relevant;
mod smear;
mod stretched;
mod tail;
mod units;
mod window;

use std::sync::OnceLock;

use super::{Algorithm, Blocks, Facts, Intervals, Scratch, one_by_one};
use crate::data::Rows;
use crate::error::Error;
use crate::linalg::Panels;
use crate::persist::State;
use crate::predictor::{Asked, Line, Predictor, Scores};
use crate::runtime::{Heap, heap};
use ensemble::Ensemble;
pub use ensemble::Expert;
pub use events::Event;
use label_range::LabelRange;
pub use params::AutoParams;

/// Number of rows after which there are experts for the first time; then they start anew whenever the rows have
/// doubled, until the warm-up ends.
const FIRST: usize = 4;

/// The most rows in a block: enough for threads to pay.
const LONGEST: usize = 256;

/// An ensemble of experts on scaled features, combined: it needs no knowledge of the stream.
///
/// A row costs O(dJ + J^2) for each of five widths with J rows kept, whatever the length of the stream.
#[derive(Debug, Clone)]
pub struct Auto {
    params: AutoParams,
    /// Number of rows learned during the warm-up.
    seen: usize,
    first: First,
    /// The mean of the labels of each target and their total weight, before there are experts.
    means: Vec<f64>,
    weight: f64,
    ensemble: Option<Box<Ensemble>>,
    label_ranges: Vec<LabelRange>,
    scores: Scores,
    /// The predictor, once it has been asked for since the last round.
    predictor: OnceLock<Predictor>,
}

/// The rows of the warm-up.
#[derive(Debug, Clone, Default)]
struct First {
    rows: Panels,
    y: Vec<f64>,
    weights: Vec<f64>,
}

impl Auto {
    fn is_warming_up(&self) -> bool {
        self.seen < self.params.warm_up
    }

    fn current_predictor(&self) -> &Predictor {
        self.predictor.get_or_init(|| {
            let ranges = self.label_ranges.iter().map(LabelRange::range);
            if let Some(ensemble) = &self.ensemble {
                return Predictor::Mixture(ensemble.mixture(ranges));
            }
            let lines = self.means.iter().map(|mean| Line::constant(*mean));
            Predictor::Linear(lines.collect())
        })
    }

    /// The uncertainty of a row; that of a mean before there are experts, and 10 before the first label.
    fn uncertainty(&self, x: &[f64]) -> f64 {
        match &self.ensemble {
            Some(ensemble) => ensemble.uncertainty(x),
            None => self.weight.max(0.1).recip(),
        }
    }

    /// Clips the predictions for a row to the range of the labels, then records its labels.
    fn clip_and_record(&mut self, yhat: &mut [f64], y: &[f64], q: f64) {
        for ((yhat, y), labels) in yhat.iter_mut().zip(y).zip(&mut self.label_ranges) {
            let (low, high) = labels.range();
            *yhat = yhat.clamp(low, high);
            labels.include(*y);
        }
        self.scores.push(y, yhat, q);
    }

    /// Keeps a row of the warm-up, whose labels came `delay` rows late; whenever the rows have doubled, and at the end, a
    /// new ensemble learns all of them.
    fn warm_up(&mut self, x: &[f64], y: &[f64], weight: f64, delay: usize) {
        self.seen += 1;
        self.weight += weight;
        for (mean, y) in self.means.iter_mut().zip(y) {
            *mean += (y - *mean) * weight / self.weight;
        }
        self.first.rows.push(x);
        self.first.y.extend_from_slice(y);
        self.first.weights.push(weight);
        let is_over = !self.is_warming_up();
        let has_doubled = self.seen >= FIRST && self.seen.is_power_of_two();
        if is_over || (has_doubled && 2 * self.seen <= self.params.warm_up) {
            let begun = self.begin(delay).ok().map(Box::new);
            self.ensemble = begun.or(self.ensemble.take());
        }
        if is_over {
            self.first = First::default();
        }
    }

    /// A new ensemble that has learned the rows of the warm-up. Its experts are compared as if labels had come `delay`
    /// rows late; that needs some rows whose labels were known before others were predicted.
    fn begin(&self, delay: usize) -> Result<Ensemble, Error> {
        let First { rows, y, weights } = &self.first;
        let data = rows.to_vec();
        let rows = Rows::trusted(&data, rows.n_features(), 0);
        Ensemble::begin(&self.params, &rows, (y, weights), delay.min(rows.len() / 2))
    }
}

impl Algorithm for Auto {
    fn facts(&self) -> Facts {
        let first =
            (self.seen > 0 && self.ensemble.is_none()).then(|| self.first.rows.n_features());
        let ensemble = self.ensemble.as_deref();
        Facts {
            n_targets: self.params.n_targets,
            n_features: ensemble.map(Ensemble::n_features).or(first),
            n_basis: ensemble.map_or(0, Ensemble::n_basis),
            takes_weights: true,
            takes_any_scale: true,
            blocks: Some(Blocks {
                size: self.params.max_basis,
                longest: LONGEST,
            }),
        }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        self.predictor.take();
        let q = if let Some(ensemble) = &mut self.ensemble {
            ensemble.learn_row(x, y, weight, yhat)
        } else {
            yhat.copy_from_slice(&self.means);
            self.uncertainty(x)
        };
        self.clip_and_record(yhat, y, q);
        if self.is_warming_up() {
            self.warm_up(x, y, weight, 0);
        }
    }

    fn ask(&self, x: &[f64]) -> Asked {
        let scales = self.scores.scales();
        let Some(ensemble) = &self.ensemble else {
            let (yhat, q, details) = (self.means.clone(), self.uncertainty(x), Vec::new());
            return Asked {
                yhat,
                q,
                scales,
                details,
            };
        };
        let (mut yhat, q, details) = ensemble.ask(x);
        for (yhat, labels) in yhat.iter_mut().zip(&self.label_ranges) {
            let (low, high) = labels.range();
            *yhat = yhat.clamp(low, high);
        }
        Asked {
            yhat,
            q,
            scales,
            details,
        }
    }

    fn learn_asked(&mut self, x: &[f64], y: &[f64], weight: f64, asked: &Asked, delay: usize) {
        self.predictor.take();
        if let Some(ensemble) = &mut self.ensemble {
            let opinions = ensemble.opinions(&asked.details);
            ensemble.learn_late(x, (y, weight), &opinions, delay);
        }
        self.scores.answer(asked);
        self.clip_and_record(&mut asked.yhat.clone(), y, asked.q);
        if self.is_warming_up() {
            self.warm_up(x, y, weight, delay);
        }
    }

    fn scores_mut(&mut self) -> Option<&mut Scores> {
        Some(&mut self.scores)
    }

    fn learn_block(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        _scratch: &mut Scratch,
        yhat: &mut Vec<f64>,
    ) {
        let n_targets = self.params.n_targets;
        let left = self.params.warm_up.saturating_sub(self.seen);
        let left = left.min(rows.len());
        let (first, rest) = (rows.slice(0..left), rows.slice(left..rows.len()));
        one_by_one(self, &first, &y[..left * n_targets], yhat);
        if rest.len() == 0 {
            return;
        }
        let (y, start) = (&y[left * n_targets..], yhat.len());
        let Some(ensemble) = &mut self.ensemble else {
            return one_by_one(self, &rest, y, yhat);
        };
        self.predictor.take();
        let mut q = Vec::with_capacity(rest.len());
        ensemble.learn_rows(&rest, y, yhat, &mut q);
        let rounds = yhat[start..]
            .chunks_exact_mut(n_targets)
            .zip(y.chunks_exact(n_targets));
        for ((yhat, y), q) in rounds.zip(q) {
            self.clip_and_record(yhat, y, q);
        }
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        self.current_predictor().predict_into(x, out);
    }

    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        self.current_predictor().predict_rows_into(rows, out);
    }

    fn predictor(&self) -> Option<Predictor> {
        Some(self.current_predictor().clone())
    }

    fn intervals(&self) -> Option<Intervals<'_>> {
        Some(Intervals::new(&self.scores, |x| self.uncertainty(x)))
    }

    fn experts(&self) -> Vec<Expert> {
        let ensemble = self.ensemble.as_deref();
        ensemble.map_or(Vec::new(), Ensemble::experts)
    }

    fn relevance(&self) -> Vec<f64> {
        let ensemble = self.ensemble.as_deref();
        ensemble.map_or(Vec::new(), Ensemble::relevance)
    }

    fn events(&self) -> Vec<Event> {
        let ensemble = self.ensemble.as_deref();
        ensemble.map_or(Vec::new(), Ensemble::events)
    }

    fn novelty(&self, x: &[f64]) -> Option<f64> {
        Some(self.ensemble.as_ref().map_or(1.0, |e| e.novelty(x)))
    }

    fn min_floats(&self, width: usize) -> usize {
        let rows = self.params.warm_up.max(self.params.max_basis);
        // Three linear experts have half a square each.
        width.saturating_mul(width.saturating_mul(2).saturating_add(rows))
    }

    fn save(&self, state: &mut State) {
        state.put_indices("seen", &[self.seen]);
        state.put_rows("first_rows", &self.first.rows);
        state.put("first_labels", &*self.first.y);
        state.put("first_weights", &*self.first.weights);
        state.put("means", &*self.means);
        state.put("weight", [self.weight]);
        self.scores.save(state);
        for (i, labels) in self.label_ranges.iter().enumerate() {
            state.nest(&format!("target{i}"), |state| labels.save(state));
        }
        if let Some(ensemble) = &self.ensemble {
            state.nest("team", |state| ensemble.save(state));
        }
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        let n_targets = self.params.n_targets;
        self.seen = state.count("seen")?;
        let rows = state.rows("first_rows")?;
        self.first = First {
            y: state.vector("first_labels", n_targets * rows.n_rows())?,
            weights: state.vector("first_weights", rows.n_rows())?,
            rows,
        };
        let kept = if self.is_warming_up() { self.seen } else { 0 };
        if self.first.rows.n_rows() != kept {
            return Err(Error::model_file(
                "first_rows should be those of the warm-up",
            ));
        }
        self.means = state.vector("means", n_targets)?;
        self.weight = state.not_negative("weight")?;
        self.scores.load(state)?;
        for (i, labels) in self.label_ranges.iter_mut().enumerate() {
            *labels = LabelRange::load(&state.inner(&format!("target{i}")))?;
        }
        let ensemble = state.inner("team");
        if ensemble.has("units") {
            self.ensemble = Some(Box::new(Ensemble::load(&self.params, &ensemble)?));
        } else if !self.is_warming_up() {
            self.seen = 0; // a file without experts: it warms up again
        }
        Ok(())
    }
}

heap!(First: rows, y, weights);
impl Heap for Auto {
    fn heap_bytes(&self) -> usize {
        self.first.heap_bytes()
            + self.means.heap_bytes()
            + self.ensemble.heap_bytes()
            + self.label_ranges.heap_bytes()
            + self.scores.heap_bytes()
            + self.predictor.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_experts_it_goes_on_from_a_file_and_makes_progress() {
        let (rows, y): (Vec<f64>, Vec<f64>) = (0..40).map(|i| (f64::from(i % 5), 1.0)).unzip();
        for n_rows in [9, 40] {
            let params = AutoParams {
                warm_up: 32,
                ..AutoParams::default()
            };
            let mut before = params.build().unwrap();
            for (x, y) in rows.iter().zip(&y).take(n_rows) {
                before.learn_row(&[*x], &[*y], 1.0, &mut [0.0]);
            }
            before.ensemble = None;
            let mut state = State::default();
            before.save(&mut state);
            let mut auto = params.build().unwrap();
            auto.load(&state).unwrap();
            for auto in [&mut before, &mut auto] {
                let yhat = super::super::learn_rows(auto, &Rows::new(&rows, 1).unwrap(), &y);
                assert_eq!(yhat.len(), 40);
            }
            assert!(!auto.experts().is_empty());
        }
    }
}
