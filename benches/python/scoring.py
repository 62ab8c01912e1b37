"""Predictions for many rows, beside NumPy and scikit-learn, and on several threads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from common import (
    ABSENT,
    BLOCK,
    Case,
    Settings,
    Table,
    best_of,
    n_cores,
    on_threads,
    peer,
    ready,
    thread_counts,
)

import nystream

SHAPES = ((18, 28), (18, 128), (18, 512), (8, 128), (96, 128))  # features, rows kept
DTYPES = ("float64", "float32")
NYSTREAM = "nystream"
PEERS = ("NumPy", "NumPy in blocks", "Nystroem + Ridge", "KernelRidge")


class Task:
    """A model that keeps a given number of rows, the same function for NumPy, and rows to score."""

    def __init__(self, n_features: int, n_basis: int, n_rows: int, dtype: str) -> None:
        rng = np.random.default_rng(0)
        self.sigma = np.sqrt(n_features) / 2
        self.seen = rng.uniform(-1, 1, (8 * n_basis, n_features))
        self.labels = np.sin(self.seen.sum(1))
        kernel = nystream.Gaussian(self.sigma)
        self.model = nystream.RidgeAld(kernel, alpha=1e-4, max_basis=n_basis)
        self.model.learn_many(self.seen, self.labels)
        self.X = rng.uniform(-1, 1, (n_rows, n_features)).astype(dtype)
        basis = self.model.basis
        weights = np.linalg.solve(kernel(basis), self.model.predict_many(basis))
        self.basis, self.weights = basis.astype(dtype), weights.astype(dtype)

    def check(self) -> None:
        """Refuse a NumPy that does not compute the same function: its time would mean nothing."""
        few = self.X[:100]
        ours, numpys = self.model.predict_many(few), one_liner(self, few)
        np.testing.assert_allclose(ours, numpys, atol=1e-6 if few.dtype == float else 1e-2)


def one_liner(task: Task, X: np.ndarray) -> np.ndarray:
    Z = task.basis
    squared = (X * X).sum(1)[:, None] + (Z * Z).sum(1) - 2 * (X @ Z.T)
    return np.exp(-squared / (2 * X.dtype.type(task.sigma) ** 2)) @ task.weights


def in_blocks(task: Task, X: np.ndarray) -> np.ndarray:
    starts = range(0, len(X), BLOCK)
    return np.concatenate([one_liner(task, X[first : first + BLOCK]) for first in starts])


def measure(settings: Settings) -> Iterator[Table]:
    yield peers(settings)
    yield threads(settings)


def peers(settings: Settings) -> Table:
    rows: list[tuple] = []
    for n_features, n_basis in SHAPES:
        for dtype in DTYPES:
            task = Task(n_features, n_basis, n_scored(n_features, n_basis, settings), dtype)
            task.check()
            label = f"scoring, d {n_features}, J {n_basis}, {dtype}"
            rounds = 1 if settings.quick else 5
            seconds = best_of(rounds, cases(task), label)
            ns = 1e9 * seconds[NYSTREAM] / len(task.X)
            ratios = [seconds[p] / seconds[NYSTREAM] if p in seconds else ABSENT for p in PEERS]
            kept = task.model.n_basis
            rows.append((dtype, n_features, kept, len(task.X), ns, *ratios))
    return Table(
        "Scoring on one thread",
        "`predict_many` of a `RidgeAld` with a Gaussian kernel. The last four columns are times "
        "divided by nystream's. NumPy: all kernel values by one matrix product, all rows at once, "
        f"or {BLOCK} rows at a time. scikit-learn: a pipeline of `Nystroem` with J components and "
        "`Ridge`, and `KernelRidge` fitted to J rows. All get arrays of the same dtype.",
        ("dtype", "d", "J", "rows", "ns/row", *(f"{p} / nystream" for p in PEERS)),
        rows,
    )


def n_scored(n_features: int, n_basis: int, settings: Settings) -> int:
    """Choose a million rows, or fewer where NumPy's arrays would be larger than some 250 MB."""
    return 5_000 if settings.quick else min(10**6, 30_000_000 // max(n_basis, n_features))


def cases(task: Task) -> dict[str, Case]:
    result = {
        NYSTREAM: ready(task.model.predict_many, task.X),
        "NumPy": ready(one_liner, task, task.X),
        "NumPy in blocks": ready(in_blocks, task, task.X),
    }
    return result | {name: ready(model.predict, task.X) for name, model in fitted(task).items()}


def fitted(task: Task) -> dict:
    """Fit the models of scikit-learn."""
    if peer("sklearn") is None:
        return {}
    from sklearn.kernel_approximation import Nystroem
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    J, gamma = task.model.n_basis, 1 / (2 * task.sigma**2)
    seen, labels = task.seen.astype(task.X.dtype), task.labels.astype(task.X.dtype)
    nystroem = make_pipeline(Nystroem(gamma=gamma, n_components=J, random_state=0), Ridge())
    return {
        "Nystroem + Ridge": nystroem.fit(seen, labels),
        "KernelRidge": KernelRidge(kernel="rbf", gamma=gamma).fit(seen[:J], labels[:J]),
    }


def threads(settings: Settings) -> Table:
    rows: list[tuple] = []
    counts = thread_counts()
    for dtype in DTYPES:
        task = Task(18, 128, n_scored(18, 128, settings), dtype)
        call = partial(task.model.predict_many, task.X)
        seconds = best_of(settings.rounds, {n: on_threads(n, call) for n in counts}, "threads")
        for n in counts:
            ns = 1e9 * seconds[n] / len(task.X)
            shape = (dtype, 18, task.model.n_basis, len(task.X))
            rows.append((*shape, n, ns, seconds[1] / seconds[n]))
    nystream.set_num_threads(1)
    return Table(
        "Scoring on several threads",
        f"`nystream.set_num_threads` from 1 to the {n_cores()} cores of the machine.",
        ("dtype", "d", "J", "rows", "threads", "ns/row", "speed / one thread"),
        rows,
    )
