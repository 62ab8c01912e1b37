"""Tables as people have them: text, times, truths and gaps beside numbers."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from support import ROOT

TABLES = Path(os.environ.get("NYSTREAM_TABLES", ROOT.parent / "shared" / "tables"))

TOWNS = ("Ulm", "Bonn", "Jena")


def messy_rows(n_rows=300, seed=0):
    """Dicts of values, some of them missing, and labels that every column tells something of."""
    rng = np.random.default_rng(seed)
    start = datetime(2024, 1, 1)
    rows, labels = [], []
    for i in range(n_rows):
        town, rooms = TOWNS[rng.integers(3)], float(rng.integers(1, 6))
        has_lift, when = bool(rng.random() < 0.5), start + timedelta(hours=3 * i)
        labels.append(rooms + len(town) + has_lift + (when.weekday() > 4))
        row = {"town": town, "rooms": rooms, "lift": has_lift, "when": when}
        rows.append({k: None if rng.random() < 0.05 and k != "when" else v for k, v in row.items()})
    return rows, labels


def messy_frame(library="pandas", n_rows=300, seed=0):
    """Such rows as a data frame, and their labels as an array."""
    rows, labels = messy_rows(n_rows, seed)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    if library == "pyarrow":
        arrow = pytest.importorskip("pyarrow", reason="tables of pyarrow")
        return arrow.table(columns), np.array(labels)
    library = pytest.importorskip(library, reason=f"frames of {library}")
    return library.DataFrame(columns), np.array(labels)


def taxis():
    """Six thousand trips as they were recorded, in the order of their beginning, and the fares."""
    path = TABLES / "taxis.csv.gz"
    if not path.exists():
        pytest.skip(f"the tables are not there: {path}")
    pandas = pytest.importorskip("pandas", reason="reads the table")
    frame = pandas.read_csv(path, parse_dates=["pickup"]).sort_values("pickup", kind="stable")
    left_out = ["fare", "total", "tip", "tolls", "dropoff"]
    return frame.drop(columns=left_out).reset_index(drop=True), frame["fare"].to_numpy()
