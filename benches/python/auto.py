"""The learner that needs no tuning: what its experts cost, beside one learner at one setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from common import (
    BLOCK,
    Case,
    Dgemm,
    Settings,
    Stream,
    Table,
    best_of,
    learning_gflop,
    on_threads,
    ready,
    stream,
    thread_counts,
)

import nystream

CAP = nystream.Auto().params["max_basis"]
N_ROWS, N_FEATURES = 16_599, 18  # as many as elevators has


def measure(settings: Settings) -> Iterator[Table]:
    streams = random_rows(settings), stream(settings)
    size = f"{len(streams[0].y):,} rows"
    yield Table(
        f"Learning without tuning, {size}",
        f"`progressive` on one thread. Auto at its defaults: J is that of nine dictionaries of at "
        f"most {CAP} rows. RidgeAld keeps at most {CAP} rows, and then no others. Growing: a fresh "
        "model learns the stream once. Full: the model has learned the stream before. A row counts "
        "as (1 + 4 n) J² + 2 d J operations for each dictionary with n experts; linear experts "
        f"and trees are not. DGEMM is NumPy's ({CAP} x {CAP}) @ ({CAP} x 64) in the same rounds.",
        (
            *("learner", "stream", "dictionary", "J", "rows/s", "us/row"),
            *("GFLOP/s", "DGEMM GFLOP/s", "ratio", "time / RidgeAld"),
        ),
        [row for data in streams for row in learning(data, settings.rounds)],
    )
    yield Table(
        f"Scoring without tuning, {size}",
        "`predict_many` of the scorers of the models above, after the stream, on one thread. "
        f"NumPy: the same function, {BLOCK} rows at a time.",
        ("learner", "stream", "J", "ns/row", "NumPy in blocks / nystream", "time / RidgeAld"),
        [row for data in streams for row in scoring(data, settings.rounds)],
    )
    yield Table(
        f"Auto on several threads, {size}",
        "`progressive` of a model that has learned the stream before, and `predict_many` of its "
        "scorer. Experts with different dictionaries can learn at the same time.",
        ("call", "stream", "threads", "us/row", "speed / one thread"),
        [row for data in streams for row in threads(data, settings.rounds)],
    )


def random_rows(settings: Settings) -> Stream:
    """Make rows of the shape of elevators with labels that are no linear function, and noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (N_ROWS, N_FEATURES))
    y = np.sin(2 * X[:, :4].sum(1)) + X[:, 4] * X[:, 5] + X[:, 6] + rng.normal(0, 0.1, N_ROWS)
    n_rows = 2_000 if settings.quick else N_ROWS
    return Stream("random", X[:n_rows], y[:n_rows], (16.0, 8.0, 6.0), alpha=25 / N_ROWS)


def models(data: Stream) -> dict[str, Callable[[], nystream.Learner]]:
    """Name what is compared, to be made anew; the width of RidgeAld fills its dictionary."""
    kernel = nystream.Gaussian(data.sigmas[1])
    ridge = partial(nystream.RidgeAld, kernel, alpha=data.alpha, max_basis=CAP)
    return {"RidgeAld": ridge, "Auto": nystream.Auto}


def learned(data: Stream) -> dict[str, nystream.Learner]:
    made = {name: model() for name, model in models(data).items()}
    for model in made.values():
        model.learn_many(data.X, data.y)
    return made


def learning(data: Stream, rounds: int) -> Iterator[tuple]:
    yardstick, full = Dgemm(CAP), learned(data)
    gflops = {name: row_gflop(model) for name, model in full.items()}
    cases: dict[tuple, Case] = {("DGEMM",): ready(yardstick)}
    for name, model in models(data).items():
        cases[name, "growing"] = fresh(model, data)
        cases[name, "full"] = ready(full[name].progressive, data.X, data.y)
    seconds = best_of(rounds, cases, f"learning without tuning, {data.name}")
    dgemm = yardstick.gflops(seconds.pop(("DGEMM",)))
    n_rows = len(data.y)
    for (name, dictionary), spent in seconds.items():
        speed = gflops[name] * n_rows / spent
        yield (
            *(name, data.name, dictionary, full[name].n_basis),
            *(n_rows / spent, 1e6 * spent / n_rows, speed, dgemm, speed / dgemm),
            spent / seconds["RidgeAld", dictionary],
        )


def fresh(model: Callable[[], nystream.Learner], data: Stream) -> Case:
    """Make a case that learns the stream with a new model each time."""
    return lambda: partial(model().progressive, data.X, data.y)


