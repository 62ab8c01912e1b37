//! The experts, and what becomes of their predictions.

use super::AutoParams;
use super::combiner::Combiner;
use super::experts::{Experts, Group, Kind};
use super::lineup;
use super::means::Means;
use crate::data::Rows;
use crate::error::Error;
use crate::features::{Dictionary, FeatureMap, LinearMap};
use crate::limits::{ANYTHING, Range};
use crate::linalg::axpy_in_place;
use crate::persist::State;
use crate::predictor::{
    Line, Mixture, Scaling, compress_in_place, compressed, location, median_distance,
};
use crate::runtime::{for_each, heap};
use crate::updates::{Output, Update};

/// The most scales that a label may be from its centre.
const FARTHEST: f64 = 1e50;

/// Centre and scale of a target's labels.
type Unit = (f64, f64);

/// Experts of several widths and ridges, linear ones, and means of the labels; how rows and labels are scaled for
/// them, and how their predictions are combined.
#[derive(Debug, Clone)]
pub(super) struct Ensemble {
    scaling: Scaling,
    units: Vec<Unit>,
    distance: f64,
    /// Number of widths that are finer than the usual ones.
    n_finer: usize,
    /// The experts of each width, and those of a very short memory.
    kernels: Vec<Experts<Dictionary>>,
    linear: Experts<LinearMap>,
    /// The mean of the labels, and that of the last ones.
    means: Vec<Means>,
    combiners: Vec<Combiner>,
}

/// What is known of an expert.
#[derive(Debug, Clone)]
pub struct Expert {
    /// Width of its kernel, in scales of the features; `None` for a linear expert and for a mean.
    pub width: Option<f64>,
    /// Its ridge; `None` for a mean.
    pub ridge: Option<f64>,
    /// How much a row counts for it a row later.
    pub forgetting: f64,
    /// Its weight in the prediction of each target.
    pub weights: Vec<f64>,
    /// Its mean squared error on each target lately.
    pub losses: Vec<f64>,
}

impl Ensemble {
    /// Experts for rows and labels like these.
    pub(super) fn new(params: &AutoParams, rows: &Rows<'_>, y: &[f64]) -> Result<Self, Error> {
        let scaling = Scaling::of(rows.data(), rows.n_features());
        let (width, mut z) = (rows.n_features(), scaling.scaled(rows.data()));
        compress_in_place(&mut z);
        let unit = |target: usize| {
            let mut labels: Vec<f64> = y
                .iter()
                .copied()
                .skip(target)
                .step_by(params.n_targets)
                .collect();
            let (centre, scale) = location(&mut labels);
            (centre, if scale > 0.0 { scale } else { 1.0 })
        };
        let units = (0..params.n_targets).map(unit).collect();
        let distance = median_distance(&z, width);
        let n_finer = lineup::n_finer(params, &z, width, distance);
        Self::with(params, scaling, units, (distance, n_finer))
    }

    fn with(
        params: &AutoParams,
        scaling: Scaling,
        units: Vec<Unit>,
        (distance, n_finer): (f64, usize),
    ) -> Result<Self, Error> {
        let kernels = lineup::kernels(params, distance, n_finer)?;
        let linear = lineup::linear(params)?;
        let means = lineup::means(params);
        let n_kernels: usize = kernels.iter().map(|group| group.kinds().len()).sum();
        let n_experts = means.len() + n_kernels + linear.kinds().len();
        let combiner = |_| Combiner::new(n_experts, params.forgetting);
        Ok(Self {
            scaling,
            distance,
            n_finer,
            kernels,
            linear,
            means,
            combiners: units.iter().map(combiner).collect::<Result<_, Error>>()?,
            units,
        })
    }

    /// All groups of experts: those with kernels, then the linear one.
    fn groups(&self) -> impl Iterator<Item = &dyn Group> {
        let kernels = self.kernels.iter().map(|group| group as &dyn Group);
        kernels.chain([&self.linear as &dyn Group])
    }

    /// Width of the rows.
    pub(super) fn n_features(&self) -> usize {
        self.scaling.width()
    }

    /// Number of rows in all dictionaries.
    pub(super) fn n_basis(&self) -> usize {
        let dictionaries = self.kernels.iter().map(Experts::dictionary);
        dictionaries.map(FeatureMap::size).sum()
    }

