//! A learner that is a feature map and an update.

use std::sync::OnceLock;

use super::on_features::OnFeatures;
use super::{Algorithm, Basis, Blocks, Facts, Intervals, Scratch};
use crate::data::Rows;
use crate::error::Error;
use crate::features::FeatureMap;
use crate::limits::Range;
use crate::losses::AnyLoss;
use crate::persist::State;
use crate::predictor::{Predictor, Record, Scores};
use crate::runtime::Heap;
use crate::updates::{Output, Update};

/// The most rows in a block.
const LONGEST_BLOCK: usize = 32;

/// A learner with one update on the features of a map.
#[derive(Debug, Clone)]
pub struct FeatureLearner<M, U> {
    core: OnFeatures<M, U>,
    /// The record of a learner that clips its predictions or has intervals.
    record: Option<Record>,
    /// Number of features at which a block ends.
    full: usize,
    output: [Output; 1],
    /// The predictor, once it has been asked for since the last round.
    predictor: OnceLock<Predictor>,
}

impl<M: FeatureMap, U: Update> FeatureLearner<M, U> {
    /// A learner that has seen nothing.
    pub(super) fn new(map: M, update: U) -> Self {
        let (size, updates) = (map.size(), vec![update]);
        let mut core = OnFeatures { map, updates };
        core.grow_to(size);
        Self {
            core,
            record: None,
            full: usize::MAX,
            output: [Output::default()],
            predictor: OnceLock::new(),
        }
    }

    /// Adds a record of predictions.
    pub(super) fn recording(self, record: Record) -> Self {
        let record = Some(record);
        Self { record, ..self }
    }

    /// Adds the record of a learner with this loss, which clips if asked to. A loss with labels of a kind of its own leaves
    /// nothing to record: its predictions are not labels.
    pub(super) fn recording_of(self, loss: AnyLoss, clip: bool) -> Result<Self, Error> {
        if loss.takes_any_label() {
            let n_targets = self.core.n_targets();
            return Ok(self.recording(Record::clipping(clip, n_targets)));
        }
        if clip {
            return Err(Error::Conflict {
                first: "clip",
                second: "loss",
                reason: "with this loss, predictions stay in their range",
            });
        }
        Ok(self)
    }

    /// Sets the number of features at which a block ends.
    pub(super) fn full_at(self, full: usize) -> Self {
        Self { full, ..self }
    }

    /// The feature map.
    pub fn map(&self) -> &M {
        &self.core.map
    }

    /// The update.
    pub fn update(&self) -> &U {
        &self.core.updates[0]
    }

    pub(super) fn map_mut(&mut self) -> &mut M {
        &mut self.core.map
    }

    pub(super) fn update_mut(&mut self) -> &mut U {
        &mut self.core.updates[0]
    }

    pub(super) fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    pub(super) fn set_record(&mut self, record: Record) {
        self.record = Some(record);
    }

    /// Calls `make` with the weights and the ranges that a predictor has.
    fn with_weights<'s, T>(
        &'s self,
        make: impl FnOnce(&dyn Fn(usize) -> &'s [f64], &[Range]) -> T,
    ) -> T {
        let update = self.update();
        let ranges = self.record.as_ref().and_then(Record::ranges);
        let w = |target| update.w(target);
        make(&w, ranges.unwrap_or(&[update.range()]))
    }

    fn build_predictor(&self) -> Predictor {
        self.with_weights(|w, ranges| self.map().predictor(w, ranges))
    }
}

impl<M: FeatureMap + 'static, U: Update + 'static> Algorithm for FeatureLearner<M, U> {
    fn facts(&self) -> Facts {
        let (map, size) = (self.map(), self.update().size());
        Facts {
            takes_any_scale: false,
            n_targets: self.core.n_targets(),
            n_features: map.n_features(size),
            n_basis: map.basis().map_or(0, |(rows, _)| rows.n_rows()),
            takes_weights: U::TAKES_WEIGHTS,
            blocks: Some(Blocks {
                size: map.block_size().max(size),
                longest: LONGEST_BLOCK,
            }),
        }
    }

    fn elapse(&mut self, rounds: u64) {
        self.predictor.take();
        self.core
            .updates
            .iter_mut()
            .for_each(|update| update.elapse(rounds));
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        self.predictor.take();
        self.output[0].clear();
        self.core.learn_row(x, y, weight, &mut self.output);
        let [Output { yhat: predicted, q }] = &self.output;
        yhat.copy_from_slice(predicted);
        self.core.updates[0].loss().predict_in_place(yhat);
        if let Some(record) = &mut self.record {
            record.clip_and_record(yhat, y, q[0]);
        }
    }

