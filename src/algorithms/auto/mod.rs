//! Good predictions without tuning.

mod bounds;
mod combiner;
mod group;
mod scaling;
mod team;
mod watch;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::{Algorithm, learn_one_by_one, learn_one_target, predict_first_target};
use crate::block::Block;
use crate::dictionary::Policy;
use crate::error::Error;
use crate::function::{Function, Line};
use crate::linalg::Panels;
use crate::memory::heap;
use crate::params::{at_least_one, targets};
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{LeastSquares, Scores};
use bounds::Bounds;
pub use scaling::Scaling;
pub(crate) use scaling::compress_in_place;
pub use team::Expert;
use team::Team;

/// Rows after which there are experts for the first time; then whenever there are twice as many, until the warm-up ends.
const FIRST: usize = 8;

/// Rows that are learned together: enough for threads to be worth it.
const LONGEST: usize = 256;

/// Parameters of [`Auto`].
///
/// ```
/// use nystream::{AutoParams, Learner};
///
/// let mut learner = Learner::new(AutoParams::default())?;
/// for i in 0..400 {
///     let x = f64::from(i % 20);
///     learner.learn_row(&[1e6 * x], 1e-3 * (x / 3.0).sin())?;
/// }
/// assert!((learner.predict_row(&[6e6])? - 1e-3 * 2.0_f64.sin()).abs() < 1e-5);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoParams {
    /// Rows from which scales and widths are taken, at least 8. Default 300.
    pub warm_up: usize,
    /// The most rows that the dictionary of each width keeps, at least 1. Default 150.
    pub max_basis: usize,
    /// What happens at that cap. Default replace.
    pub policy: Policy,
    /// How much a row counts a row later where experts are compared, 0.5 to 1. Default 0.999.
    pub forgetting: f64,
    /// Number of labels that a row has, at least 1. Default 1.
    pub n_targets: usize,
}

impl Default for AutoParams {
    fn default() -> Self {
        Self {
            warm_up: 300,
            max_basis: 150,
            policy: Policy::Replace,
            forgetting: 0.999,
            n_targets: 1,
        }
    }
}

impl AutoParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Auto, Error> {
        targets(self.n_targets)?;
        at_least_one("max_basis", self.max_basis)?;
        if self.warm_up < FIRST {
            let warm_up = self.warm_up as f64;
            return Err(Error::parameter("warm_up", "at least 8", warm_up));
        }
        LeastSquares::new(1.0, false)?.forgetting(self.forgetting)?;
        Ok(Auto {
            params: self.clone(),
            seen: 0,
            first: First::default(),
            means: vec![0.0; self.n_targets],
            weight: 0.0,
            team: None,
            bounds: vec![Bounds::default(); self.n_targets],
            scores: Scores::new(self.n_targets),
            function: OnceLock::new(),
        })
    }

    /// How much a row counts a row later for experts that forget so many times as fast as experts are compared.
    fn memory(&self, times: f64) -> f64 {
        (1.0 - times * (1.0 - self.forgetting)).max(0.5)
    }
}

/// Many experts on scaled features, combined: nothing has to be known of the stream.
///
/// A row costs O(dJ + J^2) for each of five widths with J rows kept, whatever the length of the stream.
#[derive(Debug)]
pub struct Auto {
    params: AutoParams,
    /// Rows learned, while it is warming up.
    seen: usize,
    first: First,
    /// The mean of the labels of each target, and what they weigh, before there are experts.
    means: Vec<f64>,
    weight: f64,
    team: Option<Team>,
    bounds: Vec<Bounds>,
    scores: Scores,
    /// What predicts, if anyone has asked.
    function: OnceLock<Function>,
}

/// The rows of the warm-up.
#[derive(Debug, Default)]
struct First {
    rows: Panels,
    y: Vec<f64>,
    weights: Vec<f64>,
}

impl Auto {
    /// What is known of each expert; nothing before there are any.
    pub fn experts(&self) -> Vec<Expert> {
        self.team.as_ref().map_or(Vec::new(), Team::experts)
    }

    fn is_warming_up(&self) -> bool {
        self.seen < self.params.warm_up
    }

    fn blend(&self) -> &Function {
        self.function.get_or_init(|| {
            let ranges = self.bounds.iter().map(Bounds::range);
            if let Some(team) = &self.team {
                return Function::Blend(team.blend(ranges));
            }
            let lines = self.means.iter().map(|mean| Line::constant(*mean));
            Function::Linear(lines.collect())
        })
    }

    /// Brings predictions for a row into the range of the labels, then takes in its labels.
    fn close(&mut self, yhat: &mut [f64], y: &[f64], q: f64) {
        for ((yhat, y), bounds) in yhat.iter_mut().zip(y).zip(&mut self.bounds) {
            let (low, high) = bounds.range();
            *yhat = yhat.clamp(low, high);
            bounds.include(*y);
        }
        self.scores
            .push(yhat.iter().zip(y).map(|(yhat, y)| y - yhat), q);
    }

