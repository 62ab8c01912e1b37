"""Columns between commas, semicolons or tabs.

A row is one line, also where there are quotes: in a stream, a quote that is never closed should
cost one row. In a file that is read at once, a quoted cell may go on in the next line.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np

from nystream._tables.columns import Columns
from nystream._tables.line_table import LineTable
from nystream._tables.lines import BYTE_ORDER_MARK, Lines, Overlong, is_filled, too_long
from nystream._tables.table import Fault
from nystream._tables.values import first_unfit, number, text_fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from nystream._tables.values import Values

SEPARATORS = {"csv": ",;\t", "tsv": "\t"}  # of which the one that gives most cells is taken


class CsvTable(LineTable):
    """A table whose first line may hold the names of the columns."""

    def __init__(self, lines: Lines, form: str = "csv") -> None:
        self._separators = SEPARATORS[form]
        super().__init__(lines)

    def read_columns(self) -> Columns:
        """Read the names of the columns if there are any, or count them."""
        first = next(filter(is_filled, self._lines.ahead()), None)
        if first is None:
            raise self.no_columns()
        if isinstance(first, Overlong):
            raise ValueError(f"{self._lines.name}, its first line {too_long()}")
        try:
            self._separator, cells = split(text(first), self._separators)
        except (UnicodeDecodeError, csv.Error) as error:
            name = self._lines.name
            raise ValueError(f"{name} could not be read as UTF-8 text: {error}") from error
        if is_data(cells):
            return Columns(len(cells), None)
        next(filter(is_filled, self._lines))
        return Columns(len(cells), tuple(cells))

    def rows(self) -> Iterator[bytes]:
        """Return the text of each row that is left: a line or, read at once, perhaps several."""
        for line in self._lines:
            yield self._closed(line) if self._lines.is_whole and b'"' in line else line

    def _closed(self, line: bytes) -> bytes:
        """Return a row to the end of its last quoted cell."""
        sign = self._separator.encode()
        lines, is_open = [line], ends_in_quotes(line, sign)
        while is_open and (more := next(self._lines, b"")):
            lines.append(more)
            is_open = ends_in_quotes(more, sign, is_open)
        return b"".join(lines)

    def parse(self, lines: list[bytes], wanted: Sequence[int]) -> Values | None:
        """Return the values of some rows, or None if something is wrong with any of them."""
        sign = self._separator.encode()
        if any(b'"' in line and ends_in_quotes(line, sign) for line in lines):
            return None  # NumPy would take the next lines for the rest of the cell
        try:
            values = parse(list(map(text, lines)), self._separator, self.columns.count, wanted)
        except ValueError:  # also if it is not UTF-8
            return None
        fits = values is not None and len(values) == len(lines) and first_unfit(values) is None
        return values if fits else None

    def parse_one(self, line: bytes, wanted: Sequence[int]) -> list[float] | Fault:
        """Return the values of a row, or its fault."""
        is_strict = not self._lines.is_whole
        try:
            (cells,) = csv.reader([text(line)], delimiter=self._separator, strict=is_strict)
        except UnicodeDecodeError as error:
            return Fault(f"is not UTF-8 text: {error}", cause=error)
        except (csv.Error, ValueError) as error:
            return Fault(f"could not be read as a row: {error}", cause=error)
        return first_fault(cells, self.columns, wanted) or [float(cells[i]) for i in wanted]


def text(line: bytes) -> str:
    """Return a line as text; a byte order mark is no part of it."""
    return line.removeprefix(BYTE_ORDER_MARK).decode()


def split(line: str, signs: str) -> tuple[str, list[str]]:
    """Return the separator that gives most cells, and the cells."""
    cells = {sign: next(csv.reader([line], delimiter=sign)) for sign in signs}
    sign = max(cells, key=lambda sign: len(cells[sign]))
    return sign, [cell.strip() for cell in cells[sign]]


def is_data(cells: list[str]) -> bool:
    """Tell whether a first line has numbers rather than names."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(number(cell) is not None for cell in filled)


def ends_in_quotes(line: bytes, sign: bytes, is_open: bool = False) -> bool:
    """Tell whether a quoted cell goes on after a line; ``is_open`` if one did before it."""
    for part in line.split(sign):
        if is_open or part.startswith(b'"'):
            rest = part if is_open else part[1:]
            is_open = b'"' not in rest.replace(b'""', b"")
    return is_open


def parse(lines: list[str], sign: str, count: int, wanted: Sequence[int]) -> Values | None:
    """Return the wanted columns of ``count``; None or ``ValueError`` if a line is wrong."""
    if len(wanted) == count:
        table = load(lines, sign, np.float64, 2)
        return table[:, list(wanted)] if table.shape[1] == count else None
    # Of what is not wanted a letter is kept: so text may be there, and yet columns are counted.
    kinds = [(f"{i}", "f8" if i in wanted else "U1") for i in range(count)]
    table = load(lines, sign, kinds, 1)
    values = np.empty((len(table), len(wanted)))
    for j, i in enumerate(wanted):
        values[:, j] = table[f"{i}"]
    return values


def load(lines: list[str], sign: str, dtype: Any, n_dims: int) -> NDArray[Any]:
    """Let NumPy read lines as they are, without comments."""
    return np.loadtxt(  # type: ignore[no-any-return, call-overload]
        lines, dtype=dtype, delimiter=sign, comments=None, quotechar='"', ndmin=n_dims
    )


def first_fault(cells: Sequence[str], columns: Columns, wanted: Sequence[int]) -> Fault | None:
    """Return what is wrong with a row first, in the order of its columns; None if nothing is."""
    if len(cells) != columns.count:
        return Fault(f"there should be {columns.count} columns, but there are {len(cells)}")
    for i in sorted(wanted):
        if problem := text_fault(cells[i]):
            return Fault(f"{columns.describe(i)} {problem}", i)
    return None
