"""Every program in examples/ runs from any folder, and prints a table of errors."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import ROOT

# What an example asks for beyond NumPy.
NEEDS = {"live_sensor": "matplotlib", "river_loop": "river", "sklearn_pipeline": "sklearn"}
# test_docs.py runs the demo, and compares its table with that of the README.
EXAMPLES = sorted({path.stem for path in (ROOT / "examples").glob("*.py")} - {"demo"})


def run(name, folder, *arguments):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"examples/{name}.py needs {NEEDS[name]}")
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("examples")


def table(text):
    """The rows of the first table, as dicts."""
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    heading, _, *rows = [[cell.strip() for cell in line] for line in lines]
    return [dict(zip(heading, row, strict=True)) for row in rows]


def follows_the_sensor(rows, folder):
    last = {row["learner"]: float(row["last 1000"]) for row in rows}
    assert 3 * last["RidgeAld renewed"] < last["RidgeAld"] < last["LinearRls"]
    assert (folder / "build" / "live_sensor.png").read_bytes().startswith(b"\x89PNG")


def has_better_kernels(rows, _):
    mse = {(row["stream"], row["kernel"]): float(row["MSE"]) for row in rows}
    day = mse["consumption", "period of a day"]
    assert 10 * day < mse["consumption", "plain"]
    assert 2 * mse["consumption", "day x week"] < day
    assert 1.5 * mse["friedman", "own widths"] < mse["friedman", "plain"]


def beats_river(rows, _):
    error = {row["regressor"]: float(row["MAE"]) for row in rows}
    assert sorted(error, key=error.get)[:2] == ["AutoRegressor", "RidgeAldRegressor"]


def scores_rows_held_back(rows, _):
    score = {row["estimator"]: float(row["R^2"]) for row in rows}
    assert len(score) == 5
    assert sorted(score, key=score.get)[:-3:-1] == ["AutoRegressor", "RidgeAldRegressor"]
    assert score["RidgeAldRegressor"] > 0.9


SHOWS = {
    "live_sensor": follows_the_sensor,
    "river_loop": beats_river,
    "sklearn_pipeline": scores_rows_held_back,
    "your_own_kernel": has_better_kernels,
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.slow
def test_prints_a_table_of_errors(name, folder):
    finished = run(name, folder)
    assert finished.returncode == 0, finished.stderr
    rows = table(finished.stdout)
    assert len(rows) > 1
    if name in SHOWS:
        SHOWS[name](rows, folder)


WRONG = [
    ("live_sensor", ["--rows", "0"], "--rows should be at least 1, but is 0"),
    ("live_sensor", ["--delay", "-1"], "--delay should be 0 or more, but is -1"),
    ("sklearn_pipeline", ["--rows", "9"], "--rows should be at least 20, but is 9"),
    ("your_own_kernel", ["--rows", "0"], "--rows should be at least 1, but is 0"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG)
@pytest.mark.slow
def test_a_wrong_option_is_named(name, arguments, message, folder):
    finished = run(name, folder, *arguments)
    assert finished.returncode == 2
    assert message in finished.stderr
