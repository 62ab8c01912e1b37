//! Scaling: features of any unit, brought to about -1 to 1.

use crate::error::Error;
use crate::linalg::norm_squared;
use crate::persist::State;
use crate::runtime::heap;

/// Number of scales beyond which features are compressed like logarithms: outliers stay apart from each other and do
/// not make all other rows look alike.
pub(crate) const COMPRESSED: f64 = 3.0;

/// The largest distance of a feature from its centre, in scales.
pub(crate) const FARTHEST: f64 = 1e6;

/// Distance from its centre, relative to it, that a constant feature may have: float32 rounds it.
pub(crate) const ROUNDING: f64 = 1e-6;

/// Distance from the first to the last decile of a normal variable, in standard deviations.
const TENTHS: f64 = 2.563_103_131_089_201;

/// Centre and scale of each feature.
#[derive(Debug, Clone, Default)]
pub struct Scaling {
    centres: Vec<f64>,
    /// 0 for a feature that has never varied.
    scales: Vec<f64>,
}

impl Scaling {
    /// Centre and scale of each feature in some rows: the median, and the distance between the outer deciles over that
    /// of a normal variable. A few outliers change neither.
    pub(crate) fn of(rows: &[f64], width: usize) -> Self {
        let mut column = Vec::with_capacity(rows.len() / width);
        let mut scaling = Self::default();
        for feature in 0..width {
            column.clear();
            column.extend(rows.iter().skip(feature).step_by(width));
            let (centre, scale) = location(&mut column);
            scaling.centres.push(centre);
            scaling.scales.push(scale);
        }
        scaling
    }

    /// The centres and the scales; a feature that has never varied has the scale 0.
    pub fn parts(&self) -> (&[f64], &[f64]) {
        (&self.centres, &self.scales)
    }

    /// Gives rows more features, which have been 0 so far.
    pub(crate) fn widen(&mut self, width: usize) {
        self.centres.resize(width, 0.0);
        self.scales.resize(width, 0.0);
    }

    /// Number of features.
    pub(crate) fn width(&self) -> usize {
        self.centres.len()
    }

    /// Gives a scale to features that vary for the first time, and returns them: in all rows before, they were at the
    /// centre.
    pub(crate) fn update(&mut self, x: &[f64]) -> Vec<usize> {
        let mut begun = Vec::new();
        let parts = x.iter().zip(&self.centres).zip(&mut self.scales);
        for (feature, ((x, centre), scale)) in parts.enumerate() {
            if *scale == 0.0 && is_apart(*x, *centre) {
                *scale = (x - centre).abs();
                begun.push(feature);
            }
        }
        begun
    }

    /// The feature whose median in some rows is farthest from its centre, and how far that is in its scale.
    /// Features that have never varied are left out.
    pub(crate) fn farthest_move(&self, rows: &[f64]) -> Option<(usize, f64)> {
        let now = Self::of(rows, self.width());
        let before = self.centres.iter().zip(&self.scales);
        let both = before.zip(&now.centres).enumerate();
        let varying = both.filter(|(_, ((_, scale), _))| **scale > 0.0);
        let moves = varying
            .map(|(feature, ((centre, scale), median))| (feature, (median - centre).abs() / scale));
        moves.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Writes the features of a row as distances from the centre in scales, as linear predictors take them.
    pub(crate) fn scale_into(&self, x: &[f64], out: &mut [f64]) {
        let parts = self.centres.iter().zip(&self.scales);
        for ((x, (centre, scale)), out) in x.iter().zip(parts).zip(out) {
            let away = x - centre;
            *out = match *scale {
                0.0 if is_apart(*x, *centre) => away.signum(),
                0.0 => 0.0,
                scale => (away / scale).clamp(-FARTHEST, FARTHEST),
            };
        }
    }

    /// The features of rows, one after the other, as distances from the centre in scales.
    pub(crate) fn scaled(&self, rows: &[f64]) -> Vec<f64> {
        let (width, mut scaled) = (self.width(), vec![0.0; rows.len()]);
        for (x, z) in rows.chunks_exact(width).zip(scaled.chunks_exact_mut(width)) {
            self.scale_into(x, z);
        }
        scaled
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put_features("centres", &self.centres);
        state.put_features("scales", &self.scales);
    }

    pub(crate) fn load(state: &State) -> Result<Self, Error> {
        let centres = state.any_vector("centres")?;
        let scales = state.vector("scales", centres.len())?;
        if scales.iter().any(|scale| *scale < 0.0) {
            return Err(Error::model_file("scales should not be negative"));
        }
        Ok(Self { centres, scales })
    }
}

/// Returns true if a feature is not at its centre, beyond rounding.
fn is_apart(x: f64, centre: f64) -> bool {
    (x - centre).abs() > ROUNDING * centre.abs()
}

/// Compresses scaled features, as kernels take them.
pub(crate) fn compress_in_place(z: &mut [f64]) {
    for z in z {
        let size = z.abs();
        if size > COMPRESSED {
            *z = z.signum() * COMPRESSED * (1.0 + (size / COMPRESSED).ln());
        }
    }
}

/// A compressed copy of scaled features.
pub(crate) fn compressed(z: &[f64]) -> Vec<f64> {
    let mut compressed = z.to_vec();
    compress_in_place(&mut compressed);
    compressed
}

/// The median of some numbers and their scale, which is 0 if they are all equal.
pub(crate) fn location(numbers: &mut [f64]) -> (f64, f64) {
    numbers.sort_by(f64::total_cmp);
    let at = |part: f64| quantile(numbers, part);
    let (centre, scale) = (at(0.5), (at(0.9) - at(0.1)) / TENTHS);
    if scale > 0.0 {
        return (centre, scale);
    }
    let squares: f64 = numbers.iter().map(|x| (x - centre) * (x - centre)).sum();
    (centre, (squares / numbers.len() as f64).sqrt())
}

/// A quantile of sorted numbers, interpolated linearly.
pub(crate) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is an index"
    )]
    let (before, rest) = (place.floor() as usize, place.fract());
    let after = (before + 1).min(sorted.len() - 1);
    sorted[before] + rest * (sorted[after] - sorted[before])
}

