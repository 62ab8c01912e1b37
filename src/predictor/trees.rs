//! Sums of trees.

use crate::error::Error;
use crate::persist::{State, index};
use crate::runtime::{Heap, heap};

/// The feature of a node that asks for none.
const LEAF: u32 = u32::MAX;

/// A node of a tree: a question about a feature, or a leaf with a value.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    /// The threshold of the question, or the value of the leaf.
    number: f64,
    /// The feature that the question is about; [`LEAF`] for a leaf.
    feature: u32,
    /// The node for features up to the threshold; the node for those above follows it. 0 for a leaf.
    left: u32,
}

impl Node {
    fn leaf(value: f64) -> Self {
        Self {
            number: value,
            feature: LEAF,
            left: 0,
        }
    }
}

/// A constant plus a sum of binary trees.
///
/// A prediction costs one comparison for each question that a row is asked, in all trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Trees {
    constant: f64,
    /// The nodes of all trees: each comes before its children, which are neighbours.
    nodes: Vec<Node>,
    /// The first node of each tree.
    roots: Vec<usize>,
}

impl Trees {
    /// A constant without trees.
    pub(crate) fn constant(constant: f64) -> Self {
        Self {
            constant,
            nodes: Vec::new(),
            roots: Vec::new(),
        }
    }

    /// These trees with all values multiplied by a number.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let scale = |node: &Node| match node.feature {
            LEAF => Node::leaf(factor * node.number),
            _ => *node,
        };
        Self {
            constant: factor * self.constant,
            nodes: self.nodes.iter().map(scale).collect(),
            roots: self.roots.clone(),
        }
    }

    /// Adds other trees.
    pub(crate) fn append(&mut self, others: Self) {
        let first = self.nodes.len();
        let moved = others.nodes.into_iter().map(|node| match node.feature {
            LEAF => node,
            #[allow(clippy::cast_possible_truncation, reason = "there are far fewer nodes")]
            _ => Node {
                left: node.left + first as u32,
                ..node
            },
        });
        self.nodes.extend(moved);
        self.roots
            .extend(others.roots.iter().map(|root| first + root));
        self.constant += others.constant;
    }

    /// Gives up memory for more trees.
    pub(crate) fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.roots.shrink_to_fit();
    }

    /// The prediction for a row.
    pub(crate) fn predict(&self, x: &[f64]) -> f64 {
        let values = self.roots.iter().map(|&root| self.value(root, x));
        self.constant + values.sum::<f64>()
    }

    /// The value of the leaf that a row reaches from a root.
    fn value(&self, root: usize, x: &[f64]) -> f64 {
        let mut node = self.nodes[root];
        while node.feature != LEAF {
            let is_above = x[node.feature as usize] > node.number;
            node = self.nodes[node.left as usize + usize::from(is_above)];
        }
        node.number
    }

    /// Number of trees.
    pub fn n_trees(&self) -> usize {
        self.roots.len()
    }

    /// Adds a tree that is a leaf with the value 0, and returns its node.
    pub(crate) fn plant(&mut self) -> usize {
        self.roots.push(self.nodes.len());
        self.nodes.push(Node::leaf(0.0));
        self.nodes.len() - 1
    }

    /// Makes a leaf a question with two leaves, and returns the left one; the right one follows it.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "there are far fewer nodes and features than 2^32"
    )]
    pub(crate) fn split(&mut self, leaf: usize, feature: usize, threshold: f64) -> usize {
        let left = self.nodes.len();
        self.nodes.extend([Node::leaf(0.0); 2]);
        self.nodes[leaf] = Node {
            number: threshold,
            feature: feature as u32,
            left: left as u32,
        };
        left
    }

    /// Gives a leaf its value.
    pub(crate) fn set_value(&mut self, leaf: usize, value: f64) {
        self.nodes[leaf].number = value;
    }

    /// The first node of each tree.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// The constant that is added to the values of all trees.
    pub fn offset(&self) -> f64 {
        self.constant
    }

    /// The feature of each node, unless it is a leaf, its threshold or its value, and the first of its two children.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (Option<u32>, f64, u32)> {
        self.nodes.iter().map(|node| {
            let feature = (node.feature != LEAF).then_some(node.feature);
            (feature, node.number, node.left)
        })
    }

    pub(crate) fn save(&self, state: &mut State) {
        let (mut features, mut numbers, mut children) = (Vec::new(), Vec::new(), Vec::new());
        for (feature, number, left) in self.nodes() {
            features.push(feature.map_or(-1.0, f64::from));
            numbers.push(number);
            children.push(f64::from(left));
        }
        state.put("tree_constant", [self.constant]);
        state.put_indices("tree_roots", &self.roots);
        state.put("tree_features", features);
        state.put("tree_numbers", numbers);
        state.put("tree_children", children);
    }

    /// Reads trees for rows of this width.
    pub(crate) fn load(state: &State, n_features: usize) -> Result<Self, Error> {
        let features = state.any_vector("tree_features")?;
        let n_nodes = features.len();
        let (numbers, children) = (
            state.vector("tree_numbers", n_nodes)?,
            state.vector("tree_children", n_nodes)?,
        );
        let parts = features.into_iter().zip(numbers).zip(children).enumerate();
        let short = |number: usize| u32::try_from(number).ok().filter(|n| *n != LEAF);
        let node = |(i, ((feature, number), left))| {
            if feature == -1.0 && left == 0.0 {
                return Some(Node::leaf(number));
            }
            Some(Node {
                number,
                feature: short(index(feature, 0..n_features)?)?,
                left: short(index(left, i + 1..n_nodes.saturating_sub(1))?)?,
            })
        };
        let nodes: Option<Vec<Node>> = parts.map(node).collect();
        let trees = Self {
            constant: state.scalar("tree_constant")?,
            nodes: nodes.ok_or_else(|| Error::model_file("its trees should be trees"))?,
            roots: state.indices("tree_roots", n_nodes)?,
        };
        if trees.is_forest() {
            return Ok(trees);
        }
        Err(Error::model_file(
            "a node of its trees should have one parent",
        ))
    }

    /// Returns true if each node is either a root or a child of one other node.
    fn is_forest(&self) -> bool {
        let mut parents = vec![0_u32; self.nodes.len()];
        self.roots.iter().for_each(|&root| parents[root] += 1);
        for node in self.nodes.iter().filter(|node| node.feature != LEAF) {
            let left = node.left as usize;
            parents[left..left + 2].iter_mut().for_each(|n| *n += 1);
        }
        parents.iter().all(|&n| n == 1)
    }
}

