"""Scorers as ONNX models: a graph of a few nodes, built with the helpers of onnx."""

from __future__ import annotations

import contextlib
import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._core import COMPRESSED, FARTHEST, ROUNDING
from nystream._onnx_trees import DOMAIN, Forest
from nystream._onnx_trees import OPSET as TREE_OPSET

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from nystream._core import Column, Loss, Scorer

# What any runtime of the last years can run.
OPSET = 17
LINKS = {"Logistic": "Sigmoid", "Poisson": "Exp"}
IR_VERSION = 9


def save(scorer: Scorer, path: str | os.PathLike[str], dtype: DTypeLike) -> None:
    """Write a scorer as an ONNX model."""
    onnx = _onnx()
    onnx.save(model(scorer, dtype), os.fspath(path))


def model(scorer: Scorer, dtype: DTypeLike) -> Any:
    """Return the ONNX model of a scorer."""
    onnx = _onnx()
    _check_columns(scorer)
    parts = scorer.parts
    if not parts:
        raise ValueError(
            "a scorer that takes a whole learner to predict cannot be written as ONNX: "
            "Kaar, Pkawv and learners with forward=True"
        )
    graph = _Graph(_float(dtype), scorer.n_targets)
    graph.output(_value(graph, parts), parts["range"], parts.get("loss"))
    made = onnx.helper.make_model(
        graph.build(scorer.n_features),
        producer_name="nystream",
        opset_imports=graph.opsets(),
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(made)
    return made


def _check_columns(scorer: Scorer) -> None:
    """Refuse a scorer that encodes columns: ONNX would get rows that are no numbers yet."""
    if scorer._takes_numbers_as_they_are:
        return
    names = [f"{c.name!r} ({_kind(c)})" for c in scorer.schema or () if _kind(c) != "number"]
    encodes = f"encodes columns: {', '.join(names)}"
    raise ValueError(
        f"ONNX takes numbers alone, but the scorer {encodes if names else 'scales its columns'}; "
        "save the scorer itself, or learn columns that are numbers and have no gaps, without "
        "missing_values and with a learner that is not in a Tabular"
    )


def _kind(column: Column) -> str:
    gaps = " with gaps" if column.kind == "number" and column.n_missing else ""
    return f"{column.kind or 'no value yet'}{gaps}"


def _float(dtype: DTypeLike) -> np.dtype[Any]:
    with contextlib.suppress(TypeError):
        if np.dtype(dtype) in (np.float64, np.float32):
            return np.dtype(dtype)
    raise ValueError(f"dtype should be 'float64' or 'float32', but is {dtype!r}")


def _value(graph: _Graph, parts: dict[str, Any]) -> str:
    """Add what computes the predictions, a column for each target, whatever their range."""
    if "expansions" in parts:
        return _blend(graph, parts)
    if "kernel" in parts:
        return _expansion(graph, "X", parts)
    if "slopes" in parts:
        return _line(graph, "X", parts["slopes"], parts["constant"])
    return _waves(graph, parts["frequencies"], parts["weights"])


def _blend(graph: _Graph, parts: dict[str, Any]) -> str:
    """Add a linear function of the scaled features and functions of the compressed ones."""
    z = _scaled(graph, parts["centres"], parts["scales"])
    compressed = _compressed(graph, z)
    values = [_expansion(graph, compressed, e) for e in parts["expansions"]]
    constants = np.atleast_1d(parts["constant"])
    if "past" in parts:
        rows = _after_past(graph, compressed, parts["past"])
        values += [_mapped(graph, rows, part) for part in parts["mapped"]]
        if "curved" in parts:
            values.append(_curved(graph, rows, parts["curved"]))
        forest = Forest(parts["trees"], parts["past"])
        values += _sums(graph, compressed, forest)
        constants = constants + forest.constants
    return graph.add("Sum", _line(graph, z, parts["slopes"], constants), *values)


def _after_past(graph: _Graph, x: str, past: NDArray[Any]) -> str:
    """Add rows that begin with the past of the labels."""
    if not len(past):
        return x
    return graph.add("Concat", _line(graph, x, np.zeros(0), past), x, axis=1)


def _mapped(graph: _Graph, rows: str, part: dict[str, Any]) -> str:
    """Add an expansion on rows that a metric maps."""
    metric = part["metric"]
    if metric.ndim == 1:
        mapped = graph.add("Mul", rows, metric[None])
    else:
        mapped = graph.add("MatMul", rows, metric.T)
    return _expansion(graph, mapped, part)


def _curved(graph: _Graph, rows: str, part: dict[str, Any]) -> str:
    """Add the labels that curves make of the numbers of an expansion, times their weights."""
    numbers = _mapped(graph, rows, part)
    n_experts = len(part["curves"]) // graph.n_targets
    origin, spread, centre, scale = part["curves"].T[:, None]
    low, high = np.tile(np.array(part["ranges"]).T, n_experts)[:, None]
    # A straight curve leaves numbers as they are; exponentials of them might overflow.
    straight = spread == 0.0
    bent = graph.add("Where", straight, 0.0, numbers)
    argument = graph.add("Add", graph.add("Mul", bent, scale), centre)
    up, down = graph.add("Exp", argument), graph.add("Exp", graph.add("Neg", argument))
    sines = graph.add("Mul", graph.add("Sub", up, down), 0.5 * spread)
    labels = graph.add("Min", graph.add("Max", graph.add("Add", sines, origin), low), high)
    labels = graph.add("Where", straight, numbers, labels)
    mixing = part["weights"][:, None] * np.tile(np.eye(graph.n_targets), (n_experts, 1))
    return graph.add("MatMul", labels, mixing)


def _sums(graph: _Graph, x: str, forest: Forest) -> list[str]:
    """Add the sums of trees, a column for each target; none if there are no trees."""
    if not forest.leaves:
        return []
    columns, mixing = forest.columns()
    sums = graph.add("TreeEnsembleRegressor", x, domain=DOMAIN, **graph.attributes(columns))
    return [graph.add("MatMul", graph.add("Cast", sums, to=graph.kind), mixing)]


def _scaled(graph: _Graph, centres: NDArray[Any], scales: NDArray[Any]) -> str:
    """Add the features in scales from their centres; of those without a scale, only the side."""
    away = graph.add("Sub", "X", centres[None])
    constant = scales == 0.0
    # No scale may become 0 in float32, or a feature at its centre would be 0 / 0.
    divisors = np.where(constant, 1.0, scales.clip(np.finfo(graph.dtype).tiny))
    ratios = graph.add("Div", away, divisors[None])
    z = graph.add("Min", graph.add("Max", ratios, -FARTHEST), FARTHEST)
    if constant.any():
        apart = graph.add("Greater", graph.add("Abs", away), ROUNDING * abs(centres)[None])
        side = graph.add("Where", apart, graph.add("Sign", away), 0.0)
        return graph.add("Where", constant[None], side, z)
    return z


def _compressed(graph: _Graph, z: str) -> str:
    """Add what kernels compare: as it is up to a size, from there on like a logarithm."""
    size = graph.add("Abs", z)
    beyond = graph.add("Max", graph.add("Div", size, COMPRESSED), 1.0)
    more = graph.add("Mul", graph.add("Log", beyond), COMPRESSED)
    sizes = graph.add("Add", graph.add("Min", size, COMPRESSED), more)
    return graph.add("Mul", graph.add("Sign", z), sizes)


def _expansion(graph: _Graph, x: str, parts: dict[str, Any]) -> str:
    kernel, basis, coefficients = parts["kernel"], parts["basis"], parts["coefficients"]
    if not len(basis):
        return _line(graph, x, np.zeros(0), np.zeros(graph.n_targets))
    name = type(kernel).__name__
    if name not in KERNELS:
        raise ValueError(f"the kernel {name} cannot be written as ONNX")
    values = KERNELS[name](graph, x, kernel.params, basis)
    return graph.add("MatMul", values, np.atleast_2d(coefficients).T)


def _line(graph: _Graph, x: str, slopes: NDArray[Any], constant: float | NDArray[Any]) -> str:
    constants = np.atleast_2d(constant)
    if slopes.size:
        return graph.add("Add", graph.add("MatMul", x, np.atleast_2d(slopes).T), constants)
    # The same numbers for each row, whatever is in it.
    first = graph.add("Gather", x, np.zeros(1, np.int64), axis=1)
    return graph.add("Add", graph.add("Mul", first, 0.0), constants)


def _waves(graph: _Graph, frequencies: NDArray[Any], weights: NDArray[Any]) -> str:
    if not len(frequencies):
        return _line(graph, "X", np.zeros(0), 0.0)
    angles = graph.add("MatMul", "X", frequencies.T)
    waves = graph.add("Concat", graph.add("Cos", angles), graph.add("Sin", angles), axis=1)
    return graph.add("MatMul", waves, weights[:, None] / math.sqrt(len(frequencies)))


def _squared_distances(graph: _Graph, x: str, basis: NDArray[Any]) -> str:
    """Add ``||x||^2 + ||z||^2 - 2 x . z``, for rows that are centred first.

    Far from 0 the three terms would be large and nearly cancel.
    """
    centre = basis.mean(0)
    rows = basis - centre
    x = graph.add("Sub", x, centre[None])
    norms = graph.add("ReduceSum", graph.add("Mul", x, x), np.array([1]), keepdims=1)
    products = graph.add("MatMul", x, -2.0 * rows.T)
    sums = graph.add("Add", graph.add("Add", products, norms), (rows * rows).sum(1)[None])
    return graph.add("Max", sums, 0.0)


def _gaussian(graph: _Graph, x: str, params: dict[str, Any], basis: NDArray[Any]) -> str:
    factor = -0.5 / params["sigma"] ** 2
    return graph.add("Exp", graph.add("Mul", _squared_distances(graph, x, basis), factor))


def _laplacian(graph: _Graph, x: str, params: dict[str, Any], basis: NDArray[Any]) -> str:
    x = graph.add("Unsqueeze", x, np.array([1]))
    distances = graph.add("Abs", graph.add("Sub", x, basis[None]))
    sums = graph.add("ReduceSum", distances, np.array([2]), keepdims=0)
    return graph.add("Exp", graph.add("Mul", sums, -1.0 / params["sigma"]))


def _scaled_distances(graph: _Graph, x: str, basis: NDArray[Any], factor: float) -> str:
    return graph.add("Mul", graph.add("Sqrt", _squared_distances(graph, x, basis)), factor)


def _decay(graph: _Graph, polynomial: str, a: str) -> str:
    return graph.add("Mul", polynomial, graph.add("Exp", graph.add("Neg", a)))


def _matern32(graph: _Graph, x: str, params: dict[str, Any], basis: NDArray[Any]) -> str:
    a = _scaled_distances(graph, x, basis, math.sqrt(3.0) / params["sigma"])
    return _decay(graph, graph.add("Add", a, 1.0), a)


def _matern52(graph: _Graph, x: str, params: dict[str, Any], basis: NDArray[Any]) -> str:
    a = _scaled_distances(graph, x, basis, math.sqrt(5.0) / params["sigma"])
    square = graph.add("Div", graph.add("Mul", a, a), 3.0)
    return _decay(graph, graph.add("Add", graph.add("Add", square, a), 1.0), a)


def _rational_quadratic(graph: _Graph, x: str, params: dict[str, Any], basis: NDArray[Any]) -> str:
    factor = 0.5 / (params["alpha"] * params["sigma"] ** 2)
    base = graph.add("Mul", _squared_distances(graph, x, basis), factor)
    return graph.add("Pow", graph.add("Add", base, 1.0), -params["alpha"])


def _linear(graph: _Graph, x: str, _params: dict[str, Any], basis: NDArray[Any]) -> str:
    return graph.add("MatMul", x, basis.T)


def _polynomial(graph: _Graph, x: str, params: dict[str, Any], basis: NDArray[Any]) -> str:
    gamma, coef0, degree = params["gamma"], params["coef0"], params["degree"]
    base = graph.add("Add", graph.add("MatMul", x, gamma * basis.T), coef0)
    if params["normalize"]:
        squares = graph.add("ReduceSum", graph.add("Mul", x, x), np.array([1]), keepdims=1)
        own = graph.add("Add", graph.add("Mul", squares, gamma), coef0)
        norms = np.sqrt(gamma * (basis * basis).sum(1) + coef0)[None]
        base = graph.add("Div", graph.add("Div", base, graph.add("Sqrt", own)), norms)
    return graph.add("Pow", base, float(degree))


KERNELS: dict[str, Callable[[_Graph, str, dict[str, Any], NDArray[Any]], str]] = {
    "Gaussian": _gaussian,
    "Laplacian": _laplacian,
    "Linear": _linear,
    "Matern32": _matern32,
    "Matern52": _matern52,
    "Polynomial": _polynomial,
    "RationalQuadratic": _rational_quadratic,
}


class _Graph:
    """A graph from ``X`` to ``prediction`` that grows a node at a time."""

    def __init__(self, dtype: np.dtype[Any], n_targets: int) -> None:
        self.dtype = dtype
        self.n_targets = n_targets
        self.helper = _onnx().helper
        self.kind = self.helper.np_dtype_to_tensor_dtype(dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operation: str, *inputs: str | float | NDArray[Any], **attributes: Any) -> str:
        """Add a node; returns the name of its output."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        output = f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operation, names, [output], **attributes))
        return output

    def constant(self, value: float | NDArray[Any]) -> str:
        """Add a constant; whole numbers are axes and indices, truth values are conditions."""
        array = np.asarray(value)
        if array.dtype.kind not in "ib":
            array = array.astype(self.dtype)
        name = f"constant_{len(self.constants)}"
        self.constants.append(_onnx().numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def attributes(self, columns: dict[str, Any]) -> dict[str, Any]:
        """Return attributes of a node; those that are float64 cannot be lists."""
        attributes = {}
        for name, column in columns.items():
            values = np.asarray(column)
            if values.dtype.kind == "f" and self.dtype == np.float64:
                attributes[f"{name}_as_tensor"] = _onnx().numpy_helper.from_array(values, name)
            else:
                attributes[name] = values.tolist()
        return attributes

    def opsets(self) -> list[Any]:
        """Return the versions of the operators in the graph."""
        opsets = [self.helper.make_opsetid("", OPSET)]
        if any(node.domain == DOMAIN for node in self.nodes):
            opsets.append(self.helper.make_opsetid(DOMAIN, TREE_OPSET))
        return opsets

    def output(self, value: str, ranges: Any, loss: Loss | None) -> None:
        """End with these columns, each brought into its range; the only one as a vector.

        A loss with a link says which function of the values the predictions are.
        """
        low, high = np.atleast_2d(ranges).T
        if np.isfinite(low).any():
            value = self.add("Min", self.add("Max", value, low[None]), high[None])
        if loss is not None:
            value = self.add(LINKS[type(loss).__name__], value)
        if self.n_targets > 1:
            node = self.helper.make_node("Identity", [value], ["prediction"])
        else:
            axes = self.constant(np.array([1]))
            node = self.helper.make_node("Squeeze", [value, axes], ["prediction"])
        self.nodes.append(node)

    def build(self, n_features: int | None) -> Any:
        """Return the whole graph."""
        width = n_features if n_features is not None else "n_features"
        rows = self.helper.make_tensor_value_info("X", self.kind, ["n_rows", width])
        shape = ["n_rows", self.n_targets] if self.n_targets > 1 else ["n_rows"]
        values = self.helper.make_tensor_value_info("prediction", self.kind, shape)
        return self.helper.make_graph(self.nodes, "nystream", [rows], [values], self.constants)


def _onnx() -> Any:
    try:
        import onnx
        import onnx.numpy_helper
    except ImportError as error:
        raise ImportError("to_onnx needs onnx: pip install 'nystream[onnx]'") from error
    return onnx
