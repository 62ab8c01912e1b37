//! Detection of drift: a short memory does better than a long one.

use crate::error::Error;
use crate::linalg::index_of_least;
use crate::persist::State;
use crate::runtime::heap;

/// Forgetting factor of the comparison: some hundred rows count.
const FORGETTING: f64 = 0.997;

/// The relative gain that indicates drift, and how many standard errors it must be.
const MARGIN: f64 = 0.05;
const SIGNIFICANT: f64 = 3.0;

/// Sums over the last rows: the squared errors of each long memory, and the gain of the short memory over it.
#[derive(Debug, Clone)]
pub(super) struct Drift {
    losses: Vec<f64>,
    gains: Vec<f64>,
    squares: Vec<f64>,
}

impl Drift {
    pub(super) fn new(n_long: usize) -> Self {
        let zeros = vec![0.0; n_long];
        Self {
            losses: zeros.clone(),
            gains: zeros.clone(),
            squares: zeros,
        }
    }

    /// Records the squared errors of one row.
    pub(super) fn record(&mut self, long: impl Iterator<Item = f64>, short: f64) {
        for (i, long) in long.enumerate() {
            let gain = long - short;
            for (sum, term) in [
                (&mut self.losses[i], long),
                (&mut self.gains[i], gain),
                (&mut self.squares[i], gain * gain),
            ] {
                *sum = FORGETTING * *sum + term;
            }
        }
    }

    /// Index of the expert with a long memory that has done best.
    pub(super) fn best(&self) -> usize {
        index_of_least(&self.losses)
    }

    /// Returns true if the short memory has done clearly better than the best of the long ones.
    pub(super) fn has_changed(&self) -> bool {
        let best = self.best();
        let gain = self.gains[best];
        gain > MARGIN * self.losses[best] && gain > SIGNIFICANT * self.squares[best].sqrt()
    }

    /// Starts the comparison anew.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.losses.len());
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("watch_losses", &*self.losses);
        state.put("watch_gains", &*self.gains);
        state.put("watch_squares", &*self.squares);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let n = self.losses.len();
        self.losses = state.vector("watch_losses", n)?;
        self.gains = state.vector("watch_gains", n)?;
        self.squares = state.vector("watch_squares", n)?;
        Ok(())
    }
}

heap!(Drift: losses, gains, squares);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_gains_tell_and_one_large_one_does_not() {
        let mut drift = Drift::new(2);
        (0..200).for_each(|i| drift.record([1.0, 2.0].into_iter(), 1.0 + f64::from(i % 2)));
        assert_eq!((drift.best(), drift.has_changed()), (0, false));
        drift.record([1e6, 1e6].into_iter(), 1.0);
        assert!(!drift.has_changed());
        drift.reset();
        (0..200).for_each(|i| drift.record([3.0, 4.0].into_iter(), 1.0 + f64::from(i % 2)));
        assert!(drift.has_changed());
    }
}
