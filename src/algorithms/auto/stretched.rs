//! Experts for labels with a long tail: they learn them on a curve on which the tail is short.

use super::AutoParams;
use super::any_experts::AnyExperts;
use super::kinds::Kind;
use super::label_range::LabelRange;
use super::lineup;
use super::relevant::Relevant;
use super::smear::Smear;
use super::tail::curve_of;
use super::window::Recent;
use crate::data::Rows;
use crate::error::Error;
use crate::limits::Range;
use crate::persist::State;
use crate::predictor::Curve;
use crate::runtime::Heap;
use crate::updates::Output;

/// Experts in a metric that learn the numbers of labels on curves. Their outputs are labels again: means over the last
/// errors, within the range of the labels.
#[derive(Debug, Clone)]
pub(super) struct Stretched {
    /// The curve of each target; straight for labels without a long tail.
    curves: Vec<Curve>,
    ranges: Vec<LabelRange>,
    experts: Relevant,
    /// The errors of each expert on each target; those of the first expert come first.
    smears: Vec<Smear>,
    forgetting: f64,
    /// The labels that each expert predicted for the rows learned last.
    outputs: Vec<Output>,
}

impl Stretched {
    /// Experts for rows of this width and labels like these; `None` if no target has labels with a long tail.
    pub(super) fn new(
        params: &AutoParams,
        (rows, width): (&[f64], usize),
        y: &[f64],
    ) -> Result<Option<Self>, Error> {
        let n_targets = params.n_targets;
        let labels = |target: usize| y.iter().copied().skip(target).step_by(n_targets);
        let curves: Vec<Curve> = (0..n_targets)
            .map(|target| curve_of(labels(target).collect()))
            .collect();
        if curves.iter().all(Curve::is_straight) {
            return Ok(None);
        }
        let experts = Relevant::new(lineup::stretched(params), rows, width)?;
        Ok(Some(Self::with(params, curves, experts)))
    }

    fn with(params: &AutoParams, curves: Vec<Curve>, experts: Relevant) -> Self {
        let n_experts = experts.kinds().len();
        Self {
            ranges: vec![LabelRange::default(); curves.len()],
            smears: vec![Smear::new(); n_experts * curves.len()],
            forgetting: params.forgetting,
            outputs: vec![Output::default(); n_experts],
            curves,
            experts,
        }
    }

    /// The experts on the curves.
    pub(super) fn experts(&self) -> &Relevant {
        &self.experts
    }

    /// The curve of each expert on each target, with labels that are means over the last errors.
    pub(super) fn smeared(&self) -> impl Iterator<Item = Curve> {
        let smears = self.smears.iter().zip(self.curves.iter().cycle());
        smears.map(|(smear, curve)| smear.of(curve))
    }

    /// The range of the labels of each target.
    pub(super) fn ranges(&self) -> Vec<Range> {
        self.ranges.iter().map(LabelRange::range).collect()
    }

    /// Learns a new metric, and the last rows in it.
    pub(super) fn renew(&mut self, recent: &Recent) {
        let recent = Recent {
            rows: recent.rows.clone(),
            y: numbers_on(&self.curves, &recent.y),
            weights: recent.weights.clone(),
        };
        self.experts.renew(&recent, &[]);
    }

    /// The numbers of which experts have made these labels of a row.
    fn numbers_of(&self, outputs: &[Output]) -> Vec<Output> {
        let (n_targets, curves) = (self.curves.len(), self.smeared().collect::<Vec<Curve>>());
        let each = outputs.iter().zip(curves.chunks_exact(n_targets));
        let numbers = each.map(|(output, curves)| Output {
            yhat: numbers_on(curves, &output.yhat),
            q: output.q.clone(),
        });
        numbers.collect()
    }

    /// Makes labels of what the experts said of the rows learned last, and records errors and labels.
    fn record(&mut self, y: &[f64], weight: f64) {
        self.clear();
        if self.experts.is_asleep() {
            return;
        }
        for (output, numbers) in self.outputs.iter_mut().zip(self.experts.outputs()) {
            output.q.extend_from_slice(&numbers.q);
        }
        for (i, y) in y.chunks_exact(self.curves.len()).enumerate() {
            self.record_row(i, y, weight);
        }
    }

