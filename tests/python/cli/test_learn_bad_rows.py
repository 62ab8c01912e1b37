"""Rows that `nystream learn` cannot use."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
import tables
from learning import RIDGE, SMALL_CHUNKS, learn, peak, plain_model, predictions

BAD = {
    "t.csv": [
        ("1,2,3", "there should be 4 columns, but there are 3"),
        ("1,2,3,4,5", "there should be 4 columns, but there are 5"),
        ("1,x,3,4", "column 'b' should be a number, but is 'x'"),
        ("1,,3,4", "column 'b' has no value"),
        (
            "1,2,nan,4",
            "column 'c' should be a finite number of magnitude at most 1e100, but is nan",
        ),
        (
            "1,2,3,-inf",
            "column 'y' should be a finite number of magnitude at most 1e100, but is -inf",
        ),
        ('1,"2,3,4', "has a quote that is not closed"),
        ("1,2_0,3,4", "column 'b' should be a number, but is '2_0'"),
        ("1,\x00,3,4", "column 'b'"),
    ],
    "t.jsonl": [
        ('{"a": 1, "c": 3, "y": 4}', "column 'b' is missing"),
        ('{"a": 1, "b": "2", "c": 3, "y": 4}', "column 'b' should be a number, but is \"2\""),
        ('{"a": 1, "b": null, "c": 3, "y": 4}', "column 'b' should be a number, but is null"),
        ('{"a": 1, "b": NaN, "c": 3, "y": 4}', "column 'b' should be a finite number"),
        ('{"a": 1, "b": 1e999, "c": 3, "y": 4}', "column 'b' should be a finite number"),
        ('{"a": 1, "b": [2], "c": 3, "y": 4}', "column 'b' should be a number, but is [2]"),
        ('{"a": 1, "b": 2', "could not be read as JSON"),
        ("[1, 2, 3, 4]", "should be a JSON object, but is [1, 2, 3, 4]"),
        (b'{"a": 1, "b": "\xff"}', "could not be read as JSON"),
        ('{"a": [1], "b": [2], "c": [3], "y": [4]}', "column 'a' should be a number, but is [1]"),
        ("[1, 2]", "should be a JSON object, but is [1, 2]"),
        ("17", "should be a JSON object, but is 17"),
    ],
}
CASES = [(name, row, message) for name, rows in BAD.items() for row, message in rows]


def spoiled(folder, name, row, X, y):
    """A table with a bad row in line 301, after a blank one in the middle of its rows."""
    path = tables.write(folder, name, X, y)
    lines = path.read_bytes().splitlines()
    lines[299:299] = [b"", row if isinstance(row, bytes) else row.encode()]
    path.write_bytes(b"\n".join(lines))
    return path


@pytest.mark.parametrize(("name", "row", "message"), CASES)
def test_a_bad_row_is_named_and_nothing_else_is_lost(name, row, message, tmp_path, stream, capsys):
    X, y = stream
    path = spoiled(tmp_path, name, row, X, y)
    out = tmp_path / "p.csv"
    options = [path, "--target", "y", *RIDGE, "--predictions", out]
    assert learn(*options) == 2
    assert f"error: {path}, line 301: {message}" in capsys.readouterr().err
    assert learn(*options, "--on-error", "report") == 0
    printed = capsys.readouterr()
    assert f"{path}, line 301: {message}" in printed.err
    assert printed.out.startswith("1,000 rows,")
    assert printed.out.endswith("bad rows left out: 1\n")
    rows, found = predictions(out)
    at = 299 if name == "t.jsonl" else 298  # the row before which it stands
    np.testing.assert_array_equal(rows, [*range(at), *range(at + 1, 1001)])
    np.testing.assert_array_equal(found, plain_model().progressive(X, y))


def test_skipped_rows_are_counted_and_the_first_is_named(tmp_path, stream, capsys):
    path = tables.write(tmp_path, "t.csv", *stream)
    lines = path.read_text().splitlines()
    for line in (10, 20, 900):
        lines[line - 1] = "?"
    path.write_text("\n".join(lines))
    assert learn(path, "--target", "y", *RIDGE, *SMALL_CHUNKS, "--on-error", "skip") == 0
    printed = capsys.readouterr()
    assert re.findall(r"line (\d+):", printed.err) == ["10"]
    assert "997 rows" in printed.out
    assert "bad rows left out: 3" in printed.out
    assert learn(path, "--target", "y", *RIDGE, *SMALL_CHUNKS, "--on-error", "report") == 0
    assert re.findall(r"line (\d+):", capsys.readouterr().err) == ["10", "20", "900"]


@pytest.mark.parametrize("value", ["[1, 2]", "[1]", "[[1]]", '"1"', "null", "{}"])
def test_rows_that_are_all_bad_in_one_way_are_bad(value, tmp_path, stream, capsys):
    """Lists of one length are a table of numbers, too, but none of rows."""
    path = tables.write(tmp_path, "t.jsonl", *stream)
    bad = '{"a": V, "b": V, "c": V, "y": V}\n'.replace("V", value)
    path.write_text(path.read_text() + bad * 300)
    options = [path, "--target", "y", *RIDGE, "--on-error", "skip", "--chunk", 100]
    assert learn(*options) == 0
    printed = capsys.readouterr()
    assert "line 1001: column 'a' should be a number, but is" in printed.err
    assert printed.out.startswith("1,000 rows")
    assert printed.out.endswith("bad rows left out: 300\n")


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_lines_that_are_too_long_are_bad_rows(name, tmp_path, stream, capsys, monkeypatch):
    monkeypatch.setattr("nystream._tables.source.LONGEST", 1000)
    path = tables.write(tmp_path, name, *stream)
    lines = path.read_text().splitlines()
    lines[500:500] = ["1" * 1001, " " * 5000, "[" * 1000]
    path.write_text("\n".join([*lines, "1" * 7000]))
    options = [path, "--target", "y", *RIDGE, "--predictions", tmp_path / "p.csv"]
    assert learn(*options, "--on-error", "report") == 0
    printed = capsys.readouterr()
    last = len(lines) + 1
    told = [f"line {n}: should be at most 1,000 bytes, but is longer" for n in (501, 502, last)]
    for message in told:
        assert f"{path}, {message}" in printed.err
    assert f"{path}, line 503: " in printed.err
    assert "bad rows left out: 4" in printed.out
    found = predictions(tmp_path / "p.csv")[1]
    np.testing.assert_array_equal(found, plain_model().progressive(*stream))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory of a process")
@pytest.mark.slow
def test_a_long_line_is_not_kept_in_memory(tmp_path):
    path = tmp_path / "t.jsonl"
    row = b'{"a": 1, "b": 2, "c": 3, "y": 4}\n'
    peaks = []
    for long in (20, 200):
        with open(path, "wb") as file:
            file.write(row)
            for _ in range(long):
                file.write(b"1" * 1_000_000)
            file.write(b"\n" + row)
        peaks.append(peak(path, 2, tmp_path / "p.csv", "--on-error", "skip"))
    assert peaks[1] < peaks[0] + 20_000


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.npz"])
def test_bad_rows_of_numbers_are_named_by_their_index(name, tmp_path, stream, capsys):
    X, y = stream
    X, y = X.copy(), y.copy()
    X[300, 1], X[700, 2], y[999] = np.nan, 1e101, np.inf
    path = tables.write(tmp_path, name, X, y)
    out = tmp_path / "p.csv"
    assert learn(path, "--target", "y", *RIDGE, "--on-error", "report", "--predictions", out) == 0
    told = capsys.readouterr().err
    assert "row 300: column 'b' should be a finite number" in told
    assert "but is missing or NaN" in told
    assert "row 700: column 'c' should be" in told
    assert "but is 1e+101" in told
    assert "row 999: column 'y'" in told
    np.testing.assert_array_equal(predictions(out)[0], np.setdiff1d(range(1000), [300, 700, 999]))


def test_a_value_that_is_missing_in_parquet_is_a_bad_row(tmp_path, capsys):
    arrow = pytest.importorskip("pyarrow", reason="not installed: pyarrow")
    import pyarrow.parquet

    table = arrow.table({"a": [1, None, 3], "s": ["x", "y", "z"], "y": [1.0, 2.0, 3.0]})
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(table, path)
    options = [path, "--target", "y", "--algorithm", "RidgeAld"]
    assert learn(*options, "--drop", "s", "--on-error", "report") == 0
    assert "row 1: column 'a' should be a finite" in capsys.readouterr().err
    assert learn(*options) == 2
    told = capsys.readouterr().err
    assert "column 's' should hold numbers, but holds string; drop leaves a column out, " in told
    assert "--tabular takes gaps and text" in told
    assert learn(*options, "--tabular") == 0


def test_a_mended_row_lets_a_stopped_run_go_on(tmp_path, stream):
    X, y = stream
    path = spoiled(tmp_path, "t.csv", "?", X, y)
    options = [path, "--target", "y", *RIDGE, *SMALL_CHUNKS]
    options += ["--predictions", tmp_path / "p.csv", "--checkpoint", tmp_path / "run.ckpt"]
    assert learn(*options) == 2
    rows, _ = predictions(tmp_path / "p.csv")
    np.testing.assert_array_equal(rows, np.arange(256))
    text = path.read_text().splitlines()
    text[300] = ""
    path.write_text("\n".join(text) + "\n")  # without, its last line would wait
    assert learn(*options, "--resume") == 0
    rows, found = predictions(tmp_path / "p.csv")
    np.testing.assert_array_equal(rows, np.arange(1000))
    np.testing.assert_array_equal(found, plain_model().progressive(X, y))
