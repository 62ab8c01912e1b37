"""Tables that are stored as numbers: blocks of any length, cut anew into chunks."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from nystream._checks import LARGEST
from nystream._tables.table import BadRow, Chunk, Fault, Position, changed, fewer
from nystream._tables.values import too_large

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nystream._tables.columns import Columns
    from nystream._tables.hashing import RunningHash
    from nystream._tables.values import Values


def numeric_chunks(
    blocks: Iterator[Values],
    n_rows: int,
    columns: Columns,
    wanted: Sequence[int],
    start: Position,
    name: str,
    running: RunningHash | None,
) -> Iterator[Chunk]:
    """Return chunks of a table that is stored as numbers, in blocks of any length."""
    rest = skip(blocks, start, name, running)
    return (
        numeric_chunk(row, values, columns, wanted, running)
        for row, values in recut(rest, start.row, n_rows, start.row)
    )


def skip(
    blocks: Iterator[Values], start: Position, name: str, running: RunningHash | None
) -> Iterator[Values]:
    """Read up to a row, and return the blocks from there on; refuse rows that have changed."""
    left = start.row
    while left:
        block = next(blocks, None)
        if block is None:
            raise fewer(name, "rows")
        before, after = block[:left], block[left:]
        if running is not None:
            running.add(data_of(before))
        left -= len(before)
        if len(after):
            blocks = chain([after], blocks)
    if running is not None and start.digest not in (None, running.digest()):
        raise changed(name, f"{start.row:,} rows")
    return blocks


def data_of(values: Values) -> bytes:
    """Return numbers as bytes, row after row, the same on every machine."""
    return values.astype("<f8", copy=False).tobytes()


def recut(
    blocks: Iterable[Values], first_row: int, n_rows: int, start: int
) -> Iterator[tuple[int, Values]]:
    """Cut blocks anew into pieces of as many rows each, the last aside, from a row on."""
    waiting: list[Values] = []
    n_waiting = 0
    for block in blocks:
        rest = block[max(start - first_row, 0) :]  # what lies before has been read already
        first_row += len(block)
        while n_waiting + len(rest) >= n_rows:
            piece = np.concatenate([*waiting, rest[: n_rows - n_waiting]])
            rest = rest[n_rows - n_waiting :]
            waiting, n_waiting = [], 0
            yield start, piece
            start += n_rows
        if len(rest):
            waiting.append(rest)
            n_waiting += len(rest)
    if waiting:
        yield start, np.concatenate(waiting)


def numeric_chunk(
    row: int, values: Values, columns: Columns, wanted: Sequence[int], running: RunningHash | None
) -> Chunk:
    """Tell good rows from bad ones; a missing value is NaN."""
    digest = None
    if running is not None:
        running.add(data_of(values))
        digest = running.digest()
    end = Position(row + len(values), digest=digest)
    rows = np.arange(row, end.row)
    fit = np.abs(values) <= LARGEST  # NaN is unfit too
    good = fit.all(axis=1)
    if good.all():
        return Chunk(rows, values, (), end)
    bad = []
    for i in np.flatnonzero(~good):
        j = int(np.argmin(fit[i]))
        what = "missing or NaN" if np.isnan(values[i, j]) else f"{values[i, j]:g}"
        problem = f"{columns.describe(wanted[j])} {too_large(what)}"
        bad.append(BadRow(f"row {row + i}", Fault(problem, wanted[j])))
    return Chunk(rows[good], values[good], tuple(bad), end)
