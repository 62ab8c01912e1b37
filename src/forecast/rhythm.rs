//! How the size of errors changes in the course of a season.

use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;

/// Forgetting factor of the mean error of each place, for each time that it comes.
const MEMORY: f64 = 0.97;

/// Number of errors that it takes to believe in the mean of a place.
const PRIOR: f64 = 7.0;

/// The smallest and the largest error of a place relative to the mean of all.
const RANGE: [f64; 2] = [0.05, 20.0];

/// The mean error at each place of a season, relative to the mean of all: nights are quieter than days.
#[derive(Debug, Clone)]
pub(super) struct Rhythm {
    /// The sum of absolute errors at each place and their number, with forgetting.
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl Rhythm {
    /// A season of so many places.
    pub(super) fn new(season: usize) -> Self {
        let (sums, counts) = (vec![0.0; season], vec![0.0; season]);
        Self { sums, counts }
    }

    /// Number of places.
    pub(super) fn season(&self) -> usize {
        self.sums.len()
    }

    /// The size of errors at the place of a slot relative to the mean of all, as the `q` for which it is the root of
    /// `1 + q`.
    pub(super) fn q(&self, slot: i64) -> f64 {
        let (sum, count) = (
            self.sums.iter().sum::<f64>(),
            self.counts.iter().sum::<f64>(),
        );
        if sum <= 0.0 || self.season() == 1 {
            return 0.0;
        }
        let (mean, place) = (sum / count, self.place(slot));
        let here = (PRIOR * mean + self.sums[place]) / (PRIOR + self.counts[place]);
        let ratio = (here / mean).clamp(RANGE[0], RANGE[1]);
        ratio * ratio - 1.0
    }

    /// Learns the error of a forecast of a slot.
    pub(super) fn learn(&mut self, slot: i64, error: f64) {
        let place = self.place(slot);
        self.sums[place] = MEMORY * self.sums[place] + error;
        self.counts[place] = MEMORY * self.counts[place] + 1.0;
    }

    fn place(&self, slot: i64) -> usize {
        let season = i64::try_from(self.season()).unwrap_or(i64::MAX);
        usize::try_from(slot.rem_euclid(season)).unwrap_or_default()
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("sums", &*self.sums);
        state.put("counts", &*self.counts);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let season = self.season();
        self.sums = state.vector("sums", season)?;
        self.counts = state.vector("counts", season)?;
        if self
            .sums
            .iter()
            .chain(&self.counts)
            .all(|number| *number >= 0.0)
        {
            return Ok(());
        }
        Err(Error::model_file("sums should not be negative"))
    }
}

heap!(Rhythm: sums, counts);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_compared_with_the_mean_of_all_places() {
        let mut rhythm = Rhythm::new(2);
        assert_eq!(rhythm.q(7), 0.0);
        for slot in -200..200 {
            rhythm.learn(slot, if slot % 2 == 0 { 1.0 } else { 3.0 });
        }
        let ratio = |slot| (1.0 + rhythm.q(slot)).sqrt();
        assert!((ratio(-4) - 0.6).abs() < 0.05 && (ratio(5) - 1.4).abs() < 0.05);
        let (mut state, mut again) = (State::default(), Rhythm::new(2));
        rhythm.save(&mut state);
        again.load(&state).unwrap();
        assert_eq!(again.q(3), rhythm.q(3));
        assert!(Rhythm::new(3).load(&state).is_err());
    }
}
