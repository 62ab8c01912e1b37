"""Text tables: columns between commas, semicolons or tabs."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from nystream._checks import FIT, LARGEST
from nystream.datasets._columns import Choice, Columns, UnfitColumnError
from nystream.datasets._scaling import ADVICE, first_unfit

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

NO_TEXT = (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error, csv.Error)


def read(
    path: Path, choose: Callable[[Columns], Choice]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Choice]:
    """Read features and labels, and tell which columns they are."""
    try:
        with open_text(path) as file:
            lines = filter(is_filled, file)
            first = next(lines, None)
            if first is None:
                raise ValueError(f"{path} is empty")
            delimiter, fields = split(first, delimiters(path))
            headed = not is_data(fields)
            choice = choose(Columns(len(fields), tuple(fields) if headed else None))
            start = next(lines, None) if headed else first
            if start is None:
                raise ValueError(f"{path} should have at least one row, but has none")
            wanted = (*choice.features, choice.target)
            values = parse(itertools.chain([start], lines), delimiter, len(fields), wanted)
        if values is None or first_unfit(values) is not None:
            raise complaint(path, delimiter, headed, choice)
    except NO_TEXT as error:
        raise ValueError(f"{path} could not be read as UTF-8 text: {error}") from error
    return np.ascontiguousarray(values[:, :-1]), values[:, -1].copy(), choice


def delimiters(path: Path) -> str:
    """Return what may be between columns."""
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ",;\t"


def is_filled(line: str) -> bool:
    """Tell whether there is anything in a line, be it only tabs."""
    return bool(line.strip(" \r\n"))


def open_text(path: Path) -> TextIO:
    """Open a file, compressed or not, without a byte order mark."""
    if path.suffix.lower() != ".gz":
        return open(path, encoding="utf-8-sig", newline="")
    return io.TextIOWrapper(gzip.open(path), encoding="utf-8-sig", newline="")


def split(line: str, signs: str) -> tuple[str, list[str]]:
    """Return the delimiter that gives most fields, and the fields."""
    fields = {sign: next(csv.reader([line], delimiter=sign)) for sign in signs}
    sign = max(fields, key=lambda sign: len(fields[sign]))
    return sign, [field.strip() for field in fields[sign]]


def is_data(fields: list[str]) -> bool:
    """Tell whether a first line has numbers rather than names."""
    filled = [field for field in fields if field]
    return bool(filled) and all(number(field) is not None for field in filled)


def number(text: str) -> float | None:
    """Return the number that a cell holds, as NumPy reads it."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def parse(
    lines: Iterable[str], delimiter: str, count: int, wanted: Sequence[int]
) -> NDArray[np.float64] | None:
    """Return the wanted columns of ``count``, or None if something is wrong with a line."""
    try:
        if len(wanted) == count:
            table = load(lines, delimiter, np.float64, 2)
            return table[:, list(wanted)] if table.shape[1] == count else None
        # Of what is not wanted a letter is kept: so text may be there, and yet columns are counted.
        kinds = [(f"{i}", "f8" if i in wanted else "U1") for i in range(count)]
        table = load(lines, delimiter, kinds, 1)
    except UnicodeDecodeError:
        raise
    except ValueError:
        return None
    values = np.empty((len(table), len(wanted)))
    for j, i in enumerate(wanted):
        values[:, j] = table[f"{i}"]
    return values


def load(lines: Iterable[str], delimiter: str, dtype: Any, n_dims: int) -> NDArray[Any]:
    """Let NumPy read lines as they are, without comments."""
    return np.loadtxt(  # type: ignore[no-any-return, call-overload]
        lines, dtype=dtype, delimiter=delimiter, comments=None, quotechar='"', ndmin=n_dims
    )


def complaint(path: Path, delimiter: str, headed: bool, choice: Choice) -> ValueError:
    """Say what is wrong with the first line that is wrong: slowly, but only once."""
    with open_text(path) as file:
        rows = csv.reader(file, delimiter=delimiter)
        lines = ((rows.line_num, row) for row in rows if len(row) > 1 or is_filled("".join(row)))
        for line, row in itertools.islice(lines, int(headed), None):
            if found := first_fault(row, choice.columns, (*choice.features, choice.target)):
                problem, i = found
                what = f"{path}, line {line}: {problem}"
                return ValueError(what) if i is None else UnfitColumnError(what, i, len(row))
    return ValueError(f"{path} could not be read as a table of numbers")


def first_fault(
    row: Sequence[str], columns: Columns, wanted: Iterable[int]
) -> tuple[str, int | None] | None:
    """Say what is wrong with a row, and in which column if it is one; None if nothing is."""
    if len(row) != columns.count:
        return f"there should be {columns.count} columns, but there are {len(row)}", None
    for i in sorted(wanted):
        if problem := fault(row[i]):
            return f"{columns.describe(i)} {problem}", i
    return None


def fault(cell: str) -> str:
    """Say what is wrong with a cell, if anything is."""
    value = number(cell)
    if value is not None and abs(value) <= LARGEST:
        return ""
    if value is not None:
        return f"should be {FIT}, but is {cell.strip()}"
    if not cell.strip():
        return f"has no value; {ADVICE}"
    return f"should be a number, but is {cell!r}; {ADVICE}"
