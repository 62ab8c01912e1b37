"""The command `nystream learn`: what it reads and writes, and what it refuses."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys

import numpy as np
import pytest
import tables
from learning import RIDGE, SMALL_CHUNKS, learn, peak, plain_model, predictions
from support import command, random_stream, running

import nystream

# what it reads and writes


@pytest.mark.parametrize("name", tables.WRITERS)
def test_every_format_is_learned_as_the_arrays_are(name, tmp_path, stream, capsys):
    X, y = stream
    path = tables.write(tmp_path, name, X, y)
    out, saved = tmp_path / "p.csv", tmp_path / "m.nys"
    options = ["--target", "y"] if ".npz" not in name else []
    options += [*RIDGE, *SMALL_CHUNKS, "--predictions", out, "--save", saved]
    assert learn(path, *options) == 0
    model = plain_model()
    expected = model.progressive(X, y)
    rows, found = predictions(out)
    np.testing.assert_array_equal(rows, np.arange(len(y)))
    np.testing.assert_array_equal(found, expected)
    learned = nystream.load(saved)
    assert learned.feature_names == list(tables.NAMES)
    assert learned.n_seen == 1000
    np.testing.assert_array_equal(learned.predict_many(X), model.predict_many(X))
    mse = np.mean((expected - y) ** 2)
    printed = capsys.readouterr().out
    assert f"RMSE {mse**0.5:.6g}, R2 {1 - mse / y.var():.4f}, " in printed
    assert re.search(r"[\d,]+ rows/s, dictionary 40\n$", printed)


def test_labels_may_come_late(tmp_path, stream):
    X, y = stream
    path, out, saved = tables.write(tmp_path, "t.csv", X, y), tmp_path / "p.csv", tmp_path / "m.nys"
    options = [*RIDGE, *SMALL_CHUNKS, "--delay", "23", "--predictions", out, "--save", saved]
    assert learn(path, "--target", "y", *options) == 0
    model = plain_model()
    np.testing.assert_array_equal(predictions(out)[1], model.progressive(X, y, delay=23))
    model.learn_pending()
    learned = nystream.load(saved)
    assert (learned.n_seen, learned.n_pending) == (1000, 0)
    np.testing.assert_array_equal(learned.predict_many(X), model.predict_many(X))


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.jsonl", "t.arrows"])
def test_a_pipe_is_learned_as_the_file_is(name, tmp_path, stream):
    path = tables.write(tmp_path, name, *stream)
    assert learn(path, "--target", "y", *RIDGE, "--predictions", tmp_path / "p.csv") == 0
    form = {"t.jsonl": "jsonl", "t.arrows": "arrow"}.get(name)
    options = ["-", "--target", "y", *RIDGE, "--predictions", "-"]
    with open(path, "rb") as file:
        run = subprocess.run(
            command("learn", *options, *(["--format", form] if form else [])),
            stdin=file,
            capture_output=True,
            check=True,
        )
    assert run.stdout == (tmp_path / "p.csv").read_bytes()
    assert run.stderr.startswith(b"1,000 rows, MAE ")  # beside the predictions, not among them
    assert b"\r" not in run.stderr


@pytest.mark.parametrize("name", ["p.tsv", "p.jsonl", "p.parquet", "p.arrow"])
def test_predictions_are_the_same_in_every_format(name, tmp_path, stream):
    X, y = stream
    path = tables.write(tmp_path, "t.csv", X, y)
    out = tmp_path / name
    assert learn(path, "--target", "y", *RIDGE, *SMALL_CHUNKS, "--predictions", out) == 0
    expected = plain_model().progressive(X, y)
    from nystream._tables.opening import open_table
    from nystream._tables.table import Position

    table = open_table(str(out), None)
    assert table.columns.names == ("row", "prediction")
    parts = list(table.chunks(tables.numbers(table, 0, 1), 300, Position()))
    table.close()
    values = np.concatenate([part.X.rows for part in parts])
    np.testing.assert_array_equal(values, np.c_[np.arange(1000), expected])


def test_what_is_no_file_takes_csv(tmp_path, stream):
    path = tables.write(tmp_path, "t.csv", *stream)
    assert learn(path, "--target", "y", *RIDGE, "--predictions", os.devnull) == 0


def test_columns_are_chosen_and_left_out(tmp_path, stream):
    X, y = stream
    path = tmp_path / "t.csv"
    lines = tables.text_rows(X, y).splitlines()
    header, *rows = [f'{line},"some, ""text"""' for line in lines]
    path.write_text("\n".join([header.replace('"some, ""text"""', "note"), *rows]))
    for options in (["--features", "c", "a"], ["--drop", "b", "note"]):
        out, saved = tmp_path / "p.csv", tmp_path / "m.nys"
        assert (
            learn(path, "--target", "y", *RIDGE, *options, "--predictions", out, "--save", saved)
            == 0
        )
        order = [2, 0] if "--features" in options else [0, 2]
        assert nystream.load(saved).feature_names == [tables.NAMES[i] for i in order]
        expected = plain_model().progressive(X[:, order], y)
        np.testing.assert_array_equal(predictions(out)[1], expected)


