"""JSON lines: an object a line, whose keys are the columns."""

from __future__ import annotations

import json
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._core import LARGEST
from nystream._tables.columns import Columns
from nystream._tables.line_table import LineTable
from nystream._tables.lines import BYTE_ORDER_MARK
from nystream._tables.table import Fault
from nystream._tables.values import NUMERIC, first_unfit, no_number, too_large

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._tables.values import Values

FIRST_LINES = 1000  # among which there has to be an object
NO_JSON = (ValueError, RecursionError)


class JsonTable(LineTable):
    """A table whose columns are the keys of its first object; later ones may have more."""

    def read_columns(self) -> Columns:
        """Look ahead to the first object."""
        first = next(self._lines.ahead(), None)
        if first is None:
            raise self.no_columns()
        others = islice(self._lines.ahead(), FIRST_LINES - 1)
        found = map(keys, chain([first], others))
        names = next((names for names in found if names is not None), None)
        if not names:
            name = self._lines.name
            raise ValueError(f"{name} should hold a JSON object with keys a line, but has none")
        return Columns(len(names), names)

    def parse(self, lines: list[bytes], wanted: Sequence[int]) -> Values | None:
        """Return the values of some rows, or None if something is wrong with any of them."""
        pick = itemgetter(*self._names(wanted))
        try:
            values = np.array([pick(json.loads(line)) for line in lines])
        except (*NO_JSON, TypeError, KeyError):
            return None
        shape = (len(lines), len(wanted)) if len(wanted) > 1 else (len(lines),)
        if values.dtype.kind not in NUMERIC or values.shape != shape:
            return None
        values = values.astype(np.float64).reshape(len(lines), len(wanted))
        return None if first_unfit(values) is not None else values

    def parse_one(self, line: bytes, wanted: Sequence[int]) -> list[float] | Fault:
        """Return the values of a row, or its fault."""
        try:
            row = json.loads(line.removeprefix(BYTE_ORDER_MARK))
        except NO_JSON as error:
            return Fault(f"could not be read as JSON: {error}")
        if not isinstance(row, dict):
            return Fault(f"should be a JSON object, but is {shown(row)}")
        for i, name in zip(wanted, self._names(wanted), strict=True):
            if problem := fault(row, name):
                return Fault(f"column {name!r} {problem}", i)
        return [float(row[name]) for name in self._names(wanted)]

    def _names(self, wanted: Sequence[int]) -> list[str]:
        names = self.columns.names or ()
        return [names[i] for i in wanted]


def keys(line: bytes) -> tuple[str, ...] | None:
    """Return the keys of an object, or None for what is none."""
    try:
        row = json.loads(line.removeprefix(BYTE_ORDER_MARK))
    except NO_JSON:
        return None
    return tuple(row) if isinstance(row, dict) else None


def fault(row: dict[str, Any], name: str) -> str:
    """Say what is wrong with a value, if anything is."""
    if name not in row:
        return "is missing"
    value = row[name]
    if not isinstance(value, int | float):
        return no_number(shown(value))
    return "" if abs(value) <= LARGEST else too_large(shown(value))


def shown(value: Any) -> str:
    """Return the beginning of a value as JSON writes it."""
    return f"{json.dumps(value):.60}"
