"""The benchmarks run and fill their tables; how fast anything is, no test says."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support import ROOT

pytest.importorskip("tqdm", reason="the benchmarks need tqdm: pip install '.[bench]'")

NEWTON = ["NonsAld", "RidgeAld"]
UNTUNED = ["RidgeAld", "Auto"]
LOOPS = [*NEWTON, "LinearRls", "RunningMean"]
FILES = [".csv", ".jsonl", ".npz", ".parquet"]
RIVER = ["river LinearRegression", "river StandardScaler, LinearRegression"]
# The first cells of the rows that each table should have.
EXPECTED = {
    "learning": [
        [name for _ in range(3) for name in NEWTON for _ in range(2)],
        3 * ["AogdAld", "KrlsAld", "ConKons", "Nogd", "Fogd", "LinearRls"],
    ],
    "auto": [  # each on two streams
        [name for _ in range(2) for name in UNTUNED for _ in range(2)],
        2 * UNTUNED,
        None,  # threads, as below
    ],
    "keyed": [2 * ["one model", "a dict of models", "Keyed", "Keyed, shared=False"]],
    "rows": [LOOPS + RIVER, [name for name in LOOPS for _ in range(3)]],
    "columns": [[*4 * ["10 numbers"], *4 * ["7 numbers, 3 categories"]]],
    "scoring": [5 * ["float64", "float32"], None],  # threads: as many rows as the machine has cores
    "commands": [
        ["progressive", *(end for end in FILES for _ in range(2))],
        ["numpy.loadtxt", *(2 * ["numbers", "a table"])],
        ["5,000", "50,000"],
    ],
    "serve": [["empty", *["RidgeAld"] * 2, *["Auto"] * 2, *["Auto, rows of tables"] * 2]],
    "flat": [6 * NEWTON, ["100", "200", "500", "1,000"], None],
}
PEERS = {"rows": "river", "scoring": "sklearn", "flat": "matplotlib"}
NEEDED = {**PEERS, "columns": "pyarrow", "commands": "pyarrow", "serve": "uvicorn"}


def run(part, out, *arguments, **environment):
    script = ROOT / "benches" / "python" / "run.py"
    command = [sys.executable, str(script), "--quick", "--only", part, "--out", str(out)]
    return subprocess.run(
        [*command, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def tables(text):
    """The cells of each Markdown table, without its rule."""
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        lines = [line.strip("|").split("|") for line in block.splitlines()]
        yield [[cell.strip() for cell in line] for line in (lines[0], *lines[2:])]


def figures(header, row):
    """The numbers of a row; a difference of two may have any sign."""
    for head, cell in zip(header, row, strict=True):
        number = cell.replace(",", "")
        if re.fullmatch(r"[-\d.]*\d|-?(nan|inf)", number):
            yield abs(float(number)) if head.startswith("difference") else float(number)


def check(part, text):
    found = list(tables(text))
    for (header, *rows), expected in zip(found, EXPECTED[part], strict=True):
        assert rows
        assert expected in (None, [row[0] for row in rows])
        for row in rows:
            numbers = list(figures(header, row))
            assert all(math.isfinite(number) and number > 0 for number in numbers)
            assert numbers or "not installed" in row


@pytest.mark.parametrize("part", EXPECTED)
@pytest.mark.slow
def test_quick_tables_are_complete(part, tmp_path):
    needed = NEEDED.get(part)
    if needed and not find_spec(needed):
        pytest.skip(f"{needed} is not installed: make bench installs it")
    printed = run(part, tmp_path, "--rows", "50000").stdout
    check(part, printed)
    assert "not installed" not in printed
    written = (tmp_path / f"{part}.md").read_text(encoding="utf-8")
    assert list(tables(written)) == list(tables(printed))
    assert (part == "flat") == (tmp_path / "cost.svg").exists()


@pytest.mark.parametrize("part", PEERS)
@pytest.mark.slow
def test_a_missing_peer_is_said_once(part, tmp_path):
    # A module of the same name that cannot be imported hides the one that is installed.
    (tmp_path / f"{PEERS[part]}.py").write_text("raise ImportError")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    printed = run(part, tmp_path, "--rows", "1", PYTHONPATH=path).stdout
    check(part, printed)
    assert printed.count(f"{PEERS[part]}: not installed\n") == 1
