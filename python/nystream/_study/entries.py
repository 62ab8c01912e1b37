"""The learners of a comparison: the paper's settings, and the grids it tunes over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import Gaussian
from nystream._core import algorithms, default_params
from nystream._learner_names import learner_called, title_of
from nystream._study.table_dataset import TableDataset

if TYPE_CHECKING:
    from nystream._core import Kernel
    from nystream.datasets import Dataset

Params = Mapping[str, Any]

# The paper prints the grids of its baselines, not what it chose from them. The size of the
# dictionaries it prints tells gamma, the errors tell mu and the step (in units of 1 / sqrt(T)).
CHOSEN_GAMMA = {"parkinson": 0.5, "elevators": 10.0, "cpusmall": 5.0, "calhousing": 5.0}
CHOSEN_STEP = {"parkinson": 1.0}
CHOSEN_MU = 5.0

AFFORDABLE = 1e11  # operations of a pass: half a minute or so


@dataclass(frozen=True)
class Stream:
    """A data set as settings see it: its name, its size, and the kernel."""

    name: str
    n_rows: int
    n_features: int
    kernel: Kernel
    largest_label: float
    as_in_paper: bool = False

    @classmethod
    def of(cls, dataset: Dataset, sigma: float | None = None) -> Stream:
        """Describe a data set; ``sigma`` overrides its own width."""
        X = dataset.encoded() if isinstance(dataset, TableDataset) else dataset.X
        width = sigma or dataset.sigma or median_distance(X)
        n_rows, n_features = len(dataset.y), X.shape[1]
        return cls(
            dataset.name,
            n_rows,
            n_features,
            Gaussian(width),
            largest_label=float(np.abs(dataset.y).max()),
            as_in_paper=n_rows == dataset.paper_rows and width == dataset.sigma,
        )

    @property
    def alpha(self) -> float:
        """25 / T, as in the paper's experiments."""
        return min(1.0, 25 / self.n_rows)

    @property
    def Y(self) -> float:  # noqa: N802
        """Bound on the labels: 1 for those in [0, 1], as in the paper."""
        return max(1.0, self.largest_label)

    @property
    def step(self) -> float:
        """1 / sqrt(T)."""
        return float(self.n_rows**-0.5)


def median_distance(X: np.ndarray) -> float:
    """Median distance of two rows, over at most 500 rows spread over the data; 1 if it is 0."""
    rows = X[:: max(1, len(X) // 500)]
    squares = (rows**2).sum(1)
    squared = squares[:, None] + squares - 2 * rows @ rows.T
    return float(np.sqrt(max(np.median(squared), 0))) or 1.0


@dataclass(frozen=True)
class Entry:
    """A learner, the setting it is compared at, and the values that tuning tries beside it."""

    name: str
    setting: Callable[[Stream], Params]
    grid: Callable[[Stream], Mapping[str, Sequence[Any]]] = lambda _: {}
    operations: Callable[[int, int], float] = lambda n_rows, n_features: 0.0

    @property
    def title(self) -> str:
        """The learner's name in the literature."""
        return title_of(self.name)

    def is_affordable(self, stream: Stream) -> bool:
        """Tell whether a pass is quick enough to be made without being asked for."""
        return self.operations(stream.n_rows, stream.n_features) <= AFFORDABLE

    def at_setting(self, stream: Stream) -> dict[str, Any]:
        """Parameters of the one setting."""
        kernel = {"kernel": stream.kernel} if "kernel" in default_params(self.name) else {}
        return {**kernel, **self.setting(stream)}

    def on_grid(self, stream: Stream) -> list[dict[str, Any]]:
        """Parameters of the whole grid; the one setting where there is no grid."""
        grid = self.grid(stream)
        choices = (dict(zip(grid, values, strict=True)) for values in product(*grid.values()))
        return [{**self.at_setting(stream), **choice} for choice in choices]


def _sampled(stream: Stream) -> Params:
    """PROS-N-KONS and CON-KONS: beta = 1 and epsilon = 0.5 are the defaults; C bounds labels."""
    gamma = CHOSEN_GAMMA.get(stream.name, 1.0) if stream.as_in_paper else 1.0
    return {"mu": CHOSEN_MU, "gamma": gamma, "bound": stream.Y}


def _sampled_grid(_: Stream) -> Mapping[str, Sequence[Any]]:
    return {"mu": (1.0, 5.0, 15.0), "gamma": (0.5, 1.0, 5.0, 10.0)}


def _step(stream: Stream) -> Params:
    factor = CHOSEN_STEP.get(stream.name, 10.0) if stream.as_in_paper else 10.0
    return {"eta": factor * stream.step}


def _step_grid(stream: Stream) -> Mapping[str, Sequence[Any]]:
    return {"eta": tuple(factor * stream.step for factor in (1.0, 10.0, 100.0, 1000.0))}


def _ridge_grid(_: Stream) -> Mapping[str, Sequence[Any]]:
    return {"ridge": (1e-4, 1e-3, 1e-2, 1e-1, 1.0)}


def _quadratic(n_rows: int, n_features: int) -> float:
    """Count the operations of a pass in which row t costs O(dt)."""
    return n_features * n_rows**2


def _cubic(n_rows: int, _: int) -> float:
    """Count those of a pass in which row t costs O(t^2), each slow: from memory, not cache."""
    return 10 * n_rows**3


ENTRIES = {
    entry.name: entry
    for entry in (
        Entry("Fogd", lambda s: {"n_frequencies": 400, **_step(s)}, _step_grid),
        Entry("Nogd", lambda s: {"budget": 400, **_step(s)}, _step_grid),
        Entry("ProsNKons", _sampled, _sampled_grid),
        Entry("ConKons", _sampled, _sampled_grid),
        Entry("AogdAld", lambda s: {"alpha": s.alpha, "bound": 2 * s.Y}),
        Entry(
            "NonsAld",
            lambda s: {"alpha": s.alpha, "mu": 1.0, "bound": s.Y},
            lambda _: {"mu": (1.0, 5.0, 15.0)},
        ),
        Entry("RidgeAld", lambda s: {"alpha": s.alpha, "ridge": 0.01}, _ridge_grid),
        Entry("Auto", lambda _: {}),  # takes no setting: that is its point
        Entry("KrlsAld", lambda s: {"alpha": s.alpha}),
        Entry("Pkawv", lambda _: {"ridge": 0.01}, _ridge_grid, _quadratic),
        Entry("SketchedKons", lambda s: {"bound": s.Y}, operations=_quadratic),
        Entry("Kogd", lambda s: {"bound": 2 * s.Y}, operations=_quadratic),
        Entry("Kons", lambda s: {"bound": s.Y}, operations=_cubic),
        Entry("Kaar", lambda _: {"ridge": 0.01}, _ridge_grid, _cubic),
        Entry("OnlineKrr", lambda _: {"ridge": 0.01}, _ridge_grid, _cubic),
        Entry("LinearRls", lambda _: {"ridge": 0.01}, _ridge_grid),
        Entry("RunningMean", lambda _: {}),
    )
}
# Others under their own names and with their defaults.
ENTRIES |= {name: Entry(name, lambda _: {}) for name in algorithms() if name not in ENTRIES}


def entry_called(name: str) -> Entry:
    """Find a learner by its class or by the paper's name, in any case."""
    return ENTRIES[learner_called(name)]
