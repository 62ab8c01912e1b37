//! Experts with a kernel in a metric that is learned: features that matter count more in a distance.

use super::any_experts::AnyExperts;
use super::experts::{Experts, dictionary_of};
use super::gradients::{diagonal, mixed, slope_into};
use super::kinds::{Kind, Memory};
use super::window::Recent;
use crate::data::Rows;
use crate::error::Error;
use crate::features::{Dictionary, FeatureMap, Policy};
use crate::kernels::{AnyKernel, Gaussian, Laplacian};
use crate::persist::State;
use crate::predictor::{Metric, median_distance, median_distance_in_1_norm};
use crate::runtime::Heap;
use crate::updates::{LeastSquares, Output, Update};

/// The most rows at which gradients are taken.
const GRADIENTS: usize = 512;

/// The number of rows up to which a metric is learned twice in a row: the second is learned in the first.
const TWICE: usize = 700;

/// The most rows from which a metric and the rows of a dictionary are found.
const SCOUTED: usize = 1024;

/// The form of a metric and of the kernel in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// The factors of a focus, and a Gaussian kernel.
    Even,
    /// A factor for each feature, and a Gaussian kernel.
    Smooth,
    /// A factor for each feature, and a Laplacian kernel, for functions with steps.
    Rough,
    /// Mixed features, and a Gaussian kernel.
    Mixed,
    /// That of `Smooth`, for labels on a curve.
    Stretched,
}

impl Form {
    fn name(self, is_focused: bool) -> &'static str {
        match (self, is_focused) {
            (Self::Even, _) => "focused kernel",
            (Self::Smooth, false) => "smooth",
            (Self::Smooth, true) => "focused smooth",
            (Self::Rough, false) => "rough",
            (Self::Rough, true) => "focused rough",
            (Self::Mixed, false) => "mixed",
            (Self::Mixed, true) => "focused mixed",
            (Self::Stretched, _) => "stretched",
        }
    }
}

/// The parameters of experts in a metric.
#[derive(Debug, Clone)]
pub(super) struct Design {
    pub(super) form: Form,
    /// Width of the kernel in median distances of two mapped rows.
    pub(super) width: f64,
    pub(super) memories: Vec<Memory>,
    pub(super) cap: (usize, Policy),
    pub(super) n_targets: usize,
    /// True if a metric begins with the factors of a focus, not with the one learned before.
    pub(super) is_focused: bool,
}

impl Design {
    fn kernel(&self, sigma: f64) -> AnyKernel {
        match self.form {
            Form::Rough => Laplacian { sigma }.into(),
            _ => Gaussian { sigma }.into(),
        }
    }

    /// The width of the kernel for mapped rows like these.
    fn sigma(&self, rows: &[f64], width: usize) -> f64 {
        let distance = match self.form {
            Form::Rough => median_distance_in_1_norm(rows, width),
            _ => median_distance(rows, width),
        };
        self.width * distance
    }

    /// Number of rows among which those of a dictionary are chosen, given `n_rows` rows. The forms `Smooth` and
    /// `Stretched` do as well without a choice.
    fn n_candidates(&self, n_rows: usize) -> usize {
        let cap = self.cap.0;
        match self.form {
            Form::Smooth | Form::Stretched => cap,
            _ => (n_rows / 4).clamp(cap, cap + cap / 2),
        }
    }

    fn experts(&self, dictionary: Dictionary, sigma: f64) -> Result<Experts<Dictionary>, Error> {
        let (family, map) = (self.form.name(self.is_focused), (dictionary, sigma));
        Experts::on_dictionary(family, map, &self.memories, self.cap, self.n_targets)
    }

    /// Experts on a dictionary of mapped rows that have learned these rows.
    fn fitted(
        self,
        metric: Metric,
        (dictionary, sigma): (Dictionary, f64),
        recent: &Recent,
    ) -> Result<Relevant, Error> {
        let mut experts = self.experts(dictionary, sigma)?;
        let mapped = metric.mapped(&recent.rows);
        let rows = Rows::trusted(&mapped, metric.mapped_width(), 0);
        experts.fit(&rows, &recent.y, &recent.weights);
        Ok(Relevant {
            is_learned: self.form != Form::Even,
            design: self,
            metric,
            experts,
        })
    }
}

