//! The errors of forecasts, beside those of plain ones.

use super::lags::Plain;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;

/// The level of the intervals whose coverage is counted.
pub const LEVEL: f64 = 0.9;

/// The errors of all forecasts of one horizon, and of plain forecasts for the same values.
///
/// Only values for which all of them had a forecast are counted, so that they can be compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// Number of values.
    pub count: f64,
    /// The sum of the absolute errors.
    pub absolute: f64,
    /// The sum of the squared errors.
    pub squared: f64,
    /// The sums of the absolute errors of the plain forecasts: no change, then for each season no change since the last.
    pub plain: Vec<f64>,
    /// Number of values that had an interval of the level [`LEVEL`], number of those within, and the sum of the widths.
    pub intervals: [f64; 3],
}

impl Tally {
    /// No values yet, beside so many plain forecasts.
    pub(super) fn new(n_plain: usize) -> Self {
        let plain = vec![0.0; n_plain];
        Self {
            plain,
            ..Self::default()
        }
    }

    /// Counts a value.
    pub(super) fn add(&mut self, y: f64, forecast: f64, plain: &[Plain], margin: f64) {
        let plain = &plain[..self.plain.len()];
        if plain.iter().any(|plain| plain.value.is_nan()) {
            return;
        }
        let error = (y - forecast).abs();
        self.count += 1.0;
        self.absolute += error;
        self.squared += error * error;
        for (sum, plain) in self.plain.iter_mut().zip(plain) {
            *sum += (y - plain.value).abs();
        }
        if margin.is_finite() {
            let new = [1.0, f64::from(error <= margin), 2.0 * margin];
            self.intervals
                .iter_mut()
                .zip(new)
                .for_each(|(sum, new)| *sum += new);
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("errors", [self.count, self.absolute, self.squared]);
        state.put("plain_errors", &*self.plain);
        state.put("intervals", self.intervals);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        [self.count, self.absolute, self.squared] = state.numbers("errors")?;
        self.plain = state.vector("plain_errors", self.plain.len())?;
        self.intervals = state.numbers("intervals")?;
        Ok(())
    }
}

heap!(Tally: plain);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_once_all_forecasts_are_there() {
        let plain = |value| Plain { value, share: 1.0 };
        let mut tally = Tally::new(2);
        tally.add(1.0, 3.0, &[plain(2.0), plain(f64::NAN)], 5.0);
        assert_eq!(tally, Tally::new(2));
        tally.add(
            1.0,
            3.0,
            &[plain(2.0), plain(5.0), plain(f64::NAN)],
            f64::INFINITY,
        );
        tally.add(1.0, 2.0, &[plain(1.0), plain(1.0)], 0.5);
        assert_eq!(
            (tally.count, tally.absolute, tally.squared),
            (2.0, 3.0, 5.0)
        );
        assert_eq!(tally.plain, [1.0, 4.0]);
        assert_eq!(tally.intervals, [1.0, 0.0, 1.0]);
        let (mut state, mut again) = (State::default(), Tally::new(2));
        tally.save(&mut state);
        again.load(&state).unwrap();
        assert_eq!(again, tally);
    }
}
