"""Tables of any length: memory that stops growing; and columns that tell nothing do little harm."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys

import numpy as np
import pytest
from messy import TABLES
from support import ROOT
from table_streams import MAKERS, library, quietly

import nystream


def ever_new(first, n_rows):
    """Rows whose words never come again after the first few hundred, with gaps and times."""
    return [
        {
            "town": f"town {i if i > 300 else i % 9}",
            "long": f"{i % 50 if i < 300 else i} " * 80,
            "size": None if i % 7 == 0 else i * 13 % 101 / 3,
            "since": 1e9 + 3600.0 * i,
        }
        for i in range(first, first + n_rows)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_memory_stops_growing_where_values_never_come_again(name):
    model = MAKERS[name](schema={"since": "time"}, max_categories=100)
    sizes = []
    for first in range(0, 50_000, 2500):
        rows = ever_new(first, 2500)
        model.learn_many(rows, [float(i % 5) for i in range(2500)])
        sizes.append(model.nbytes)
    assert {column.kind for column in model.schema} == {"category", "number", "time"}
    assert max(sizes[4:]) < 1.02 * max(sizes[:4])
    assert max(sizes) < 4e6
    assert len(model.to_bytes()) < 3e6


def test_max_categories_holds():
    sizes = {}
    for most in (10, 100, 1000):
        model = nystream.Tabular(nystream.RunningMean(), max_categories=most)
        rows = [{"c": f"value {i if i > 300 else i % 9}"} for i in range(4000)]
        model.learn_many(rows, [1.0] * 4000)
        sizes[most] = model.nbytes
    assert sizes[10] < sizes[100] < sizes[1000]
    assert sizes[1000] - sizes[100] > 900 * 50  # a value has some 50 bytes at least
    assert sizes[1000] < 1000 * 1000


def test_rows_that_wait_are_counted():
    model = nystream.Tabular(nystream.RunningMean())
    rows = [{"c": f"value {i % 9}" * 100} for i in range(300)]
    before = model.nbytes
    model.learn_many(rows, [1.0] * 300, delay=300)
    assert model.nbytes - before > 300 * 700
    model.learn_pending()
    assert model.nbytes < before + 100_000


@pytest.mark.parametrize("name", MAKERS)
def test_the_first_rows_are_given_back_when_kinds_are_settled(name):
    rows = [{"c": f"value {i % 9}" * 1000, "x": float(i % 3)} for i in range(257)]
    model = MAKERS[name]()
    model.learn_many(rows[:255], [1.0] * 255)
    before = model.nbytes
    model.learn_many(rows[255:], [1.0] * 2)
    assert model.nbytes < before - 1_000_000


# Columns that tell nothing


def table_of(name, target, left_out, n_rows, **kwargs):
    if not (TABLES / name).exists():
        pytest.skip(f"no table {name}")
    pandas = library("pandas")
    with gzip.open(TABLES / name) as file:
        frame = pandas.read_csv(file, **kwargs)
    frame = frame.dropna(subset=[target])
    if "pickup" in frame:
        frame = frame.sort_values("pickup")
    frame = frame.head(n_rows).reset_index(drop=True)
    return frame.drop(columns=[target, *left_out]), frame[target].to_numpy(np.float64)


REAL = {
    "taxis": lambda: table_of("taxis.csv.gz", "fare", ["total", "tip", "tolls", "dropoff"], 6433),
    "seoul": lambda: table_of(
        "seoul.csv.gz", "Rented Bike Count", [], 8760, sep=";", encoding="utf-8-sig"
    ),
    "AirQualityUCI": lambda: table_of(
        "AirQualityUCI.csv.gz", "CO(GT)", [], 9471, sep=";", decimal=","
    ),
}


def with_useless(frame):
    rng = np.random.default_rng(0)
    n_rows = len(frame)
    first = frame.columns[-1]
    noise = {f"noise {i}": rng.normal(size=n_rows) for i in range(3)}
    return frame.assign(
        **noise,
        constant=1.0,
        row_id=np.arange(n_rows) + 1000,
        word=rng.choice(list("abcdefgh"), n_rows),
        name=[f"n{i}" for i in rng.permutation(n_rows)],
        again=frame[first],
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", REAL)
def test_columns_that_tell_nothing_cost_little(name):
    frame, y = REAL[name]()
    errors = []
    for table in (frame, with_useless(frame)):
        found = quietly(nystream.Auto().progressive, table, y)
        errors.append(np.abs(found - y)[200:].mean())
    # In seoul the season changes, which is noticed later where columns tell nothing.
    assert errors[1] < (1.2 if name == "seoul" else 1.05) * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["taxis", "AirQualityUCI"])
def test_errors_on_raw_tables_are_those_of_the_page(name):
    if not (TABLES / f"{name}.csv.gz").exists():
        pytest.skip(f"the table {name} is not in {TABLES}")
    pytest.importorskip("pandas", reason="reads the tables")
    script = ROOT / "benches" / "python" / "tables.py"
    command = [sys.executable, "-W", "ignore", str(script), str(TABLES), name]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found, expected = (
        next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
        for text in (printed, (ROOT / "docs" / "tables.md").read_text(encoding="utf-8"))
    )
    # Other instruction sets round otherwise, and trees may split otherwise.
    assert numbers(found) == pytest.approx(numbers(expected), rel=0.02)


def numbers(line):
    """The numbers in a line of a table."""
    return [float(number) for number in re.findall(r"[\d.]+", line.replace(",", ""))]
