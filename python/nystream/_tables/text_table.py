"""Tables of text: CSV and JSON lines, whose rows the core reads."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from nystream._tables import source as limits
from nystream._tables.faults import fault
from nystream._tables.keys import EXPECTED, with_keys
from nystream._tables.selection import Selection
from nystream._tables.table import BadRow, Chunk, Position
from nystream._tables.values import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nystream._core import TextReader
    from nystream._tables.columns import Columns
    from nystream._tables.source import Source

KEY = "key"  # a column that no feature is called, as these have numbers


def empty(table: object) -> list[int]:
    """Return the columns of a text that have no value in its first rows."""
    if not isinstance(table, TextTable):
        return []
    types = table.types(range(table.columns.count))
    return [i for i, kind in enumerate(types) if kind == "unsettled"]


def has_texts_alone(cells: Iterable[str | None]) -> bool:
    """Tell whether there are texts, of which none is a number."""
    texts = {cell for cell in cells if cell is not None}
    return bool(texts) and all(label(cell.replace(",", ".")) is None for cell in texts)


class TextTable(ABC):
    """A table of text, of which blank lines are no rows."""

    encoding = "utf-8"
    largest_key = math.inf  # of whole numbers

    def __init__(self, source: Source) -> None:
        self._source = source
        self._reader: TextReader | None = None
        self._has_ended = False
        self.columns: Columns = self.read_columns()

    @abstractmethod
    def read_columns(self) -> Columns:
        """Look at the beginning, and return the columns."""

    @abstractmethod
    def reader(self, features: list[tuple[int, str, str]], selection: Selection) -> TextReader:
        """Return a reader of features, each with its place, name and type."""

    @property
    @abstractmethod
    def start(self) -> Position:
        """The place of the first row."""

    def no_columns(self) -> ValueError:
        """Return the error for a file without a first line."""
        is_unfinished = self._source.resumable and self._source.ahead
        what = "is empty"
        if is_unfinished:
            lines = "row" if b"\n" in self._source.ahead else "line"
            what = f"has no {lines} with an end yet"
        return ValueError(f"{self._source.name} {what}")

    def types(self, wanted: Sequence[int]) -> list[str]:
        """Return the types that the first rows give to columns."""
        return ["unsettled"] * len(wanted)

    def chunks(self, selection: Selection, n_rows: int, start: Position) -> Iterator[Chunk]:
        """Return as many rows at a time, from a position on; the last chunk may have fewer."""
        types = selection.types(self.types(selection.features))
        names = selection.reader_names()
        features = list(zip(selection.features, names, types, strict=True))
        if selection.key is not None:
            features.append((selection.key, KEY, "text"))
        self._reader = reader = self.reader(features, selection)
        reader.limit(limits.LONGEST, self._source.resumable)
        first = start if start.line > self.start.line else self.start
        self._source.go_to(first)
        reader.begin(first.byte, first.line)
        return self._chunks(reader, selection, n_rows, start.row)

    def _chunks(
        self, reader: TextReader, selection: Selection, n_rows: int, row: int
    ) -> Iterator[Chunk]:
        n_taken = n_rows
        while n_taken == n_rows:
            while not reader.read(n_rows) and self._feed(reader):
                pass
            part = self._chunk(reader, selection, row)
            n_taken, row = part.end.row - row, part.end.row
            if n_taken:
                yield part

    def _feed(self, reader: TextReader) -> bool:
        """Give the reader the next bytes, or tell it that there are none; False if it knows."""
        if self._has_ended:
            return False
        self._source.hash_to(reader.n_bytes)
        if block := self._source.block():
            reader.feed(block)
        else:
            reader.end()
            self._has_ended = True
        return True

    def _chunk(self, reader: TextReader, selection: Selection, row: int) -> Chunk:
        table, labels, rows, lines, faults, n_rows = reader.take()
        end = self._source.at(row + n_rows, reader.n_lines, reader.n_bytes)
        bad = [
            BadRow(row + i, f"line {line}", self._fault(column, problem, value, selection))
            for i, line, column, problem, value in faults
        ]
        if selection.key is None:
            return Chunk(row + rows, selection.rows(table), labels, tuple(bad), end, lines)
        X = selection.named(np.ascontiguousarray(table._numbers()[:, :-1]))
        chunk = Chunk(row + rows, X, labels, tuple(bad), end, lines)
        return with_keys(chunk, table.to_dict()[KEY], selection.key_column, self.largest_key)

    def without_numbers(self, wanted: Sequence[int]) -> list[int]:
        """Return those of some columns that have texts in the first rows, and no number."""
        names = list(map(str, wanted))
        features = [(i, name, "text") for i, name in zip(wanted, names, strict=True)]
        reader = self.reader(features, Selection(self.columns, tuple(wanted), ()))
        reader.begin(self.start.byte, self.start.line)
        reader.feed(self._source.ahead[self.start.byte :])
        reader.read(limits.SAMPLE)
        columns = reader.take()[0].to_dict()
        return [i for i, name in zip(wanted, names, strict=True) if has_texts_alone(columns[name])]

    def _fault(self, column: int | None, problem: str, value: str, selection: Selection) -> str:
        if problem == "nested" and column == selection.key:
            return f"{selection.key_column} {EXPECTED}, but is {value}"
        advice = selection.reading.advice
        shown = self.quoted(value) if problem == "number" else value
        return fault(self.columns, column, problem, shown, self.encoding, advice)

    def quoted(self, value: str) -> str:
        """Return a value that is no number as a message shows it."""
        return value

    def refusal(self, bad: BadRow) -> ValueError:
        """Return the error of whoever needs all rows: the first that is bad."""
        return ValueError(f"{self._source.name}, {bad}")

    def unread(self) -> str:
        """Say that the last line has no end, if it was left unread for that."""
        reader = self._reader
        if reader is None or not reader.has_rest:
            return ""
        return f"line {reader.n_lines + 1} has no line end"

    def fraction(self, position: Position) -> float | None:
        """Return how much of the file lies before a position, where its length tells."""
        return self._source.fraction(position)

    def close(self) -> None:
        """Close the file."""
        self._source.close()
