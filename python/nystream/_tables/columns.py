"""The columns of a table, by name or index."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Columns:
    """The columns of a table, with their names if it has any."""

    count: int
    names: tuple[str, ...] | None
    n_first: int | None = None  # columns after these are not in the first row

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
