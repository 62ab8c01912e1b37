"""The options that commands which read tables have in common."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from nystream._cli.parsing import at_least_one
from nystream._tables.csv_table import SEPARATORS, Dialect
from nystream._tables.table import CHUNK

Options: TypeAlias = "argparse.ArgumentParser | argparse._ArgumentGroup"

WRITTEN = ("csv", "tsv", "jsonl", "parquet", "arrow")
READ = (*WRITTEN, "npz")


def add_input_to(parser: argparse.ArgumentParser, has_chunks: bool = True) -> None:
    """Add the input and its options; a command that reads all rows at once has no chunks."""
    parser.add_argument(
        "input",
        metavar="INPUT",
        help="a CSV, JSON lines, Parquet, Arrow IPC or .npz file, or - for the standard input",
    )
    parser.set_defaults(on_error="stop")
    add_table_to(parser)
    if not has_chunks:
        return
    parser.add_argument(
        "--chunk",
        type=at_least_one,
        default=CHUNK,
        metavar="N",
        help="rows that are read at a time (8192); 1 answers a live pipe row by row",
    )


def add_table_to(parser: Options) -> None:
    """Add the options that say how a table is read."""
    parser.add_argument(
        "--format", choices=READ, help="its format, if its name does not tell (csv in a pipe)"
    )
    add_dialect_to(parser)
    parser.add_argument("--features", nargs="+", metavar="COLUMN", help="its columns to learn from")
    parser.add_argument("--drop", nargs="+", metavar="COLUMN", help="its columns to leave out")
    parser.add_argument(
        "--on-error",
        choices=("stop", "skip", "report"),
        help="what a row that cannot be read does: stop, be left out and counted, or be named too",
    )


def add_dialect_to(parser: Options) -> None:
    """Add the options that say how a CSV file is written."""
    parser.add_argument(
        "--separator", metavar="SIGN", help="the sign between cells of CSV, if the guess is wrong"
    )
    parser.add_argument(
        "--decimal", choices=(".", ","), help="the decimal sign of CSV, if the guess is wrong"
    )
    parser.add_argument(
        "--encoding", metavar="NAME", help="utf-8 or latin-1, if the guess is wrong"
    )


def dialect(chosen: argparse.Namespace) -> Dialect | None:
    """Return what is said of the dialect of a CSV file; None if nothing is."""
    separator = chosen.separator and {"\\t": "\t", "tab": "\t"}.get(
        chosen.separator, chosen.separator
    )
    if not (separator or chosen.decimal or chosen.encoding):
        return None
    if separator and len(separator) != 1:
        raise ValueError(f"--separator should be one character, but is {separator!r}")
    separators = separator or SEPARATORS["csv"]
    return Dialect(separators, chosen.decimal, chosen.encoding)


def dialect_of(known: object) -> Dialect | None:
    """Return the dialect that a file had, as a checkpoint holds it; None if it holds none."""
    match known:
        case [str(separator), bool(has_commas), str(encoding)]:
            return Dialect(separator, "," if has_commas else ".", encoding)
        case _:
            return None
