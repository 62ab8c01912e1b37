//! Features of the past of a series, such as people build by hand.

use super::history::History;

/// The last values that are features by themselves.
const LAST: usize = 3;

/// Number of values of the same place in the first season, and in others, of which means are taken.
const IN_FIRST: usize = 7;
const IN_OTHERS: usize = 4;

/// The features of a series' past, and plain forecasts that they hold.
#[derive(Debug, Clone)]
pub(super) struct Lags {
    /// Lengths of the seasons, the shortest first.
    seasons: Vec<usize>,
    names: Vec<String>,
}

/// A plain forecast, to be compared with and combined.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Plain {
    /// The forecast; NaN if the history is too short for it.
    pub(super) value: f64,
    /// The part that it has in a combination nothing is known of.
    pub(super) share: f64,
}

impl Lags {
    pub(super) fn new(seasons: &[usize]) -> Self {
        let mut names: Vec<String> = vec!["value now".into()];
        names.extend((1..LAST).map(|ago| format!("value {ago} ago")));
        for (i, season) in seasons.iter().enumerate() {
            names.push(format!("value {season} before"));
            if i == 0 {
                names.push(format!("value {} before", 2 * season));
            }
            names.push(format!("mean of values {season} apart"));
            names.push(format!("mean of {season}"));
            names.push(format!("change over {season}"));
        }
        let seasons = seasons.to_vec();
        Self { seasons, names }
    }

    /// The names of the features.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of values that the features of this horizon look back to.
    pub(super) fn depth(&self, horizon: usize) -> usize {
        let back = |(i, season): (usize, &usize)| season * (n_apart(i) + 1);
        let longest = self.seasons.iter().enumerate().map(back).max();
        longest.unwrap_or(LAST).max(LAST) + horizon
    }

    /// Appends the features for the slot `horizon` after the last one, which there must be. The last value stands for
    /// those that were before the first.
    pub(super) fn write(&self, history: &History, horizon: usize, out: &mut Vec<f64>) {
        let (first, last) = (out.len(), history.at(0));
        self.write_known(history, horizon, out);
        let unknown = out[first..].iter_mut().filter(|value| value.is_nan());
        unknown.for_each(|value| *value = last);
    }

    fn write_known(&self, history: &History, horizon: usize, out: &mut Vec<f64>) {
        out.extend((0..LAST).map(|ago| history.at(ago)));
        for (i, season) in self.seasons.iter().enumerate() {
            let back = back_to_same_place(*season, horizon);
            out.push(history.at(back));
            if i == 0 {
                out.push(history.at(back + season));
            }
            out.push(self.mean_apart(history, i, back));
            out.push(history.mean(*season));
            let before = history.at(*season);
            let before = if before.is_nan() {
                history.at(0)
            } else {
                before
            };
            out.push(history.at(0) - before);
        }
    }

    /// The plain forecasts for the slot `horizon` after the last one: the last value, then for each season the value of
    /// the same place in the last one, then the mean of the last ones of the first season.
    pub(super) fn plain(&self, history: &History, horizon: usize) -> Vec<Plain> {
        let share = 1.0 / (self.seasons.len() + 1) as f64;
        let last = if self.seasons.is_empty() { 1.0 } else { 0.0 };
        let back = |season: usize| back_to_same_place(season, horizon);
        let mut all = vec![Plain {
            value: history.at(0),
            share: last,
        }];
        for season in &self.seasons {
            let value = history.at(back(*season));
            all.push(Plain { value, share });
        }
        if let Some(season) = self.seasons.first() {
            let value = self.mean_apart(history, 0, back(*season));
            all.push(Plain { value, share });
        }
        all
    }

    /// Number of plain forecasts.
    pub(super) fn n_plain(&self) -> usize {
        1 + self.seasons.len() + usize::from(!self.seasons.is_empty())
    }

    /// The mean of the values of the same place in the last seasons, as many as there are.
    fn mean_apart(&self, history: &History, season: usize, back: usize) -> f64 {
        let all = (0..n_apart(season)).map(|i| history.at(back + i * self.seasons[season]));
        let known: Vec<f64> = all.filter(|value| !value.is_nan()).collect();
        known.iter().sum::<f64>() / known.len() as f64
    }
}

/// Number of values of the same place of which means are taken.
fn n_apart(season: usize) -> usize {
    if season == 0 { IN_FIRST } else { IN_OTHERS }
}

/// How long before the last slot the last known one is that has the same place in its season as the slot `horizon`
/// after it.
fn back_to_same_place(season: usize, horizon: usize) -> usize {
    horizon.div_ceil(season) * season - horizon
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(n: usize) -> History {
        let mut history = History::new(100);
        (0..n).for_each(|i| history.push(i as f64, false));
        history
    }

    #[test]
    fn features_are_those_of_the_definition() {
        let (lags, mut out) = (Lags::new(&[4]), Vec::new());
        assert_eq!(lags.names().len(), 8);
        lags.write(&history(50), 1, &mut out);
        // The target is 50: the same place was 46, 42, 38, ..., 22.
        let expected = [49.0, 48.0, 47.0, 46.0, 42.0, 34.0, 47.5, 4.0];
        assert_eq!(out, expected);
        out.clear();
        // The target is 54: of the same place, 46 is the last that is known.
        lags.write(&history(50), 5, &mut out);
        assert_eq!(out[3..5], [46.0, 42.0]);
    }

    #[test]
    fn plain_forecasts_repeat_the_past() {
        let lags = Lags::new(&[4, 8]);
        let values: Vec<f64> = lags
            .plain(&history(50), 2)
            .iter()
            .map(|p| p.value)
            .collect();
        assert_eq!(values, [49.0, 47.0, 43.0, 35.0]);
        assert_eq!(values.len(), lags.n_plain());
        let plain = Lags::new(&[]).plain(&history(50), 2);
        assert_eq!(
            plain,
            [Plain {
                value: 49.0,
                share: 1.0
            }]
        );
        let shares = |lags: Lags| {
            lags.plain(&history(3), 1)
                .iter()
                .map(|p| p.share)
                .sum::<f64>()
        };
        assert!((shares(Lags::new(&[4, 8])) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_last_value_stands_for_those_before_the_first() {
        let (lags, mut out) = (Lags::new(&[4]), Vec::new());
        lags.write(&history(1), 1, &mut out);
        assert_eq!(out, [0.0; 8]);
        out.clear();
        lags.write(&history(2), 1, &mut out);
        assert_eq!(out, [1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0]);
    }

    #[test]
    fn the_depth_is_that_of_the_farthest_value() {
        let lags = Lags::new(&[4, 8]);
        let (mut out, depth) = (Vec::new(), lags.depth(3));
        lags.write(&history(depth), 3, &mut out);
        assert!(out.iter().all(|value| value.is_finite()));
        assert!(depth >= 4 * 8);
    }
}
