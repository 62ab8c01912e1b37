"""Table 1 of the paper, seen: how cost and dictionary grow with the length of the stream."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream import Gaussian, Laplacian, Matern32, Matern52, datasets, theory
from nystream._bench import output, tables
from nystream._bench.entries import ENTRIES
from nystream._bench.report import Figure, Report, Section, Table
from nystream._bench.runs import Task
from nystream._bench.summary import in_words
from nystream._core import SMALLEST_ALPHA

if TYPE_CHECKING:
    from nystream._bench.runs import Result
    from nystream._core import Kernel
    from nystream.datasets import Dataset

SHORTEST = 256
LENGTHS = 7
TINY = 1.0  # microseconds
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


@dataclass(frozen=True)
class Growth:
    """What was measured of a learner: rows kept and microseconds a row for each length."""

    claim: Claim
    decay: Decay
    T: list[int]
    n_basis: list[float]
    microseconds: list[float]

    @property
    def title(self) -> str:
        """The paper's name of the learner."""
        return ENTRIES[self.claim.name].title

    @property
    def buffer(self) -> Law:
        """How the rows kept grow."""
        law = self.claim.buffer(self.decay.p)
        return law.fit(self.T, self.n_basis) if any(self.n_basis) else Law(0.0)

    @property
    def cost(self) -> Law | None:
        """How the cost of a row grows; None if it is too small to tell from that of a call."""
        if max(self.microseconds) < TINY:
            return None
        return self.claim.cost(self.decay.p).fit(self.T, self.microseconds)


@dataclass(frozen=True)
class Scaling:
    """The study that ``--preset scaling`` means."""

    repeats: int

    @classmethod
    def chosen(cls, chosen: argparse.Namespace) -> Scaling:
        """Make it from the options."""
        return cls(chosen.repeats or 5)

    def tasks(self) -> list[Task]:
        """List all runs, long streams first: the short ones are not to be timed while cold."""
        runs = [
            task
            for decay in DECAYS
            for claim in CLAIMS
            for T in claim.lengths(decay)
            for task in self.repeat(claim, decay, T)
        ]
        return sorted(runs, key=lambda task: -len(task.dataset.y))

    def repeat(self, claim: Claim, decay: Decay, T: int) -> list[Task]:
        """List the runs of one point, one for each order of the same rows."""
        params = {"kernel": decay.kernel, **claim.params(T, decay)}
        data = decay.dataset(T)
        return [Task(data, claim.name, params, seed) for seed in range(self.repeats)]

    def growths(self, results: Mapping[str, Result]) -> list[Growth]:
        """Gather what was measured."""
        growths = [self.growth(claim, decay, results) for decay in DECAYS for claim in CLAIMS]
        fitting = [growth for growth in growths if len(growth.T) > 1]
        if not fitting:
            raise ValueError("no learner has results for two lengths: there is nothing to report")
        return fitting

    def growth(self, claim: Claim, decay: Decay, results: Mapping[str, Result]) -> Growth:
        """Gather the lengths of one learner on one decay."""
        growth = Growth(claim, decay, [], [], [])
        for T in claim.lengths(decay):
            runs = [results[k] for t in self.repeat(claim, decay, T) if (k := t.key) in results]
            if runs and min(map(late_cost, runs)) > 0:
                growth.T.append(T)
                growth.n_basis.append(float(np.mean([run.n_basis for run in runs])))
                growth.microseconds.append(min(map(late_cost, runs)))
        return growth

    def report(self, results: Mapping[str, Result], folder: Path) -> str:
        """Write everything, and return what to print."""
        from nystream._bench import plots

        growths = self.growths(results)
        return output.write(
            folder,
            results.values(),
            [record(growth) for growth in growths],
            partial(self.page, growths, in_words(results.values())),
            partial(plots.scaling, growths, folder),
        )

    def page(self, growths: Sequence[Growth], where: str, figures: Sequence[Figure]) -> Report:
        """Put the report together; ``where`` it was measured is part of it."""
        sections = [
            Section(decay.name, decay.seen(), [fits([g for g in growths if g.decay is decay])])
            for decay in DECAYS
        ]
        if figures:
            sections.insert(0, Section("Plots", figures=figures))
        title = "Cost and dictionary against the length of the stream"
        return Report(title, [*self.lead(), where], sections)

    def lead(self) -> list[str]:
        """Say what was done."""
        return [
            f"Streams of {SHORTEST} to T rows, {LENGTHS} lengths, each learner with the alpha, mu "
            f"and gamma that the paper's bounds ask for at that length, {self.repeats} orders of "
            "the rows. J is the number of rows kept, cost the processor time of a row in the "
            "second half of the stream, the least of all orders. The power is that of a straight "
            f"line through the logarithms; where a row costs less than {TINY:g} µs, what is "
            "measured is the call. The paper's, of its Table 1 and Corollary 4.8, are upper "
            "bounds, up to logarithms if they are powers of T.",
            "NONS-ALD runs only as long as float64 can tell its alpha from 0; PKAWV stores every "
            "row, and J counts those it samples; AOGD-ALD never switches to storing every row.",
        ]


def late_cost(run: Result) -> float:
    """Microseconds a row in the second half of a run."""
    curve = run.curve
    half = int(np.searchsorted(curve.t, run.n_rows // 2))
    seconds = curve.seconds[-1] - curve.seconds[half]
    return 1e6 * seconds / (curve.t[-1] - curve.t[half])


def fits(growths: Sequence[Growth]) -> Table:
    """List what was measured of each learner beside what the paper says."""
    columns = {
        "learner": [g.title for g in growths],
        "longest T": [f"{g.T[-1]:,}" for g in growths],
        "J": [f"{g.n_basis[0]:.0f} to {g.n_basis[-1]:.0f}" for g in growths],
        "J grows like": [str(g.buffer) for g in growths],
        "paper's J": [str(g.claim.buffer(g.decay.p)) for g in growths],
        "µs a row": [
            f"{tables.significant(g.microseconds[0], 2)} to "
            f"{tables.significant(g.microseconds[-1], 2)}"
            for g in growths
        ],
        "cost grows like": [str(g.cost or "-") for g in growths],
        "paper's cost": [str(g.claim.cost(g.decay.p)) for g in growths],
    }
    return Table(columns, frozenset(columns) - {"learner"})


def record(growth: Growth) -> dict[str, Any]:
    """Give what was measured as numbers, for CSV and JSON."""
    p = growth.decay.p
    return {
        "decay": growth.decay.name,
        "algorithm": growth.claim.name,
        "T": growth.T,
        "n_basis": growth.n_basis,
        "microseconds": growth.microseconds,
        "buffer_power": growth.buffer.power,
        "paper_buffer_power": growth.claim.buffer(p).power,
        "cost_power": growth.cost.power if growth.cost else None,
        "paper_cost_power": growth.claim.cost(p).power,
        "power_of": "ln T" if growth.claim.cost(p).of_log else "T",
    }
