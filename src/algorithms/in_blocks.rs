//! Many rows at once: features and steps of a block of rows are products of matrices.

use super::Algorithm;
use crate::block::Block;
use crate::rows::Rows;

/// The most rows of a block. Blocks end at multiples of their length, so that it does not matter how many rows come at
/// a time as long as they are a multiple of this.
pub(super) const LONGEST: usize = 32;

/// Fewer rows are learned one by one.
const SHORTEST: usize = 8;

/// An algorithm that can learn rows in blocks.
pub(super) trait InBlocks: Algorithm {
    /// Number of features that a row has; the length of blocks follows from it.
    fn size(&self) -> usize;

    /// Learns the first of these rows, one at least, and appends their predictions.
    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>);
}

/// One round for each row, to rounding as [`Algorithm::learn`] would make them.
pub(super) fn learn_in_blocks(learner: &mut impl InBlocks, rows: &Rows<'_>, y: &[f64]) -> Vec<f64> {
    let (mut block, mut yhat) = (Block::default(), Vec::with_capacity(rows.len()));
    while yhat.len() < rows.len() {
        let (start, len) = (yhat.len(), length(learner.size()));
        let end = rows.len().min((start / len + 1) * len);
        let (some, y) = (rows.slice(start..end), &y[start..end]);
        if some.len() < SHORTEST {
            yhat.extend(some.iter().zip(y).map(|(x, &y)| learner.learn(x, y)));
        } else {
            learner.learn_block(&some, y, &mut block, &mut yhat);
        }
    }
    yhat
}

/// Long blocks make better products, and more work that grows with their length alone.
fn length(size: usize) -> usize {
    if size < 64 { LONGEST / 2 } else { LONGEST }
}
