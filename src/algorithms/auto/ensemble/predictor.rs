//! The description of an ensemble, and its predictor.

use super::super::any_experts::AnyExperts;
use super::super::boosted::Boosted;
use super::super::combiner::Combiner;
use super::super::relevant::Relevant;
use super::super::stretched::Stretched;
use super::super::units::Unit;
use super::{Ensemble, Expert};
use crate::limits::{Range, UNBOUNDED};
use crate::linalg::{axpy_in_place, dot};
use crate::predictor::{Curved, Expansion, Extension, Line, Metric, Mixture, Trees};
use crate::updates::{LeastSquares, Update};

/// The weights of experts for each target, taken group by group.
struct Weights {
    all: Vec<Vec<f64>>,
    first: usize,
}

impl Weights {
    /// The weights of the next `n` experts for each target, times its scale.
    fn next(&mut self, n: usize, units: &[Unit]) -> Vec<Vec<f64>> {
        let range = self.first..self.first + n;
        self.first = range.end;
        let scaled = |(weights, (_, scale)): (&Vec<f64>, &Unit)| {
            weights[range.clone()].iter().map(|w| scale * w).collect()
        };
        self.all.iter().zip(units).map(scaled).collect()
    }

    /// The combined weights of each target on the features of the next experts.
    fn combined(&mut self, updates: &[LeastSquares], units: &[Unit]) -> Vec<Vec<f64>> {
        let weights = self.next(updates.len(), units).into_iter();
        let combine = |(target, weights): (usize, Vec<f64>)| {
            let mut w = vec![0.0; updates[0].size()];
            for (update, weight) in updates.iter().zip(weights) {
                axpy_in_place(weight, update.w(target), &mut w);
            }
            w
        };
        weights.enumerate().map(combine).collect()
    }
}

impl Weights {
    /// The combined expansions of the next experts that are awake, with their metrics.
    fn mapped(&mut self, experts: &[Relevant], units: &[Unit]) -> Vec<(Metric, Expansion)> {
        let unbounded = vec![UNBOUNDED; units.len()];
        let mapped = experts.iter().filter_map(|relevant| {
            let w = self.combined(relevant.updates(), units);
            let map = relevant.dictionary().map();
            (!relevant.is_asleep()).then(|| {
                let expansion = map.expansion(|target| &w[target], &unbounded);
                (relevant.metric().clone(), expansion)
            })
        });
        mapped.collect()
    }

    /// The part of the next experts, which learn labels on curves, if they are awake.
    fn curved(&mut self, stretched: &Stretched, units: &[Unit]) -> Option<Curved> {
        let (relevant, n_targets) = (stretched.experts(), units.len());
        let updates = relevant.updates();
        let weights = self.next(updates.len(), units);
        if relevant.is_asleep() {
            return None;
        }
        let unbounded = vec![UNBOUNDED; updates.len() * n_targets];
        let w = |i: usize| updates[i / n_targets].w(i % n_targets);
        let of_expert = |expert: usize| weights.iter().map(move |weights| weights[expert]);
        Some(Curved {
            metric: relevant.metric().clone(),
            expansion: relevant.dictionary().map().expansion(w, &unbounded),
            curves: stretched.smeared().collect(),
            weights: (0..updates.len()).flat_map(of_expert).collect(),
            ranges: stretched.ranges(),
        })
    }

    /// The trees of the next expert, with its weight for each target.
    fn trees(&mut self, boosted: &Boosted, units: &[Unit]) -> Vec<Trees> {
        let weights = self.next(1, units).into_iter().zip(boosted.trees());
        weights
            .map(|(weight, trees)| trees.scaled(weight[0]))
            .collect()
    }
}

impl Ensemble {
    fn weights(&self) -> Weights {
        Weights {
            all: self.combiners.iter().map(Combiner::weights).collect(),
            first: 0,
        }
    }

    /// The descriptions of all experts.
    pub(in super::super) fn experts(&self) -> Vec<Expert> {
        let losses: Vec<Vec<f64>> = self
            .combiners
            .iter()
            .map(|c| c.losses().collect())
            .collect();
        let weights = self.weights().all;
        let expert = |(i, kind): (usize, &super::Kind)| Expert {
            kind: kind.family,
            width: kind.width,
            ridge: kind.ridge,
            forgetting: kind.forgetting,
            weights: weights.iter().map(|weights| weights[i]).collect(),
            losses: losses
                .iter()
                .zip(&self.units)
                .map(|(losses, (_, scale))| losses[i] * scale * scale)
                .collect(),
        };
        self.kinds().enumerate().map(expert).collect()
    }

    /// The predictor of this moment: experts of one dictionary are one expansion, and the past of the labels is that of
    /// the row that comes next.
    pub(in super::super) fn mixture(&self, ranges: impl Iterator<Item = Range>) -> Mixture {
        let (units, mut weights) = (&self.units, self.weights());
        let unbounded = vec![UNBOUNDED; units.len()];
        // Experts that are asleep have no weight.
        let kernels = self.kernels.iter().filter_map(|experts| {
            let w = weights.combined(experts.updates(), units);
            let map = experts.dictionary().map();
            (!experts.is_asleep()).then(|| map.expansion(|target| &w[target], &unbounded))
        });
        let expansions = kernels.collect();
        let w = weights.combined(self.linear.updates(), units);
        let means = weights.next(self.means.kinds().len(), units);
        let line = |(target, range): (usize, Range)| {
            let terms = means[target].iter().zip(&self.means.each);
            let mean: f64 = terms
                .map(|(weight, mean)| weight * mean.values[target])
                .sum();
            Line {
                slopes: w[target][1..].to_vec(),
                constant: units[target].0 + mean + w[target][0] + self.correction(target),
                range,
            }
        };
        let mut lines: Vec<Line> = ranges.enumerate().map(line).collect();
        let extension = self.extension(&mut weights, &mut lines);
        Mixture {
            scaling: self.scaling.clone(),
            expansions,
            lines,
            extension,
        }
    }

    /// The correction of the next prediction of a target.
    fn correction(&self, target: usize) -> f64 {
        let correction = self.corrections.get(target);
        let corrected = correction.map_or(0.0, |c| c.corrected(&c.propose(0.0)));
        self.units[target].1 * corrected
    }

    /// The part of the predictor that adaptive experts make; the linear ones are added to the lines.
    fn extension(&self, weights: &mut Weights, lines: &mut [Line]) -> Option<Extension> {
        let (adaptive, units) = (self.adaptive.as_ref()?, &self.units);
        if let Some(linear) = &adaptive.linear {
            let w = weights.combined(linear.updates(), units);
            let past = adaptive.past.features();
            for (line, w) in lines.iter_mut().zip(&w) {
                let (of_past, own) = w[1..].split_at(past.len());
                axpy_in_place(1.0, own, &mut line.slopes);
                line.constant += w[0] + dot(of_past, &past);
            }
        }
        let mut mapped = weights.mapped(&adaptive.metrics, units);
        let mut trees = weights.trees(&adaptive.boosted, units);
        if let Some(focused) = &adaptive.focused {
            mapped.extend(weights.mapped(&focused.metrics, units));
            let others = weights.trees(&focused.boosted, units);
            trees
                .iter_mut()
                .zip(others)
                .for_each(|(trees, others)| trees.append(others));
        }
        let stretched = adaptive.stretched.as_ref();
        let curved = stretched.and_then(|stretched| weights.curved(stretched, units));
        Some(Extension {
            past: adaptive.hidden_past(),
            mapped,
            trees,
            curved: curved.map(Box::new),
        })
    }
}
