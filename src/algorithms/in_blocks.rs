//! Many rows at once: features and steps of a block of rows are products of matrices.

use super::{Algorithm, Scratch};
use crate::data::Rows;

/// Fewer rows are learned one by one.
pub(super) const SHORTEST: usize = 8;

/// One round for each row; returns the predictions made before the labels were learned.
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
            learn_one_by_one(algorithm, &some, y, &mut yhat);
        }
    }
    yhat
}

/// One round for each row, without what is gained by learning some together.
pub(super) fn learn_one_by_one<A: Algorithm + ?Sized>(
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

/// Where a block that starts here should end: at a multiple of its length, wherever it starts.
///
/// Long blocks make better products, and more work that grows with their length alone.
fn next_end(start: usize, algorithm: &dyn Algorithm) -> usize {
    let len = match algorithm.facts().blocks {
        None => return usize::MAX,
        Some(blocks) if blocks.size < 64 => blocks.longest / 2,
        Some(blocks) => blocks.longest,
    };
    (start / len + 1) * len
}
