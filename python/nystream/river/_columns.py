"""Names of features and the columns they have: dicts become rows of numbers."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._checks import FIT
from nystream._core import LARGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray


class Columns:
    """The names known so far, in the order of their columns; never changed, only replaced.

    Rows may have more columns than there are names: these are 0 in every row learned.
    """

    __slots__ = ("_index", "_pack", "_pick", "names", "width")

    def __init__(self, names: tuple[Hashable, ...] = (), width: int = 1) -> None:
        self.names = names
        self.width = width
        self._index = {name: column for column, name in enumerate(names)}
        self._pick = _picker(names)
        self._pack = struct.Struct(f"{len(names)}d{8 * (width - len(names))}x").pack

    def __reduce__(self) -> tuple[Any, ...]:
        return Columns, (self.names, self.width)

    def row(self, x: Any) -> NDArray[np.float64] | None:
        """Return the row of a dict of known names and real numbers; None for anything else."""
        # A subclass of dict may answer to names that it does not have, or even add them.
        if type(x) is dict and len(x) == len(self.names):
            try:
                return np.frombuffer(self._pack(*self._pick(x)))
            except (KeyError, struct.error):
                pass
        return self._sparse_row(x)

    def _sparse_row(self, x: Any) -> NDArray[np.float64] | None:
        buffer = bytearray(8 * self.width)
        view = memoryview(buffer).cast("d")  # which refuses text; NumPy would read it
        try:
            for name, value in x.items():
                view[self._index[name]] = value
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            return None
        return np.frombuffer(buffer)

    def unknown(self, names: Iterable[Hashable]) -> list[int]:
        """Return the places of those names that have no column."""
        return [place for place, name in enumerate(names) if name not in self._index]

    def extended(self, names: Sequence[Hashable], spare: int) -> Columns:
        """Return columns for these names too and ``spare`` more; self if that changes nothing."""
        new = [names[place] for place in self.unknown(names)]
        if not new and self.width >= len(self.names) + spare:
            return self
        known = self.names + tuple(sorted(new, key=_rank))
        return Columns(known, max(self.width, len(known) + spare))

    def place(self, names: Sequence[Hashable], rows: NDArray[Any]) -> NDArray[np.float64]:
        """Return rows with each feature in its column; unknown ones are left out."""
        placed = np.zeros((len(rows), self.width))
        columns = [self._index.get(name, -1) for name in names]
        if -1 in columns:
            known = [place for place, column in enumerate(columns) if column >= 0]
            columns = [columns[place] for place in known]
            rows = rows[:, known]
        placed[:, columns] = rows
        return placed


def numbers(x: Any) -> NDArray[np.float64]:
    """Return the values of a dict as one row, or refuse the first that is no finite number."""
    if not hasattr(x, "items"):
        raise TypeError(f"x should be a dict of features, but is {x!r:.100}")
    try:
        row = np.frombuffer(struct.pack(f"{len(x)}d", *x.values()))
    except struct.error:
        check_features(x)
        raise
    if not (np.abs(row) <= LARGEST).all():
        check_features(x)
    return row[np.newaxis]


def by_text(name: str, x: Any) -> dict[str, Any]:
    """Return a row by the texts of its names, sorted: the order of a dict does not matter."""
    if not isinstance(x, Mapping):
        raise TypeError(f"{name} should be a dict of features, but is {x!r:.100}")
    row = {str(key): value for key, value in x.items()}
    if len(row) < len(x):
        raise ValueError(
            f"the names of {name} should have different texts, but are {list(x)!r:.100}"
        )
    return dict(sorted(row.items(), key=operator.itemgetter(0)))


def check_features(x: Mapping[Hashable, Any]) -> None:
    """Refuse the first feature that is no finite number, by its name."""
    for name, value in x.items():
        check_number(f"x[{name!r}]", value)


def check_number(argument: str, value: Any) -> None:
    """Refuse a value that is no finite number, or too large for the core."""
    try:
        size = math.fabs(value)  # refuses text, which `float` would read
    except (TypeError, ValueError):
        raise TypeError(f"{argument} should be a real number, but is {value!r:.100}") from None
    except OverflowError:
        size = math.inf
    if not size <= LARGEST:
        raise ValueError(f"{argument} should be {FIT}, but is {value!r:.100}")


def _picker(names: tuple[Hashable, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return operator.itemgetter(*names)
    return lambda x: tuple(x[name] for name in names)


def _rank(name: Hashable) -> tuple[str, Any]:
    """Order names of any types, so that the order of a dict does not matter."""
    return type(name).__name__, name if isinstance(name, (str, int)) else repr(name)
