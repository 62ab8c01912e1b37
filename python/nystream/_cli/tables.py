"""The options and words that commands which read tables have in common."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nystream._cli.parsing import at_least_one

if TYPE_CHECKING:
    from nystream._streams.keeping import Progress
    from nystream._streams.table import Table

SECONDS_BETWEEN_LINES = 10.0
WRITTEN = ("csv", "tsv", "jsonl", "parquet", "arrow")
READ = (*WRITTEN, "npz")


def add_input_to(parser: argparse.ArgumentParser) -> None:
    """Add the input and its options."""
    parser.add_argument(
        "input",
        metavar="INPUT",
        help="a CSV, JSON lines, Parquet, Arrow IPC or .npz file, or - for the standard input",
    )
    parser.add_argument(
        "--format", choices=READ, help="its format, if its name does not tell (csv in a pipe)"
    )
    parser.add_argument("--features", nargs="+", metavar="COLUMN", help="its columns to learn from")
    parser.add_argument("--drop", nargs="+", metavar="COLUMN", help="its columns to leave out")
    parser.add_argument(
        "--on-error",
        choices=("stop", "skip", "report"),
        default="stop",
        help="what a row that cannot be read does: stop, be left out and counted, or be named too",
    )
    parser.add_argument(
        "--chunk",
        type=at_least_one,
        metavar="N",
        help="rows that are read at a time (8192); 1 answers a live pipe row by row",
    )


def tell(line: str) -> None:
    """Say something that is not the output itself."""
    print(f"nystream: {line}", file=sys.stderr, flush=True)


class Watch:
    """Shows how a run goes: a bar on a terminal, now and then a line elsewhere."""

    def __init__(
        self, table: Table, describe: Callable[[Progress, float | None], str], n_before: int = 0
    ) -> None:
        self._table, self._describe, self._n_before = table, describe, n_before
        self._begin = self._told = time.monotonic()
        self._bar: Any = bar() if sys.stderr.isatty() else None

    def rate(self, progress: Progress) -> float:
        """Return rows a second in this run."""
        seconds = time.monotonic() - self._begin
        return (progress.position.row - self._n_before) / max(seconds, 1e-9)

    def __call__(self, progress: Progress) -> None:
        """Show how far it is, not more often than anyone could read."""
        now = time.monotonic()
        if self._bar is not None:
            self._advance(progress)
        elif now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            tell(f"{progress.position.row:,} rows, {self._describe(progress, self.rate(progress))}")

    def _advance(self, progress: Progress) -> None:
        fraction = self._table.fraction(progress.position)
        if fraction is not None:
            self._bar.total = max(round(progress.position.row / max(fraction, 1e-9)), 1)
        self._bar.n = progress.position.row
        self._bar.set_postfix_str(self._describe(progress, None), refresh=False)
        self._bar.update(0)

    def close(self) -> None:
        """Leave the terminal as it should be."""
        if self._bar is not None:
            self._bar.refresh()
            self._bar.close()


def bar() -> Any:
    """Return a progress bar, or None without tqdm."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(unit=" rows", unit_scale=True, dynamic_ncols=True, file=sys.stderr)
