//! Conformal scores: the errors of past predictions, for intervals around those to come.

use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;
use crate::runtime::interleave;

/// Number of errors remembered: enough for a level of 99.9 %, few enough to follow a stream that changes.
const WINDOW: usize = 1000;

/// Forgetting factor of the mean score, which scores of late labels are relative to.
const MEMORY: f64 = 0.99;

/// The last errors of predictions, each relative to its expected size.
///
/// A prediction with `q = phi . P phi` has, if the noise has the variance `s^2`, an error of the variance `s^2 (1 + q)`.
/// Whatever the distribution of `|y - yhat| / sqrt(1 + q)` is, the next one is among the `ceil(level (n + 1))` smallest
/// of the last `n` with the probability `level`, if they come in no particular order: conformal prediction.
///
/// Errors of predictions whose labels come late are alike from row to row. From the first late label on, each score is
/// relative to the mean score known when the prediction was made, so that margins follow quiet and restless times.
#[derive(Debug, Clone)]
pub struct Scores {
    plain: Ring,
    relative: Option<Relative>,
    /// The prediction that the next error is taken from, in place of the one that is made with it.
    asked: Option<Asked>,
    /// True if nothing is recorded, because others record the errors.
    is_off: bool,
}

/// What was predicted for a row whose label comes later.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// The prediction for each target.
    pub yhat: Vec<f64>,
    /// The uncertainty, as a multiple of the variance of the label; 0 without intervals.
    pub q: f64,
    /// The mean score of each target; 0 if it is not known, and none without intervals.
    pub scales: Vec<f64>,
    /// What else the algorithm wants to know when the label has come.
    pub details: Vec<f64>,
}

impl Asked {
    /// Returns true if a learner of so many targets, with intervals or without, may have said this.
    pub(crate) fn is_plausible(&self, (n_targets, has_intervals): (usize, bool)) -> bool {
        let n_scales = if has_intervals { n_targets } else { 0 };
        let numbers = self.yhat.iter().chain(&self.scales).chain(&self.details);
        let mut all = numbers.chain([&self.q]);
        all.all(|number| number.is_finite())
            && self.q >= 0.0
            && self.yhat.len() == n_targets
            && self.scales.len() == n_scales
            && self.scales.iter().all(|scale| *scale >= 0.0)
    }
}

impl Scores {
    /// No scores yet, for `n_targets` targets.
    pub fn new(n_targets: usize) -> Self {
        Self {
            plain: Ring::new(n_targets),
            relative: None,
            asked: None,
            is_off: false,
        }
    }

    /// Forgets what has been recorded, and records nothing from now on.
    pub(crate) fn turn_off(&mut self) {
        *self = Self::new(self.plain.values.len());
        self.is_off = true;
    }

    /// The last scores of several learners, at least one, as if their rows had come in turns.
    pub(crate) fn merged(all: &[&Self]) -> Self {
        let plain: Vec<&Ring> = all.iter().map(|scores| &scores.plain).collect();
        Self {
            plain: Ring::merged(&plain),
            relative: None,
            asked: None,
            is_off: false,
        }
    }

    /// Takes the next errors, and their `q`, from what was predicted when the row was asked for.
    pub(crate) fn answer(&mut self, asked: &Asked) {
        if !self.is_off {
            self.asked = Some(asked.clone());
        }
    }

    /// Records the labels `y` of one row, one for each target, that was predicted with this `q`.
    pub fn push(&mut self, y: &[f64], yhat: &[f64], q: f64) {
        if self.is_off {
            return;
        }
        let Some(asked) = self.asked.take() else {
            if let Some(relative) = &mut self.relative {
                relative.push(scores(y, yhat, q), &relative.means.clone());
            }
            return self.plain.push(scores(y, yhat, q));
        };
        let (plain, scores) = (&mut self.plain, || scores(y, &asked.yhat, asked.q));
        let relative = self.relative.get_or_insert_with(|| Relative::new(plain));
        relative.push(scores(), &asked.scales);
        plain.push(scores());
    }

    /// The mean score of each target lately; 0 if there are none.
    pub(crate) fn scales(&self) -> Vec<f64> {
        match &self.relative {
            Some(relative) => relative.means.clone(),
            None => self.plain.means(),
        }
    }

