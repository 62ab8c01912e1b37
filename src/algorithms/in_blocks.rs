//! Learning of many rows in blocks, whose features and steps are products of matrices.

use super::{Algorithm, Scratch};
use crate::data::Rows;

/// The fewest rows that are learned together.
pub(super) const SHORTEST: usize = 8;

/// Makes the rounds of many rows; returns the predictions made before the labels were learned.
pub(crate) fn learn_rows(algorithm: &mut dyn Algorithm, rows: &Rows<'_>, y: &[f64]) -> Vec<f64> {
    let (mut scratch, mut yhat) = (Scratch::default(), Vec::with_capacity(y.len()));
    let n_targets = algorithm.facts().n_targets;
    while yhat.len() < y.len() {
        let start = yhat.len() / n_targets;
        let end = rows.len().min(next_end(start, algorithm));
        let some = rows.slice(start..end);
        let y = &y[start * n_targets..end * n_targets];
        if some.len() >= SHORTEST {
            algorithm.learn_block(&some, y, &mut scratch, &mut yhat);
        }
        if yhat.len() == start * n_targets {
            one_by_one(algorithm, &some, y, &mut yhat);
        }
    }
    yhat
}

/// Makes the rounds of some rows one by one; appends the predictions.
pub(super) fn one_by_one<A: Algorithm + ?Sized>(
    algorithm: &mut A,
    rows: &Rows<'_>,
    y: &[f64],
    yhat: &mut Vec<f64>,
) {
    let n_targets = algorithm.facts().n_targets;
    for (x, y) in rows.iter().zip(y.chunks_exact(n_targets)) {
        let start = yhat.len();
        yhat.resize(start + n_targets, 0.0);
        algorithm.learn_row(x, y, 1.0, &mut yhat[start..]);
    }
}

/// The end of a block that starts at `start`: the next multiple of its length.
///
/// Longer blocks make faster products, and more work that grows with their length alone.
fn next_end(start: usize, algorithm: &dyn Algorithm) -> usize {
    let len = match algorithm.facts().blocks {
        None => return usize::MAX,
        Some(blocks) if blocks.size < 64 => blocks.longest / 2,
        Some(blocks) => blocks.longest,
    };
    (start / len + 1) * len
}
