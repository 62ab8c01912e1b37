//! The growth of a tree.

use std::ops::Range;

use super::Settings;
use super::bins::Bins;
use super::histograms::{Histograms, Sums, minus};
use super::split::{Search, Split};
use crate::predictor::Trees;

/// A leaf of a tree that grows.
#[derive(Debug, Default)]
struct Leaf {
    node: usize,
    /// The ranges of its rows among those that the tree is fitted to, and among the others.
    drawn: Range<usize>,
    others: Range<usize>,
    sums: Sums,
    /// The place of its histograms.
    place: usize,
    split: Split,
}

/// The data that a tree is fitted to, and memory for its histograms.
pub(super) struct Growth<'a> {
    pub(super) settings: &'a Settings,
    pub(super) bins: &'a Bins,
    pub(super) residuals: &'a mut [f64],
    pub(super) histograms: &'a mut Histograms,
    /// The rows that the tree is fitted to, and the others; those of a leaf are beside each other.
    pub(super) drawn: Vec<u32>,
    pub(super) others: Vec<u32>,
    /// The sum of the gains of each feature's splits so far.
    pub(super) gains: &'a mut [f64],
}

impl Growth<'_> {
    /// Grows a tree, adds it to others, and subtracts its values from the residuals. Each step splits the leaf that
    /// gains most by it; if the first leaf gains nothing, there is no tree.
    pub(super) fn grow(mut self, trees: &mut Trees) {
        let search = self.search();
        let mut leaves = vec![self.root(&search)];
        while leaves.len() < self.settings.leaves {
            let Some(best) = best_leaf(&leaves, &search) else {
                break;
            };
            if leaves.len() == 1 {
                leaves[0].node = trees.plant();
            }
            let mut right = self.split(&mut leaves[best], trees);
            if leaves.len() + 1 < self.settings.leaves {
                right.place = leaves.len();
                self.find_splits(&mut leaves[best], &mut right, &search);
            }
            leaves.push(right);
        }
        if leaves.len() > 1 {
            for leaf in &leaves {
                self.finish(leaf, trees);
            }
        }
    }

    fn search(&self) -> Search {
        let residuals = self.drawn.iter().map(|&i| self.residuals[i as usize]);
        let squares = residuals.map(|residual| residual * residual).sum();
        Search::new(self.settings.min_rows, self.settings.ridge, squares)
    }

    /// The leaf that holds all rows.
    fn root(&mut self, search: &Search) -> Leaf {
        let residuals = self.drawn.iter().map(|&i| self.residuals[i as usize]);
        let mut root = Leaf {
            sums: [residuals.sum(), self.drawn.len() as f64],
            drawn: 0..self.drawn.len(),
            others: 0..self.others.len(),
            ..Leaf::default()
        };
        self.count(&root);
        root.split = self.best_split(&root, search);
        root
    }

    /// Splits a leaf, which becomes the left one, and returns the right one.
    fn split(&mut self, leaf: &mut Leaf, trees: &mut Trees) -> Leaf {
        let Split {
            feature,
            bin,
            left,
            gain,
        } = std::mem::take(&mut leaf.split);
        self.gains[self.bins.features[feature]] += gain;
        let threshold = self.bins.thresholds[feature][bin];
        let node = trees.split(leaf.node, self.bins.features[feature], threshold);
        let goes_left = |i| usize::from(self.bins.row(i)[feature]) <= bin;
        let drawn = partition(&mut self.drawn, &leaf.drawn, goes_left);
        let others = partition(&mut self.others, &leaf.others, goes_left);
        let right = Leaf {
            node: node + 1,
            drawn: drawn..leaf.drawn.end,
            others: others..leaf.others.end,
            sums: minus(leaf.sums, left),
            ..Leaf::default()
        };
        (leaf.node, leaf.sums) = (node, left);
        (leaf.drawn.end, leaf.others.end) = (drawn, others);
        right
    }

    /// Finds the best splits of two leaves that were one. The place of the left one holds the histograms of both; those
    /// of the larger leaf are the difference of these and those of the smaller one.
    fn find_splits(&mut self, left: &mut Leaf, right: &mut Leaf, search: &Search) {
        if left.drawn.len() < right.drawn.len() {
            std::mem::swap(&mut left.place, &mut right.place);
        }
        let (small, large) = if left.place > right.place {
            (left, right)
        } else {
            (right, left)
        };
        if large.drawn.len() < 2 * self.settings.min_rows {
            return;
        }
        self.count(small);
        self.histograms.subtract(large.place, small.place);
        for leaf in [small, large] {
            leaf.split = self.best_split(leaf, search);
        }
    }

    /// Computes the histograms of a leaf.
    fn count(&mut self, leaf: &Leaf) {
        let rows = &self.drawn[leaf.drawn.clone()];
        self.histograms
            .fill(leaf.place, self.bins, self.residuals, rows);
    }

    fn best_split(&self, leaf: &Leaf, search: &Search) -> Split {
        search.best(
            leaf.sums,
            self.histograms.of(leaf.place),
            &self.bins.thresholds,
        )
    }

    /// Gives a leaf its value, the mean of its residuals with ridge and shrinkage, and subtracts it from all its rows.
    fn finish(&mut self, leaf: &Leaf, trees: &mut Trees) {
        let [sum, n] = leaf.sums;
        let value = self.settings.shrinkage * sum / (n + self.settings.ridge);
        trees.set_value(leaf.node, value);
        let others = &self.others[leaf.others.clone()];
        for &i in self.drawn[leaf.drawn.clone()].iter().chain(others) {
            self.residuals[i as usize] -= value;
        }
    }
}

/// The leaf whose split gains most, if one gains something; the first of several that gain the same.
fn best_leaf(leaves: &[Leaf], search: &Search) -> Option<usize> {
    let (mut best, mut needed) = (None, search.needed(0.0));
    for (i, leaf) in leaves.iter().enumerate() {
        if leaf.split.gain > needed {
            (best, needed) = (Some(i), search.needed(leaf.split.gain));
        }
    }
    best
}

/// Moves rows of a range that go to the left before those that do not; returns where these begin. It does not branch
/// on where rows go, which no processor could foresee.
fn partition(rows: &mut [u32], range: &Range<usize>, goes_left: impl Fn(u32) -> bool) -> usize {
    let rows = &mut rows[range.clone()];
    let mut right = vec![0; rows.len()];
    let (mut n_left, mut n_right) = (0, 0);
    for k in 0..rows.len() {
        let row = rows[k];
        let is_left = goes_left(row);
        rows[n_left] = row;
        right[n_right] = row;
        n_left += usize::from(is_left);
        n_right += usize::from(!is_left);
    }
    rows[n_left..].copy_from_slice(&right[..n_right]);
    range.start + n_left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_when_they_are_divided() {
        let mut rows = [9, 4, 7, 2, 5, 8, 1];
        assert_eq!(partition(&mut rows, &(1..6), |i| i % 2 == 0), 4);
        assert_eq!(rows, [9, 4, 2, 8, 7, 5, 1]);
        assert_eq!(partition(&mut rows, &(2..2), |_| true), 2);
    }
}
