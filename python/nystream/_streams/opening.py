"""Opens tables: which format a file has, by its name or as told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from nystream._streams.arrow_table import arrow, parquet
from nystream._streams.csv_table import CsvTable
from nystream._streams.json_table import JsonTable
from nystream._streams.lines import Lines
from nystream._streams.npz_table import NpzTable
from nystream.datasets._files import ending

if TYPE_CHECKING:
    from nystream._streams.table import Table

FORMATS: dict[str, Callable[[BinaryIO, str, bool], Table]] = {
    "csv": lambda file, name, resumable: CsvTable(Lines(file, name, resumable)),
    "tsv": lambda file, name, resumable: CsvTable(Lines(file, name, resumable), "\t"),
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
    name = name_of(path)
    file = standard_input() if path == STANDARD else open(path, "rb")  # noqa: SIM115
    try:
        return FORMATS[form](file, name, resumable)
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
