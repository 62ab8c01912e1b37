//! The ensemble: experts, the scaling of their data, and the combination of their predictions.

mod file;
mod forms;
mod late;
mod predictor;
mod renewal;

use std::collections::VecDeque;

use super::AutoParams;
use super::adaptive::Adaptive;
use super::any_experts::AnyExperts;
use super::combiner::Combiner;
use super::correction::Correction;
use super::events::{Event, Events};
use super::experts::Experts;
use super::kinds::Kind;
use super::lineup;
use super::means::Means;
use super::units::{Unit, scaled, unscaled};
use crate::data::Rows;
use crate::error::Error;
use crate::features::{Dictionary, FeatureMap, LinearMap};
use crate::predictor::{Scaling, compress_in_place, compressed, location, median_distance};
use crate::runtime::{for_each, heap};
use crate::updates::Output;
use forms::Forms;

/// Number of rows between two checks for a change of the stream.
const CHECK_EVERY: u64 = 256;

/// The fewest rows of which adaptive experts are made anew.
const FEWEST: usize = 64;

/// Experts of several kinds, with the scaling of their data and their combination.
#[derive(Debug, Clone)]
pub(super) struct Ensemble {
    params: AutoParams,
    scaling: Scaling,
    units: Vec<Unit>,
    distance: f64,
    /// Number of widths that are finer than the usual ones.
    n_finer: usize,
    /// The experts of each width, and those of a very short memory.
    kernels: Vec<Experts<Dictionary>>,
    linear: Experts<LinearMap>,
    /// The mean of the labels, that of the last ones, and the last one.
    means: Means,
    /// The experts that learn what to look at; `None` in a model of the first file format.
    adaptive: Option<Adaptive>,
    combiners: Vec<Combiner>,
    /// One for each target; none if experts may not look at the past of the labels.
    corrections: Vec<Correction>,
    /// Number of rows learned, and the number at which adaptive experts are made anew.
    rounds: u64,
    renewed_next: u64,
    /// Number of rows after which the stream last changed, and of take-overs so far.
    changed_at: u64,
    take_overs: u64,
    /// Number of rows after which the stream was last checked for a change.
    checked_at: u64,
    /// Number of rows of which the ensemble began: what older experts predicted says nothing about these.
    begun_at: u64,
    /// Number of rows that were predicted between the prediction of the last row and its label.
    delay: usize,
    events: Events,
}

/// The description of an expert.
#[derive(Debug, Clone)]
pub struct Expert {
    /// The kind: kernel, linear, mean, past, smooth, rough, mixed or trees, some of them focused; or stretched.
    pub kind: &'static str,
    /// Width of its kernel, in scales of the features; `None` without a kernel.
    pub width: Option<f64>,
    /// The ridge; `None` for a mean and for trees.
    pub ridge: Option<f64>,
    /// The forgetting factor.
    pub forgetting: f64,
    /// The weight in the prediction of each target.
    pub weights: Vec<f64>,
    /// The mean squared error on each target lately; infinite for an expert that is asleep.
    pub losses: Vec<f64>,
}

impl Ensemble {
    /// An ensemble for rows and labels like these.
    fn new(params: &AutoParams, rows: &Rows<'_>, y: &[f64]) -> Result<Self, Error> {
        let scaling = Scaling::of(rows.data(), rows.n_features());
        let (width, mut z) = (rows.n_features(), scaling.scaled(rows.data()));
        compress_in_place(&mut z);
        let unit = |target: usize| {
            let labels = y.iter().copied().skip(target).step_by(params.n_targets);
            let (centre, scale) = location(&mut labels.collect::<Vec<f64>>());
            (centre, if scale > 0.0 { scale } else { 1.0 })
        };
        let units: Vec<Unit> = (0..params.n_targets).map(unit).collect();
        let distance = median_distance(&z, width);
        let n_finer = lineup::n_finer(params, &z, width, distance);
        let adaptive = Adaptive::new(params, (&z, width), &scaled(y, &units))?;
        Self::with(params, scaling, units, (distance, n_finer), Some(adaptive))
    }

    /// An ensemble that has learned rows like these, with labels that come `delay` rows late. Adaptive experts are made
    /// anew from half of them, then from all, so that there is something to compare them by.
    pub(super) fn begin(
        params: &AutoParams,
        rows: &Rows<'_>,
        (y, weights): (&[f64], &[f64]),
        delay: usize,
    ) -> Result<Self, Error> {
        let (mut ensemble, half) = (Self::new(params, rows, y)?, rows.len() / 2);
        let mut asked = VecDeque::new();
        for range in [0..half, half..rows.len()] {
            let y = &y[range.start * params.n_targets..range.end * params.n_targets];
            match delay {
                0 => ensemble.learn_weighted(&rows.slice(range.clone()), y, &weights[range]),
                _ => ensemble.learn_delayed(rows, (range, y, weights), delay, &mut asked),
            }
            if rows.len() >= FEWEST {
                ensemble.renew();
            }
        }
        ensemble.begun_at = ensemble.rounds;
        ensemble.delay = delay;
        Ok(ensemble)
    }

