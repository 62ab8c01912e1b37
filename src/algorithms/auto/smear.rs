//! Smearing: the mean label is not the label of the mean number.

use crate::error::Error;
use crate::persist::State;
use crate::predictor::Curve;

/// The largest error that counts, as an argument of the hyperbolic sine: a factor of 20 in a label.
const LARGEST: f64 = 3.0;

/// Number of rows that an expert is thought to have predicted without an error at first.
const KNOWN: f64 = 20.0;

/// The last errors of an expert on a curve, as far as the mean label depends on them: Duan's smearing estimate (1983).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Smear {
    /// The means of the exponentials of an error and of its negative, with forgetting.
    up: f64,
    down: f64,
    count: f64,
}

impl Smear {
    pub(super) fn new() -> Self {
        Self {
            up: 1.0,
            down: 1.0,
            count: KNOWN,
        }
    }

    /// The curve whose labels are means over the errors.
    pub(super) fn of(&self, curve: &Curve) -> Curve {
        curve.smeared(self.up, self.down)
    }

    /// Records the error of a number on a curve.
    pub(super) fn record(&mut self, curve: &Curve, error: f64, weight: f64, forgetting: f64) {
        let error = (curve.scale * error).clamp(-LARGEST, LARGEST);
        self.count = forgetting * self.count + weight;
        let step = weight / self.count;
        self.up += (error.exp() - self.up) * step;
        self.down += ((-error).exp() - self.down) * step;
    }

    pub(super) fn save_all(smears: &[Self], state: &mut State) {
        let numbers = smears.iter().flat_map(|s| [s.up, s.down, s.count]);
        state.put_matrix("smears", [smears.len(), 3], numbers.collect());
    }

    /// Reads `n` of them.
    pub(super) fn load_all(n: usize, state: &State) -> Result<Vec<Self>, Error> {
        let (n_rows, numbers) = state.matrix("smears", 3)?;
        let largest = 1.01 * LARGEST.exp();
        let is_mean = |mean: &f64| (largest.recip()..=largest).contains(mean);
        let smears = numbers.as_chunks::<3>().0;
        if n_rows == n
            && smears
                .iter()
                .all(|[a, b, n]| is_mean(a) && is_mean(b) && *n > 0.0)
        {
            let smear = |&[up, down, count]: &[f64; 3]| Self { up, down, count };
            return Ok(smears.iter().map(smear).collect());
        }
        Err(Error::model_file("smears should be means of exponentials"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::UNBOUNDED;

    #[test]
    fn the_mean_label_is_found_whatever_single_errors_are() {
        let curve = Curve {
            spread: 1.0,
            ..Curve::STRAIGHT
        };
        let mut smear = Smear::new();
        assert_eq!(smear.of(&curve), curve);
        for i in 0..2000 {
            let error = if i % 2 == 0 { 1.0 } else { -1.0 };
            smear.record(&curve, error, 1.0, 0.99);
        }
        let found = smear.of(&curve).label(2.0, UNBOUNDED);
        let expected = f64::midpoint(1.0_f64.sinh(), 3.0_f64.sinh());
        assert!((found - expected).abs() < 0.05 * expected);
        smear.record(&curve, 1e300, 1.0, 0.99);
        assert!(smear.of(&curve).label(2.0, UNBOUNDED) < 1.3 * expected);
    }

    #[test]
    fn files_keep_them_and_forged_ones_are_refused() {
        let mut smear = Smear::new();
        smear.record(&Curve::STRAIGHT, -1e9, 5.0, 1.0);
        let mut state = State::default();
        Smear::save_all(&[smear], &mut state);
        assert_eq!(Smear::load_all(1, &state), Ok(vec![smear]));
        assert!(Smear::load_all(2, &state).is_err());
        for numbers in [[1e9, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]] {
            state.put_matrix("smears", [1, 3], numbers.to_vec());
            assert!(Smear::load_all(1, &state).is_err());
        }
    }
}
