"""Table 1 of the paper, seen: how cost and dictionary grow with the length of the stream."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._study import output, tables
from nystream._study.growth import TINY, Growth
from nystream._study.paper_table1 import CLAIMS, DECAYS, LENGTHS, SHORTEST, Claim, Decay
from nystream._study.report import Figure, Report, Section, Table
from nystream._study.summary import in_words
from nystream._study.tasks import Task

if TYPE_CHECKING:
    from nystream._study.tasks import Result


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
        from nystream._study import plots

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