    fn with(
        params: &AutoParams,
        scaling: Scaling,
        units: Vec<Unit>,
        (distance, n_finer): (f64, usize),
        adaptive: Option<Adaptive>,
    ) -> Result<Self, Error> {
        let mut ensemble = Self {
            params: params.clone(),
            scaling,
            distance,
            n_finer,
            kernels: lineup::kernels(params, distance, n_finer)?,
            linear: lineup::linear(params)?,
            means: lineup::means(params, adaptive.is_some() && params.use_past),
            adaptive,
            combiners: Vec::new(),
            corrections: Vec::new(),
            units,
            rounds: 0,
            renewed_next: 2 * params.warm_up as u64,
            changed_at: 0,
            take_overs: 0,
            checked_at: 0,
            begun_at: 0,
            delay: 0,
            events: Events::default(),
        };
        let n_experts = ensemble.kinds().count();
        let combiner = |_| Combiner::new(n_experts, params.forgetting);
        let combiners = ensemble.units.iter().map(combiner);
        ensemble.combiners = combiners.collect::<Result<_, Error>>()?;
        let corrected = ensemble.adaptive.as_ref().map_or(0, |_| params.n_pasts());
        let corrections = (0..corrected).map(|_| Correction::new(params.forgetting));
        ensemble.corrections = corrections.collect::<Result<_, Error>>()?;
        Ok(ensemble)
    }

    /// All experts, in the order in which they are combined.
    fn groups(&self) -> impl Iterator<Item = &dyn AnyExperts> {
        let kernels = self.kernels.iter().map(|e| e as &dyn AnyExperts);
        let others: [&dyn AnyExperts; 2] = [&self.linear, &self.means];
        let adaptive = self.adaptive.iter().flat_map(Adaptive::groups);
        kernels.chain(others).chain(adaptive)
    }

    fn groups_mut(&mut self) -> impl Iterator<Item = &mut dyn AnyExperts> {
        let kernels = self.kernels.iter_mut().map(|e| e as &mut dyn AnyExperts);
        let others: [&mut dyn AnyExperts; 2] = [&mut self.linear, &mut self.means];
        let adaptive = self.adaptive.iter_mut().flat_map(Adaptive::groups_mut);
        kernels.chain(others).chain(adaptive)
    }

    fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.groups().flat_map(AnyExperts::kinds)
    }

    /// Width of the rows.
    pub(super) fn n_features(&self) -> usize {
        self.scaling.width()
    }

    /// Number of rows in all dictionaries.
    pub(super) fn n_basis(&self) -> usize {
        let relevant = self.adaptive.iter().flat_map(Adaptive::relevant);
        let relevant = relevant.map(|relevant| relevant.dictionary().size());
        let kernels = self.kernels.iter().map(|e| e.dictionary().size());
        kernels.chain(relevant).sum()
    }

    /// How much each feature matters: numbers that add up to 1; none in a model of the first file format.
    pub(super) fn relevance(&self) -> Vec<f64> {
        let adaptive = self.adaptive.as_ref();
        adaptive.map_or(Vec::new(), Adaptive::relevance)
    }

    /// The last events, the oldest first.
    pub(super) fn events(&self) -> Vec<Event> {
        self.events.all()
    }

    /// Makes the round of a row that counts `weight` times: writes the predictions and returns the uncertainty.
    pub(super) fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        self.delay = 0;
        let y = scaled(y, &self.units);
        let forms = self.forms(x, &y, weight, None);
        for (experts, rows) in self.work(&forms) {
            experts.learn_row(rows.data(), &y, weight, None);
        }
        let q = self.combine(0, &y, weight, yhat);
        self.correct(&y, weight, yhat);
        self.pass(1);
        q
    }

    /// Makes the rounds of many rows: appends the predictions and the uncertainty of each row.
    pub(super) fn learn_rows(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        yhat: &mut Vec<f64>,
        q: &mut Vec<f64>,
    ) {
        self.delay = 0;
        let (n_targets, mut start) = (self.units.len(), 0);
        while start < rows.len() {
            let left = CHECK_EVERY - self.rounds % CHECK_EVERY;
            let left = left.min(self.renewed_next - self.rounds);
            #[allow(clippy::cast_possible_truncation, reason = "it is at most a constant")]
            let end = rows.len().min(start + left as usize);
            let y = &y[start * n_targets..end * n_targets];
            self.learn_together(&rows.slice(start..end), y, yhat, q);
            self.pass(end - start);
            start = end;
        }
    }

    /// Makes the rounds of rows with weights: how many times each counts.
    fn learn_weighted(&mut self, rows: &Rows<'_>, y: &[f64], weights: &[f64]) {
        if weights.iter().all(|weight| *weight == 1.0) {
            return self.learn_rows(rows, y, &mut Vec::new(), &mut Vec::new());
        }
        let n_targets = self.units.len();
        let mut yhat = vec![0.0; n_targets];
        for ((x, y), weight) in rows.iter().zip(y.chunks_exact(n_targets)).zip(weights) {
            self.learn_row(x, y, *weight, &mut yhat);
        }
    }

    /// Makes the rounds of rows between which no expert is made anew. Experts of different widths do not depend on each
    /// other, so threads share them.
    fn learn_together(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        yhat: &mut Vec<f64>,
        q: &mut Vec<f64>,
    ) {
        let (y, n_targets) = (scaled(y, &self.units), self.units.len());
        let forms = self.forms(rows.data(), &y, 1.0, None);
        let mut work: Vec<_> = self.work(&forms).collect();
        for_each(&mut work, |(experts, rows)| experts.learn_rows(rows, &y));
        let start = yhat.len();
        yhat.resize(start + y.len(), 0.0);
        let rounds = yhat[start..].chunks_exact_mut(n_targets);
        for (i, (y, yhat)) in y.chunks_exact(n_targets).zip(rounds).enumerate() {
            q.push(self.combine(i, y, 1.0, yhat));
            self.correct(y, 1.0, yhat);
        }
    }

    /// Rows in the forms in which experts take them; the past of the labels gains theirs. `past` is what it was when the
    /// row was asked for, if it was.
    fn forms(&mut self, rows: &[f64], y: &[f64], weight: f64, past: Option<&[f64]>) -> Forms {
        let (width, mut plain) = (self.scaling.width(), vec![0.0; rows.len()]);
        let each = rows.chunks_exact(width).zip(plain.chunks_exact_mut(width));
        for (row, (x, z)) in (self.rounds + 1..).zip(each) {
            for feature in self.scaling.update(x) {
                let scale = self.scaling.parts().1[feature];
                self.events.push(row, "feature", scale, Some(feature));
            }
            self.scaling.scale_into(x, z);
        }
        let adaptive = self.adaptive.as_mut();
        Forms {
            width,
            compressed: compressed(&plain),
            extended: adaptive.map(|adaptive| adaptive.extend(rows, &plain, (y, weight), past)),
            plain,
        }
    }

    /// All experts with the rows that they are to learn.
    fn work<'a>(
        &'a mut self,
        forms: &'a Forms,
    ) -> impl Iterator<Item = (&'a mut dyn AnyExperts, Rows<'a>)> {
        let groups = self.groups_mut();
        groups.map(|experts| {
            let rows = forms.rows(experts.kinds()[0].input());
            (experts, rows)
        })
    }

    /// Combines the experts' predictions for row `i`, in units, then learns its labels; returns the uncertainty.
    fn combine(&mut self, i: usize, y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        let n_targets = y.len();
        let mut combiners = std::mem::take(&mut self.combiners);
        let outputs: Vec<&Output> = self.groups().flat_map(AnyExperts::outputs).collect();
        // Experts that are asleep say nothing, and combiners do not listen.
        let at = |numbers: &[f64], i: usize| numbers.get(i).copied().unwrap_or(0.0);
        let q: Vec<f64> = outputs.iter().map(|output| at(&output.q, i)).collect();
        let (mut experts, mut uncertainty) = (vec![0.0; q.len()], 0.0);
        for (target, combiner) in combiners.iter_mut().enumerate() {
            for (expert, output) in experts.iter_mut().zip(&outputs) {
                *expert = at(&output.yhat, i * n_targets + target);
            }
            let (combined, unknown) = combiner.learn_row(&experts, &q, y[target], weight);
            uncertainty += unknown / n_targets as f64;
            yhat[target] = combined;
        }
        self.combiners = combiners;
        uncertainty
    }

    /// Corrects combined predictions in units by the errors made last, learns the labels, and brings the predictions to
    /// the scale of the labels.
    fn correct(&mut self, y: &[f64], weight: f64, yhat: &mut [f64]) {
        let rounds = self.corrections.iter_mut().zip(y).zip(&mut *yhat);
        for ((correction, y), yhat) in rounds {
            let proposal = correction.propose(*yhat);
            *yhat = correction.corrected(&proposal);
            correction.learn(&proposal, *y, weight);
        }
        yhat.copy_from_slice(&unscaled(yhat, &self.units));
    }
}

heap!(Ensemble: scaling, units, kernels, linear, means, adaptive, combiners, corrections, events);
