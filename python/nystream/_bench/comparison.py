"""A comparison of learners on data sets, as in Table 2 of the paper."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nystream import datasets
from nystream._bench import output, tables
from nystream._bench.entries import entry_called
from nystream._bench.machine import in_words
from nystream._bench.plan import PRESETS, Plan, Preset, plan
from nystream._bench.report import Figure, Report, Section, Table
from nystream._bench.summary import Line, lines, rankings

if TYPE_CHECKING:
    from nystream._bench.runs import Result, Task
    from nystream.datasets import Dataset


@dataclass(frozen=True)
class Comparison:
    """The study that every ``nystream bench`` means but ``--preset scaling``."""

    name: str
    plan: Plan

    @classmethod
    def chosen(cls, chosen: argparse.Namespace) -> Comparison:
        """Make it from the options; what they leave open comes from the preset."""
        name = chosen.preset or ("own" if chosen.datasets or chosen.data else "quick")
        preset = PRESETS.get(name, Preset((), ""))
        return cls(
            name,
            plan(
                load(chosen, preset),
                [entry_called(name) for name in chosen.algorithms or preset.algorithms],
                repeats=chosen.repeats or preset.repeats,
                tune=preset.tune if chosen.tune is None else chosen.tune,
                shuffled=chosen.order == "random",
                sigma=chosen.sigma,
            ),
        )

    def tasks(self) -> list[Task]:
        """All runs."""
        return self.plan.tasks()

    def report(self, results: Mapping[str, Result], folder: Path) -> str:
        """Write everything, and return what to print."""
        from nystream._bench import plots

        table = lines(self.plan, results)
        return output.write(
            folder,
            results.values(),
            tables.summary_records(table),
            partial(self.page, table),
            plots.comparison(table, folder),
        )

    def page(self, table: Sequence[Line], figures: Sequence[Figure]) -> Report:
        """Put the report together."""
        sections = [
            Section(dataset.name, describe(dataset), [t]) for dataset, t in by_dataset(table)
        ]
        if ranked := rankings(table):
            sections.insert(0, Section("Ranking", RANKING, [tables.ranking(ranked)]))
        if figures:
            sections.insert(0, Section("Plots", figures=figures))
        return Report("Online learners compared", self.lead(), sections)

    def lead(self) -> list[str]:
        """Say what was done, with what, where."""
        order = "its own random order" if self.plan.shuffled else "the order of the file"
        return [
            f"{self.plan.repeats} passes over each data set, each in {order}. A learner predicts "
            "every row before it learns it; MSE is the mean of all squared errors, ± its standard "
            "deviation over the passes. J is the number of rows kept, D that of random "
            "frequencies. Seconds are those of one pass, of the processor.",
            "The best of a grid is chosen in hindsight, by its MSE on the same passes.",
            in_words(),
        ]


RANKING = (
    "Learners of the paper's Table 2 at its settings, and the pairs whose order is not the printed "
    "one. A pair is tied if its errors differ by no more than a standard deviation."
)


def load(chosen: argparse.Namespace, preset: Preset) -> list[Dataset]:
    """Read the data sets. Those of a preset that cannot be had are left out, and that is said."""
    if chosen.data:
        scale = None if chosen.scale == "none" else chosen.scale
        data = datasets.read(chosen.data, target=chosen.target, drop=chosen.drop, scale=scale)
        return [replace(data, X=data.X[: chosen.rows], y=data.y[: chosen.rows])]
    rows = chosen.rows or preset.rows
    found = []
    for name in chosen.datasets or preset.datasets:
        try:
            found.append(datasets.load(name, data_dir=chosen.data_dir, n_rows=rows))
        except OSError as error:
            if chosen.datasets:
                raise
            print(f"left out: {error}", file=sys.stderr)
    if not found:
        raise ValueError("none of the data sets could be had: --data-dir names their folder")
    return found


def by_dataset(table: Sequence[Line]) -> list[tuple[Dataset, Table]]:
    """One table for each data set."""
    groups: dict[str, list[Line]] = {}
    for line in table:
        groups.setdefault(line.dataset, []).append(line)
    return [(group[0].case.dataset, tables.comparison(group)) for group in groups.values()]


def describe(dataset: Dataset) -> str:
    """Size and scaling of a data set in words."""
    rows, features = dataset.X.shape
    facts = [f"{rows:,} rows, {features} features", dataset.scaling, dataset.note]
    return "; ".join(filter(None, facts)) + "."