/// The most rows that are compared with each other; of more, an evenly spread part is taken.
const COMPARED: usize = 256;

/// Distance, in scales of the features, below which two rows count as equal: no kernel should tell them apart.
const SAME: f64 = 1e-12;

/// The median distance between two of some rows; 1 if all are equal.
pub(crate) fn median_distance(rows: &[f64], width: usize) -> f64 {
    let median = median_of_pairs(rows, width, SAME * SAME, norm_squared);
    median.map_or(1.0, f64::sqrt)
}

/// The median distance, in the 1-norm, between two of some rows; 1 if all are equal.
pub(crate) fn median_distance_in_1_norm(rows: &[f64], width: usize) -> f64 {
    let norm = |difference: &[f64]| difference.iter().map(|d| d.abs()).sum();
    median_of_pairs(rows, width, SAME, norm).unwrap_or(1.0)
}

/// The median size of the difference of two rows; `None` if all are equal. Rows count as equal below `same`.
fn median_of_pairs(
    rows: &[f64],
    width: usize,
    same: f64,
    size: impl Fn(&[f64]) -> f64,
) -> Option<f64> {
    let step = (rows.len() / width).div_ceil(COMPARED).max(1);
    let rows: Vec<&[f64]> = rows.chunks_exact(width).step_by(step).collect();
    let (mut sizes, mut difference) = (Vec::new(), vec![0.0; width]);
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[..i] {
            let pairs = a.iter().zip(*b);
            difference
                .iter_mut()
                .zip(pairs)
                .for_each(|(d, (a, b))| *d = a - b);
            sizes.push(size(&difference));
        }
    }
    // If most rows are equal, the others decide.
    let apart = sizes.iter().filter(|size| **size < same).count();
    let least = sizes.iter().copied().filter(|size| *size >= same);
    let least = least.min_by(f64::total_cmp)?;
    let middle = if apart < sizes.len() / 2 {
        sizes.len() / 2
    } else {
        apart + (sizes.len() - apart) / 2
    };
    let (_, median, _) = sizes.select_nth_unstable_by(middle, f64::total_cmp);
    Some(median.max(least))
}

heap!(Scaling: centres, scales);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_any_scale_look_the_same() {
        let rows: Vec<f64> = (0..101)
            .flat_map(|i| [f64::from(i), 1e9 + 1e3 * f64::from(i)])
            .collect();
        let scaling = Scaling::of(&rows, 2);
        let mut z = [0.0; 2];
        scaling.scale_into(&[90.0, 1e9 + 9e4], &mut z);
        assert!((z[0] - TENTHS / 2.0).abs() < 1e-12 && (z[1] - z[0]).abs() < 1e-9);
    }

    #[test]
    fn a_feature_that_never_varied_gets_its_scale_late() {
        let mut scaling = Scaling::of(&[5.0, 5.0, 5.0], 1);
        let mut z = [f64::NAN];
        for (x, expected) in [(5.0, 0.0), (7.0, 1.0), (-1e9, -1.0), (5.000_001, 0.0)] {
            scaling.scale_into(&[x], &mut z);
            assert_eq!(z, [expected]);
        }
        scaling.update(&[4.999_999]);
        scaling.update(&[7.0]);
        scaling.scale_into(&[1.0], &mut z);
        assert_eq!(z, [-2.0]);
    }

    #[test]
    fn outliers_are_compressed_and_stay_in_order() {
        let mut z = [-1e6, -2.0, 3.0, 30.0, 1e6];
        compress_in_place(&mut z);
        assert_eq!(z[1..3], [-2.0, 3.0]);
        assert!(z.is_sorted() && z[4] < 50.0);
    }

    #[test]
    fn the_median_distance_is_that_of_rows_that_differ() {
        assert_eq!(median_distance(&[1.0, 1.0], 1), 1.0);
        assert_eq!(median_distance(&[0.0, 0.0, 0.0, 0.0, 3.0], 1), 3.0);
        assert_eq!(median_distance(&[0.0, 1.0, 4.0], 1), 3.0);
        let tiny = [0.0, 1e-120, 2e-120, 3e-120, 3.0];
        assert_eq!(median_distance(&tiny, 1), 3.0);
    }
}