def test_columns_without_names_are_numbered(tmp_path, stream):
    X, y = stream
    path = tmp_path / "t.csv"
    path.write_text("\n".join(",".join(map(repr, row)) for row in np.c_[y, X].tolist()))
    out, saved = tmp_path / "p.csv", tmp_path / "m.nys"
    assert learn(path, "--target", "0", *RIDGE, "--predictions", out, "--save", saved) == 0
    np.testing.assert_array_equal(predictions(out)[1], plain_model().progressive(X, y))
    assert nystream.load(saved).feature_names is None


def test_several_targets(tmp_path, stream, capsys):
    X, y = stream
    path = tmp_path / "t.csv"
    path.write_text(tables.text_rows(np.c_[X, -2 * y], y, names=("a", "b", "c", "z")))
    out = tmp_path / "p.csv"
    options = [*RIDGE, "n_targets=2", "--target", "y", "--target", "z", "--predictions", out]
    assert learn(path, *options) == 0
    Y = np.c_[y, -2 * y]
    model = nystream.RidgeAld(nystream.Gaussian(sigma=1.5), max_basis=40, n_targets=2)
    expected = model.progressive(X, Y)
    assert out.read_text().startswith("row,prediction_y,prediction_z\n")
    found = np.loadtxt(out, delimiter=",", skiprows=1)[:, 1:]
    np.testing.assert_array_equal(found, expected)
    squared = ((expected - Y) ** 2).mean(axis=0)
    figures = f"RMSE {squared.mean() ** 0.5:.6g}, R2 {np.mean(1 - squared / Y.var(axis=0)):.4f}"
    assert figures in capsys.readouterr().out


def test_a_saved_model_learns_on(tmp_path, stream):
    X, y = stream
    first = tables.write(tmp_path, "t.csv", X[:512], y[:512])
    saved, out = tmp_path / "m.nys", tmp_path / "p.csv"
    assert learn(first, "--target", "y", *RIDGE, "--save", saved) == 0
    # The columns come in another order, and are found by their names.
    second = tmp_path / "second.csv"
    second.write_text(tables.text_rows(X[512:, ::-1], y[512:], names=tables.NAMES[::-1]))
    assert (
        learn(second, "--target", "y", "--model", saved, "--save", saved, "--predictions", out) == 0
    )
    model = plain_model()
    expected = model.progressive(X, y)[512:]
    np.testing.assert_array_equal(predictions(out)[1], expected)
    assert nystream.load(saved).n_seen == 1000


def test_nothing_has_to_be_chosen_but_the_target(tmp_path, stream):
    X, y = stream
    path = tables.write(tmp_path, "t.csv", 1e3 * X, 1e6 * y)
    assert learn(path, "--target", "y", "--save", tmp_path / "m.nys") == 0
    assert isinstance(nystream.load(tmp_path / "m.nys"), nystream.Auto)


def test_a_live_pipe_is_answered_row_by_row():
    X, y = random_stream(5, 2)
    arguments = command("learn", "-", "--target", "y", "--chunk", 1, "--predictions", "-", *RIDGE)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with running(arguments, **pipes) as process:
        process.stdin.write(b"a,b,y\n")
        model = plain_model()
        for i, (x, label) in enumerate(zip(X, y, strict=True)):
            process.stdin.write(",".join(map(repr, [*x.tolist(), float(label)])).encode() + b"\n")
            process.stdin.flush()
            if not i:
                assert process.stdout.readline() == b"row,prediction\n"
            row, prediction = process.stdout.readline().split(b",")
            assert int(row) == i
            assert float(prediction) == pytest.approx(model.predict_one(x), rel=1e-9, abs=1e-12)
            model.learn_one(x, label)
        process.stdin.close()
        assert process.wait() == 0


# how it goes


