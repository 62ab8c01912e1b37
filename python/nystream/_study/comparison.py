"""A comparison of learners on data sets, as in Table 3 of the paper."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from nystream import datasets
from nystream._study import output, tables
from nystream._study.entries import entry_called
from nystream._study.plan import PRESETS, Plan, Preset, plan
from nystream._study.report import Figure, Report, Section
from nystream._study.summary import Line, by_dataset, in_words, lines, rankings
from nystream._tables.table import taken

if TYPE_CHECKING:
    from nystream._study.own_file import OwnFile
    from nystream._study.tasks import Result, Task
    from nystream.datasets import Dataset

T = TypeVar("T")


@dataclass(frozen=True)
class Comparison:
    """The study that every ``nystream bench`` means but ``--preset scaling``."""

    plan: Plan

    @classmethod
    def chosen(cls, name: str, chosen: argparse.Namespace, own: OwnFile | None) -> Comparison:
        """Make it from the options; what they leave open comes from the preset of that name."""
        preset = PRESETS.get(name, Preset((), ""))
        return cls(
            plan(
                load(chosen, preset, own),
                chosen.algorithms and once(map(entry_called, chosen.algorithms)),
                repeats=chosen.repeats or preset.repeats,
                tune=preset.tune if chosen.tune is None else chosen.tune,
                shuffled=chosen.order != "given",
                sigma=chosen.sigma,
            ),
        )

    def tasks(self) -> list[Task]:
        """All runs."""
        return self.plan.tasks()

    def report(self, results: Mapping[str, Result], folder: Path) -> str:
        """Write everything, and return what to print."""
        from nystream._study import plots

        table = lines(self.plan, results)
        if not table:
            raise ValueError("no learner has a result at its setting: there is nothing to report")
        where = in_words(results.values())
        return output.write(
            folder,
            results.values(),
            tables.summary_records(table),
            partial(self.page, table, [*self.lead(), *self.gaps(results), where]),
            partial(plots.comparison, table, folder),
        )

    def page(self, table: Sequence[Line], lead: Sequence[str], figures: Sequence[Figure]) -> Report:
        """Put the report together, of which ``lead`` is the beginning."""
        sections = [self.section(group) for group in by_dataset(table)]
        if figures:
            sections.insert(0, Section("Plots", figures=figures))
        if ranked := rankings(table):
            sections.insert(0, Section("Ranking", RANKING, [tables.ranking(ranked)]))
        return Report("Online learners compared", lead, sections)

    def section(self, group: Sequence[Line]) -> Section:
        """Report on one data set."""
        dataset = group[0].case.dataset
        size = f"{len(dataset.y):,} rows, {dataset.n_features} features"
        facts = [size, width(group), dataset.scaling, own_unit(dataset), dataset.note]
        text = "; ".join(filter(None, facts)) + "."
        if slow := self.plan.left_out[dataset.name]:
            names = ", ".join(entry.title for entry in slow)
            text += f" Left out, because a pass would take too long: {names}."
        return Section(dataset.name, text, [tables.comparison(group)])

    def lead(self) -> list[str]:
        """Say what was done."""
        passes = (
            f"{self.plan.repeats} passes over each data set, each in its own random order."
            if self.plan.shuffled
            else "One pass over each data set, in the order of its rows; "
            f"{self.plan.repeats} for learners that draw."
        )
        return [
            f"{passes} A learner predicts every row before it learns it; MSE is the mean of all "
            "squared errors, ± its standard deviation over the passes. J is the number of rows "
            "kept, D that of random frequencies. Seconds are those of one pass, of the processor.",
            "The best of a grid is chosen in hindsight, by its MSE on the same passes. The learner "
            "with the least MSE at its one setting is marked.",
        ]

    def gaps(self, results: Mapping[str, Result]) -> list[str]:
        """Say how many runs there are, if that is not all of them."""
        n_done, n_tasks = len(results), len(self.tasks())
        if n_done >= n_tasks:
            return []
        return [f"Only {n_done} of {n_tasks} runs are done: some means are over fewer passes."]


RANKING = (
    "Learners of the paper's Table 3 at its settings, and the pairs whose order is not the printed "
    "one. A pair is tied if the mean of its differences, order by order, is within two standard "
    "errors of 0."
)


def load(chosen: argparse.Namespace, preset: Preset, own: OwnFile | None) -> list[Dataset]:
    """Read the data sets. Those of a preset that cannot be had are left out, and that is said."""
    if own:
        data = own.read()
        first = np.arange(len(data.y))[: chosen.rows]
        return [replace(data, X=taken(data.X, first), y=data.y[first])]
    rows = chosen.rows or preset.rows
    found = []
    for name in once(chosen.datasets or preset.datasets):
        try:
            found.append(datasets.load(name, data_dir=chosen.data_dir, n_rows=rows))
        except OSError as error:
            if chosen.datasets:
                raise
            print(f"left out: {error}", file=sys.stderr)
    if not found:
        raise ValueError("none of the data sets could be had: --data-dir names their folder")
    return found


def width(group: Sequence[Line]) -> str:
    """Name the width that the kernels share, if there are any."""
    kernels = [k for line in group if (k := line.case.setting.get("kernel"))]
    return f"Gaussian kernel, sigma {kernels[0].params['sigma']:.4g}" if kernels else ""


def own_unit(dataset: Dataset) -> str:
    """Name the target and its own range, where it was scaled."""
    if dataset.unit == 1 or not dataset.target_range:
        return ""
    low, high = dataset.target_range
    return f"the target {dataset.target_name or 'y'} from {low:g} to {high:g}"


def once(names: Iterable[T]) -> list[T]:
    """Leave out what is named again."""
    return list(dict.fromkeys(names))
