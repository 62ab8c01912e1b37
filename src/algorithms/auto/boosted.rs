//! The expert that is a sum of trees, fitted anew at growing intervals.

use super::any_experts::AnyExperts;
use super::boosting::boost;
use super::kinds::Kind;
use super::window::Recent;
use crate::data::Rows;
use crate::error::Error;
use crate::persist::State;
use crate::predictor::Trees;
use crate::runtime::heap;
use crate::updates::Output;

/// The seed of the draws.
const SEED: u64 = 0;

/// Trees for each target, fitted to the last rows; between two fits they stay as they are.
#[derive(Debug, Clone)]
pub(super) struct Boosted {
    trees: Vec<Trees>,
    kinds: [Kind; 1],
    outputs: [Output; 1],
    /// True if they are neither fitted nor asked any more.
    is_asleep: bool,
}

impl Boosted {
    /// Trees that predict 0, the centre of the labels.
    pub(super) fn new(family: &'static str, n_targets: usize) -> Self {
        Self {
            trees: vec![Trees::constant(0.0); n_targets],
            kinds: [Kind {
                family,
                width: None,
                ridge: None,
                forgetting: 1.0,
            }],
            outputs: [Output::default()],
            is_asleep: false,
        }
    }

    /// The trees of each target.
    pub(super) fn trees(&self) -> &[Trees] {
        &self.trees
    }

    /// Fits trees to the last rows.
    pub(super) fn renew(&mut self, recent: &Recent, width: usize) {
        if self.is_asleep {
            return;
        }
        let (rows, n_targets) = (Rows::trusted(&recent.rows, width, 0), self.trees.len());
        for (target, trees) in self.trees.iter_mut().enumerate() {
            *trees = boost(&rows, &recent.labels(target, n_targets), SEED);
        }
    }

    /// The sum of the squared errors on these rows.
    pub(super) fn squared_error(&self, recent: &Recent, width: usize) -> f64 {
        let rows = recent.rows.chunks_exact(width);
        let labels = recent.y.chunks_exact(self.trees.len());
        let errors = rows.zip(labels).flat_map(|(x, y)| {
            let trees = self.trees.iter().zip(y);
            trees.map(move |(trees, y)| trees.predict(x) - y)
        });
        errors.map(|error| error * error).sum()
    }

    fn output(&self, x: &[f64]) -> Output {
        if self.is_asleep {
            return Output::default();
        }
        let yhat = self.trees.iter().map(|trees| trees.predict(x)).collect();
        Output { yhat, q: vec![0.0] }
    }

    pub(super) fn save(&self, state: &mut State) {
        for (i, trees) in self.trees.iter().enumerate() {
            state.nest(&format!("trees{i}"), |state| trees.save(state));
        }
        if self.is_asleep {
            state.put("trees_are_asleep", [1.0]);
        }
    }

    /// Reads trees for rows of this width.
    pub(super) fn load(&mut self, state: &State, width: usize) -> Result<(), Error> {
        for (i, trees) in self.trees.iter_mut().enumerate() {
            *trees = Trees::load(&state.inner(&format!("trees{i}")), width)?;
        }
        self.is_asleep = state.has("trees_are_asleep");
        Ok(())
    }
}

impl AnyExperts for Boosted {
    fn learn_row(&mut self, x: &[f64], _y: &[f64], _weight: f64, asked: Option<&[Output]>) {
        match asked {
            Some(asked) => self.outputs.clone_from_slice(asked),
            None => self.outputs = [self.output(x)],
        }
    }

    fn learn_rows(&mut self, rows: &Rows<'_>, _y: &[f64]) {
        self.outputs[0].clear();
        for x in rows.iter() {
            let Output { yhat, q } = self.output(x);
            self.outputs[0].yhat.extend(yhat);
            self.outputs[0].q.extend(q);
        }
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn predict(&self, x: &[f64]) -> Vec<Output> {
        vec![self.output(x)]
    }

    fn sleep(&mut self) {
        *self = Self {
            is_asleep: true,
            ..Self::new(self.kinds[0].family, self.trees.len())
        };
    }

    fn is_asleep(&self) -> bool {
        self.is_asleep
    }
}

heap!(Boosted: trees, outputs);
