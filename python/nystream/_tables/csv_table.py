"""Columns between commas, semicolons, tabs or bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nystream._core import TextReader, csv_head
from nystream._tables.columns import Columns
from nystream._tables.table import Position
from nystream._tables.text_table import TextTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from nystream._tables.selection import Selection
    from nystream._tables.source import Source

    # Dialect, names, types of columns, and the bytes and lines before the first row.
    Head: TypeAlias = tuple[tuple[str, bool, str], list[str] | None, list[str], int, int]

SEPARATORS = {"csv": ",;\t|", "tsv": "\t"}  # of which the one that gives most cells is taken


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written, as far as that is known; the rest is found out."""

    separators: str = SEPARATORS["csv"]
    decimal: str | None = None
    encoding: str | None = None


class CsvTable(TextTable):
    """A table whose first line names the columns, unless all of it is numbers."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self._wished = dialect
        super().__init__(source)

    def read_columns(self) -> Columns:
        """Read ahead until names and first row are there."""
        has_more, head = True, None
        while head is None and has_more:
            has_more = self._source.read_ahead()
            head = self._head(is_all=not has_more)
        if head is None:
            raise self.no_columns()
        self.dialect, names, self._types, n_bytes, n_lines = head
        self.encoding = self.dialect[2]
        self._start = Position(0, n_lines, n_bytes)
        return Columns(len(self._types), None if names is None else tuple(names))

    def _head(self, is_all: bool) -> Head | None:
        """Return what the first lines tell; None if there are too few of them."""
        source, wished = self._source, self._wished
        if not source.ahead:
            return None
        # Of a file that may grow, a last line without its end is not read.
        is_whole = is_all and not source.resumable
        try:
            return csv_head(
                source.ahead, is_whole, wished.separators, wished.decimal, wished.encoding
            )
        except ValueError as error:
            raise ValueError(f"{source.name}: {error}") from error

    @property
    def start(self) -> Position:
        """The place of the first row."""
        return self._start

    def quoted(self, value: str) -> str:
        """Return a value that is no number as a message shows it."""
        return repr(value)

    def types(self, wanted: Sequence[int]) -> list[str]:
        """Return the types that the first rows give to columns."""
        return [self._types[i] for i in wanted]

    def reader(self, features: list[tuple[int, str, str]], selection: Selection) -> TextReader:
        """Return a reader of features, each with its place, name and type."""
        targets, missing = list(selection.targets), list(selection.missing_values)
        return TextReader.csv(self.dialect, self.columns.count, features, targets, missing)
