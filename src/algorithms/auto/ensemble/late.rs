//! Labels that come late: what each expert predicted is kept with the row, and is what the expert is judged by.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::any_experts::AnyExperts;
use super::super::correction::Proposal;
use super::super::units::{clipped, scaled, scaled_past, unscaled, unscaled_past};
use super::Ensemble;
use super::forms::Forms;
use crate::data::Rows;
use crate::predictor::compressed;
use crate::updates::Output;

/// What was known of a row when it was asked for.
#[derive(Debug, Clone)]
pub(in super::super) struct Opinions {
    /// The past of the labels.
    past: Vec<f64>,
    /// The prediction and the uncertainty of each expert in order; nothing if experts have begun anew since.
    experts: Option<Vec<Output>>,
    /// What was proposed for each target.
    proposals: Vec<Proposal>,
}

impl Ensemble {
    /// Predicts a row: the predictions for all targets, the uncertainty, and what [`opinions`](Self::opinions) reads.
    pub(in super::super) fn ask(&self, x: &[f64]) -> (Vec<f64>, f64, Vec<f64>) {
        let outputs = self.predict_each(x);
        let (combined, q) = self.combined(&outputs);
        let past = self.adaptive.as_ref().map(|adaptive| adaptive.past.raw());
        let mut details = vec![self.begun_at as f64];
        details.extend(unscaled_past(&past.unwrap_or_default(), &self.units));
        for output in outputs {
            let is_awake = f64::from(u8::from(!output.yhat.is_empty()));
            details.push(is_awake);
            details.extend(padded(&output.yhat, self.units.len()));
            details.extend(padded(&output.q, 1));
        }
        let mut yhat = combined;
        for (correction, yhat) in self.corrections.iter().zip(&mut yhat) {
            let proposal = correction.propose(*yhat);
            details.extend(proposal);
            *yhat = correction.corrected(&proposal);
        }
        (unscaled(&yhat, &self.units), q, details)
    }

    /// How far a row is from what is known: the mean, over all dictionaries in use, of the squared distance of its kernel
    /// function from the span of those of the rows kept; 0 to 1.
    pub(in super::super) fn novelty(&self, x: &[f64]) -> f64 {
        let forms = self.peek(x);
        let each = self.groups().filter_map(|experts| {
            let input = experts.kinds()[0].input();
            experts.distance(forms.rows(input).data())
        });
        let (sum, n) = each.fold((0.0, 0), |(sum, n), distance| (sum + distance, n + 1));
        if n == 0 { 1.0 } else { sum / f64::from(n) }
    }

    /// The uncertainty of the prediction for a row.
    pub(in super::super) fn uncertainty(&self, x: &[f64]) -> f64 {
        self.combined(&self.predict_each(x)).1
    }

    /// Reads what [`ask`](Self::ask) has written, perhaps when experts were others, or there were none.
    pub(in super::super) fn opinions(&self, details: &[f64]) -> Opinions {
        let n_past = self.adaptive.as_ref().map_or(0, |a| a.past.width());
        let (n_targets, n_experts) = (self.units.len(), self.kinds().count());
        let (head, rest) = details.split_at(details.len().min(1 + n_past));
        let (said, last) = rest.split_at(rest.len().min(n_experts * (n_targets + 2)));
        let is_own = head.first() == Some(&(self.begun_at as f64))
            && said.len() == n_experts * (n_targets + 2);
        let proposals = last.as_chunks().0.iter().filter(|_| is_own);
        let output = |numbers: &[f64]| match numbers {
            [is_awake, yhat @ .., q] if *is_awake != 0.0 => Output {
                yhat: yhat.iter().copied().map(clipped).collect(),
                q: vec![clipped(q.abs())],
            },
            _ => Output::default(),
        };
        let mut past = scaled_past(head.get(1..).unwrap_or(&[]), &self.units);
        past.resize(n_past, 0.0);
        Opinions {
            past,
            experts: is_own.then(|| said.chunks_exact(n_targets + 2).map(output).collect()),
            proposals: proposals
                .map(|proposal: &Proposal| proposal.map(clipped))
                .collect(),
        }
    }

