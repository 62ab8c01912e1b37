"""What columns cost: rows of a table as features, many at a time and one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow
from common import Case, Settings, Table, best_of, each, ready

import nystream

N_COLUMNS = 10
VALUES = (3, 20, 300)  # of each category
ONE_BY_ONE = 2_000  # rows


def measure(settings: Settings) -> Iterator[Table]:
    n_rows = 2_000 if settings.quick else 50_000
    yield encoding(n_rows, 2 * settings.rounds)


def encoding(n_rows: int, rounds: int) -> Table:
    rng = np.random.default_rng(0)
    y = rng.normal(size=n_rows)
    tables = {
        "10 numbers": table(rng, n_rows, ()),
        "7 numbers, 3 categories": table(rng, n_rows, VALUES),
    }
    cases = {
        (name, call): case
        for name, frame in tables.items()
        for call, case in calls(frame, y).items()
    }
    seconds = best_of(rounds, cases, "columns")
    rows = [
        (name, call, 1e6 * spent / (len(y) if "frame" in call else ONE_BY_ONE))
        for (name, call), spent in seconds.items()
    ]
    return Table(
        f"Columns of a table, {n_rows:,} rows",
        "`RunningMean` behind `Tabular` does next to nothing with a row: what is left is reading, "
        "checking, encoding and learning ten columns. Frames are tables of pyarrow, whose texts "
        f"are taken as they are; the categories have {', '.join(map(str, VALUES))} values.",
        ("columns", "call", "us/row"),
        rows,
    )


def table(rng: np.random.Generator, n_rows: int, categories: tuple[int, ...]) -> pyarrow.Table:
    """Make a table of numbers and categories."""
    n_numbers = N_COLUMNS - len(categories)
    columns = {f"number {i}": rng.normal(size=n_rows) for i in range(n_numbers)}
    for n_values in categories:
        values = np.array([f"value {i}" for i in range(n_values)])
        columns[f"{n_values} values"] = values[rng.integers(n_values, size=n_rows)]
    return pyarrow.table(columns)


def calls(frame: pyarrow.Table, y: np.ndarray) -> dict[str, Case]:
    """Return what is timed; each learner has learned the table once before."""
    model = nystream.Tabular(nystream.RunningMean())
    model.learn_many(frame, y)
    rows, labels = frame.slice(0, ONE_BY_ONE).to_pylist(), y[:ONE_BY_ONE].tolist()
    return {
        "progressive(frame)": ready(model.progressive, frame, y),
        "predict_many(frame)": ready(model.predict_many, frame),
        "predict_one(dict)": ready(each, model.predict_one, rows),
        "learn_one(dict)": ready(each, model.learn_one, rows, labels),
    }
