"""A description of a data file: how it is written, and its columns."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._core import Table
from nystream._frames import NamedRows
from nystream._runs.fitting import fitted
from nystream._study import markdown
from nystream._tables.csv_table import CsvTable
from nystream._tables.opening import open_table
from nystream._tables.selection import Reading, Selection
from nystream._tables.table import CHUNK, Position
from nystream._tables.text_table import empty

if TYPE_CHECKING:
    from pathlib import Path

    from nystream._core import Learner
    from nystream._tables.table import BadRow, Chunk
    from nystream._tables.values import Values

HEADER = ("column", "kind", "missing", "least", "mean", "greatest")
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


class Description:
    """Counts what is in the columns of a table."""

    def __init__(self, names: list[str]) -> None:
        from nystream import RunningMean, Tabular

        self.names = names
        self.model: Learner = Tabular(RunningMean())
        self.n_rows = 0
        self.bad: list[BadRow] = []
        self.n_missing = np.zeros(len(names), dtype=np.int64)
        self.n_numbers = np.zeros(len(names), dtype=np.int64)
        self.sums = np.zeros(len(names))
        self.least, self.greatest = (np.full(len(names), sign * np.inf) for sign in (1, -1))

    def add(self, read: Chunk) -> None:
        """Count rows; the first of them tell the kinds of their columns."""
        part = fitted(self.model, read)
        if not self.model._is_settled and len(part.rows):
            self.model.learn_many(part.X, np.zeros(len(part.rows)))
        self.n_rows += len(part.rows)
        self.bad += part.bad
        numbers, missing = counted(part.X)
        is_there = ~np.isnan(numbers)
        self.n_missing += missing
        self.n_numbers += is_there.sum(axis=0)
        self.sums += np.where(is_there, numbers, 0.0).sum(axis=0)
        if len(numbers):
            self.least = np.fmin(self.least, np.where(is_there, numbers, np.inf).min(axis=0))
            self.greatest = np.fmax(self.greatest, np.where(is_there, numbers, -np.inf).max(axis=0))

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row a column: its name, its kind, its gaps, and the range of its numbers."""
        kinds = [column.kind for column in self.model.schema or ()]
        kinds += [None] * (len(self.names) - len(kinds))
        return [self._row(i, kind) for i, kind in enumerate(kinds)]

    def _row(self, i: int, kind: str | None) -> tuple[str, ...]:
        texts = (self.names[i], kind or "empty", f"{self.n_missing[i]:,}")
        if not self.n_numbers[i]:
            return (*texts, "", "", "")
        figures = (self.least[i], self.sums[i] / self.n_numbers[i], self.greatest[i])
        return (*texts, *(f"{figure:.6g}" for figure in figures))


def counted(X: Any) -> tuple[Values, Any]:
    """Return the numbers of rows, NaN for all else, and how many values each column lacks."""
    if isinstance(X, Table):
        return X._numbers(), np.array(X._n_missing(), dtype=np.int64)
    numbers = X.rows if isinstance(X, NamedRows) else X
    return numbers, np.isnan(numbers).sum(axis=0)


def described(path: Path) -> str:
    """Describe a data file."""
    with closing(open_table(str(path), None)) as table:
        columns, out = table.columns, set()
        if columns.names is not None:
            out = {i for i in empty(table) if not columns.names[i]}
        features = tuple(i for i in range(columns.count) if i not in out)
        selection = Selection(columns, features, (), Reading(is_tabular=True))
        names = list(selection.feature_names or map(str, features))
        description = Description(names)
        for part in table.chunks(selection, CHUNK, Position()):
            description.add(part)
        how = written(table) if isinstance(table, CsvTable) else ""
    n_rows, bad = description.n_rows, description.bad
    lines = [f"{path}: {n_rows:,} rows, {len(names)} columns{how}"]
    lines += [f"bad rows: {len(bad):,}, the first in {bad[0]}"] if bad else []
    right = [False, False, True, True, True, True]
    return "\n\n".join([*lines, markdown.lay_out(HEADER, description.rows(), right)])


def written(table: CsvTable) -> str:
    """Say how a CSV file is written."""
    separator, has_commas, encoding = table.dialect
    sign = SEPARATORS.get(separator, repr(separator))
    decimal = ", decimal commas" if has_commas else ""
    names = "" if table.columns.names else ", no names"
    return f"; {sign}{decimal}, {encoding}{names}"
