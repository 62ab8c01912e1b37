//! Screening: how much each feature tells about the labels, beside a shadow of it that tells nothing.

use super::draws::shuffled;
use super::{SETTINGS, Settings, boost_with};
use crate::data::Rows;

/// Settings of the trees that compare features with their shadows.
const SCREENING: Settings = Settings {
    trees: 30,
    features: 128,
    ..SETTINGS
};

/// Number of standard deviations by which the gain of a feature that tells something is above the mean of the shadows'.
const DEVIATIONS: f64 = 2.0;

/// The least gain that shadows count as having, as a part of all gains.
const LEAST: f64 = 1e-6;

/// What screening says of each feature.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Screened {
    /// Its gain in mean gains of the shadows; infinite if it has never varied, so that nothing is known of it.
    pub(in super::super) ratios: Vec<f64>,
    /// True if its gain may be due to chance.
    pub(in super::super) is_useless: Vec<bool>,
}

/// Compares features with their shadows: trees are fitted to rows that have, beside the features, those of another row,
/// and the gains of the features are compared with the gains of these.
///
/// The first `n_known` features are not screened and have no shadows.
pub(in super::super) fn screen(rows: &Rows<'_>, n_known: usize, y: &[f64], seed: u64) -> Screened {
    let (width, own) = (rows.n_features(), rows.n_features() - n_known);
    let mut wide = Vec::with_capacity(rows.len() * (width + own));
    for (x, other) in rows.iter().zip(shuffled(seed, rows.len())) {
        wide.extend_from_slice(x);
        wide.extend_from_slice(&rows.row(other)[n_known..]);
    }
    let wide = Rows::trusted(&wide, width + own, 0);
    let gains = boost_with(&SCREENING, &wide, y, seed).1;
    let least = LEAST * gains.iter().sum::<f64>() + f64::MIN_POSITIVE;
    let (gains, shadows) = gains[n_known..].split_at(own);
    let varies: Vec<bool> = (n_known..width)
        .map(|feature| rows.iter().any(|x| x[feature] != rows.row(0)[feature]))
        .collect();
    let shadows = shadows.iter().zip(&varies).filter(|(_, varies)| **varies);
    let (centre, deviation) = mean_and_deviation(shadows.map(|(gain, _)| *gain));
    let screened = gains.iter().zip(&varies).map(|(gain, varies)| {
        if *varies {
            let is_useless = *gain <= centre + DEVIATIONS * deviation;
            (gain / (centre + least), is_useless)
        } else {
            (f64::INFINITY, false)
        }
    });
    let (ratios, is_useless) = screened.unzip();
    Screened { ratios, is_useless }
}

/// The mean of some numbers and their standard deviation.
fn mean_and_deviation(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = numbers.clone().count().max(1) as f64;
    let mean = numbers.clone().sum::<f64>() / n;
    let squares = numbers.map(|number| (number - mean) * (number - mean));
    (mean, (squares.sum::<f64>() / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of six features in [0, 1), of which the first two tell the label.
    fn stream(n_rows: usize) -> (Vec<f64>, Vec<f64>) {
        let columns: Vec<Vec<usize>> = (10..16).map(|seed| shuffled(seed, n_rows)).collect();
        let row = |i: usize| {
            columns
                .iter()
                .map(move |column| column[i] as f64 / n_rows as f64)
        };
        let rows: Vec<f64> = (0..n_rows).flat_map(row).collect();
        let y = rows.chunks_exact(6).map(|x| (6.0 * x[0]).sin() + x[1]);
        (rows.clone(), y.collect())
    }

    #[test]
    fn features_that_tell_nothing_are_found() {
        let (rows, y) = stream(400);
        let found = screen(&Rows::new(&rows, 6).unwrap(), 0, &y, 1);
        assert_eq!(found.is_useless[..2], [false; 2]);
        assert!(
            found.is_useless[2..]
                .iter()
                .filter(|useless| **useless)
                .count()
                >= 3
        );
        assert!(
            found.ratios[..2].iter().all(|ratio| *ratio > 20.0),
            "{found:?}"
        );
        assert!(
            found.ratios[2..].iter().all(|ratio| *ratio < 5.0),
            "{found:?}"
        );
    }

    #[test]
    fn known_features_are_left_alone() {
        let (rows, y) = stream(400);
        let found = screen(&Rows::new(&rows, 6).unwrap(), 1, &y, 1);
        assert_eq!(found.ratios.len(), 5);
        assert!(!found.is_useless[0] && found.is_useless[3]);
    }

    #[test]
    fn labels_that_are_all_the_same_tell_nothing() {
        let (rows, _) = stream(50);
        let found = screen(&Rows::new(&rows, 6).unwrap(), 0, &[1.0; 50], 1);
        assert_eq!(found.is_useless, [true; 6]);
        assert_eq!(found.ratios, [0.0; 6]);
    }
}
