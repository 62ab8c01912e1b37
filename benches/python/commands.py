"""`nystream learn` beside `progressive`, reading text beside NumPy, and memory along a file."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from common import ABSENT, Case, Settings, Table, best_of, peer, ready

import nystream
from nystream._cli import main
from nystream._tables.opening import open_table
from nystream._tables.selection import Reading, select
from nystream._tables.table import CHUNK, Position

SIGMA, J = 4.0, 150
PARTS = 10  # of the long file, at the ends of which memory is looked at
OPTIONS = ["--target", "y", "--algorithm", "RidgeAld"]
OPTIONS += ["--set", f"kernel=Gaussian(sigma={SIGMA})", f"max_basis={J}"]
# What a process that has gone through a file says of its memory, in kB.
PEAK = (
    "import re, sys; from nystream._cli import main; code = main(sys.argv[1:]);"
    "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]); sys.exit(code)"
)


def measure(settings: Settings) -> Iterator[Table]:
    with tempfile.TemporaryDirectory() as folder:
        yield against_progressive(settings, Path(folder))
        yield against_numpy(settings, Path(folder))
        yield along_a_file(settings, Path(folder))


def against_progressive(settings: Settings, folder: Path) -> Table:
    X, y = nystream.datasets.friedman(5_000 if settings.quick else 300_000)
    files = {path.suffix: path for path in written(folder, X, y)}
    cases: dict[tuple, Case] = {("progressive",): lambda: lambda: model().progressive(X, y)}
    for suffix, path in files.items():
        cases[suffix, "no"] = ready(learn, path)
        cases[suffix, "yes"] = ready(learn, path, "--predictions", str(folder / "p.csv"))
    seconds = best_of(settings.rounds, cases, "nystream learn")
    plain = len(y) / seconds["progressive",]
    rows = [("progressive", "-", round(plain), 1.0)]
    for suffix, kept in list(cases)[1:]:
        speed = len(y) / seconds[suffix, kept]
        rows.append((suffix, kept, round(speed), speed / plain))
    if ".parquet" not in files:
        rows.append((".parquet", "-", ABSENT, ABSENT))
    note = f"friedman, d = 10, RidgeAld with J = {J}; opening the file and writing are in it."
    header = ("read from", "predictions written", "rows/s", "ratio to `progressive`")
    return Table("`nystream learn` beside `progressive`", note, header, rows)


def against_numpy(settings: Settings, folder: Path) -> Table:
    X, y = nystream.datasets.friedman(5_000 if settings.quick else 300_000)
    paths = {path.suffix: path for path in written(folder, X, y)}
    csv, jsonl = paths[".csv"], paths[".jsonl"]
    cases: dict[tuple, Case] = {("numpy.loadtxt", ".csv"): lambda: lambda: loaded(csv)}
    for suffix, path in ((".csv", csv), (".jsonl", jsonl)):
        cases["numbers", suffix] = ready(read, path, False)
        cases["a table", suffix] = ready(read, path, True)
    seconds = best_of(settings.rounds, cases, "reading text")
    plain = seconds["numpy.loadtxt", ".csv"]
    rows = [(*case, round(len(y) / taken), plain / taken) for case, taken in seconds.items()]
    note = "11 columns of numbers with all their digits; as numbers alone, and as a table."
    header = ("read as", "from", "rows/s", "ratio to `numpy.loadtxt`")
    return Table("Reading text beside `numpy.loadtxt`", note, header, rows)


def loaded(path: Path) -> None:
    np.loadtxt(path, delimiter=",", skiprows=1)


def read(path: Path, is_tabular: bool) -> None:
    with contextlib.closing(open_table(str(path), None)) as table:
        reading = Reading(is_tabular=is_tabular)
        selection = select(table.columns, ["y"], None, None, reading)
        for _ in table.chunks(selection, CHUNK, Position()):
            pass


def model() -> nystream.Learner:
    return nystream.RidgeAld(nystream.Gaussian(SIGMA), max_basis=J)


def learn(path: Path, *options: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        if main(["learn", str(path), *OPTIONS, *options]):
            raise RuntimeError(f"{path} was not learned")


def written(folder: Path, X: np.ndarray, y: np.ndarray) -> Iterator[Path]:
    names = [*(f"x{i}" for i in range(X.shape[1])), "y"]
    rows = np.c_[X, y].tolist()
    path = folder / "t.csv"
    lines = [",".join(names), *(",".join(map(repr, row)) for row in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    yield path
    path = folder / "t.jsonl"
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    yield path
    path = folder / "t.npz"
    np.savez(path, X=X, y=y, feature_names=names[:-1])
    yield path
    if (arrow := peer("pyarrow")) is not None:
        path = folder / "t.parquet"
        write_parquet(arrow, path, [(X, y)], names)
        yield path


def write_parquet(arrow, path: Path, parts, names: list[str]) -> None:
    parquet = peer("pyarrow.parquet")
    schema = arrow.schema([(name, arrow.float64()) for name in names])
    with parquet.ParquetWriter(path, schema) as writer:
        for X, y in parts:
            columns = [np.ascontiguousarray(column) for column in (*X.T, y)]
            writer.write(arrow.table(columns, schema=schema))


def along_a_file(settings: Settings, folder: Path) -> Table:
    arrow = peer("pyarrow")
    header = ("rows", "file MB", "peak MB")
    title = "Memory of `nystream learn` along a Parquet file"
    if arrow is None:
        return Table(title, "", header, [(settings.rows, ABSENT, ABSENT)])
    rows = []
    names = [*(f"x{i}" for i in range(10)), "y"]
    for n_rows in (settings.rows // PARTS, settings.rows):
        size = max(n_rows // PARTS, 1)
        path = folder / "long.parquet"
        parts = (nystream.datasets.friedman(size, random_state=i) for i in range(PARTS))
        write_parquet(arrow, path, parts, names)
        options = ["learn", str(path), *OPTIONS, "--predictions", str(folder / "p.csv")]
        command = [sys.executable, "-c", PEAK, *options]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        peak = int(run.stdout.splitlines()[-1]) / 1e3
        rows.append((size * PARTS, path.stat().st_size / 1e6, peak))
    note = "Peak resident memory of the whole process, predictions written."
    return Table(title, note, header, rows)
