//! Features of any scale, brought to about -1 to 1.

use crate::error::Error;
use crate::linalg::norm_squared;
use crate::persist::State;
use crate::runtime::heap;

/// From so many scales on, features are compressed like logarithms: outliers stay apart from each other, and do not make
/// everything else look the same.
const COMPRESSED: f64 = 3.0;

/// The most scales that a feature may be from its centre.
const FARTHEST: f64 = 1e6;

/// Part of its centre by which a feature that has never varied may be off: the same number in float32 is another.
const ROUNDING: f64 = 1e-6;

/// A normal variable is within this many standard deviations between its first and its last tenth.
const TENTHS: f64 = 2.563_103_131_089_201;

/// Centre and scale of each feature.
#[derive(Debug, Clone, Default)]
pub struct Scaling {
    centres: Vec<f64>,
    /// 0 for a feature that has never varied.
    scales: Vec<f64>,
}

impl Scaling {
    /// Those of some rows, one after the other: the median, and what the range without the outer tenths is for a normal
    /// variable. A few outliers do not move either.
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

    /// The centres and the scales; a scale of 0 is that of a feature that has never varied.
    pub fn parts(&self) -> (&[f64], &[f64]) {
        (&self.centres, &self.scales)
    }

    /// Number of features.
    pub(crate) fn width(&self) -> usize {
        self.centres.len()
    }

    /// A feature that varies for the first time gets a scale: all rows before were at its centre, whatever that is.
    pub(crate) fn notice(&mut self, x: &[f64]) {
        for ((x, centre), scale) in x.iter().zip(&self.centres).zip(&mut self.scales) {
            if *scale == 0.0 && is_apart(*x, *centre) {
                *scale = (x - centre).abs();
            }
        }
    }

    /// The features of a row in scales from the centre, as linear functions take them.
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

    /// The same for one row or many, one after the other.
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

/// Whether a feature is elsewhere than at its centre.
fn is_apart(x: f64, centre: f64) -> bool {
    (x - centre).abs() > ROUNDING * centre.abs()
}

/// Features in scales, as kernels take them.
pub(crate) fn compress_in_place(z: &mut [f64]) {
    for z in z {
        let size = z.abs();
        if size > COMPRESSED {
            *z = z.signum() * COMPRESSED * (1.0 + (size / COMPRESSED).ln());
        }
    }
}

/// The same beside those that are not.
pub(crate) fn compressed(z: &[f64]) -> Vec<f64> {
    let mut compressed = z.to_vec();
    compress_in_place(&mut compressed);
    compressed
}

/// The middle of some numbers and their scale; 0 if they are all the same.
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

/// Between two of some sorted numbers, as near to each as the part asks for.
fn quantile(sorted: &[f64], part: f64) -> f64 {
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

/// Rows that are compared with each other; of more, some that are spread over them.
const COMPARED: usize = 512;

/// Two rows that are nearer than this, in scales of the features, count as the same: a kernel that told them apart would
/// tell nothing else.
const SAME: f64 = 1e-12;

/// The median distance of two of some rows; 1 if there is no distance.
pub(crate) fn median_distance(rows: &[f64], width: usize) -> f64 {
    let step = (rows.len() / width).div_ceil(COMPARED).max(1);
    let rows: Vec<&[f64]> = rows.chunks_exact(width).step_by(step).collect();
    let (mut squares, mut difference) = (Vec::new(), vec![0.0; width]);
    for (i, a) in rows.iter().enumerate() {
        for b in &rows[..i] {
            let pairs = a.iter().zip(*b);
            difference
                .iter_mut()
                .zip(pairs)
                .for_each(|(d, (a, b))| *d = a - b);
            squares.push(norm_squared(&difference));
        }
    }
    squares.sort_by(f64::total_cmp);
    // Where most rows are the same, the others tell.
    let apart = squares.partition_point(|square| *square < SAME * SAME);
    match &squares[apart..] {
        [] => 1.0,
        some if apart < squares.len() / 2 => squares[squares.len() / 2].max(some[0]).sqrt(),
        some => some[some.len() / 2].sqrt(),
    }
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
        scaling.notice(&[4.999_999]);
        scaling.notice(&[7.0]);
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