/// Experts with a kernel in a metric, which is learned from the gradients of their own predictions.
///
/// The average product of a gradient with itself says which directions of the rows matter: it is the metric of
/// recursive feature machines. It is learned at growing intervals, and experts in the new metric learn the last rows.
#[derive(Debug, Clone)]
pub(super) struct Relevant {
    design: Design,
    metric: Metric,
    /// True once the metric has been learned; before, all features count the same.
    is_learned: bool,
    experts: Experts<Dictionary>,
}

impl Relevant {
    /// Experts for rows like these, in the metric in which each feature counts the same.
    pub(super) fn new(design: Design, rows: &[f64], width: usize) -> Result<Self, Error> {
        let sigma = design.sigma(rows, width);
        let dictionary = dictionary_of(design.kernel(sigma), std::iter::empty(), design.cap.0)?;
        Ok(Self {
            metric: Metric::diagonal(vec![1.0; width]),
            is_learned: false,
            experts: design.experts(dictionary, sigma)?,
            design,
        })
    }

    /// The metric.
    pub(super) fn metric(&self) -> &Metric {
        &self.metric
    }

    /// The weights and the matrix of each expert.
    pub(super) fn updates(&self) -> &[LeastSquares] {
        self.experts.updates()
    }

    /// The dictionary, of mapped rows.
    pub(super) fn dictionary(&self) -> &Dictionary {
        self.experts.dictionary()
    }

    /// Width of the kernel.
    fn sigma(&self) -> f64 {
        self.experts.kinds()[0].width.unwrap_or(1.0)
    }

    /// Learns a new metric, and the last rows in it.
    pub(super) fn renew(&mut self, recent: &Recent, focus: &[f64]) {
        if self.experts.is_asleep() {
            return;
        }
        if let Ok(renewed) = self.renewed(recent, focus) {
            *self = renewed;
        }
    }

    fn renewed(&self, recent: &Recent, focus: &[f64]) -> Result<Self, Error> {
        let (n_rows, part) = (recent.weights.len(), recent.part(SCOUTED));
        let n_candidates = self.design.n_candidates(n_rows);
        let mut scout = if self.design.is_focused {
            self.scout(Metric::diagonal(focus.to_vec()), &part, n_candidates)?
        } else {
            self.scout(self.learned_metric(&part), &part, n_candidates)?
        };
        if self.design.form != Form::Even && (n_rows <= TWICE || self.design.is_focused) {
            let mut metric = scout.learned_metric(&part);
            if self.design.is_focused {
                metric = metric.after(focus);
            }
            scout = self.scout(metric, &part, n_candidates)?;
        }
        let (dictionary, sigma) = (scout.pruned(self.design.cap.0)?, scout.sigma());
        let design = self.design.clone();
        let mut renewed = design.fitted(scout.metric, (dictionary, sigma), recent)?;
        renewed.experts.count_take_overs(self.experts.take_overs());
        Ok(renewed)
    }

    /// An expert in a metric that has learned these rows, with a dictionary of at most `n_candidates` rows: rows spread
    /// evenly over all come first, then the others.
    fn scout(&self, metric: Metric, part: &Recent, n_candidates: usize) -> Result<Self, Error> {
        let mut design = self.design.clone();
        design.memories.truncate(1);
        design.cap = (n_candidates, Policy::Freeze);
        let (mapped, width) = (metric.mapped(&part.rows), metric.mapped_width());
        let sigma = design.sigma(&mapped, width);
        let step = (part.weights.len() / n_candidates).max(1);
        let rows = || mapped.chunks_exact(width).enumerate();
        let evenly = rows().filter(|(i, _)| i.is_multiple_of(step));
        let others = rows().filter(|(i, _)| !i.is_multiple_of(step));
        let candidates = evenly.chain(others).map(|(_, x)| x);
        let dictionary = dictionary_of(design.kernel(sigma), candidates, n_candidates)?;
        design.fitted(metric, (dictionary, sigma), part)
    }

    /// The dictionary with the rows that are worth keeping, at most `size`.
    fn pruned(&self, size: usize) -> Result<Dictionary, Error> {
        let dictionary = self.dictionary();
        if dictionary.size() <= size {
            return Ok(dictionary.clone());
        }
        let factor = dictionary.map().factor();
        let worth = self.experts.updates()[0].rows_worth_keeping(factor, size);
        let (stored, width) = (dictionary.rows().to_vec(), self.metric.mapped_width());
        let kept = worth.iter().map(|i| &stored[i * width..][..width]);
        dictionary_of(self.design.kernel(self.sigma()), kept, size)
    }