    /// Makes labels of what the experts said of row `i`, and records errors and labels.
    fn record_row(&mut self, i: usize, y: &[f64], weight: f64) {
        let (n_targets, ranges) = (self.curves.len(), self.ranges());
        let each = self.experts.outputs().iter().zip(&mut self.outputs);
        for ((said, output), smears) in each.zip(self.smears.chunks_exact_mut(n_targets)) {
            // An expert that did not exist when the row was asked for said nothing.
            let numbers = said.yhat.iter().skip(i * n_targets).take(n_targets);
            for (target, (z, smear)) in numbers.zip(smears).enumerate() {
                let curve = &self.curves[target];
                output.yhat.push(smear.of(curve).label(*z, ranges[target]));
                let error = curve.number(y[target]) - z;
                smear.record(curve, error, weight, self.forgetting);
            }
        }
        let labels = self.ranges.iter_mut().zip(y);
        labels.for_each(|(range, y)| range.include(*y));
    }

    fn clear(&mut self) {
        self.outputs.iter_mut().for_each(Output::clear);
    }

    pub(super) fn save(&self, state: &mut State) {
        Curve::save_all(&self.curves, state);
        Smear::save_all(&self.smears, state);
        for (i, labels) in self.ranges.iter().enumerate() {
            state.nest(&format!("target{i}"), |state| labels.save(state));
        }
        state.nest("relevant0", |state| self.experts.save(state));
    }

    /// Reads experts on rows of this width.
    pub(super) fn load(params: &AutoParams, width: usize, state: &State) -> Result<Self, Error> {
        let curves = Curve::load_all(state)?;
        if curves.len() != params.n_targets {
            return Err(Error::model_file("each target should have a curve"));
        }
        let design = lineup::stretched(params);
        let experts = Relevant::load(design, width, &state.inner("relevant0"))?;
        let mut stretched = Self::with(params, curves, experts);
        stretched.smears = Smear::load_all(stretched.smears.len(), state)?;
        for (i, labels) in stretched.ranges.iter_mut().enumerate() {
            *labels = LabelRange::load(&state.inner(&format!("target{i}")))?;
        }
        Ok(stretched)
    }
}

/// The numbers of the labels of some rows, on the curve of each target.
fn numbers_on(curves: &[Curve], y: &[f64]) -> Vec<f64> {
    let each = y.iter().zip(curves.iter().cycle());
    each.map(|(y, curve)| curve.number(*y)).collect()
}

impl AnyExperts for Stretched {
    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, asked: Option<&[Output]>) {
        let said = asked.map(|asked| self.numbers_of(asked));
        let numbers = numbers_on(&self.curves, y);
        self.experts.learn_row(x, &numbers, weight, said.as_deref());
        self.record(y, weight);
        if let Some(asked) = asked.filter(|_| !self.is_asleep()) {
            self.outputs.clone_from_slice(asked);
        }
    }

    fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) {
        let numbers = numbers_on(&self.curves, y);
        self.experts.learn_rows(rows, &numbers);
        self.record(y, 1.0);
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn kinds(&self) -> &[Kind] {
        self.experts.kinds()
    }

    fn predict(&self, x: &[f64]) -> Vec<Output> {
        let (curves, ranges) = (self.smeared().collect::<Vec<Curve>>(), self.ranges());
        let mut outputs = self.experts.predict(x);
        for (output, curves) in outputs.iter_mut().zip(curves.chunks_exact(ranges.len())) {
            let each = output.yhat.iter_mut().zip(curves).zip(&ranges);
            each.for_each(|((yhat, curve), range)| *yhat = curve.label(*yhat, *range));
        }
        outputs
    }

    fn distance(&self, x: &[f64]) -> Option<f64> {
        self.experts.distance(x)
    }

    fn take_overs(&self) -> u64 {
        self.experts.take_overs()
    }

    fn sleep(&mut self) {
        self.experts.sleep();
        self.clear();
    }

    fn is_asleep(&self) -> bool {
        self.experts.is_asleep()
    }
}

impl Heap for Stretched {
    fn heap_bytes(&self) -> usize {
        self.curves.capacity() * size_of::<Curve>()
            + self.ranges.capacity() * size_of::<LabelRange>()
            + self.experts.heap_bytes()
            + self.smears.capacity() * size_of::<Smear>()
            + self.outputs.heap_bytes()
    }
}