def row_gflop(model: nystream.Learner) -> float:
    """Count the operations of a learned row, in units of 1e9."""
    if not isinstance(model, nystream.Auto):
        return learning_gflop(model.n_basis, model.n_features)
    awake = (expert for expert in model.experts if np.isfinite(expert.loss) and expert.width)
    experts = ((expert.kind, expert.width) for expert in awake)
    counts = [len([*group]) for _, group in groupby(experts)]  # experts with one dictionary
    parts = model.scorer().parts
    shapes = [part["basis"].shape for part in parts["expansions"] + parts["mapped"]]
    pairs = zip(shapes, counts, strict=True)
    return sum(learning_gflop(*shape, count) for shape, count in pairs)


def scoring(data: Stream, rounds: int) -> Iterator[tuple]:
    cases, kept = {}, {}
    for name, model in learned(data).items():
        scorer, kept[name] = model.scorer(), model.n_basis
        # A NumPy that does not compute the same function would have a time that means nothing.
        few = data.X[:100]
        np.testing.assert_allclose(scorer.predict_many(few), numpys(scorer.parts, few), atol=1e-6)
        cases[name, "nystream"] = ready(scorer.predict_many, data.X)
        cases[name, "NumPy"] = ready(in_blocks, scorer.parts, data.X)
    seconds = best_of(rounds, cases, f"scoring without tuning, {data.name}")
    for name, n_basis in kept.items():
        spent = seconds[name, "nystream"]
        ratios = seconds[name, "NumPy"] / spent, spent / seconds["RidgeAld", "nystream"]
        yield name, data.name, n_basis, 1e9 * spent / len(data.y), *ratios


def numpys(parts: dict[str, Any], X: np.ndarray) -> np.ndarray:
    """Predict as a scorer does."""
    return value(parts, X).clip(*parts["range"])


def in_blocks(parts: dict[str, Any], X: np.ndarray) -> np.ndarray:
    starts = range(0, len(X), BLOCK)
    return np.concatenate([numpys(parts, X[first : first + BLOCK]) for first in starts])


def value(parts: dict[str, Any], X: np.ndarray) -> np.ndarray:
    if "expansions" not in parts:
        return expansion(X, **parts)
    away, scales = X - parts["centres"], parts["scales"]
    z = away / np.where(scales == 0, np.maximum(abs(away), 1e-300), scales)
    z = z.clip(-1e6, 1e6)
    line = z @ parts["slopes"] + parts["constant"]
    size = abs(z)
    z = np.sign(z) * (size.clip(max=3) + 3 * np.log((size / 3).clip(1)))
    line += sum(expansion(z, **part) for part in parts["expansions"])
    rows = np.hstack([np.tile(parts["past"], (len(z), 1)), z])
    for part in parts["mapped"]:
        metric = part["metric"]
        line += expansion(rows * metric if metric.ndim == 1 else rows @ metric.T, **part)
    return line + leaves(rows, **parts["trees"][0])


def expansion(X: np.ndarray, kernel, basis, coefficients, **_: Any) -> np.ndarray:
    sigma = kernel.params["sigma"]
    if isinstance(kernel, nystream.Laplacian):
        columns = zip(X.T, basis.T, strict=True)
        distances = sum(abs(x[:, None] - z) for x, z in columns)
        return np.exp(-distances / sigma) @ coefficients
    squared = (X * X).sum(1)[:, None] + (basis * basis).sum(1) - 2 * (X @ basis.T)
    return np.exp(-squared / (2 * sigma**2)) @ coefficients


def leaves(X: np.ndarray, constant, roots, features, numbers, children) -> np.ndarray:
    """Add up what the trees say: a step down in all of them at once, until all are at leaves."""
    is_leaf, features = features < 0, features.clip(0)
    down = np.where(is_leaf, np.arange(len(features)), children)
    thresholds = np.where(is_leaf, np.inf, numbers)
    nodes = np.tile(roots, (len(X), 1))
    while not is_leaf[nodes].all():
        above = np.take_along_axis(X, features[nodes], axis=1) > thresholds[nodes]
        nodes = down[nodes] + above
    return constant + numbers[nodes].sum(1)


def threads(data: Stream, rounds: int) -> Iterator[tuple]:
    model = learned(data)["Auto"]
    calls = {
        "progressive": partial(model.progressive, data.X, data.y),
        "predict_many": partial(model.scorer().predict_many, data.X),
    }
    counts = thread_counts()
    cases = {(name, n): on_threads(n, call) for name, call in calls.items() for n in counts}
    seconds = best_of(rounds, cases, f"threads without tuning, {data.name}")
    nystream.set_num_threads(1)
    for (name, n), spent in seconds.items():
        yield name, data.name, n, 1e6 * spent / len(data.y), seconds[name, 1] / spent
