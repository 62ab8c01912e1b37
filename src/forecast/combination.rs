//! The combination of a model's forecast with plain ones.

use super::lags::Plain;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;
use crate::updates::{LeastSquares, Update};

/// Forgetting factor of the weights.
const FORGETTING: f64 = 0.998;

/// Number of rows that it takes to believe in a weight.
const RIDGE: f64 = 30.0;

/// The part of the model in a combination nothing is known of, once it has learned.
const TRUST: f64 = 0.7;

/// Forgetting factor of the mean error.
const MEMORY: f64 = 0.99;

/// Part of the mean error below which errors count alike.
const FLOOR: f64 = 0.1;

/// Mean errors below which forecasts count as exact.
const SMALLEST: f64 = 1e-100;

/// The largest difference that counts fully, as a multiple of the mean error.
const FARTHEST: f64 = 1e3;

/// Combines the forecast of a model with plain ones, so that the mean absolute error is small.
///
/// The result is a mean with fixed shares, plus a step that least squares on the differences from that mean has found.
/// A row counts as the reciprocal of its error, one step of iteratively reweighted least squares, which makes absolute
/// errors of squared ones: a few outliers do not move the weights, and the result is near the median.
#[derive(Debug, Clone)]
pub(super) struct Combination {
    squares: LeastSquares,
    /// The mean absolute error, with forgetting, and the number of rows.
    scale: f64,
    count: f64,
}

/// Forecasts that were combined.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Combined {
    /// The mean with fixed shares.
    pub(super) mean: f64,
    /// The differences of the forecasts from it, that of the model first.
    pub(super) differences: Vec<f64>,
    /// The combined forecast.
    pub(super) forecast: f64,
}

impl Combination {
    /// A combination of a model with so many plain forecasts.
    pub(super) fn new(n_plain: usize) -> Result<Self, Error> {
        let mut squares = LeastSquares::new(RIDGE, false)?.forgetting(FORGETTING)?;
        (0..=n_plain).for_each(|_| squares.grow());
        let (scale, count) = (0.0, 0.0);
        Ok(Self {
            squares,
            scale,
            count,
        })
    }

    /// Number of plain forecasts.
    pub(super) fn n_plain(&self) -> usize {
        self.squares.size() - 1
    }

    /// Combines forecasts; `maturity`, 0 to 1, says how far the model can be trusted already.
    pub(super) fn combine(&self, model: f64, plain: &[Plain], maturity: f64) -> Combined {
        let last = plain.first().map_or(model, |last| last.value);
        let value = |plain: &Plain| {
            if plain.value.is_nan() {
                last
            } else {
                plain.value
            }
        };
        let trust = TRUST * maturity;
        let rest: f64 = plain.iter().map(|plain| plain.share * value(plain)).sum();
        let mean = trust * model + (1.0 - trust) * rest;
        let all = std::iter::once(model).chain(plain.iter().map(value));
        let differences: Vec<f64> = all.map(|forecast| forecast - mean).collect();
        let forecast = mean + self.squares.predict(&differences);
        Combined {
            mean,
            differences,
            forecast,
        }
    }

    /// Learns the value that came.
    pub(super) fn learn(&mut self, combined: &Combined, y: f64) {
        let error = (y - combined.forecast).abs();
        self.count = MEMORY * self.count + 1.0;
        self.scale += (error - self.scale) / self.count;
        if self.scale >= SMALLEST {
            self.step(
                combined,
                y - combined.mean,
                (error / self.scale).max(FLOOR).recip(),
            );
        }
    }

    /// Moves the weights towards the difference of the value from the mean. A row of which the numbers are far beyond the
    /// mean error counts less, so that squares cannot overflow.
    fn step(&mut self, combined: &Combined, difference: f64, weight: f64) {
        let all = combined.differences.iter().chain([&difference]);
        let largest = all.fold(0.0_f64, |largest, d| largest.max(d.abs()));
        let unit = self.scale.max(largest / FARTHEST).recip();
        let features: Vec<f64> = combined.differences.iter().map(|d| d * unit).collect();
        self.squares
            .learn_targets(&features, &[difference * unit], weight, &mut [0.0]);
    }

    pub(super) fn save(&self, state: &mut State) {
        state.nest("squares", |state| self.squares.save(state));
        state.put("scale", [self.scale, self.count]);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let size = self.squares.size();
        self.squares.load(&state.inner("squares"), Some(size))?;
        [self.scale, self.count] = state.numbers("scale")?;
        if self.scale >= 0.0 && self.count >= 0.0 {
            return Ok(());
        }
        Err(Error::model_file("scale should not be negative"))
    }
}

heap!(Combined: differences);
heap!(Combination: squares);

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(values: &[f64]) -> Vec<Plain> {
        let share = 1.0 / values.len() as f64;
        let all = values.iter().map(|&value| Plain { value, share });
        all.collect()
    }

    /// The mean absolute error of the last half of so many rows, of each of which `row` makes value, model and plain ones.
    fn error(n: u32, row: impl Fn(u32) -> (f64, f64, [f64; 2])) -> f64 {
        let mut combination = Combination::new(2).unwrap();
        let mut sum = 0.0;
        for t in 0..n {
            let (y, model, others) = row(t);
            let combined = combination.combine(model, &plain(&others), 1.0);
            if t >= n / 2 {
                sum += (y - combined.forecast).abs() / f64::from(n - n / 2);
            }
            combination.learn(&combined, y);
        }
        sum
    }

    #[test]
    fn what_is_right_is_followed() {
        let truth = |t: u32| f64::from(t).sin();
        assert!(error(600, |t| (truth(t), 5.0, [truth(t), -3.0])) < 0.05);
        assert!(error(600, |t| (truth(t), truth(t), [7.0, -3.0])) < 0.05);
    }

    #[test]
    fn outliers_do_not_move_the_weights() {
        let row = |size: f64| {
            move |t: u32| {
                let outlier = if t.is_multiple_of(50) { size } else { 0.0 };
                let (y, noise) = (f64::from(t).sin(), f64::from(t % 7) - 3.0);
                (y + outlier, y + 0.1 * noise, [y + 1.0, 0.0])
            }
        };
        let (clean, dirty) = (error(1000, row(0.0)), error(1000, row(1e6)));
        assert!(dirty - 1e6 / 50.0 < clean + 0.2, "{clean} {dirty}");
    }

    #[test]
    fn nothing_overflows() {
        let mut combination = Combination::new(1).unwrap();
        for y in [0.0, 0.0, 1e-300, 1e100, -1e100, 0.0, 1.0, 1e100] {
            let combined = combination.combine(-y, &plain(&[1e100]), 1.0);
            assert!(combined.forecast.is_finite());
            combination.learn(&combined, y);
        }
        assert!(
            combination
                .combine(1.0, &plain(&[2.0]), 1.0)
                .forecast
                .is_finite()
        );
    }

    #[test]
    fn before_the_model_has_learned_plain_forecasts_count() {
        let combination = Combination::new(2).unwrap();
        let first = combination.combine(100.0, &plain(&[1.0, f64::NAN]), 0.0);
        assert_eq!(first.forecast, 1.0);
        let later = combination.combine(100.0, &plain(&[1.0, 1.0]), 1.0);
        assert!((later.forecast - 70.3).abs() < 1e-9);
    }
}
