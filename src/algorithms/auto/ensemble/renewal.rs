//! Renewal: adaptive experts are made anew, others fall asleep, and a stream that has changed is noticed.

use super::super::adaptive::Adaptive;
use super::super::any_experts::AnyExperts;
use super::super::combiner::Combiner;
use super::super::units::unscaled;
use super::super::window::Recent;
use super::{CHECK_EVERY, Ensemble};
use crate::data::Rows;

/// The past of the labels helps if linear experts that look at it have less than this part of the others' loss.
const PAST_HELPS: f64 = 0.97;

/// Number of groups of experts with kernels that stay awake, and the number of warm-ups after which the others sleep.
const AWAKE: usize = 3;
const SLEEP_AFTER: u64 = 4;

/// Trees sleep if their loss is more than so many times that of others.
const MUCH_WORSE: f64 = 1.1;

/// The ensemble begins anew from the last rows if forgetting all others leaves less than this part of the error.
const ALL_CHANGED: f64 = 0.5;

/// Features have moved if the median of one is so many scales from its centre.
const MOVED: f64 = 8.0;

/// Divisor of the number of rows since the last change: at least so many rows pass between two checks.
const PATIENCE: u64 = 8;

impl Ensemble {
    /// Counts rows; makes adaptive experts anew when it is time, or when the stream has changed.
    pub(super) fn pass(&mut self, n_rows: usize) {
        self.rounds += n_rows as u64;
        let n_rows = self.params.warm_up;
        match self.gain_of_forgetting() {
            gain if gain < ALL_CHANGED => return self.begin_anew(gain),
            gain if gain < 1.0 => {
                self.events
                    .push(self.rounds, "forgetting", 1.0 - gain, None);
                self.changed_at = self.rounds - n_rows as u64;
                self.adaptive
                    .iter_mut()
                    .for_each(|adaptive| adaptive.forget(n_rows));
            }
            _ if self.rounds < self.renewed_next => return,
            _ => {}
        }
        self.renewed_next = self.rounds + (self.rounds - self.changed_at);
        self.renew();
    }

    /// Begins anew from the last rows, as many as a warm-up has, if forgetting all others leaves this part of the error.
    fn begin_anew(&mut self, gain: f64) {
        let n_rows = self.params.warm_up;
        let Some(adaptive) = &self.adaptive else {
            return;
        };
        let Recent { rows, y, weights } = adaptive.last_rows(n_rows);
        let rows = Rows::trusted(&rows, self.n_features(), 0);
        let y = unscaled(&y, &self.units);
        let ensemble = Self::begin(&self.params, &rows, (&y, &weights), self.delay);
        if let Ok(mut ensemble) = ensemble {
            ensemble.changed_at = self.rounds - n_rows as u64;
            (ensemble.rounds, ensemble.checked_at) = (self.rounds, self.rounds);
            ensemble.begun_at = self.rounds;
            ensemble.renewed_next = self.rounds + n_rows as u64;
            ensemble.events = std::mem::take(&mut self.events);
            let (row, events) = (self.rounds, &mut ensemble.events);
            events.push(row, "restart", 1.0 - gain, None);
            if let Some((feature, size)) = self.scaling.farthest_move(rows.data()) {
                events.push(row, "rescaling", size, Some(feature));
            }
            *self = ensemble;
        }
    }

    /// The part of the error that is left if all but the last rows are forgotten: less than 1 if the stream has
    /// changed. It is computed only after experts have taken over or features have moved, and the more rarely the longer
    /// the stream has stayed the same; otherwise it is infinite.
    fn gain_of_forgetting(&mut self) -> f64 {
        let is_time = self.rounds.is_multiple_of(CHECK_EVERY);
        let Some(adaptive) = self.adaptive.as_ref().filter(|_| is_time) else {
            return f64::INFINITY;
        };
        let (row, n_rows) = (self.rounds, self.params.warm_up);
        let take_overs: u64 = self.groups().map(AnyExperts::take_overs).sum();
        let more = take_overs.saturating_sub(self.take_overs);
        let wait = (2 * n_rows as u64).max((row - self.changed_at) / PATIENCE);
        let is_due = row - self.checked_at >= wait;
        let mut gain = f64::INFINITY;
        if is_due && (more > 0 || self.have_features_moved(adaptive)) {
            gain = adaptive.gain_of_forgetting(n_rows, &self.scaling);
            self.checked_at = row;
        }
        if more > 0 {
            self.events.push(row, "take-over", more as f64, None);
        }
        self.take_overs = take_overs;
        gain
    }

    /// Returns true if a feature has been far from its centre in most of the last rows.
    fn have_features_moved(&self, adaptive: &Adaptive) -> bool {
        let last = adaptive.last_rows(self.params.warm_up);
        let farthest = self.scaling.farthest_move(&last.rows);
        farthest.is_some_and(|(_, size)| size > MOVED)
    }

    /// Makes adaptive experts anew from the last rows; after some time only the best kernels stay awake.
    pub(super) fn renew(&mut self) {
        let past_helps = self.least_loss("past") < PAST_HELPS * self.least_loss("linear");
        let sleep_after = SLEEP_AFTER * self.params.warm_up as u64;
        if self.rounds - self.changed_at >= sleep_after && self.adaptive.is_some() {
            self.send_to_sleep();
        }
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.renew(past_helps, &self.scaling);
        }
    }

    /// The least loss of the experts of a kind, summed over the targets.
    fn least_loss(&self, family: &str) -> f64 {
        let of_kind = (0..)
            .zip(self.kinds())
            .filter(|(_, kind)| kind.family == family);
        let experts: Vec<usize> = of_kind.map(|(i, _)| i).collect();
        let least = |combiner: &Combiner| combiner.least_loss(experts.iter().copied());
        self.combiners.iter().map(least).sum()
    }

    /// Puts groups to sleep: of those with kernels all but a few with the least losses, and trees that are much worse.
    fn send_to_sleep(&mut self) {
        let (mut first, mut kernels, mut trees) = (0, Vec::new(), Vec::new());
        for (group, experts) in self.groups().enumerate() {
            let range = first..first + experts.kinds().len();
            first = range.end;
            let combiners = self.combiners.iter();
            let loss: f64 = combiners.map(|c| c.least_loss(range.clone())).sum();
            let kind = &experts.kinds()[0];
            match kind.width {
                _ if loss == f64::INFINITY => {}
                Some(_) => kernels.push((loss, group, range)),
                None if kind.is_trees() => trees.push((loss, group, range)),
                None => {}
            }
        }
        for losses in [&mut kernels, &mut trees] {
            losses.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        }
        let most = MUCH_WORSE * trees.first().map_or(f64::INFINITY, |(loss, ..)| *loss);
        let trees = trees.into_iter().filter(|(loss, ..)| *loss > most);
        for (_, group, range) in kernels.into_iter().skip(AWAKE).chain(trees) {
            for combiner in &mut self.combiners {
                range.clone().for_each(|expert| combiner.ignore(expert));
            }
            self.groups_mut()
                .skip(group)
                .take(1)
                .for_each(AnyExperts::sleep);
        }
    }
}
