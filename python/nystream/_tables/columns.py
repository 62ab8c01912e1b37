"""The columns of a table: all of them by name or index, and those that are read."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._frames import NamedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._tables.values import Values


class UnfitColumnError(ValueError):
    """A column that is not all numbers: its index, and how many columns there are."""

    def __init__(self, message: str, column: int, count: int) -> None:
        super().__init__(message)
        self.column, self.count = column, count


@dataclass(frozen=True)
class Columns:
    """The columns of a table, with their names if it has any."""

    count: int
    names: tuple[str, ...] | None

    def describe(self, index: int) -> str:
        """Return a column's name for a message."""
        return f"column {self.names[index]!r}" if self.names else f"column {index}"

    def find(self, argument: str, column: Any) -> int:
        """Return the index of a column that is given by name or index; a name comes first."""
        if isinstance(column, str):
            matches = [i for i, name in enumerate(self.names or ()) if name == column]
            if len(matches) == 1:
                return matches[0]
            if matches:
                problem = f"is {column!r}, a name of {len(matches)} columns"
                raise ValueError(f"{argument} should be an index, but {problem}")
            if re.fullmatch(r"\s*[+-]?\d+\s*", column, re.ASCII):
                return self._checked(argument, column, int(column))
            raise ValueError(f"{argument} should be {self._listed()}, but is {column!r}")
        try:
            index = operator.index(column)
        except TypeError:
            index = None
        if index is None or isinstance(column, bool):
            problem = f"the name or the index of a column, but is {column!r}"
            raise TypeError(f"{argument} should be {problem}")
        return self._checked(argument, column, index)

    def _checked(self, argument: str, column: Any, index: int) -> int:
        if not -self.count <= index < self.count:
            raise ValueError(f"{argument} should be {self._listed()}, but is {column!r}")
        return index % self.count

    def _listed(self) -> str:
        if self.names is None:
            return f"an index from {-self.count} to {self.count - 1}, as there are no names"
        shown = ", ".join(map(repr, self.names[:20]))
        return f"one of the columns {shown}" + (", ..." if self.count > 20 else "")


@dataclass(frozen=True)
class Selection:
    """The columns that are read: features first, then targets."""

    columns: Columns
    features: tuple[int, ...]
    targets: tuple[int, ...]

    @property
    def wanted(self) -> tuple[int, ...]:
        """All columns that are read."""
        return (*self.features, *self.targets)

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, if there are any."""
        names = self.columns.names
        return None if names is None else tuple(names[i] for i in self.features)

    def rows(self, values: Values) -> NamedRows | Values:
        """Return the features of some rows, with their names if there are any."""
        X = np.ascontiguousarray(values[:, : len(self.features)])
        names = self.feature_names
        return X if names is None else NamedRows(list(names), X)

    def labels(self, values: Values) -> Values:
        """Return the labels of some rows: a column a target, or one for all if there is one."""
        y = values[:, len(self.features) :]
        return y[:, 0].copy() if len(self.targets) == 1 else np.ascontiguousarray(y)

    def target_names(self) -> list[str]:
        """Return what the targets are called, by their numbers if they have no names."""
        names = self.columns.names
        return [names[i] if names else str(j) for j, i in enumerate(self.targets)]

    def described(self) -> dict[str, list[str]]:
        """Return the columns by name or index, to be compared with those of another run."""
        names = self.columns.names or list(map(str, range(self.columns.count)))
        columns = {"features": self.features, "target": self.targets}
        return {what: [names[i] for i in indices] for what, indices in columns.items()}


def select(
    columns: Columns,
    targets: Sequence[str],
    features: Sequence[str] | None,
    drop: Sequence[str] | None,
    known: Sequence[str] | None,
) -> Selection:
    """Find the columns that were asked for.

    Features are those that are named, else those that the model has ``known`` by name, else all
    that are neither targets nor dropped.
    """
    chosen = tuple(columns.find("--target", column) for column in targets)
    if columns.names is not None and known is not None and not (features or drop):
        features = known
    if features is not None:
        found = tuple(columns.find("--features", column) for column in features)
    else:
        left_out = {*chosen, *(columns.find("--drop", column) for column in drop or ())}
        found = tuple(i for i in range(columns.count) if i not in left_out)
    selection = Selection(columns, found, chosen)
    twice = [i for i in selection.wanted if selection.wanted.count(i) > 1]
    if twice:
        raise ValueError(f"{columns.describe(twice[0])} is chosen twice")
    if not found:
        raise ValueError("there should be at least one feature, but there is none")
    return selection