impl Heap for Node {
    fn heap_bytes(&self) -> usize {
        0
    }
}

heap!(Trees: nodes, roots);

#[cfg(test)]
mod tests {
    use super::*;

    /// 10, plus 1, 2 or 3 for a first feature up to 0.5, up to 2 and above, plus 0.25 for every row.
    fn example() -> Trees {
        let mut trees = Trees::constant(10.0);
        let root = trees.plant();
        let low = trees.split(root, 0, 0.5);
        let high = trees.split(low + 1, 0, 2.0);
        trees.set_value(low, 1.0);
        trees.set_value(high, 2.0);
        trees.set_value(high + 1, 3.0);
        let second = trees.plant();
        trees.set_value(second, 0.25);
        trees
    }

    fn saved(trees: &Trees) -> State {
        let mut state = State::default();
        trees.save(&mut state);
        state
    }

    #[test]
    fn a_row_at_the_threshold_goes_to_the_left() {
        let trees = example();
        let predictions = [-1.0, 0.5, 0.6, 2.0, 9.0].map(|x| trees.predict(&[x, 7.0]));
        assert_eq!(predictions, [11.25, 11.25, 12.25, 12.25, 13.25]);
        assert_eq!(Trees::constant(-1.5).predict(&[]), -1.5);
        assert_eq!(trees.roots.len(), 2);
    }

    #[test]
    fn a_node_is_sixteen_bytes() {
        let mut trees = example();
        trees.nodes.shrink_to_fit();
        trees.roots.shrink_to_fit();
        assert_eq!(trees.heap_bytes(), 6 * 16 + 2 * size_of::<usize>());
    }

    #[test]
    fn trees_come_back_from_a_file() {
        for trees in [example(), Trees::constant(2.0)] {
            assert_eq!(Trees::load(&saved(&trees), 1), Ok(trees));
        }
    }

    #[test]
    fn a_file_with_other_than_trees_is_refused() {
        let leaf = -1.0;
        let cases: [(&str, &[f64]); 14] = [
            ("tree_constant", &[]),
            ("tree_numbers", &[0.5]),
            ("tree_roots", &[0.0]),
            ("tree_roots", &[0.0, 6.0]),
            ("tree_roots", &[0.0, 4.0, 5.0]),
            ("tree_features", &[1.0, leaf, 0.0, leaf, leaf, leaf]),
            ("tree_features", &[0.5, leaf, 0.0, leaf, leaf, leaf]),
            ("tree_features", &[-2.0, leaf, 0.0, leaf, leaf, leaf]),
            ("tree_features", &[leaf, leaf, 0.0, leaf, leaf, leaf]),
            ("tree_children", &[0.0, 0.0, 3.0, 0.0, 0.0, 0.0]),
            ("tree_children", &[1.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            ("tree_children", &[1.0, 0.0, 5.0, 0.0, 0.0, 0.0]),
            ("tree_children", &[3.0, 0.0, 3.0, 0.0, 0.0, 0.0]),
            ("tree_children", &[1.0, 0.0, 1e300, 0.0, 0.0, 0.0]),
        ];
        for (name, wrong) in cases {
            let mut state = saved(&example());
            assert!(Trees::load(&state, 1).is_ok());
            state.put(name, wrong);
            assert!(Trees::load(&state, 1).is_err(), "{name} {wrong:?}");
        }
    }
}
