"""Rows of a file of the user's own that a comparison can use, and what their columns are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nystream import ColumnWarning, RunningMean, Tabular
from nystream._core import LARGEST, Table
from nystream._frames import NamedRows
from nystream._runs.fitting import fitted
from nystream._runs.kinds import described
from nystream._tables.table import CHUNK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from nystream._core import Column, Learner
    from nystream._tables.table import BadRow, Chunk
    from nystream._tables.values import Values


@dataclass(frozen=True)
class OwnRows:
    """Good rows with a label and the columns that they have, and rows that were left out."""

    X: Table
    y: Values
    schema: tuple[Column, ...]
    bad: tuple[BadRow, ...]
    n_unlabelled: int

    @classmethod
    def of(cls, chunk: Chunk, columns: Mapping[str, Any]) -> OwnRows:
        """Leave out rows without a label and those that do not fit their columns.

        The first rows tell what the columns are, as when the file is learned in its own order.
        """
        with_label = np.flatnonzero(~np.isnan(chunk.y))
        rows = replace(chunk, X=as_table(chunk.X), bad=()).take(with_label)
        model: Learner = Tabular(RunningMean(), **columns)
        parts = list(settled(model, rows))
        refused = [bad for part in parts for bad in part.bad]
        if refused:
            kept = np.concatenate([part.rows for part in parts])
            rows = rows.take(np.flatnonzero(np.isin(rows.rows, kept)))
        all_bad = tuple(sorted((*chunk.bad, *refused), key=lambda bad: bad.row))
        n_unlabelled = len(chunk.y) - len(with_label)
        return cls(rows.X, rows.y, tuple(model.schema or ()), all_bad, n_unlabelled)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column; one without any value is of no use."""
        return {one.name: (one.kind or "unused").partition(" ")[0] for one in self.schema}

    def numbers(self, columns: Mapping[str, Any]) -> Values | None:
        """Return the rows as an array, if no column holds anything but numbers without gaps."""
        numbers: Values = self.X._numbers()
        is_gap = ~(np.abs(numbers) <= LARGEST) | np.isin(numbers, columns.get("missing_values", ()))
        return None if columns.get("schema") or is_gap.any() else numbers

    def left_out(self) -> list[str]:
        """Say how many rows were left out, and why."""
        counts = {"rows without a label": self.n_unlabelled, "bad rows": len(self.bad)}
        return [f"{what} left out: {n:,}" for what, n in counts.items() if n]

    def columns_in_words(self) -> str:
        """Say of which kinds the columns are."""
        return described(self.schema)


def settled(model: Learner, rows: Chunk) -> Iterator[Chunk]:
    """Return rows piece by piece, of which those are bad that do not fit the columns so far.

    Learning the others settles what the columns of the model are.
    """
    for first in range(0, len(rows.y), CHUNK):
        part = fitted(model, rows.take(np.arange(first, min(first + CHUNK, len(rows.y)))))
        if len(part.y):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ColumnWarning)  # the report names such columns
                model.learn_many(part.X, part.y)
        yield part


def as_table(X: Any) -> Table:
    """Return rows as a table; columns without names have their numbers."""
    if isinstance(X, np.ndarray):
        X = NamedRows([str(i) for i in range(X.shape[1])], X)
    return X if isinstance(X, Table) else Table(X)
