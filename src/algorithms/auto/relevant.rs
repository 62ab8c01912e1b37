//! Experts with a kernel in a metric that is learned: features that matter count more in a distance.

use nalgebra::{DMatrix, SymmetricEigen};

use super::any_experts::AnyExperts;
use super::experts::{Experts, dictionary_of};
use super::kinds::{Kind, Memory};
use super::window::Recent;
use crate::data::Rows;
use crate::error::Error;
use crate::features::{Dictionary, FeatureMap, Policy};
use crate::kernels::{AnyKernel, Gaussian, Laplacian};
use crate::linalg::axpy_in_place;
use crate::persist::State;
use crate::predictor::{Metric, median_distance, median_distance_in_1_norm};
use crate::runtime::Heap;
use crate::updates::{LeastSquares, Output, Update};

/// The most rows at which gradients are taken.
const GRADIENTS: usize = 512;

/// If features are mixed: the least part of the gradients' squares that a direction has, and the most directions.
const LEAST: f64 = 1e-4;
const MOST_DIRECTIONS: usize = 64;

/// The number of rows up to which a metric is learned twice in a row: the second is learned in the first.
const TWICE: usize = 700;

/// The most rows from which a metric and the rows of a dictionary are found.
const SCOUTED: usize = 1024;

/// The form of a metric and of the kernel in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// A factor for each feature, and a Gaussian kernel.
    Smooth,
    /// A factor for each feature, and a Laplacian kernel, for functions with steps.
    Rough,
    /// Mixed features, and a Gaussian kernel.
    Mixed,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::Rough => "rough",
            Self::Mixed => "mixed",
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

    /// Number of rows among which those of a dictionary are chosen, given `n_rows` rows. The form `Smooth` does as
    /// well without a choice.
    fn n_candidates(&self, n_rows: usize) -> usize {
        let cap = self.cap.0;
        match self.form {
            Form::Smooth => cap,
            _ => (n_rows / 4).clamp(cap, cap + cap / 2),
        }
    }

    fn experts(&self, dictionary: Dictionary, sigma: f64) -> Result<Experts<Dictionary>, Error> {
        let (family, map) = (self.form.name(), (dictionary, sigma));
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
            design: self,
            metric,
            is_learned: true,
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

    /// Returns true if the experts learn and predict no more.
    pub(super) fn is_asleep(&self) -> bool {
        self.experts.is_asleep()
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
    pub(super) fn renew(&mut self, recent: &Recent) {
        if self.experts.is_asleep() {
            return;
        }
        if let Ok(renewed) = self.renewed(recent) {
            *self = renewed;
        }
    }

    fn renewed(&self, recent: &Recent) -> Result<Self, Error> {
        let (n_rows, part) = (recent.weights.len(), recent.part(SCOUTED));
        let n_candidates = self.design.n_candidates(n_rows);
        let mut scout = self.scout(&part, n_candidates)?;
        if n_rows <= TWICE {
            scout = scout.scout(&part, n_candidates)?;
        }
        let (dictionary, sigma) = (scout.pruned(self.design.cap.0)?, scout.sigma());
        let design = self.design.clone();
        let mut renewed = design.fitted(scout.metric, (dictionary, sigma), recent)?;
        renewed.experts.count_take_overs(self.experts.take_overs());
        Ok(renewed)
    }

    /// An expert, in the metric learned from these rows, with a dictionary of at most `n_candidates` rows: rows spread
    /// evenly over all come first, then the others.
    fn scout(&self, part: &Recent, n_candidates: usize) -> Result<Self, Error> {
        let mut design = self.design.clone();
        design.memories.truncate(1);
        design.cap = (n_candidates, Policy::Freeze);
        let metric = self.learned_metric(part);
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

/// Writes the gradient of an expansion at a row, up to a factor that is the same for all rows.
fn slope_into(
    kernel: &AnyKernel,
    (stored, c, k): (&[f64], &[f64], &[f64]),
    x: &[f64],
    out: &mut Vec<f64>,
) {
    out.clear();
    out.resize(x.len(), 0.0);
    let terms = stored.chunks_exact(x.len()).zip(c.iter().zip(k));
    if matches!(kernel, AnyKernel::Laplacian(_)) {
        for (z, (c, k)) in terms {
            let weight = c * k;
            for ((out, z), x) in out.iter_mut().zip(z).zip(x) {
                *out += weight * (f64::from(u8::from(z > x)) - f64::from(u8::from(z < x)));
            }
        }
        return;
    }
    for (z, (c, k)) in terms {
        axpy_in_place(c * k, z, out);
        axpy_in_place(-c * k, x, out);
    }
}

/// The metric in which each feature counts as much as the gradients have of it.
fn diagonal(gradients: &[f64], width: usize) -> Option<Metric> {
    let mut squares = vec![0.0; width];
    for gradient in gradients.chunks_exact(width) {
        squares
            .iter_mut()
            .zip(gradient)
            .for_each(|(s, g)| *s += g * g);
    }
    let sum: f64 = squares.iter().sum();
    let factors = squares.iter().map(|s| (s / sum).sqrt()).collect();
    (sum > 0.0 && sum.is_finite()).then(|| Metric::diagonal(factors))
}

/// The metric whose directions are those of the average product of a gradient with itself.
fn mixed(gradients: &[f64], width: usize) -> Option<Metric> {
    let gradients = DMatrix::from_column_slice(width, gradients.len() / width, gradients);
    let products = &gradients * gradients.transpose();
    let trace = products.trace();
    if !(trace > 0.0 && trace.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::new(products / trace);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|i, j| eigen.eigenvalues[*j].total_cmp(&eigen.eigenvalues[*i]));
    let directions = order.iter().take(MOST_DIRECTIONS).enumerate();
    let numbers: Vec<f64> = directions
        .take_while(|(rank, i)| *rank < 2 || eigen.eigenvalues[**i] > LEAST)
        .flat_map(|(_, i)| {
            let factor = eigen.eigenvalues[*i].max(0.0).sqrt();
            eigen
                .eigenvectors
                .column(*i)
                .iter()
                .map(|v| factor * v)
                .collect::<Vec<f64>>()
        })
        .collect();
    Some(Metric::full(numbers, width))
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

    fn take_overs(&self) -> u64 {
        self.experts.take_overs()
    }

    fn sleep(&mut self) {
        self.experts.sleep();
    }
}

impl Heap for Relevant {
    fn heap_bytes(&self) -> usize {
        self.metric.heap_bytes() + self.experts.heap_bytes()
    }
}
