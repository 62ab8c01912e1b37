//! Linear predictors.

use crate::error::Error;
use crate::limits::{Range, UNBOUNDED, clamp};
use crate::linalg::dot;
use crate::persist::State;
use crate::runtime::heap;

/// A linear predictor, clipped to a range.
#[derive(Debug, Clone)]
pub struct Line {
    /// The slopes; none for a constant, which takes rows of any width.
    pub slopes: Vec<f64>,
    /// The value at 0.
    pub constant: f64,
    /// The range of the predictions.
    pub range: Range,
}

impl Line {
    /// A predictor with the same value for every row.
    pub fn constant(constant: f64) -> Self {
        Self {
            slopes: Vec::new(),
            constant,
            range: UNBOUNDED,
        }
    }

    /// The prediction for a row.
    pub fn predict(&self, x: &[f64]) -> f64 {
        clamp(self.value(x), self.range)
    }

    /// The value at a row, without clipping to the range.
    pub(crate) fn value(&self, x: &[f64]) -> f64 {
        let x = if self.slopes.is_empty() { &[] } else { x };
        dot(&self.slopes, x) + self.constant
    }
}

/// Writes a line for each target.
pub(super) fn save_lines(lines: &[Line], state: &mut State) {
    let slopes: Vec<f64> = lines.iter().flat_map(|line| line.slopes.clone()).collect();
    let constants: Vec<f64> = lines.iter().map(|line| line.constant).collect();
    let ranges: Vec<Range> = lines.iter().map(|line| line.range).collect();
    state.put("slopes", slopes);
    state.put("constant", constants);
    state.put_ranges("range", &ranges);
}

/// Reads a line for each target.
pub(super) fn load_lines(n_targets: usize, state: &State) -> Result<Vec<Line>, Error> {
    let (slopes, constants) = (
        state.any_vector("slopes")?,
        state.vector("constant", n_targets)?,
    );
    let ranges = state.ranges("range", n_targets)?;
    if !slopes.len().is_multiple_of(n_targets) {
        return Err(Error::model_file("slopes should be those of every target"));
    }
    let width = slopes.len() / n_targets;
    let lines = constants.into_iter().zip(ranges).enumerate();
    Ok(lines
        .map(|(i, (constant, range))| Line {
            slopes: slopes[i * width..(i + 1) * width].to_vec(),
            constant,
            range,
        })
        .collect())
}

heap!(Line: slopes);
