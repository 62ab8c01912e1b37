"""Columns between commas, semicolons or tabs. A row is one line, also where there are quotes."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from nystream._streams.lines import BYTE_ORDER_MARK, Lines, LineTable, Overlong, is_filled, too_long
from nystream.datasets._columns import Columns
from nystream.datasets._csv import first_fault, is_data, parse, split
from nystream.datasets._scaling import first_unfit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nystream._streams.table import Values


class CsvTable(LineTable):
    """A table whose first line may hold the names of the columns."""

    def __init__(self, lines: Lines, delimiters: str = ",;\t") -> None:
        self._delimiters = delimiters
        super().__init__(lines)

    def read_columns(self) -> Columns:
        """Read the names of the columns if there are any, or count them."""
        first = next(filter(is_filled, self._lines.ahead()), None)
        if first is None:
            raise self.no_columns()
        if isinstance(first, Overlong):
            raise ValueError(f"{self._lines.name}, its first line {too_long()}")
        try:
            text = first.removeprefix(BYTE_ORDER_MARK).decode()
            self._delimiter, fields = split(text, self._delimiters)
        except (UnicodeDecodeError, csv.Error) as error:
            name = self._lines.name
            raise ValueError(f"{name} could not be read as UTF-8 text: {error}") from error
        if is_data(fields):
            return Columns(len(fields), None)
        next(filter(is_filled, self._lines))
        return Columns(len(fields), tuple(fields))

    def parse(self, lines: list[bytes], wanted: Sequence[int]) -> Values | None:
        """Return the values of some rows, or None if something is wrong with any of them."""
        try:
            rows = [line.decode() for line in lines]
        except UnicodeDecodeError:
            return None
        if any(row.count('"') % 2 for row in rows):
            return None  # NumPy would take the next lines for the rest of the cell
        values = parse(rows, self._delimiter, self.columns.count, wanted)
        if values is None or len(values) < len(rows) or first_unfit(values) is not None:
            return None
        return values

    def parse_one(self, line: bytes, wanted: Sequence[int]) -> list[float] | str:
        """Return the values of a row, or what is wrong with it."""
        try:
            (cells,) = csv.reader([line.decode()], delimiter=self._delimiter, strict=True)
        except UnicodeDecodeError as error:
            return f"is not UTF-8 text: {error}"
        except (csv.Error, ValueError) as error:
            return f"could not be read as a row: {error}"
        if found := first_fault(cells, self.columns, wanted):
            return found[0]
        return [float(cells[i]) for i in wanted]
