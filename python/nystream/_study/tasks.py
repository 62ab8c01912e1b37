"""One run: a learner with its parameters over one order of a data set."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream import __version__
from nystream._core import Kernel, Learner, default_params
from nystream._study.machine import machine
from nystream._study.table_dataset import TableDataset
from nystream._tables.table import taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nystream.datasets import Dataset


COARSE = 1e-4  # seconds
clock = (
    time.thread_time
    if time.get_clock_info("thread_time").resolution < COARSE
    else time.perf_counter
)


class StoppedError(Exception):
    """A run was given up because the user wants to stop."""


@dataclass(frozen=True)
class Task:
    """A run to be done. ``shuffled``: in the random order of the seed, else as the rows stand."""

    dataset: Dataset
    algorithm: str
    params: Mapping[str, Any]
    seed: int
    shuffled: bool = True

    @property
    def key(self) -> str:
        """A text that no other run has: equal keys mean equal results."""
        data, params = fingerprint(self.dataset), plain(self.params)
        return identity(__version__, data, self.algorithm, params, self.seed, self.shuffled)

    def learner(self) -> Learner:
        """Make the learner; randomised ones draw from the run's seed."""
        random = {"random_state": self.seed} if is_random(self.algorithm) else {}
        model: Learner = getattr(nystream, self.algorithm)(**self.params, **random)
        return self.dataset.learner(model) if isinstance(self.dataset, TableDataset) else model

    def rows(self) -> tuple[Any, NDArray[np.float64]]:
        """Rows, as an array or a table, and labels in the order of this run."""
        X, y = self.dataset.X, self.dataset.y
        if not self.shuffled:
            return X, y
        order = np.random.default_rng(self.seed).permutation(len(y))
        return taken(X, order), y[order]


@dataclass(frozen=True)
class Curve:
    """The course of a run: mean squared error, rows kept and processor seconds after ``t`` rows."""

    t: list[int]
    mse: list[float]
    n_basis: list[int]
    seconds: list[float]

    def append(self, t: int, mse: float, n_basis: int, seconds: float) -> None:
        """Add a point; six digits are enough to draw."""
        self.t.append(t)
        self.mse.append(float(f"{mse:.6g}"))
        self.n_basis.append(n_basis)
        self.seconds.append(float(f"{seconds:.6g}"))


@dataclass(frozen=True)
class Result:
    """A run that is done, with all that is needed to judge it and to repeat it."""

    dataset: str
    fingerprint: str
    n_rows: int
    n_features: int
    scaling: str
    algorithm: str
    params: Mapping[str, Any]
    seed: int
    shuffled: bool
    mse: float
    n_basis: int
    seconds: float
    nbytes: int
    curve: Curve
    version: str
    machine: Mapping[str, str | int]
    finished: str

    @property
    def key(self) -> str:
        """The key of its task."""
        data, params = self.fingerprint, self.params
        return identity(self.version, data, self.algorithm, params, self.seed, self.shuffled)

    def to_json(self) -> str:
        """One line of JSON, which has no NaN."""
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, line: str) -> Result:
        """Read a line of :meth:`to_json`."""
        values = json.loads(line)
        result = cls(**{**values, "curve": Curve(**values["curve"])})
        numbers = (result.mse, result.seconds, result.n_basis, *result.curve.mse)
        if not all(isinstance(number, (int, float)) for number in numbers):
            raise TypeError("its figures should be numbers")
        lengths = {len(values) for values in vars(result.curve).values()}
        if len(lengths) != 1 or 0 in lengths:
            raise TypeError("its curve should have as many points in each list, and some")
        return result


def execute(task: Task, stop: Event) -> Result:
    """Predict and learn every row; between two pieces of the stream look whether to stop.

    Seconds are those that the processor spent on this thread, so that other work on the machine
    is not counted; where the system counts them too coarsely, those that went by.
    """
    model = task.learner()
    X, y = task.rows()
    curve = Curve([], [], [], [])
    loss = seconds = 0.0
    for first, last in pieces(len(y)):
        if stop.is_set():
            raise StoppedError
        rows = taken(X, np.arange(first, last))
        start = clock()
        predictions = model.progressive(rows, y[first:last])
        seconds += clock() - start
        loss += float(((predictions - y[first:last]) ** 2).sum())
        curve.append(last, loss / last, model.n_basis, seconds)
    return Result(
        dataset=task.dataset.name,
        fingerprint=fingerprint(task.dataset),
        n_rows=len(y),
        n_features=task.dataset.n_features,
        scaling=task.dataset.scaling,
        algorithm=task.algorithm,
        params=plain(task.params),
        seed=task.seed,
        shuffled=task.shuffled,
        mse=loss / len(y),
        n_basis=model.n_basis,
        seconds=seconds,
        nbytes=model.nbytes,
        curve=curve,
        version=__version__,
        machine=machine(),
        finished=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def pieces(n_rows: int, smallest: int = 64, most: int = 64) -> Iterator[tuple[int, int]]:
    """Cut a stream: pieces grow by a quarter of what was seen, up to 1 / ``most`` of all rows."""
    first = 0
    while first < n_rows:
        size = max(smallest, min(first // 4, n_rows // most))
        yield first, min(first + size, n_rows)
        first += size


def plain(value: Any) -> Any:
    """Parameters as JSON can hold them; a kernel is its name and parameters."""
    if isinstance(value, Kernel):
        return {"name": repr(value).partition("(")[0], **value.params}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def identity(*facts: Any) -> str:
    """Text that is equal for equal facts."""
    return json.dumps(facts, sort_keys=True)


@cache
def fingerprint(dataset: Dataset) -> str:
    """Return a hash of the values, equal for data sets that hold the same ones."""
    digest = hashlib.sha256(dataset.name.encode())
    arrays = [dataset.X, dataset.y]
    if isinstance(dataset, TableDataset):
        digest.update(dataset.to_bytes())
        arrays = [dataset.y]
    for array in arrays:
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


@cache
def is_random(algorithm: str) -> bool:
    """Tell whether the learner draws."""
    return "random_state" in default_params(algorithm)