    /// For each target, the distance from a prediction with `q = 0` that holds `level` of all labels; infinite at
    /// first.
    pub fn margins(&self, level: f64) -> Vec<f64> {
        match &self.relative {
            Some(relative) => relative.margins(level),
            None => self.plain.margins(level),
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.plain.save("scores", state);
        if let Some(relative) = &self.relative {
            relative.ring.save("relative", state);
            state.put("score_means", &*relative.means);
            state.put("score_count", [relative.count]);
        }
    }

    /// Reads the scores; older files have none.
    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        if state.has("scores") {
            self.plain.load("scores", state)?;
        }
        if state.has("relative") {
            let mut relative = Relative::new(&self.plain);
            relative.ring.load("relative", state)?;
            relative.means = state.vector("score_means", relative.means.len())?;
            relative.count = state.not_negative("score_count")?;
            if relative.means.iter().any(|mean| *mean < 0.0) {
                return Err(Error::model_file("score_means should not be negative"));
            }
            self.relative = Some(relative);
        }
        Ok(())
    }
}

/// The errors of one row, each relative to its expected size.
fn scores(y: &[f64], yhat: &[f64], q: f64) -> impl Iterator<Item = f64> + Clone {
    let unit = (1.0 + q).sqrt();
    let errors = y.iter().zip(yhat);
    errors.map(move |(y, yhat)| (y - yhat).abs() / unit)
}

/// Scores relative to the mean score that was known when each prediction was made.
#[derive(Debug, Clone)]
struct Relative {
    ring: Ring,
    /// The mean score of each target and the number of scores, with forgetting.
    means: Vec<f64>,
    count: f64,
}

impl Relative {
    /// As if all scores so far were relative to their mean.
    fn new(plain: &Ring) -> Self {
        let (mut ring, means) = (plain.clone(), plain.means());
        for (values, mean) in ring.values.iter_mut().zip(&means) {
            let mean = mean.max(f64::MIN_POSITIVE);
            for score in values {
                *score /= mean;
            }
        }
        let most = (1.0 - MEMORY).recip();
        let count = most.min(ring.values[0].len() as f64);
        Self { ring, means, count }
    }

    /// Records the scores of one row, whose predictions were made when the mean scores were `scales`, if they were known.
    fn push(&mut self, scores: impl Iterator<Item = f64> + Clone, scales: &[f64]) {
        if scales.iter().all(|scale| *scale > 0.0) {
            let relative = scores.clone().zip(scales);
            self.ring.push(relative.map(|(score, scale)| score / scale));
        }
        self.count = MEMORY * self.count + 1.0;
        for (mean, score) in self.means.iter_mut().zip(scores) {
            *mean += (score - *mean) / self.count;
        }
    }

    fn margins(&self, level: f64) -> Vec<f64> {
        let margins = self.ring.margins(level);
        let margins = margins.iter().zip(&self.means);
        margins
            .map(|(margin, mean)| margin * mean.max(f64::MIN_POSITIVE))
            .collect()
    }
}

/// The last numbers of each target.
#[derive(Debug, Clone)]
struct Ring {
    /// For each target, the numbers of the window; the next replaces the one at `at`.
    values: Vec<Vec<f64>>,
    at: usize,
}

impl Ring {
    fn new(n_targets: usize) -> Self {
        let values = vec![Vec::new(); n_targets];
        Self { values, at: 0 }
    }

    fn merged(all: &[&Self]) -> Self {
        let n_targets = all.first().map_or(0, |own| own.values.len());
        let values: Vec<Vec<f64>> = (0..n_targets)
            .map(|target| {
                let mut values = interleave(all.iter().map(|own| own.newest_first(target)));
                values.truncate(WINDOW);
                values.reverse();
                values
            })
            .collect();
        let at = values.first().map_or(0, Vec::len) % WINDOW;
        Self { values, at }
    }

    fn newest_first(&self, target: usize) -> Vec<f64> {
        let (newer, older) = self.values[target].split_at(self.at);
        let newest_first = newer.iter().rev().chain(older.iter().rev());
        newest_first.copied().collect()
    }