    fn learn_block(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        scratch: &mut Scratch,
        yhat: &mut Vec<f64>,
    ) {
        self.predictor.take();
        self.output[0].clear();
        let (start, n_targets) = (yhat.len(), self.core.n_targets());
        self.core
            .learn_block(rows, y, self.full, scratch, &mut self.output);
        yhat.extend_from_slice(&self.output[0].yhat);
        self.update().loss().predict_in_place(&mut yhat[start..]);
        if let Some(record) = &mut self.record {
            let rounds = yhat[start..]
                .chunks_exact_mut(n_targets)
                .zip(y.chunks_exact(n_targets));
            for ((yhat, y), q) in rounds.zip(&self.output[0].q) {
                record.clip_and_record(yhat, y, *q);
            }
        }
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        if self.update().is_forward() {
            self.update().predict_into(&self.map().peek(x), out);
            if let Some(record) = &self.record {
                record.clip(out);
            }
        } else if self.predictor.get().is_some()
            || !self.with_weights(|w, ranges| self.map().predict_into(w, ranges, x, out))
        {
            let predictor = self.predictor.get_or_init(|| self.build_predictor());
            predictor.predict_into(x, out);
        }
        self.update().loss().predict_in_place(out);
    }

    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        if !self.update().is_forward() {
            let predictor = self.predictor.get_or_init(|| self.build_predictor());
            predictor.predict_rows_into(rows, out);
            return self.update().loss().predict_in_place(out);
        }
        for (x, out) in rows.iter().zip(out.chunks_exact_mut(self.core.n_targets())) {
            self.predict_into(x, out);
        }
    }

    fn predictor(&self) -> Option<Predictor> {
        let linked = || self.build_predictor().linked(self.update().loss());
        (!self.update().is_forward()).then(linked)
    }

    fn basis(&self) -> Option<Basis<'_>> {
        self.map().basis().map(|(rows, kernel)| Basis {
            rows,
            kernel,
            largest_kappa: self.update().largest_kappa(),
        })
    }

    fn scores_mut(&mut self) -> Option<&mut Scores> {
        self.record.as_mut().map(Record::scores_mut)
    }

    fn intervals(&self) -> Option<Intervals<'_>> {
        let scores = self.record.as_ref()?.scores();
        let uncertainty = |x: &[f64]| {
            let q = self.update().uncertainty(&self.map().peek(x));
            q.unwrap_or(0.0)
        };
        Some(Intervals::new(scores, uncertainty))
    }

    fn min_floats(&self, width: usize) -> usize {
        self.map().min_floats(width)
    }

    fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        self.map().check_capacity(n_rows)
    }

    fn widen(&mut self, from: usize, to: usize) -> Result<(), Error> {
        self.core.map.widen(from, to)?;
        self.core.grow_to(self.core.map.size());
        Ok(())
    }

    fn is_packed_in_files(&self) -> bool {
        M::IS_PLAIN
    }

    fn pack(&mut self, numbers: &mut Vec<f64>) -> bool {
        let start = numbers.len();
        if !self.update_mut().pack(numbers) || !self.map().pack(numbers) {
            numbers.truncate(start);
            return false;
        }
        if let Some(record) = &self.record {
            record.pack(numbers);
        }
        true
    }

    fn unpack(&mut self, numbers: &[f64]) -> bool {
        self.predictor.take();
        let Some(rest) = self.update_mut().unpack(numbers) else {
            return false;
        };
        let size = self.update().size();
        let Some(rest) = self.map_mut().unpack(size, rest) else {
            return false;
        };
        match &mut self.record {
            Some(record) => record.unpack(rest),
            None => rest.is_empty(),
        }
    }

    fn save(&self, state: &mut State) {
        self.map().save(state);
        self.update().save(state);
        if let Some(record) = &self.record {
            record.save(state);
        }
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        let size = self.map_mut().load(state)?;
        self.update_mut().load(state, size)?;
        match &mut self.record {
            Some(record) => record.load(state),
            None => Ok(()),
        }
    }
}

impl<M: FeatureMap, U: Update> Heap for FeatureLearner<M, U> {
    fn heap_bytes(&self) -> usize {
        let predictor = self.predictor.get().map_or(0, Predictor::own_bytes);
        self.core.map.heap_bytes()
            + self.core.updates.heap_bytes()
            + self.record.heap_bytes()
            + predictor
    }
}
