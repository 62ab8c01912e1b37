//! The composition that most learners are: a feature map, and updates on its features.

use super::Scratch;
use crate::data::Rows;
use crate::features::FeatureMap;
use crate::linalg::index_of_least;
use crate::updates::{LeastSquares, Output, Update};

/// Updates on the features of one map.
///
/// A round projects the row, lets it join or replace another row, and lets each update predict and learn.
#[derive(Debug, Clone)]
pub(crate) struct OnFeatures<M, U> {
    pub(super) map: M,
    /// At least one update.
    pub(super) updates: Vec<U>,
}

impl<M: FeatureMap, U: Update> OnFeatures<M, U> {
    /// Makes one round: appends to each output the predictions that its update makes before it learns the labels.
    pub(super) fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, outputs: &mut [Output]) {
        self.map.project(x);
        self.grow_to(self.map.size());
        if self.replaces() {
            self.replace(x, outputs);
            self.finish_row(x, y, weight, |_, _, _| {});
        } else {
            self.finish_row(x, y, weight, |i, yhat, q| {
                outputs[i].yhat.extend_from_slice(yhat);
                outputs[i].q.push(q);
            });
        }
    }

    /// Makes the rounds of the first of these rows, at least one: appends the predictions and returns the number of
    /// rows. The row with which the map has `full` features is the last.
    pub(super) fn learn_block(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        full: usize,
        scratch: &mut Scratch,
        outputs: &mut [Output],
    ) -> usize {
        let (n_targets, mut done) = (self.n_targets(), 0);
        if self.updates[0].takes_blocks() {
            done = self.project_rows(rows, full, scratch);
        }
        if done > 0 {
            let Scratch { block, rounds } = scratch;
            for (update, output) in self.updates.iter_mut().zip(outputs.iter_mut()) {
                update.learn_rows(&block.features, rounds, &y[..done * n_targets], output);
            }
        }
        // A row that changes the features of later ones ends the block.
        if done < rows.len() && self.map.size() < full {
            let y = &y[done * n_targets..][..n_targets];
            self.learn_row(rows.row(done), y, 1.0, outputs);
            done += 1;
        }
        done
    }

    fn project_rows(&mut self, rows: &Rows<'_>, full: usize, scratch: &mut Scratch) -> usize {
        self.map.project_rows(rows, full, &mut scratch.block);
        self.grow_to(scratch.block.features.known());
        scratch.block.features.n_rows()
    }

    /// Number of labels that a row has.
    pub(super) fn n_targets(&self) -> usize {
        self.updates[0].n_targets()
    }

    /// Grows the updates to the number of features of the map.
    pub(super) fn grow_to(&mut self, size: usize) {
        for update in &mut self.updates {
            while update.size() < size {
                update.grow();
            }
        }
    }

    /// Returns true if the row at hand should replace another.
    fn replaces(&mut self) -> bool {
        self.map.evicting().is_some() && self.updates[0].evicting().is_some()
    }

    /// Predicts the row at hand, then removes the row that the updates need least and projects again.
    ///
    /// As a rule the costs of removal are those of the first update, which has the longest memory; when the stream has
    /// moved, those of the last, to which old rows are of no use.
    fn replace(&mut self, x: &[f64], outputs: &mut [Output]) {
        self.evicting().for_each(LeastSquares::settle);
        self.predict_projected(outputs);
        let Some(dictionary) = self.map.evicting() else {
            return;
        };
        let updates: Vec<&mut LeastSquares> = self
            .updates
            .iter_mut()
            .filter_map(Update::evicting)
            .collect();
        let asked = if dictionary.is_renewing() {
            updates.len() - 1
        } else {
            0
        };
        let costs = updates[asked].removal_costs(dictionary.map().factor());
        let cheapest = index_of_least(&costs);
        let rotations = dictionary.remove(cheapest);
        dictionary.project_again(x);
        for squares in updates {
            squares.remove(&rotations, cheapest);
        }
    }

    fn evicting(&mut self) -> impl Iterator<Item = &mut LeastSquares> {
        self.updates.iter_mut().filter_map(Update::evicting)
    }

    /// Appends the predictions of the updates for the row at hand.
    fn predict_projected(&self, outputs: &mut [Output]) {
        let (phi, n_targets) = (self.map.phi(), self.n_targets());
        for (update, output) in self.updates.iter().zip(outputs) {
            let start = output.yhat.len();
            output.yhat.resize(start + n_targets, 0.0);
            update.predict_into(phi, &mut output.yhat[start..]);
            output.q.extend(update.uncertainty(phi));
        }
    }

    /// Learns the row at hand, which may join; `record` is given the predictions of each update and its `phi . P phi`.
    fn finish_row(
        &mut self,
        x: &[f64],
        y: &[f64],
        weight: f64,
        mut record: impl FnMut(usize, &[f64], f64),
    ) {
        for update in &mut self.updates {
            update.begin(self.map.phi());
        }
        let change = self.map.admit(x);
        let (mut one, mut several) = ([0.0], Vec::new());
        let yhat = match y.len() {
            1 => &mut one[..],
            n => {
                several.resize(n, 0.0);
                &mut several
            }
        };
        for (i, update) in self.updates.iter_mut().enumerate() {
            let q = update.finish(self.map.phi(), change, y, weight, yhat);
            record(i, yhat, q);
        }
    }
}