    /// Keeps a row of the warm-up; whenever there are twice as many, and at its end, experts begin anew with all of them.
    fn warm_up(&mut self, x: &[f64], y: &[f64], weight: f64) {
        self.seen += 1;
        self.weight += weight;
        for (mean, y) in self.means.iter_mut().zip(y) {
            *mean += (y - *mean) * weight / self.weight;
        }
        self.first.rows.push(x);
        self.first.y.extend_from_slice(y);
        self.first.weights.push(weight);
        let is_over = !self.is_warming_up();
        if is_over || (self.seen >= FIRST && self.seen.is_power_of_two()) {
            self.team = self.begin().ok().or(self.team.take());
        }
        if is_over {
            self.first = First::default();
        }
    }

    /// Experts that have learned the rows of the warm-up.
    fn begin(&self) -> Result<Team, Error> {
        let First { rows, y, weights } = &self.first;
        let (data, n_targets) = (rows.to_vec(), self.params.n_targets);
        let rows = Rows::trusted(&data, rows.n_features(), 0);
        let mut team = Team::new(&self.params, &rows, y)?;
        let mut yhat = vec![0.0; n_targets];
        for ((x, y), weight) in rows.iter().zip(y.chunks_exact(n_targets)).zip(weights) {
            team.learn_row(x, y, *weight, &mut yhat);
        }
        Ok(team)
    }
}

impl Algorithm for Auto {
    fn n_targets(&self) -> usize {
        self.params.n_targets
    }

    fn predict(&self, x: &[f64]) -> f64 {
        predict_first_target(self, x)
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        self.blend().predict_into(x, out);
    }

    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        self.blend().predict_rows_into(rows, out);
    }

    fn function(&self) -> Option<Function> {
        Some(self.blend().clone())
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        learn_one_target(self, x, y)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_targets(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        self.function.take();
        let q = if let Some(team) = &mut self.team {
            team.learn_row(x, y, weight, yhat)
        } else {
            yhat.copy_from_slice(&self.means);
            self.uncertainty(x)
        };
        self.close(yhat, y, q);
        if self.is_warming_up() {
            self.warm_up(x, y, weight);
        }
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.params.max_basis)
    }

    fn longest_block(&self) -> usize {
        LONGEST
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        let n_targets = self.n_targets();
        let left = self
            .params
            .warm_up
            .saturating_sub(self.seen)
            .min(rows.len());
        let (first, rest) = (rows.slice(0..left), rows.slice(left..rows.len()));
        learn_one_by_one(self, &first, &y[..left * n_targets], yhat);
        if rest.len() == 0 {
            return;
        }
        let (y, start) = (&y[left * n_targets..], yhat.len());
        let Some(team) = &mut self.team else {
            return learn_one_by_one(self, &rest, y, yhat);
        };
        self.function.take();
        block.q.clear();
        team.learn_rows(&rest, y, yhat, &mut block.q);
        let rounds = yhat[start..]
            .chunks_exact_mut(n_targets)
            .zip(y.chunks_exact(n_targets));
        for ((yhat, y), q) in rounds.zip(&block.q) {
            self.close(yhat, y, *q);
        }
    }

    fn scores(&self) -> Option<&Scores> {
        Some(&self.scores)
    }

    /// Before there are experts it is that of a mean; before there is a label, as little as after the tenth of one.
    fn uncertainty(&self, x: &[f64]) -> f64 {
        match &self.team {
            Some(team) => team.uncertainty(x),
            None => self.weight.max(0.1).recip(),
        }
    }

    fn experts(&self) -> Vec<Expert> {
        Auto::experts(self)
    }

    fn n_basis(&self) -> usize {
        self.team.as_ref().map_or(0, Team::n_basis)
    }

    fn n_features(&self) -> Option<usize> {
        let first = (self.seen > 0 && self.team.is_none()).then(|| self.first.rows.n_features());
        self.team.as_ref().map(Team::n_features).or(first)
    }

    fn numbers_at(&self, n_features: usize) -> usize {
        let rows = self.params.warm_up.max(self.params.max_basis);
        // Three linear experts have half a square each.
        n_features.saturating_mul(n_features.saturating_mul(2).saturating_add(rows))
    }

    fn save(&self, state: &mut State) {
        state.put_indices("seen", &[self.seen]);
        state.put_rows("first_rows", &self.first.rows);
        state.put("first_labels", &*self.first.y);
        state.put("first_weights", &*self.first.weights);
        state.put("means", &*self.means);
        state.put("weight", [self.weight]);
        self.scores.save(state);
        for (i, bounds) in self.bounds.iter().enumerate() {
            state.nest(&format!("target{i}"), |state| bounds.save(state));
        }
        if let Some(team) = &self.team {
            state.nest("team", |state| team.save(state));
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
        for (i, bounds) in self.bounds.iter_mut().enumerate() {
            *bounds = Bounds::load(&state.inner(&format!("target{i}")))?;
        }
        let team = state.inner("team");
        if team.has("units") {
            self.team = Some(Team::load(&self.params, &team)?);
        } else if !self.is_warming_up() {
            self.seen = 0; // there were no experts for such rows: it warms up again
        }
        Ok(())
    }
}

heap!(First: rows, y, weights);
heap!(Auto: first, means, team, scores, function);

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
                before.learn(&[*x], *y);
            }
            before.team = None;
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
