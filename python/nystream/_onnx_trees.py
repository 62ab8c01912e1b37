"""Trees as the operator TreeEnsembleRegressor of ONNX has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The first version with trees of float64.
DOMAIN = "ai.onnx.ml"
OPSET = 3

# Whole numbers of so many binary digits are exact in float32.
DIGITS = 23

# What the operator knows of each node.
NODES = (
    "nodes_treeids",
    "nodes_nodeids",
    "nodes_modes",
    "nodes_featureids",
    "nodes_values",
    "nodes_truenodeids",
    "nodes_falsenodeids",
)


class Forest:
    """The trees of all targets, without questions about the past: their answers are known."""

    def __init__(self, trees: list[dict[str, Any]], past: NDArray[Any]) -> None:
        self.constants = np.array([of_target["constant"] for of_target in trees])
        self.nodes: list[tuple[Any, ...]] = []
        # Target, tree, place in the tree, and value.
        self.leaves: list[tuple[int, int, int, float]] = []
        self.n_trees = 0
        for target, of_target in enumerate(trees):
            nodes = _Nodes(of_target, past.tolist())
            for root in of_target["roots"].tolist():
                self._add(target, nodes, nodes.settled(root))

    def _add(self, target: int, nodes: _Nodes, root: int) -> None:
        """Add a tree; one that is a leaf is a constant."""
        if nodes.features[root] < 0:
            self.constants[target] += nodes.numbers[root]
            return
        tree, reached = self.n_trees, [root]
        self.n_trees += 1
        for place, node in enumerate(reached):
            feature, number = nodes.features[node], nodes.numbers[node]
            if feature < 0:
                self.leaves.append((target, tree, place, number))
                self.nodes.append((tree, place, "LEAF", 0, 0.0, 0, 0))
            else:
                own, left = feature - len(nodes.past), len(reached)
                self.nodes.append((tree, place, "BRANCH_LEQ", own, number, left, left + 1))
                child = nodes.children[node]
                reached += [nodes.settled(child), nodes.settled(child + 1)]

    def columns(self) -> tuple[dict[str, Any], NDArray[Any]]:
        """Return the attributes of the operator, and what its output should be multiplied by.

        The operator returns float32 whatever it is given. So values are rounded to a grid on which
        their sums are exact, and what is left of them is summed in columns of its own.
        """
        targets, trees, places, values = map(np.array, zip(*self.leaves, strict=True))
        n_targets, units = len(self.constants), self._units(targets, trees, values)
        parts = values / units[targets]
        coarse = np.round(parts * 2.0**DIGITS) / 2.0**DIGITS
        columns = {
            **dict(zip(NODES, zip(*self.nodes, strict=True), strict=True)),
            "n_targets": 2 * n_targets,
            "target_ids": np.concatenate([targets, targets + n_targets]),
            "target_treeids": np.tile(trees, 2),
            "target_nodeids": np.tile(places, 2),
            "target_weights": np.concatenate([coarse, parts - coarse]),
        }
        return columns, np.tile(np.diag(units), (2, 1))

    def _units(
        self, targets: NDArray[Any], trees: NDArray[Any], values: NDArray[Any]
    ) -> NDArray[Any]:
        """Return a power of two for each target that no sum of its trees exceeds."""
        largest = np.zeros((len(self.constants), self.n_trees))
        np.maximum.at(largest, (targets, trees), abs(values))
        return np.asarray(np.ldexp(1.0, np.frexp(largest.sum(axis=1))[1]))


class _Nodes:
    """The nodes of the trees of a target."""

    def __init__(self, trees: dict[str, Any], past: list[float]) -> None:
        self.features: list[int] = trees["features"].tolist()
        self.numbers: list[float] = trees["numbers"].tolist()
        self.children: list[int] = trees["children"].tolist()
        self.past = past

    def settled(self, node: int) -> int:
        """Return the node that is reached from a node by answers about the past."""
        while 0 <= (feature := self.features[node]) < len(self.past):
            node = self.children[node] + (self.past[feature] > self.numbers[node])
        return node
