//! The encoder of numbers.

use super::features::{Features, Places, number_of};
use super::median::Recent;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;

/// A number is its own feature. One that is missing is the median of the last ones, and is marked from the first on.
#[derive(Debug, Clone)]
pub(in crate::columns) struct Number {
    recent: Recent,
    place: usize,
    /// The place of the mark of missing numbers.
    missing: Option<usize>,
}

impl Number {
    pub(super) fn new(features: &mut Features<'_>) -> Self {
        Self {
            recent: Recent::default(),
            place: features.append(""),
            missing: None,
        }
    }

    pub(super) fn encode(&self, number: Option<f64>, out: &mut [f64]) {
        if let Some(number) = number {
            out[self.place] = number;
            return;
        }
        out[self.place] = self.recent.median();
        if let Some(missing) = self.missing {
            out[missing] = 1.0;
        }
    }

    pub(super) fn learn(&mut self, number: Option<f64>, features: &mut Features<'_>) {
        match number {
            Some(number) => self.note(number),
            None if self.missing.is_none() => {
                self.missing = Some(features.append(" is missing"));
                self.recent.sort();
            }
            None => {}
        }
    }

    /// Learns a number that is there.
    pub(in crate::columns) fn note(&mut self, number: f64) {
        self.recent.push(number);
    }

    pub(super) fn save(&self, state: &mut State) {
        self.recent.save(state);
        state.put("places", [self.place as f64, number_of(self.missing)]);
    }

    pub(super) fn load(state: &State, places: &mut Places) -> Result<Self, Error> {
        let [place, missing] = state.numbers("places")?;
        let mut number = Self {
            recent: Recent::load(state)?,
            place: places.take(place, 1)?,
            missing: places.take_if_any(missing, 1)?,
        };
        if number.missing.is_some() {
            number.recent.sort();
        }
        Ok(number)
    }
}

heap!(Number: recent);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_the_median_and_is_marked_once_one_was_learned() {
        let mut names = Vec::new();
        let mut features = Features {
            column: "a",
            names: &mut names,
        };
        let mut number = Number::new(&mut features);
        let mut seen = Vec::new();
        for x in [Some(4.0), None, Some(1.0), None, Some(-7.0), None] {
            let mut out = [0.0; 2];
            number.encode(x, &mut out);
            seen.push(out);
            number.learn(x, &mut features);
        }
        let expected = [
            [4.0, 0.0],
            [4.0, 0.0],
            [1.0, 0.0],
            [2.5, 1.0],
            [-7.0, 0.0],
            [1.0, 1.0],
        ];
        assert_eq!(seen, expected);
        assert_eq!(names, ["a", "a is missing"]);
    }
}
