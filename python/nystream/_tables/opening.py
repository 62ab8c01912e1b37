"""Opens tables: which format a file has, by its name or as told."""

from __future__ import annotations

import contextlib
import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from nystream._tables.arrow_table import arrow, parquet
from nystream._tables.csv_table import CsvTable
from nystream._tables.json_table import JsonTable
from nystream._tables.lines import Lines, WholeLines
from nystream._tables.npz_table import NpzTable

if TYPE_CHECKING:
    from nystream._tables.table import Table

FORMATS: dict[str, Callable[[BinaryIO, str, bool], Table]] = {
    "csv": lambda file, name, resumable: CsvTable(Lines(file, name, resumable), "csv"),
    "tsv": lambda file, name, resumable: CsvTable(Lines(file, name, resumable), "tsv"),
    "jsonl": lambda file, name, resumable: JsonTable(Lines(file, name, resumable)),
    "parquet": parquet,
    "arrow": arrow,
    "npz": NpzTable,
}
ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npz": "npz",
}
STANDARD = "-"  # the standard input or output, as in other Unix tools
NOT_IN_PIPES = ("parquet", "npz")  # which tell at their end what they hold


def open_table(path: str, form: str | None, resumable: bool = False) -> Table:
    """Open a file, or the standard input, in a format that is told or that its name tells.

    If reading is to be ``resumable``, positions have a hash of what lies before them, and a last
    line without its end is left unread.
    """
    form = form or format_of(path)
    if path == STANDARD and form in NOT_IN_PIPES:
        raise ValueError(f"{form} cannot be read from a pipe, as it has to be read from its end")
    file = standard_input() if path == STANDARD else open(path, "rb")  # noqa: SIM115
    with closed_if_refused(file):
        return FORMATS[form](file, name_of(path), resumable)


def open_whole(path: Path) -> Table:
    """Open a CSV or Parquet file that is read at once."""
    suffix = ending(path)
    packed = suffix.endswith(".gz")
    file = cast("BinaryIO", gzip.open(path) if packed else open(path, "rb"))  # noqa: SIM115
    form = ENDINGS[suffix.removesuffix(".gz")]
    with closed_if_refused(file):
        if form == "parquet":
            return parquet(file, str(path))
        return CsvTable(WholeLines(file, str(path)), form)


@contextlib.contextmanager
def closed_if_refused(file: BinaryIO) -> Iterator[None]:
    """Close a file of which no table can be made."""
    try:
        yield
    except BaseException:
        file.close()
        raise


def standard_input() -> BinaryIO:
    """Return the standard input as bytes."""
    if sys.stdin is None:  # as in `nystream score model.nys - <&-`
        raise ValueError("the standard input is closed")
    return cast("BinaryIO", sys.stdin.buffer)


def name_of(path: str) -> str:
    """Return what an input is called in messages."""
    return "standard input" if path == STANDARD else path


def ending(path: Path) -> str:
    """Return the ending of a file's name, both parts of it where the last is ``.gz``."""
    endings = [suffix.lower() for suffix in path.suffixes]
    return "".join(endings[-2:] if endings[-1:] == [".gz"] else endings[-1:])


def format_of(path: str) -> str:
    """Tell a format by the ending of a name; a pipe holds CSV."""
    if path == STANDARD:
        return "csv"
    suffix = ending(Path(path))
    form = ENDINGS.get(suffix.removesuffix(".gz"))
    if form is None or (suffix.endswith(".gz") and form not in ("csv", "tsv", "jsonl")):
        known = ", ".join(ENDINGS)
        raise ValueError(f"{path} should end with one of {known}, or --format should tell")
    return form
