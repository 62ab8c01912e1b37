"""The error of Auto on tables as people have them, beside that from their numbers alone.

python benches/python/tables.py FOLDER [NAME ...]

The folder has the files; `TABLES` says how pandas reads them, which column is the label, and which
others are left out because they would give it away. Errors are those of one pass in order, without
the first 200 rows.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

import nystream

FIRST = 200  # rows that are not counted


@dataclass(frozen=True)
class Raw:
    """A file, and what has to be known to read it."""

    target: str
    drop: tuple[str, ...] = ()
    order: str | None = None
    n_rows: int | None = None
    reading: dict = field(default_factory=dict)
    settings: dict = field(default_factory=dict)

    def read(self, path):
        """Return the rows that have a label, and the labels."""
        frame = pd.read_csv(path, **self.reading).dropna(how="all")
        if self.order is not None:
            frame = frame.sort_values(self.order, kind="stable")
        gaps = [np.nan, *self.settings.get("missing_values", ())]
        frame = frame[~frame[self.target].isin(gaps)][: self.n_rows]
        y = frame[self.target].to_numpy(dtype=float)
        return frame.drop(columns=[self.target, *self.drop]), y


TABLES = {
    "taxis": Raw("fare", ("total", "tip", "tolls", "dropoff"), order="pickup"),
    "AirQualityUCI": Raw(
        "CO(GT)",
        reading={"sep": ";", "decimal": ","},
        settings={"missing_values": [-200.0]},
    ),
    "flights": Raw("arr_delay", ("arr_time", "air_time", "dep_time"), n_rows=19_767),
    "seoul": Raw("Rented Bike Count", reading={"sep": ";", "encoding": "utf-8-sig"}),
}


def errors(raw, X, y):
    """Return mean absolute and root mean squared error."""
    off = (nystream.Auto(**raw.settings).progressive(X, y) - y)[FIRST:]
    return f"{np.abs(off).mean():.4g} / {np.sqrt((off**2).mean()):.4g}"


def main(folder, *names):
    """Print the errors on all tables, or on some."""
    print("| table | rows | columns | MAE / RMSE | from numbers alone |\n|---|---:|---:|---:|---:|")
    for name in names or TABLES:
        raw = TABLES[name]
        X, y = raw.read(Path(folder) / f"{name}.csv.gz")
        both = errors(raw, X, y), errors(raw, X.select_dtypes("number"), y)
        print(f"| {name} | {len(y):,} | {X.shape[1]} | {both[0]} | {both[1]} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
