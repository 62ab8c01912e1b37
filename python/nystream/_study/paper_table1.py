"""Table 1 of the paper: how dictionary and cost grow, and the settings it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import Gaussian, Laplacian, Matern32, Matern52, datasets, theory
from nystream._core import SMALLEST_ALPHA

if TYPE_CHECKING:
    from nystream._core import Kernel
    from nystream.datasets import Dataset

SHORTEST = 256
LENGTHS = 7
SAMPLE = 1000  # rows whose kernel matrix shows the decay


@dataclass(frozen=True)
class Decay:
    """Rows on a line and a kernel whose eigenvalues decay in a known way; p None: exponentially."""

    name: str
    rows: str
    kernel: Kernel
    p: float | None = None
    longest: int = 8192  # streams that are not too long for dictionaries to be expected

    @cache  # noqa: B019 (there are but four decays)
    def dataset(self, T: int) -> Dataset:
        """Make a stream of T rows; a shorter one is its beginning."""
        return datasets.load(self.rows, n_rows=T)

    def settings(self, T: int) -> tuple[float, float]:
        """Give the paper's alpha and mu of NONS-ALD for T rows."""
        if self.p is None:
            return theory.nons_ald_settings(T)
        return theory.nons_ald_settings(T, "polynomial", self.p)

    def seen(self) -> str:
        """Fit the decay of the kernel matrix of some rows."""
        X = self.dataset(SAMPLE).X
        fit = theory.decay(theory.eigenvalues(self.kernel, X))
        law = f"r^i, r = {fit.r:.2f}" if fit.kind == "exponential" else f"i^-p, p = {fit.p:.1f}"
        return (
            f"{self.kernel!r} on the stream {self.rows}. The eigenvalues of the kernel matrix of "
            f"{SAMPLE:,} rows decay like {law}."
        )


DECAYS = (
    Decay("exponential decay", "normal_line", Gaussian(0.5)),
    Decay("polynomial decay, p = 2", "uniform_line", Laplacian(0.5), 2.0, longest=2048),
    Decay("polynomial decay, p = 4", "uniform_line", Matern32(0.5), 4.0),
    Decay("polynomial decay, p = 6", "uniform_line", Matern52(0.5), 6.0),
)


@dataclass(frozen=True)
class Law:
    """Growth like a power of T or, if ``of_log``, of ln T."""

    power: float
    of_log: bool = False

    def __str__(self) -> str:
        base = "(ln T)" if self.of_log else "T"
        return f"{base}^{self.power:.2f}" if self.power else "constant"

    def fit(self, T: Sequence[int], values: Sequence[float]) -> Law:
        """Find the power that fits best: a straight line through the logarithms."""
        base = np.log(np.log(T)) if self.of_log else np.log(T)
        return Law(float(np.polyfit(base, np.log(values), 1)[0]), self.of_log)


@dataclass(frozen=True)
class Claim:
    """A row of Table 1: settings for T rows, and how buffer and cost should grow at most."""

    name: str
    params: Callable[[int, Decay], Mapping[str, Any]]
    buffer: Callable[[float | None], Law]
    cost: Callable[[float | None], Law]
    longest: Callable[[Decay], int] = lambda decay: decay.longest

    def lengths(self, decay: Decay) -> list[int]:
        """Lengths to try, up to what time and float64 allow."""
        longest = min(self.longest(decay), decay.longest)
        return [int(T) for T in np.geomspace(SHORTEST, longest, LENGTHS).round()]


def _resolvable(decay: Decay) -> int:
    """Find the longest stream whose alpha for NONS-ALD float64 can tell from 0."""
    lengths = range(SHORTEST, decay.longest + 1)
    return max(T for T in lengths if decay.settings(T)[0] >= SMALLEST_ALPHA)


def _nons_cost(p: float) -> float:
    """Corollary 4.8: J^2 a row, and J^4 / T for what a growing dictionary costs."""
    J = (1 + 5 * p) / (p * (1 + p))
    return max(2 * J, 4 * J - 1)


def _nons(T: int, decay: Decay) -> Mapping[str, Any]:
    alpha, mu = decay.settings(T)
    return {"alpha": alpha, "mu": mu}


def _pros(T: int, decay: Decay) -> Mapping[str, Any]:
    p = decay.p
    gamma = 1 / T if p is None else T ** (-(p * p - 2 * p - 1) / (p + 1) ** 2)
    return {"gamma": gamma, "mu": decay.settings(T)[1]}


def _pkawv(T: int, decay: Decay) -> Mapping[str, Any]:
    """Sample J = T^r = (T / mu)^(1 / p) rows: the paper's cost is T^(2r) + T^(1 + r)."""
    p = decay.p
    return {"kors_mu": 1 / T if p is None else T ** (1 - p * _r(p))}


def _r(p: float) -> float:
    """Table 1's r of PKAWV."""
    return 2 * p / (p * p - 1)


def _law(log_power: float, power: Callable[[float], float]) -> Callable[[float | None], Law]:
    return lambda p: Law(log_power, of_log=True) if p is None else Law(power(p))


CLAIMS = (
    Claim(
        "NonsAld",
        _nons,
        _law(1, lambda p: (1 + 5 * p) / (p * (1 + p))),
        _law(2, _nons_cost),
        _resolvable,
    ),
    Claim(
        "AogdAld",
        lambda T, _: {"alpha": 1 / T},
        _law(1, lambda p: 2 / p),
        _law(2, lambda p: 4 / p),
    ),
    Claim(
        "ProsNKons",
        _pros,
        _law(3, lambda p: 2 * p / (1 + p) ** 2),
        _law(6, lambda p: 4 * p / (1 + p) ** 2),
    ),
    Claim(
        "Pkawv",
        _pkawv,
        _law(3, _r),
        lambda p: Law(1.0 if p is None else max(2 * _r(p), 1 + _r(p))),
        lambda _: 2048,
    ),
    Claim(
        "SketchedKons",
        lambda *_: {"gamma": 0.1},
        lambda _: Law(1.0),
        lambda _: Law(2.0),
        lambda _: 4096,
    ),
    Claim("Fogd", lambda *_: {"n_frequencies": 100}, lambda _: Law(0.0), lambda _: Law(0.0)),
)