def test_a_terminal_sees_a_bar_and_a_pipe_sees_none(tmp_path, stream):
    pytest.importorskip("tqdm", reason="not installed: tqdm")
    fcntl, pty, termios = (
        pytest.importorskip(name, reason="terminals here are not those of Unix")
        for name in ("fcntl", "pty", "termios")
    )
    path = tables.write(tmp_path, "t.csv", *stream)
    arguments = command("learn", path, "--target", "y", *RIDGE, *SMALL_CHUNKS)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 120, 0, 0))
    seen = b""
    with running(arguments, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # the other side is closed
            pass
        os.close(ours)
        assert process.wait() == 0
    assert b"100%" in seen
    assert b"RMSE" in seen
    run = subprocess.run(arguments, capture_output=True, check=True)
    assert run.stderr == b""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory of a process")
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.npz", "t.parquet", "t.arrow"])
@pytest.mark.slow
def test_memory_does_not_grow_with_the_stream(name, tmp_path):
    """Five times the rows, and the peak is the same but for what the allocator leaves."""
    n_rows = 300_000 if name.endswith(("npz", "parquet", "arrow")) else 60_000
    peaks = []
    for count in (n_rows // 5, n_rows):
        X, y = random_stream(count, 3)
        path = tables.write(tmp_path, name, X, y)
        peaks.append(peak(path, count, tmp_path / "p.csv"))
        path.unlink()
    assert peaks[1] < peaks[0] + 3_000  # the numbers alone would take 8,000 or 2,000, text more


# what is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["t.csv"], "--target should name the column to predict, but is not given"),
        (["t.csv", "--target", "z"], "--target should be one of the columns 'a', 'b', 'c', 'y'"),
        (["t.csv", "--target", "y", "--features", "y"], "column 'y' is chosen twice"),
        (["t.csv", "--target", "y", "--drop", "a", "b", "c"], "at least one feature"),
        (["t.csv", "--target", "y", "--algorithm", "Best"], "algorithm should be one of"),
        (["t.csv", "--target", "y", "--set", "size=1"], "unexpected keyword argument 'size'"),
        (["t.csv", "--target", "y", "--set", "warm_up=-1"], "warm_up should be"),
        (["t.csv", "--target", "y", "--target", "a"], "--set n_targets=2 says so"),
        (["t.csv", "--target", "y", "--resume"], "--resume and --every need --checkpoint"),
        (["t.csv", "--target", "y", "--every", "5"], "--resume and --every need --checkpoint"),
        (["t.csv", "--target", "y", "--predictions", "t.csv"], "should not be the input"),
        (["t.csv", "--target", "y", "--predictions", "p.npz"], "written as csv, tsv, jsonl"),
        (["t.csv", "--target", "y", "--predictions", "p.doc"], "should end with one of"),
        (
            ["t.csv", "--target", "y", "--checkpoint", "c", "--predictions", "-"],
            "--checkpoint needs predictions in a file of csv, tsv, jsonl, not the standard output",
        ),
        (
            ["t.csv", "--target", "y", "--checkpoint", "c", "--predictions", "p.parquet"],
            "--checkpoint needs predictions in a file of csv, tsv, jsonl, not parquet",
        ),
        (["t.csv", "--target", "y", "--model", "m.nys", "--set", "a=1"], "--model goes on"),
        (["t.csv", "--target", "y", "--model", "no.nys"], "no.nys"),
        (["t.csv", "--target", "y", "--model", "scorer.nys"], "holds a scorer"),
        (["nothing.csv", "--target", "y"], "nothing.csv"),
        (["empty.csv", "--target", "y"], "empty.csv is empty"),
        (["header.csv", "--target", "y"], "should have at least one good row, but has none"),
        (["t.csv", "--format", "jsonl", "--target", "y"], "a JSON object with keys a line"),
        (["t.csv", "--format", "parquet", "--target", "y"], "is not a sound Parquet file"),
        (["t.csv", "--format", "npz", "--target", "y"], "is not a sound .npz file"),
        (["t.csv", "--format", "arrow", "--target", "y"], "is not a sound Arrow IPC stream"),
        (["-", "--format", "npz", "--target", "y"], "npz cannot be read from a pipe"),
        (["t.unknown", "--target", "y"], "should end with one of .csv, .tsv"),
        (["t.parquet.gz", "--target", "y"], "should end with one of .csv, .tsv"),
    ],
)
def test_mistakes_are_told_in_a_line(options, message, tmp_path, stream, capsys, monkeypatch):
    if "parquet" in options or "arrow" in options:
        pytest.importorskip("pyarrow", reason="not installed: pyarrow")
    monkeypatch.chdir(tmp_path)
    before = tables.write(tmp_path, "t.csv", *stream).read_bytes()
    (tmp_path / "empty.csv").touch()
    (tmp_path / "header.csv").write_text("a,b,c,y\n")
    plain_model().scorer().save("scorer.nys")
    plain_model().save("m.nys")
    assert learn(*options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert (tmp_path / "t.csv").read_bytes() == before


@pytest.mark.parametrize("value", ["kernel=Gaussian(sigma=-1)", "kernel", "=3", "2a=3"])
def test_a_setting_that_cannot_be_read_is_refused(value, capsys):
    with pytest.raises(SystemExit):
        learn("t.csv", "--target", "y", "--set", value)
    assert "argument --set" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["t.csv.gz", "t.parquet", "t.arrow", "t.arrows", "packed.npz"])
def test_a_truncated_file_is_refused(name, tmp_path, stream, capsys):
    path = tables.write(tmp_path, name, *stream)
    data = path.read_bytes()
    for length in (len(data) // 2, len(data) - 9, 20):
        path.write_bytes(data[:length])
        assert learn(path, "--target", "y", *RIDGE) == 2
        assert "is not a sound" in capsys.readouterr().err


def test_a_file_without_line_ends_does_not_fill_memory(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("nystream._tables.source.LONGEST", 1000)
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,2\n" + "1" * 5000)
    assert learn(path, "--target", "y") == 2
    assert "line 3: should be at most 1,000 bytes, but is longer" in capsys.readouterr().err
