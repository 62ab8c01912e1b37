"""Which runs a comparison consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nystream._study.entries import ENTRIES, Entry, Stream
from nystream._study.tasks import Task, is_random
from nystream.datasets import names

if TYPE_CHECKING:
    from nystream.datasets import Dataset


@dataclass(frozen=True)
class Preset:
    """A comparison by name, such as "paper"; the command line may change each part."""

    datasets: tuple[str, ...]
    summary: str
    repeats: int = 10
    tune: bool = True
    rows: int | None = None


PRESETS = {
    "paper": Preset(
        names("paper"),
        "Table 3 of the paper: its data sets, widths, grids, ten random orders",
    ),
    "quick": Preset(
        ("friedman", "mackey_glass"),
        "the same learners on two embedded streams, in a minute",
        repeats=2,
        rows=4000,
    ),
}


@dataclass(frozen=True)
class Case:
    """A learner on a data set: the setting it is compared at, and all that tuning tries."""

    dataset: Dataset
    entry: Entry
    setting: dict[str, Any]
    grid: tuple[dict[str, Any], ...]
    as_in_paper: bool  # its data, all rows in random order, its width


@dataclass(frozen=True)
class Plan:
    """A comparison: every case, each with as many repeats, and learners too slow for it."""

    cases: tuple[Case, ...]
    repeats: int
    shuffled: bool
    left_out: Mapping[str, tuple[Entry, ...]]  # by the name of the data set

    def tasks(self) -> list[Task]:
        """Every run once, all cases with the first seed before any with the second."""
        tasks = {
            task.key: task
            for seed in range(self.repeats)
            for case in self.cases
            for params in (case.setting, *case.grid)
            for task in self.repeat(case, params, seed)
        }
        return list(tasks.values())

    def repeat(self, case: Case, params: dict[str, Any], seed: int) -> list[Task]:
        """One repeat; none if it could only give again what the first one gave."""
        name = case.entry.name
        if seed and not self.shuffled and not is_random(name):
            return []
        return [Task(case.dataset, name, params, seed, self.shuffled)]


def plan(
    datasets: Sequence[Dataset],
    algorithms: Sequence[Entry] | None,
    *,
    repeats: int,
    tune: bool,
    shuffled: bool = True,
    sigma: float | None = None,
) -> Plan:
    """Cross data sets with learners; None stands for all that are affordable on each set."""
    cases, left_out = [], {}
    for dataset in datasets:
        stream = Stream.of(dataset, sigma)
        chosen = algorithms or [e for e in ENTRIES.values() if e.is_affordable(stream)]
        left_out[dataset.name] = tuple(
            entry for entry in ENTRIES.values() if algorithms is None and entry not in chosen
        )
        for entry in chosen:
            grid = entry.on_grid(stream) if tune else []
            setting = entry.at_setting(stream)
            cases.append(
                Case(dataset, entry, setting, tuple(grid), stream.as_in_paper and shuffled)
            )
    return Plan(tuple(cases), repeats, shuffled, left_out)
