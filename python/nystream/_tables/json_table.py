"""JSON lines: an object a line, whose keys are the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nystream._core import TextReader, json_keys
from nystream._tables.columns import Columns
from nystream._tables.keys import EXACT
from nystream._tables.table import Position
from nystream._tables.text_table import TextTable

if TYPE_CHECKING:
    from nystream._tables.selection import Selection

FIRST_LINES = 1000  # among which there has to be an object
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class JsonTable(TextTable):
    """A table whose columns are the keys of its first objects; others may have more."""

    largest_key = EXACT  # numbers of JSON are read as those of floating point

    def read_columns(self) -> Columns:
        """Look ahead to the first object."""
        source, found, has_more = self._source, None, True
        while not found and has_more and source.ahead.count(b"\n") < FIRST_LINES:
            has_more = source.read_ahead()
            # Of a line that has not come to its end, nothing is known.
            end = source.ahead.rfind(b"\n") + 1 if has_more or source.resumable else None
            found = json_keys(source.ahead[:end])
        if not source.ahead or (source.resumable and b"\n" not in source.ahead):
            raise self.no_columns()
        if not found or not found[0]:
            raise ValueError(
                f"{source.name} should hold a JSON object with keys a line, but has none"
            )
        names, later = found
        return Columns(len(names) + len(later), (*names, *later), len(names))

    @property
    def start(self) -> Position:
        """The place of the first row."""
        n_bytes = len(BYTE_ORDER_MARK) if self._source.ahead.startswith(BYTE_ORDER_MARK) else 0
        return Position(0, 0, n_bytes)

    def reader(self, features: list[tuple[int, str, str]], selection: Selection) -> TextReader:
        """Return a reader of features, each with its place, name and type."""
        keys, targets = list(self.columns.names or ()), list(selection.targets)
        return TextReader.json(keys, features, targets, list(selection.missing_values))