    /// Learns a row that counts `weight` times and was asked for before.
    pub(in super::super) fn learn_late(
        &mut self,
        x: &[f64],
        (y, weight): (&[f64], f64),
        opinions: &Opinions,
        delay: usize,
    ) {
        self.delay = delay;
        let y = scaled(y, &self.units);
        let forms = self.forms(x, &y, weight, Some(&opinions.past));
        let n_experts = self.kinds().count();
        let unknown = vec![Output::default(); n_experts];
        let mut asked = opinions.experts.as_ref().unwrap_or(&unknown).as_slice();
        for (experts, rows) in self.work(&forms) {
            let (own, others) = asked.split_at(experts.kinds().len());
            asked = others;
            experts.learn_row(rows.data(), &y, weight, Some(own));
        }
        if opinions.experts.is_some() {
            self.combine(0, &y, weight, &mut vec![0.0; y.len()]);
        }
        let rounds = self.corrections.iter_mut().zip(&opinions.proposals);
        for ((correction, proposal), y) in rounds.zip(&y) {
            correction.learn(proposal, *y, weight);
        }
        self.pass(1);
    }

    /// Learns the rows of a range whose labels come `delay` rows late; `asked` are those after the ones learned before.
    pub(super) fn learn_delayed(
        &mut self,
        rows: &Rows<'_>,
        (range, y, weights): (Range<usize>, &[f64], &[f64]),
        delay: usize,
        asked: &mut VecDeque<Vec<f64>>,
    ) {
        for (i, y) in range.zip(y.chunks_exact(self.units.len())) {
            while asked.len() <= delay && i + asked.len() < rows.len() {
                let next = rows.slice(i + asked.len()..i + asked.len() + 1);
                asked.push_back(self.ask(next.data()).2);
            }
            let details = asked.pop_front().unwrap_or_default();
            let (x, opinions) = (rows.slice(i..i + 1), self.opinions(&details));
            self.learn_late(x.data(), (y, weights[i]), &opinions, delay);
        }
    }

    /// A row that comes next in the forms in which experts take it.
    fn peek(&self, x: &[f64]) -> Forms {
        let plain = self.scaling.scaled(x);
        Forms {
            width: plain.len(),
            compressed: compressed(&plain),
            extended: self.adaptive.as_ref().map(|adaptive| adaptive.peek(&plain)),
            plain,
        }
    }

    /// The predictions of all experts for a row that comes next.
    fn predict_each(&self, x: &[f64]) -> Vec<Output> {
        let forms = self.peek(x);
        let predict = |experts: &dyn AnyExperts| {
            let input = experts.kinds()[0].input();
            experts.predict(forms.rows(input).data())
        };
        self.groups().flat_map(predict).collect()
    }

    /// The predictions for all targets of a row, in units and without corrections, given those of each expert, and the
    /// uncertainty.
    fn combined(&self, outputs: &[Output]) -> (Vec<f64>, f64) {
        let at = |numbers: &[f64], i: usize| numbers.get(i).copied().unwrap_or(0.0);
        let q: Vec<f64> = outputs.iter().map(|output| at(&output.q, 0)).collect();
        let (mut yhat, mut uncertainty) = (Vec::new(), 0.0);
        for (target, combiner) in self.combiners.iter().enumerate() {
            let experts: Vec<f64> = outputs.iter().map(|o| at(&o.yhat, target)).collect();
            let (combined, unknown) = combiner.predict(&experts, &q);
            uncertainty += unknown / self.units.len() as f64;
            yhat.push(combined);
        }
        (yhat, uncertainty)
    }
}

/// The first `n` numbers, with zeros for those that are missing.
fn padded(numbers: &[f64], n: usize) -> impl Iterator<Item = f64> {
    let numbers = numbers.iter().copied();
    numbers.chain(std::iter::repeat(0.0)).take(n)
}
