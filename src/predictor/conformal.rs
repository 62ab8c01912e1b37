//! Conformal scores: the errors of past predictions, for intervals around those to come.

use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;
use crate::runtime::interleave;

/// Number of errors remembered: enough for a level of 99.9 %, few enough to follow a stream that changes.
const WINDOW: usize = 1000;

/// The last errors of predictions, each relative to its expected size.
///
/// A prediction with `q = phi . P phi` has, if the noise has the variance `s^2`, an error of the variance `s^2 (1 + q)`.
/// Whatever the distribution of `|y - yhat| / sqrt(1 + q)` is, the next one is among the `ceil(level (n + 1))` smallest
/// of the last `n` with the probability `level`, if they come in no particular order: conformal prediction.
#[derive(Debug, Clone)]
pub struct Scores {
    /// For each target, the scores of the window; the next replaces the one at `at`.
    scores: Vec<Vec<f64>>,
    at: usize,
}

impl Scores {
    /// No scores yet, for `n_targets` targets.
    pub fn new(n_targets: usize) -> Self {
        let scores = vec![Vec::new(); n_targets];
        Self { scores, at: 0 }
    }

    /// The last scores of several learners, at least one, as if their rows had come in turns.
    pub(crate) fn merged(all: &[&Self]) -> Self {
        let n_targets = all.first().map_or(0, |own| own.scores.len());
        let scores: Vec<Vec<f64>> = (0..n_targets)
            .map(|target| {
                let mut scores = interleave(all.iter().map(|own| own.newest_first(target)));
                scores.truncate(WINDOW);
                scores.reverse();
                scores
            })
            .collect();
        let at = scores.first().map_or(0, Vec::len) % WINDOW;
        Self { scores, at }
    }

    fn newest_first(&self, target: usize) -> Vec<f64> {
        let (newer, older) = self.scores[target].split_at(self.at);
        newer
            .iter()
            .rev()
            .chain(older.iter().rev())
            .copied()
            .collect()
    }

    /// Records the errors of one row, one for each target, with this `q`.
    pub fn push(&mut self, errors: impl IntoIterator<Item = f64>, q: f64) {
        let unit = (1.0 + q).sqrt();
        for (scores, error) in self.scores.iter_mut().zip(errors) {
            let score = error.abs() / unit;
            if let Some(old) = scores.get_mut(self.at) {
                *old = score;
            } else {
                scores.reserve_exact(WINDOW - scores.len());
                scores.push(score);
            }
        }
        self.at = (self.at + 1) % WINDOW;
    }

    /// For each target, the distance from a prediction with `q = 0` that holds `level` of all labels; infinite at
    /// first.
    pub fn margins(&self, level: f64) -> Vec<f64> {
        self.scores.iter().map(|s| margin(s, level)).collect()
    }

    pub(crate) fn save(&self, state: &mut State) {
        let shape = [self.scores.len(), self.scores[0].len()];
        state.put_matrix("scores", shape, self.scores.concat());
        state.put_indices("scores_at", &[self.at]);
    }

    /// Reads the scores; older files have none.
    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        if !state.has("scores") {
            return Ok(());
        }
        let (at, n_targets) = (state.count("scores_at")?, self.scores.len());
        let (shape, scores) = state.any_matrix("scores")?;
        let [found, n] = shape;
        let plausible = n <= WINDOW && (at == n % WINDOW || n == WINDOW && at < WINDOW);
        if found != n_targets || !plausible || scores.iter().any(|score| *score < 0.0) {
            return Err(Error::model_file("scores should be those of a window"));
        }
        self.at = at;
        self.scores = (0..n_targets)
            .map(|i| scores[i * n..(i + 1) * n].to_vec())
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

heap!(Scores: scores);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_a_rank_of_the_last_scores() {
        let mut scores = Scores::new(1);
        assert_eq!(scores.margins(0.5), [f64::INFINITY]);
        (1..=9).for_each(|i| scores.push([-f64::from(i) * 2.0], 3.0));
        assert_eq!(scores.margins(0.9), [9.0]);
        assert_eq!(scores.margins(0.5), [5.0]);
        assert_eq!(scores.margins(0.91), [f64::INFINITY]);
        (0..WINDOW).for_each(|_| scores.push([7.0], 0.0));
        assert_eq!(scores.margins(0.01), [7.0]);
    }

    #[test]
    fn the_newest_scores_of_each_are_merged_in_turn() {
        let scores = |n: usize, from: usize| {
            let mut scores = Scores::new(1);
            (0..n).for_each(|i| scores.push([(from + i) as f64], 0.0));
            scores
        };
        let (few, many) = (scores(3, 10), scores(WINDOW + 5, 1000));
        let merged = Scores::merged(&[&few, &few]);
        assert_eq!(merged.scores, [[10.0, 10.0, 11.0, 11.0, 12.0, 12.0]]);
        assert_eq!(merged.at, 6);
        let mut merged = Scores::merged(&[&many, &few]);
        let newest = [10.0, 2002.0, 11.0, 2003.0, 12.0, 2004.0];
        assert_eq!(merged.scores[0][WINDOW - 6..], newest);
        merged.push([0.5], 0.0);
        assert_eq!((merged.scores[0].len(), merged.scores[0][0]), (WINDOW, 0.5));
    }

    #[test]
    fn scores_go_on_from_a_file() {
        let mut scores = Scores::new(2);
        (0..WINDOW + 5).for_each(|i| scores.push([i as f64, 1.0], 0.0));
        let mut state = State::default();
        scores.save(&mut state);
        let mut again = Scores::new(2);
        again.load(&state).unwrap();
        for scores in [&mut scores, &mut again] {
            (0..10).for_each(|_| scores.push([0.5, 2.0], 0.0));
        }
        assert_eq!(scores.scores, again.scores);
        assert!(Scores::new(1).load(&state).is_err());
    }
}