    /// One round for a row that counts `weight` times: writes the predictions, returns how little is known about the row.
    pub(super) fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        self.scaling.notice(x);
        let z = self.scaling.scaled(x);
        let compressed = compressed(&z);
        let y = self.scaled(y);
        for group in &mut self.kernels {
            group.learn_row(&compressed, &y, weight);
        }
        self.linear.learn_row(&z, &y, weight);
        self.combine(0, &y, weight, yhat)
    }

    /// Rounds for many rows: appends the predictions and how little is known about each row. Groups of experts do not
    /// know of each other, so that threads can share them.
    pub(super) fn learn_rows(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        yhat: &mut Vec<f64>,
        q: &mut Vec<f64>,
    ) {
        let (width, n_targets) = (rows.n_features(), self.units.len());
        let mut z = vec![0.0; rows.len() * width];
        for (x, z) in rows.iter().zip(z.chunks_exact_mut(width)) {
            self.scaling.notice(x);
            self.scaling.scale_into(x, z);
        }
        let compressed = compressed(&z);
        let y = self.scaled(y);
        let [plain, compressed] = [&z, &compressed].map(|z| Rows::trusted(z, width, 0));
        let kernels = self.kernels.iter_mut().map(|group| group as &mut dyn Group);
        let mut work: Vec<(&mut dyn Group, &Rows<'_>)> =
            kernels.map(|group| (group, &compressed)).collect();
        work.push((&mut self.linear, &plain));
        for_each(&mut work, |(group, rows)| group.learn_rows(rows, &y));
        let start = yhat.len();
        yhat.resize(start + y.len(), 0.0);
        let rounds = y
            .chunks_exact(n_targets)
            .zip(yhat[start..].chunks_exact_mut(n_targets));
        for (i, (y, yhat)) in rounds.enumerate() {
            q.push(self.combine(i, y, 1.0, yhat));
        }
    }

    /// Labels of some rows in units of their targets, of which squares of squares stay finite.
    fn scaled(&self, y: &[f64]) -> Vec<f64> {
        let units = self.units.iter().cycle();
        let scale = |(y, (centre, scale)): (&f64, &Unit)| (y - centre) / scale;
        let scaled = y.iter().zip(units).map(scale);
        scaled.map(|y| y.clamp(-FARTHEST, FARTHEST)).collect()
    }

    /// Combines what the experts said of row `i`, then learns its scaled labels.
    fn combine(&mut self, i: usize, y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        let Self {
            kernels, linear, ..
        } = self;
        let outputs = || outputs(kernels, linear);
        let mut q: Vec<f64> = outputs().map(|output| output.q[i]).collect();
        let first = q.len();
        q.extend(self.means.iter().map(Means::uncertainty));
        let (n_targets, mut uncertainty) = (y.len(), 0.0);
        let mut experts = vec![0.0; q.len()];
        for (target, combiner) in self.combiners.iter_mut().enumerate() {
            for (expert, output) in experts.iter_mut().zip(outputs()) {
                *expert = output.yhat[i * n_targets + target];
            }
            for (expert, means) in experts[first..].iter_mut().zip(&self.means) {
                *expert = means.values[target];
            }
            let (combined, unknown) = combiner.learn(&experts, &q, y[target], weight);
            uncertainty += unknown / n_targets as f64;
            let (centre, scale) = self.units[target];
            yhat[target] = centre + scale * combined;
        }
        for means in &mut self.means {
            means.learn(y, weight);
        }
        uncertainty
    }

    /// How little is known about a row.
    pub(super) fn uncertainty(&self, x: &[f64]) -> f64 {
        let z = self.scaling.scaled(x);
        let compressed = compressed(&z);
        let kernels = self.kernels.iter();
        let mut q: Vec<f64> = kernels
            .flat_map(|group| group.uncertainties(&compressed))
            .collect();
        q.extend(self.linear.uncertainties(&z));
        q.extend(self.means.iter().map(Means::uncertainty));
        let sum: f64 = self
            .combiners
            .iter()
            .map(|combiner| combiner.mean(&q))
            .sum();
        sum / self.combiners.len() as f64
    }

    /// What is known of each expert; the means are the last.
    pub(super) fn experts(&self) -> Vec<Expert> {
        let weights: Vec<Vec<f64>> = self.combiners.iter().map(Combiner::weights).collect();
        let losses: Vec<Vec<f64>> = self
            .combiners
            .iter()
            .map(|c| c.losses().collect())
            .collect();
        let kinds = self.groups().flat_map(Group::kinds).copied();
        let kinds = kinds.map(
            |Kind {
                 width,
                 ridge,
                 forgetting,
             }| (width, Some(ridge), forgetting),
        );
        let means = self
            .means
            .iter()
            .map(|means| (None, None, means.forgetting));
        let all = kinds.chain(means);
        all.enumerate()
            .map(|(i, (width, ridge, forgetting))| Expert {
                width,
                ridge,
                forgetting,
                weights: weights.iter().map(|weights| weights[i]).collect(),
                losses: losses
                    .iter()
                    .zip(&self.units)
                    .map(|(losses, (_, scale))| losses[i] * scale * scale)
                    .collect(),
            })
            .collect()
    }

    /// What predicts now: experts of one width are one expansion.
    pub(super) fn mixture(&self, ranges: impl Iterator<Item = Range>) -> Mixture {
        let weights: Vec<Vec<f64>> = self.combiners.iter().map(Combiner::weights).collect();
        let (mut first, mut expansions) = (0, Vec::new());
        for group in &self.kernels {
            let w = self.combined(group, first, &weights);
            let map = group.dictionary().map();
            expansions.push(map.expansion(|target| &w[target], &vec![ANYTHING; w.len()]));
            first += group.kinds().len();
        }
        let w = self.combined(&self.linear, first, &weights);
        first += self.linear.kinds().len();
        let line = |((target, range), w): ((usize, Range), &Vec<f64>)| {
            let (centre, scale) = self.units[target];
            let weights = weights[target][first..].iter();
            let means = self.means.iter().map(|means| means.values[target]);
            let mean: f64 = weights.zip(means).map(|(weight, mean)| weight * mean).sum();
            Line {
                slopes: w[1..].to_vec(),
                constant: centre + scale * mean + w[0],
                range,
            }
        };
        Mixture {
            scaling: self.scaling.clone(),
            expansions,
            lines: ranges.enumerate().zip(&w).map(line).collect(),
        }
    }

    /// The weights of each target on the features of a group, whose first expert has this place among all.
    fn combined(&self, group: &dyn Group, first: usize, weights: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let experts = group.experts();
        let combine = |(target, (_, scale)): (usize, &Unit)| {
            let mut w = vec![0.0; experts[0].size()];
            for (expert, weight) in experts.iter().zip(&weights[target][first..]) {
                axpy_in_place(scale * weight, expert.w(target), &mut w);
            }
            w
        };
        self.units.iter().enumerate().map(combine).collect()
    }

    pub(super) fn save(&self, state: &mut State) {
        self.scaling.save(state);
        let units: Vec<f64> = self.units.iter().flat_map(|&(c, s)| [c, s]).collect();
        state.put("units", units);
        state.put("distance", [self.distance]);
        state.put_indices("n_finer", &[self.n_finer]);
        for (i, means) in self.means.iter().enumerate() {
            means.save(i, state);
        }
        for (i, group) in self.kernels.iter().enumerate() {
            state.nest(&format!("group{i}"), |state| group.save(state));
        }
        let linear = format!("group{}", self.kernels.len());
        state.nest(&linear, |state| self.linear.save(state));
        for (i, combiner) in self.combiners.iter().enumerate() {
            state.nest(&format!("combiner{i}"), |state| combiner.save(state));
        }
    }

    pub(super) fn load(params: &AutoParams, state: &State) -> Result<Self, Error> {
        let units = state.vector("units", 2 * params.n_targets)?;
        let units: Vec<Unit> = units
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[c, s]| (*c, *s))
            .collect();
        if units.iter().any(|(_, scale)| *scale <= 0.0) {
            return Err(Error::model_file("units should be positive"));
        }
        let (distance, n_finer) = (state.scalar("distance")?, state.count("n_finer")?);
        if n_finer > lineup::MOST_FINER {
            return Err(Error::model_file("n_finer should be at most 3"));
        }
        let scaling = Scaling::load(state)?;
        let mut ensemble = Self::with(params, scaling, units, (distance, n_finer))?;
        for (i, means) in ensemble.means.iter_mut().enumerate() {
            means.load(i, state)?;
        }
        let width = ensemble.scaling.width();
        for (i, group) in ensemble.kernels.iter_mut().enumerate() {
            group.load(&state.inner(&format!("group{i}")), width)?;
        }
        let linear = format!("group{}", ensemble.kernels.len());
        ensemble.linear.load(&state.inner(&linear), width)?;
        for (i, combiner) in ensemble.combiners.iter_mut().enumerate() {
            combiner.load(&state.inner(&format!("combiner{i}")))?;
        }
        Ok(ensemble)
    }
}

/// What each expert said of the rows learned last.
fn outputs<'a>(
    kernels: &'a [Experts<Dictionary>],
    linear: &'a Experts<LinearMap>,
) -> impl Iterator<Item = &'a Output> {
    let kernels = kernels.iter().flat_map(Group::outputs);
    kernels.chain(linear.outputs())
}

heap!(Ensemble: scaling, kernels, linear, combiners);
