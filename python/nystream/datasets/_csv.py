"""Text tables: columns between commas, semicolons or tabs."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

import numpy as np

from nystream.datasets._columns import Choice, Columns, UnfitColumnError
from nystream.datasets._scaling import ADVICE, FIT, LARGEST, first_unfit

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
            values = parse(itertools.chain([start], lines), delimiter, choice)
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


def parse(lines: Iterator[str], delimiter: str, choice: Choice) -> NDArray[np.float64] | None:
    """Return the chosen columns, or None if something is wrong with a line."""
    wanted = (*choice.features, choice.target)
    # Of what is not wanted one letter is kept: so text may be there, and yet columns are counted.
    kinds = [(f"{i}", "f8" if i in wanted else "U1") for i in range(choice.columns.count)]
    try:
        table = np.loadtxt(
            lines,
            dtype=kinds,
            delimiter=delimiter,
            comments=None,
            quotechar='"',
            ndmin=1,
        )
    except UnicodeDecodeError:
        raise
    except ValueError:
        return None
    values = np.empty((len(table), len(wanted)))
    for j, i in enumerate(wanted):
        values[:, j] = table[f"{i}"]
    return values


def complaint(path: Path, delimiter: str, headed: bool, choice: Choice) -> ValueError:
    """Say what is wrong with the first line that is wrong: slowly, but only once."""
    with open_text(path) as file:
        rows = csv.reader(file, delimiter=delimiter)
        lines = ((rows.line_num, row) for row in rows if len(row) > 1 or is_filled("".join(row)))
        for line, row in itertools.islice(lines, int(headed), None):
            count = choice.columns.count
            if len(row) != count:
                problem = f"there should be {count} columns, but there are {len(row)}"
                return ValueError(f"{path}, line {line}: {problem}")
            for i in sorted((*choice.features, choice.target)):
                if problem := fault(row[i]):
                    what = f"{path}, line {line}: {choice.columns.describe(i)} {problem}"
                    return UnfitColumnError(what, i, count)
    return ValueError(f"{path} could not be read as a table of numbers")


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
