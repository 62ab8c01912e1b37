"""Opens tables: which format a file has, by its name or as told."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from nystream._tables.arrow_table import arrow, parquet
from nystream._tables.csv_table import SEPARATORS, CsvTable, Dialect
from nystream._tables.json_table import JsonTable
from nystream._tables.npz_table import NpzTable
from nystream._tables.source import Source

if TYPE_CHECKING:
    from nystream._tables.table import Table

FORMATS: dict[str, Callable[[BinaryIO, str, bool], Table]] = {
    "jsonl": lambda file, name, resumable: JsonTable(Source(file, name, resumable)),
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
PACKED = (".gz", ".zst")  # endings of text files that are packed
STANDARD = "-"  # the standard input or output, as in other Unix tools
NOT_IN_PIPES = ("parquet", "npz")  # which tell at their end what they hold


def open_table(
    path: str, form: str | None, resumable: bool = False, dialect: Dialect | None = None
) -> Table:
    """Open a file, or the standard input, in a format that is told or that its name tells.

    If reading is to be ``resumable``, positions have a hash of what lies before them, and a last
    line without its end is left unread.
    """
    form = form or format_of(path)
    if dialect is not None and form not in SEPARATORS:
        raise ValueError(f"--separator, --decimal and --encoding are for CSV, but {path} is {form}")
    if path == STANDARD and form in NOT_IN_PIPES:
        raise ValueError(f"{form} cannot be read from a pipe, as it has to be read from its end")
    file = standard_input() if path == STANDARD else open(path, "rb")  # noqa: SIM115
    with closed_if_refused(file):
        if form in SEPARATORS:
            source = Source(file, name_of(path), resumable)
            return CsvTable(source, dialect or Dialect(SEPARATORS[form]))
        return FORMATS[form](file, name_of(path), resumable)


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
    """Return the ending of a file's name, both parts of it where the last says it is packed."""
    endings = [suffix.lower() for suffix in path.suffixes]
    return "".join(endings[-2:] if endings[-1:] and endings[-1] in PACKED else endings[-1:])


def unpacked_ending(suffix: str) -> str:
    """Return an ending without the part that says that a file is packed."""
    return suffix.removesuffix(".gz").removesuffix(".zst")


def format_of(path: str) -> str:
    """Tell a format by the ending of a name; a pipe holds CSV."""
    if path == STANDARD:
        return "csv"
    suffix = ending(Path(path))
    form = ENDINGS.get(unpacked_ending(suffix))
    if form is None or (suffix.endswith(PACKED) and form not in (*SEPARATORS, "jsonl")):
        known = ", ".join(ENDINGS)
        raise ValueError(f"{path} should end with one of {known}, or --format should tell")
    return form