    fn push(&mut self, row: impl IntoIterator<Item = f64>) {
        for (values, new) in self.values.iter_mut().zip(row) {
            if let Some(old) = values.get_mut(self.at) {
                *old = new;
            } else {
                values.reserve_exact(WINDOW - values.len());
                values.push(new);
            }
        }
        self.at = (self.at + 1) % WINDOW;
    }

    fn means(&self) -> Vec<f64> {
        let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        self.values.iter().map(mean).collect()
    }

    fn margins(&self, level: f64) -> Vec<f64> {
        self.values.iter().map(|s| margin(s, level)).collect()
    }

    fn save(&self, name: &str, state: &mut State) {
        let shape = [self.values.len(), self.values[0].len()];
        state.put_matrix(name, shape, self.values.concat());
        state.put_indices(&format!("{name}_at"), &[self.at]);
    }

    fn load(&mut self, name: &str, state: &State) -> Result<(), Error> {
        let (at, n_targets) = (state.count(&format!("{name}_at"))?, self.values.len());
        let ([found, n], values) = state.any_matrix(name)?;
        let plausible = n <= WINDOW && (at == n % WINDOW || n == WINDOW && at < WINDOW);
        if found != n_targets || !plausible || values.iter().any(|value| *value < 0.0) {
            return Err(Error::model_file(format!(
                "{name} should be those of a window"
            )));
        }
        self.at = at;
        self.values = (0..n_targets)
            .map(|i| values[i * n..(i + 1) * n].to_vec())
            .collect();
        Ok(())
    }
}

fn margin(scores: &[f64], level: f64) -> f64 {
    let rank = (level * (scores.len() + 1) as f64).ceil();
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "levels are from 0 to 1"
    )]
    let rank = (rank as usize).max(1);
    if rank > scores.len() {
        return f64::INFINITY;
    }
    let mut sorted = scores.to_vec();
    *sorted.select_nth_unstable_by(rank - 1, f64::total_cmp).1
}

heap!(Ring: values);
heap!(Relative: ring, means);
heap!(Scores: plain, relative);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_a_rank_of_the_last_scores() {
        let mut scores = Scores::new(1);
        assert_eq!(scores.margins(0.5), [f64::INFINITY]);
        (1..=9).for_each(|i| scores.push(&[-f64::from(i) * 2.0], &[0.0], 3.0));
        assert_eq!(scores.margins(0.9), [9.0]);
        assert_eq!(scores.margins(0.5), [5.0]);
        assert_eq!(scores.margins(0.91), [f64::INFINITY]);
        (0..WINDOW).for_each(|_| scores.push(&[7.0], &[0.0], 0.0));
        assert_eq!(scores.margins(0.01), [7.0]);
    }

    #[test]
    fn the_newest_scores_of_each_are_merged_in_turn() {
        let scores = |n: usize, from: usize| {
            let mut scores = Scores::new(1);
            (0..n).for_each(|i| scores.push(&[(from + i) as f64], &[0.0], 0.0));
            scores
        };
        let (few, many) = (scores(3, 10), scores(WINDOW + 5, 1000));
        let merged = Scores::merged(&[&few, &few]);
        assert_eq!(merged.plain.values, [[10.0, 10.0, 11.0, 11.0, 12.0, 12.0]]);
        assert_eq!(merged.plain.at, 6);
        let mut merged = Scores::merged(&[&many, &few]);
        let newest = [10.0, 2002.0, 11.0, 2003.0, 12.0, 2004.0];
        assert_eq!(merged.plain.values[0][WINDOW - 6..], newest);
        merged.push(&[0.5], &[0.0], 0.0);
        let values = &merged.plain.values[0];
        assert_eq!((values.len(), values[0]), (WINDOW, 0.5));
    }

    #[test]
    fn scores_go_on_from_a_file() {
        let mut scores = Scores::new(2);
        (0..WINDOW + 5).for_each(|i| scores.push(&[i as f64, 1.0], &[0.0; 2], 0.0));
        let mut state = State::default();
        scores.save(&mut state);
        let mut again = Scores::new(2);
        again.load(&state).unwrap();
        for scores in [&mut scores, &mut again] {
            (0..10).for_each(|_| scores.push(&[0.5, 2.0], &[0.0; 2], 0.0));
        }
        assert_eq!(scores.plain.values, again.plain.values);
        assert!(Scores::new(1).load(&state).is_err());
    }
}
