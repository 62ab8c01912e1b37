//! Predictions within the range of the labels.

use crate::error::Error;
use crate::state::State;

/// Keeps predictions, if asked to, between the smallest and the largest label so far.
#[derive(Debug, Clone)]
pub struct Clip {
    asked: bool,
    range: Option<(f64, f64)>,
}

impl Clip {
    /// A clip that does something or nothing.
    pub fn new(asked: bool) -> Self {
        Self { asked, range: None }
    }

    /// The value in the range that is nearest to this one; before any label it is left as it is.
    pub fn apply(&self, yhat: f64) -> f64 {
        let (low, high) = self.range();
        yhat.clamp(low, high)
    }

    /// Where predictions are to be.
    pub fn range(&self) -> (f64, f64) {
        self.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
    }

    /// Takes in a label.
    pub fn include(&mut self, y: f64) {
        if self.asked {
            let (low, high) = self.range.unwrap_or((y, y));
            self.range = Some((low.min(y), high.max(y)));
        }
    }

    /// Clips predictions that were made in order, each before its label was known.
    pub(crate) fn apply_and_include(&mut self, yhat: &mut [f64], y: &[f64]) {
        for (yhat, &y) in yhat.iter_mut().zip(y) {
            *yhat = self.apply(*yhat);
            self.include(y);
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        let range = self.range.map_or(vec![], |(low, high)| vec![low, high]);
        state.put("label_range", range);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.range = match state.any_vector("label_range")?[..] {
            [] => None,
            [low, high] if low <= high => Some((low, high)),
            _ => return Err(Error::model_file("label_range should be a range")),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_to_the_labels_seen_if_asked_to() {
        for (asked, expected) in [(true, [1.0, -2.0, 0.5]), (false, [7.0, -7.0, 0.5])] {
            let mut clip = Clip::new(asked);
            assert_eq!(clip.apply(7.0), 7.0);
            clip.include(1.0);
            clip.include(-2.0);
            assert_eq!([7.0, -7.0, 0.5].map(|yhat| clip.apply(yhat)), expected);
        }
    }
}
