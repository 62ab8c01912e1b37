//! Many rows at once: features and steps of a block of rows are products of matrices.

use super::Algorithm;
use crate::block::Block;
use crate::rows::Rows;

/// The most rows of a block.
const LONGEST: usize = 32;

/// Fewer rows are learned one by one.
const SHORTEST: usize = 8;

/// Rows that come many at a time should come in multiples of it, for the same result to the last bit however many.
pub(crate) fn block_len(algorithm: &dyn Algorithm) -> usize {
    algorithm.n_coordinates().map_or(1, |_| LONGEST)
}

/// One round for each row; returns the predictions made before the labels were learned.
pub(crate) fn learn_rows(algorithm: &mut dyn Algorithm, rows: &Rows<'_>, y: &[f64]) -> Vec<f64> {
    let (mut block, mut yhat) = (Block::default(), Vec::with_capacity(rows.len()));
    while yhat.len() < rows.len() {
        let start = yhat.len();
        let end = rows.len().min(next_end(start, algorithm.n_coordinates()));
        let (some, y) = (rows.slice(start..end), &y[start..end]);
        if some.len() < SHORTEST {
            yhat.extend(some.iter().zip(y).map(|(x, &y)| algorithm.learn(x, y)));
        } else {
            algorithm.learn_block(&some, y, &mut block, &mut yhat);
        }
    }
    yhat
}

/// Where a block that starts here should end: at a multiple of its length, wherever it starts.
///
/// Long blocks make better products, and more work that grows with their length alone.
fn next_end(start: usize, n_coordinates: Option<usize>) -> usize {
    let len = match n_coordinates {
        None => return usize::MAX,
        Some(..64) => LONGEST / 2,
        Some(_) => LONGEST,
    };
    (start / len + 1) * len
}
