"""Measure nystream from Python, beside NumPy, river and scikit-learn in the same run.

Prints tables, and writes each part as Markdown and a plot.

Usage: python benches/python/run.py [--quick] [--only PART] [--rows N] [--out DIR]
"""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path

PARTS = ("learning", "auto", "rows", "keyed", "columns", "scoring", "flat", "commands", "serve")


def one_thread() -> None:
    """Give the numerical libraries one thread each; they read this when they are imported."""
    for library in ("OPENBLAS", "OMP", "MKL", "BLIS"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
    os.environ["VECLIB_MAXIMUM_THREADS"] = "1"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part; may be repeated")
    parser.add_argument("--rows", type=int, help="length of the long stream (5,000,000)")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), help="folder to write to")
    chosen = parser.parse_args()
    if chosen.rows is None:
        chosen.rows = 200_000 if chosen.quick else 5_000_000
    if chosen.rows < 1:
        parser.error(f"--rows should be at least 1, but is {chosen.rows}")
    return chosen


def main() -> None:
    chosen = arguments()
    one_thread()
    # Only now: these import NumPy.
    import common

    import nystream

    nystream.set_num_threads(1)
    settings = common.Settings(chosen.quick, chosen.rows, chosen.out)
    settings.out.mkdir(parents=True, exist_ok=True)
    print(f"{common.machine()}\n")
    for part in chosen.only or PARTS:
        with open(settings.out / f"{part}.md", "w", encoding="utf-8") as file:
            print(f"{common.machine()}\n", file=file)
            for table in importlib.import_module(part).measure(settings):
                print(table)
                print(table, file=file, flush=True)


if __name__ == "__main__":
    main()
