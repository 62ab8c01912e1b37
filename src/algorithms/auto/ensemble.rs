//! The ensemble: experts, the scaling of their data, and the combination of their predictions.

use super::AutoParams;
use super::combiner::Combiner;
use super::experts::{AnyExperts, Experts, Kind};
use super::lineup;
use super::means::Means;
use crate::data::Rows;
use crate::error::Error;
use crate::features::{Dictionary, FeatureMap, LinearMap};
use crate::limits::{Range, UNBOUNDED};
use crate::linalg::axpy_in_place;
use crate::persist::State;
use crate::predictor::{
    Line, Mixture, Scaling, compress_in_place, compressed, location, median_distance,
};
use crate::runtime::{for_each, heap};
use crate::updates::{Output, Update};

/// The largest distance of a label from its centre, in scales.
const FARTHEST: f64 = 1e50;

/// Centre and scale of a target's labels.
type Unit = (f64, f64);

/// Experts of several widths and ridges, linear ones and means, with the scaling of their data and their combination.
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

/// The description of an expert.
#[derive(Debug, Clone)]
pub struct Expert {
    /// Width of its kernel, in scales of the features; `None` for a linear expert and for a mean.
    pub width: Option<f64>,
    /// The ridge; `None` for a mean.
    pub ridge: Option<f64>,
    /// The forgetting factor.
    pub forgetting: f64,
    /// The weight in the prediction of each target.
    pub weights: Vec<f64>,
    /// The mean squared error on each target lately.
    pub losses: Vec<f64>,
}

impl Ensemble {
    /// An ensemble for rows and labels like these.
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
        let n_kernels: usize = kernels.iter().map(|experts| experts.kinds().len()).sum();
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

    /// The experts of each width, then the linear ones.
    fn all_experts(&self) -> impl Iterator<Item = &dyn AnyExperts> {
        let kernels = self.kernels.iter().map(|e| e as &dyn AnyExperts);
        kernels.chain([&self.linear as &dyn AnyExperts])
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

    /// Makes the round of a row that counts `weight` times: writes the predictions and returns the uncertainty.
    pub(super) fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        self.scaling.update(x);
        let z = self.scaling.scaled(x);
        let compressed = compressed(&z);
        let y = self.scaled(y);
        for experts in &mut self.kernels {
            experts.learn_row(&compressed, &y, weight);
        }
        self.linear.learn_row(&z, &y, weight);
        self.combine(0, &y, weight, yhat)
    }

    /// Makes the rounds of many rows: appends the predictions and the uncertainty of each row. Experts of different
    /// widths do not depend on each other, so threads share them.
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
            self.scaling.update(x);
            self.scaling.scale_into(x, z);
        }
        let compressed = compressed(&z);
        let y = self.scaled(y);
        let [plain, compressed] = [&z, &compressed].map(|z| Rows::trusted(z, width, 0));
        let kernels = self.kernels.iter_mut().map(|e| e as &mut dyn AnyExperts);
        let mut work: Vec<(&mut dyn AnyExperts, &Rows<'_>)> =
            kernels.map(|experts| (experts, &compressed)).collect();
        work.push((&mut self.linear, &plain));
        for_each(&mut work, |(experts, rows)| experts.learn_rows(rows, &y));
        let start = yhat.len();
        yhat.resize(start + y.len(), 0.0);
        let rounds = y
            .chunks_exact(n_targets)
            .zip(yhat[start..].chunks_exact_mut(n_targets));
        for (i, (y, yhat)) in rounds.enumerate() {
            q.push(self.combine(i, y, 1.0, yhat));
        }
    }

    /// Labels of some rows in units of their targets, clipped so that their fourth powers stay finite.
    fn scaled(&self, y: &[f64]) -> Vec<f64> {
        let units = self.units.iter().cycle();
        let scale = |(y, (centre, scale)): (&f64, &Unit)| (y - centre) / scale;
        let scaled = y.iter().zip(units).map(scale);
        scaled.map(|y| y.clamp(-FARTHEST, FARTHEST)).collect()
    }

    /// Combines the experts' predictions for row `i`, then learns its scaled labels; returns the uncertainty.
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
            let (combined, unknown) = combiner.learn_row(&experts, &q, y[target], weight);
            uncertainty += unknown / n_targets as f64;
            let (centre, scale) = self.units[target];
            yhat[target] = centre + scale * combined;
        }
        for means in &mut self.means {
            means.update(y, weight);
        }
        uncertainty
    }

    /// The uncertainty of the prediction for a row.
    pub(super) fn uncertainty(&self, x: &[f64]) -> f64 {
        let z = self.scaling.scaled(x);
        let compressed = compressed(&z);
        let kernels = self.kernels.iter();
        let mut q: Vec<f64> = kernels
            .flat_map(|experts| experts.uncertainties(&compressed))
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

    /// The descriptions of all experts; the means are the last.
    pub(super) fn experts(&self) -> Vec<Expert> {
        let weights: Vec<Vec<f64>> = self.combiners.iter().map(Combiner::weights).collect();
        let losses: Vec<Vec<f64>> = self
            .combiners
            .iter()
            .map(|c| c.losses().collect())
            .collect();
        let kinds = self.all_experts().flat_map(AnyExperts::kinds).copied();
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

    /// The predictor of this moment: experts of one width are one expansion.
    pub(super) fn mixture(&self, ranges: impl Iterator<Item = Range>) -> Mixture {
        let weights: Vec<Vec<f64>> = self.combiners.iter().map(Combiner::weights).collect();
        let (mut first, mut expansions) = (0, Vec::new());
        for experts in &self.kernels {
            let w = self.combined(experts, first, &weights);
            let map = experts.dictionary().map();
            expansions.push(map.expansion(|target| &w[target], &vec![UNBOUNDED; w.len()]));
            first += experts.kinds().len();
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

    /// The combined weights of each target on the features of some experts, which start at index `first` among all.
    fn combined(
        &self,
        experts: &dyn AnyExperts,
        first: usize,
        weights: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        let updates = experts.updates();
        let combine = |(target, (_, scale)): (usize, &Unit)| {
            let mut w = vec![0.0; updates[0].size()];
            for (update, weight) in updates.iter().zip(&weights[target][first..]) {
                axpy_in_place(scale * weight, update.w(target), &mut w);
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
        for (i, experts) in self.kernels.iter().enumerate() {
            state.nest(&format!("group{i}"), |state| experts.save(state));
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
        for (i, experts) in ensemble.kernels.iter_mut().enumerate() {
            experts.load(&state.inner(&format!("group{i}")), width)?;
        }
        let linear = format!("group{}", ensemble.kernels.len());
        ensemble.linear.load(&state.inner(&linear), width)?;
        for (i, combiner) in ensemble.combiners.iter_mut().enumerate() {
            combiner.load(&state.inner(&format!("combiner{i}")))?;
        }
        Ok(ensemble)
    }
}

/// The predictions of each expert for the rows learned last.
fn outputs<'a>(
    kernels: &'a [Experts<Dictionary>],
    linear: &'a Experts<LinearMap>,
) -> impl Iterator<Item = &'a Output> {
    let kernels = kernels.iter().flat_map(AnyExperts::outputs);
    kernels.chain(linear.outputs())
}

heap!(Ensemble: scaling, kernels, linear, combiners);
