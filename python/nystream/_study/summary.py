"""The runs of a comparison, summarised: means, deviations, the best of each grid, the ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._study.paper_table3 import TABLE_3, Printed
from nystream._study.plan import Case, Plan

if TYPE_CHECKING:
    from nystream._study.tasks import Result

# A learner whose error is as many times that of predicting 0 has diverged.
DIVERGED = 1e6


@dataclass(frozen=True)
class Score:
    """One setting of a learner on a data set, over its repeats."""

    params: Mapping[str, Any]
    runs: tuple[Result, ...]
    diverged: bool

    @property
    def mse(self) -> float:
        """Mean of the mean squared errors."""
        return mean(run.mse for run in self.runs)

    def rank(self) -> tuple[bool, float]:
        """Give what to sort by: whatever has diverged comes last."""
        return self.diverged, self.mse

    @property
    def std(self) -> float:
        """Standard deviation of the mean squared errors; 0 for a single run."""
        if self.diverged or len(self.runs) < 2:
            return 0.0
        # Relative to the mean, so that squares of huge numbers do not overflow.
        relative = [run.mse / self.mse for run in self.runs] if self.mse else [0.0, 0.0]
        return self.mse * float(np.std(relative, ddof=1))

    @property
    def size(self) -> float:
        """Rows kept (J), or frequencies drawn (D)."""
        return mean(run.params.get("n_frequencies", run.n_basis) for run in self.runs)

    @property
    def seconds(self) -> float:
        """Processor seconds of a run."""
        return mean(run.seconds for run in self.runs)

    @property
    def nbytes(self) -> float:
        """Memory of the learner at the end."""
        return mean(run.nbytes for run in self.runs)


@dataclass(frozen=True)
class Line:
    """A learner on a data set: at its setting, at the best of its grid, and as printed."""

    case: Case
    score: Score
    best: Score
    printed: Printed | None

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return str(self.case.dataset.name)

    @property
    def difference(self) -> float | None:
        """The difference of the error from the printed one, relative to that."""
        return self.score.mse / self.printed.mse - 1 if self.printed else None

    @property
    def tuned(self) -> dict[str, Any]:
        """The parameters that tuning has chosen, where there was a choice."""
        return {
            name: value
            for name, value in self.best.params.items()
            if any(choice[name] != value for choice in self.case.grid)
        }


@dataclass(frozen=True)
class Swap:
    """Two learners whose order is not the printed one; tied if chance can explain it."""

    first: str
    second: str
    tied: bool

    def __str__(self) -> str:
        return f"{self.first} before {self.second}" + (" (tied)" if self.tied else "")


@dataclass(frozen=True)
class Ranking:
    """The learners of the paper's table on a data set, best first, and pairs in another order."""

    dataset: str
    order: tuple[str, ...]
    swaps: tuple[Swap, ...]


def lines(plan: Plan, results: Mapping[str, Result]) -> list[Line]:
    """Summarise every case whose setting has at least one result."""
    return [line for case in plan.cases if (line := _line(plan, case, results))]


def _line(plan: Plan, case: Case, results: Mapping[str, Result]) -> Line | None:
    score = _score(plan, case, case.setting, results)
    if score is None:
        return None
    tried = [score, *(_score(plan, case, params, results) for params in case.grid)]
    # Only settings with all their repeats stand a fair comparison with each other.
    fair = [s for s in tried if s and len(s.runs) == len(score.runs)]
    printed = TABLE_3.get((case.dataset.name, case.entry.name)) if case.as_in_paper else None
    return Line(case, score, min(fair, key=Score.rank), printed)


def _score(
    plan: Plan, case: Case, params: dict[str, Any], results: Mapping[str, Result]
) -> Score | None:
    tasks = [task for seed in range(plan.repeats) for task in plan.repeat(case, params, seed)]
    runs = tuple(results[task.key] for task in tasks if task.key in results)
    if not runs:
        return None
    limit = DIVERGED * max(float(np.mean(case.dataset.y**2)), np.finfo(float).tiny)
    return Score(params, runs, not all(run.mse < limit for run in runs))


def by_dataset(table: Iterable[Line]) -> list[list[Line]]:
    """Put the lines of each data set together."""
    groups: dict[str, list[Line]] = {}
    for line in table:
        groups.setdefault(line.dataset, []).append(line)
    return list(groups.values())


def rankings(table: Iterable[Line]) -> list[Ranking]:
    """Compare the order of learners with the printed one, where there is one."""
    groups = by_dataset(line for line in table if line.printed)
    return [_ranking(group) for group in groups if len(group) > 1]


def _ranking(group: list[Line]) -> Ranking:
    ranked = sorted(group, key=lambda line: line.score.rank())
    swaps = [
        Swap(a.case.entry.title, b.case.entry.title, _tied(a.score, b.score))
        for a, b in combinations(ranked, 2)
        if a.printed and b.printed and a.printed.mse > b.printed.mse
    ]
    return Ranking(ranked[0].dataset, tuple(line.case.entry.title for line in ranked), tuple(swaps))


def _tied(a: Score, b: Score) -> bool:
    """Tell whether the mean difference, order by order, is within two standard errors of 0."""
    theirs = {run.seed: run.mse for run in b.runs}
    differences = [run.mse - theirs[run.seed] for run in a.runs if run.seed in theirs]
    if len(differences) < 2:
        return False
    standard_error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    return abs(float(np.mean(differences))) <= 2 * float(standard_error)


def in_words(results: Iterable[Result]) -> str:
    """Say where results were measured: a line for each machine and version."""
    places = {
        f"nystream {run.version}; {run.machine['processor']}, {run.machine['cores']} cores, "
        f"{run.machine['instruction_set']}; {run.machine['system']}; "
        f"Python {run.machine['python']}, NumPy {run.machine['numpy']}."
        for run in results
    }
    return " Also: ".join(sorted(places))


def mean(values: Iterable[float]) -> float:
    """Mean of at least one value."""
    numbers = list(values)
    return sum(numbers) / len(numbers)