    /// The metric of the gradients at some of these rows; the present one if they are all 0.
    fn learned_metric(&self, recent: &Recent) -> Metric {
        let width = self.metric.width();
        let gradients = self.gradients(recent);
        let learned = match self.design.form {
            Form::Mixed => mixed(&gradients, width),
            _ => diagonal(&gradients, width),
        };
        learned.unwrap_or_else(|| self.metric.clone())
    }

    /// The gradients of the predictions of every target at some of these rows, one after the other.
    fn gradients(&self, recent: &Recent) -> Vec<f64> {
        let (width, map) = (self.metric.width(), self.dictionary().map());
        let update = &self.experts.updates()[0];
        let step = (recent.weights.len().div_ceil(GRADIENTS)).max(1);
        let (stored, mut k) = (map.rows().to_vec(), vec![0.0; map.size()]);
        let coefficients: Vec<Vec<f64>> = (0..self.design.n_targets)
            .map(|target| map.coefficients(update.w(target)))
            .collect();
        let (mut at, mut gradient, mut out) = (Vec::new(), Vec::new(), Vec::new());
        for x in recent.rows.chunks_exact(width).step_by(step) {
            at.clear();
            self.metric.map_onto(x, &mut at);
            map.kernel().row_into(&at, map.rows(), &mut k);
            for c in &coefficients {
                slope_into(map.kernel(), (&stored, c, &k), &at, &mut gradient);
                let start = out.len();
                out.resize(start + width, 0.0);
                self.metric.pull_back(&gradient, &mut out[start..]);
            }
        }
        out
    }

    pub(super) fn save(&self, state: &mut State) {
        // A feature that past rows lack does not count in a metric learned from them.
        self.metric
            .save(f64::from(u8::from(!self.is_learned)), state);
        state.put("is_learned", [f64::from(u8::from(self.is_learned))]);
        state.put("width", [self.sigma()]);
        let is_full = self.metric.factors().is_none();
        let width = if is_full { 0 } else { state.width() };
        state.nest_padded("experts", width, |state| self.experts.save(state));
    }

    /// Reads those of some experts that there are, at least one.
    pub(super) fn load_all(
        designs: Vec<Design>,
        width: usize,
        state: &State,
    ) -> Result<Vec<Self>, Error> {
        // Rows may have become too wide for the last of them since.
        let designs = (0..).zip(designs);
        let designs = designs.map(|(i, design)| (design, state.inner(&format!("relevant{i}"))));
        let designs = designs.filter(|(_, state)| state.has("metric"));
        let experts: Vec<Self> = designs
            .map(|(design, state)| Self::load(design, width, &state))
            .collect::<Result<_, Error>>()?;
        if experts.is_empty() {
            return Err(Error::model_file("it should have a metric"));
        }
        Ok(experts)
    }

    /// Reads experts on rows of this width.
    pub(super) fn load(design: Design, width: usize, state: &State) -> Result<Self, Error> {
        let (metric, sigma) = (Metric::load(state, width)?, state.scalar("width")?);
        let dictionary = dictionary_of(design.kernel(sigma), std::iter::empty(), design.cap.0)?;
        let mut experts = design.experts(dictionary, sigma)?;
        experts.load(&state.inner("experts"), metric.mapped_width())?;
        Ok(Self {
            design,
            metric,
            is_learned: state.scalar("is_learned")? != 0.0,
            experts,
        })
    }
}

impl AnyExperts for Relevant {
    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, asked: Option<&[Output]>) {
        let mapped = self.metric.mapped(x);
        self.experts.learn_row(&mapped, y, weight, asked);
    }

    fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) {
        let mapped = self.metric.mapped(rows.data());
        let rows = Rows::trusted(&mapped, self.metric.mapped_width(), 0);
        self.experts.learn_rows(&rows, y);
    }

    fn outputs(&self) -> &[Output] {
        self.experts.outputs()
    }

    fn kinds(&self) -> &[Kind] {
        self.experts.kinds()
    }

    fn predict(&self, x: &[f64]) -> Vec<Output> {
        self.experts.predict(&self.metric.mapped(x))
    }

    fn distance(&self, x: &[f64]) -> Option<f64> {
        self.experts.distance(&self.metric.mapped(x))
    }

    fn take_overs(&self) -> u64 {
        self.experts.take_overs()
    }

    fn sleep(&mut self) {
        self.experts.sleep();
    }

    fn is_asleep(&self) -> bool {
        self.experts.is_asleep()
    }
}

impl Heap for Relevant {
    fn heap_bytes(&self) -> usize {
        self.metric.heap_bytes() + self.experts.heap_bytes()
    }
}
