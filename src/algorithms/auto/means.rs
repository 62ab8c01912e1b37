//! Means of the labels.

use super::any_experts::AnyExperts;
use super::kinds::Kind;
use crate::data::Rows;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;
use crate::updates::Output;

/// The mean of the labels of each target, with forgetting.
#[derive(Debug, Clone)]
pub(super) struct Mean {
    pub(super) forgetting: f64,
    pub(super) values: Vec<f64>,
    count: f64,
}

impl Mean {
    pub(super) fn new(forgetting: f64, n_targets: usize) -> Self {
        let (values, count) = (vec![0.0; n_targets], 0.0);
        Self {
            forgetting,
            values,
            count,
        }
    }

    pub(super) fn update(&mut self, y: &[f64], weight: f64) {
        self.count = self.forgetting * self.count + weight;
        for (mean, y) in self.values.iter_mut().zip(y) {
            *mean += (y - *mean) * weight / self.count;
        }
    }

    fn uncertainty(&self) -> f64 {
        self.count.max(1.0).recip()
    }

    pub(super) fn save(&self, i: usize, state: &mut State) {
        state.put(&format!("means{i}"), &*self.values);
        state.put(&format!("count{i}"), [self.count]);
    }

    pub(super) fn load(&mut self, i: usize, state: &State) -> Result<(), Error> {
        self.values = state.vector(&format!("means{i}"), self.values.len())?;
        self.count = state.not_negative(&format!("count{i}"))?;
        Ok(())
    }
}

/// Experts that predict a mean of the labels, whatever the row.
#[derive(Debug, Clone)]
pub(super) struct Means {
    pub(super) each: Vec<Mean>,
    kinds: Vec<Kind>,
    outputs: Vec<Output>,
}

impl Means {
    /// Means with these forgetting factors.
    pub(super) fn new(memories: &[f64], n_targets: usize) -> Self {
        let kind = |&forgetting: &f64| Kind {
            family: "mean",
            width: None,
            ridge: None,
            forgetting,
        };
        Self {
            each: memories.iter().map(|f| Mean::new(*f, n_targets)).collect(),
            kinds: memories.iter().map(kind).collect(),
            outputs: vec![Output::default(); memories.len()],
        }
    }

    fn record(&mut self, y: &[f64], weight: f64) {
        for (mean, output) in self.each.iter_mut().zip(&mut self.outputs) {
            output.yhat.extend_from_slice(&mean.values);
            output.q.push(mean.uncertainty());
            mean.update(y, weight);
        }
    }

    fn clear(&mut self) {
        self.outputs.iter_mut().for_each(Output::clear);
    }
}

impl AnyExperts for Means {
    fn learn_row(&mut self, _x: &[f64], y: &[f64], weight: f64, asked: Option<&[Output]>) {
        self.clear();
        self.record(y, weight);
        if let Some(asked) = asked {
            self.outputs.clone_from_slice(asked);
        }
    }

    fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) {
        self.clear();
        for y in y.chunks_exact(y.len() / rows.len()) {
            self.record(y, 1.0);
        }
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn predict(&self, _x: &[f64]) -> Vec<Output> {
        let predict = |mean: &Mean| Output {
            yhat: mean.values.clone(),
            q: vec![mean.uncertainty()],
        };
        self.each.iter().map(predict).collect()
    }
}

heap!(Mean: values);
heap!(Means: each, kinds, outputs);
