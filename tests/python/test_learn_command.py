"""`nystream learn`."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest
import tables
from support import command, random_stream, running

import nystream
from nystream._checkpoint import Checkpoint
from nystream._cli import main

RIDGE = ["--algorithm", "RidgeAld", "--set", "kernel=Gaussian(sigma=1.5)", "max_basis=40"]
SMALL_CHUNKS = ["--chunk", "256"]


def plain_model():
    return nystream.RidgeAld(nystream.Gaussian(sigma=1.5), max_basis=40)


def learn(*arguments):
    return main(["learn", *map(str, arguments)])


def predictions(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return table[:, 0].astype(int), table[:, 1]


@pytest.fixture
def stream():
    return random_stream(1000, 3)


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
    assert f"1,000 rows, MSE {mse:.6g}, R2 {1 - mse / y.var():.4f}, " in printed
    assert re.search(r"[\d,]+ rows/s, dictionary 40\n$", printed)


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
    assert run.stderr.startswith(b"1,000 rows, MSE ")  # beside the predictions, not among them
    assert b"\r" not in run.stderr


@pytest.mark.parametrize("name", ["p.tsv", "p.jsonl", "p.parquet", "p.arrow"])
def test_predictions_are_the_same_in_every_format(name, tmp_path, stream):
    X, y = stream
    path = tables.write(tmp_path, "t.csv", X, y)
    out = tmp_path / name
    assert learn(path, "--target", "y", *RIDGE, *SMALL_CHUNKS, "--predictions", out) == 0
    expected = plain_model().progressive(X, y)
    from nystream._streams.opening import open_table
    from nystream._streams.table import Position

    table = open_table(str(out), None)
    assert table.columns.names == ("row", "prediction")
    parts = list(table.chunks([0, 1], 300, Position()))
    table.close()
    values = np.concatenate([part.values for part in parts])
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
    figures = f"MSE {squared.mean():.6g}, R2 {np.mean(1 - squared / Y.var(axis=0)):.4f}"
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
    assert b"MSE" in seen
    run = subprocess.run(arguments, capture_output=True, check=True)
    assert run.stderr == b""


# Not what `getrusage` says, in which the memory of the parent is counted.
PEAK = (
    "import re, sys; from nystream._cli import main; code = main(sys.argv[1:]);"
    "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]); sys.exit(code)"
)


def peak(path, n_rows, out, *options):
    """The most memory, in kilobytes, that learning a file took."""
    arguments = ["learn", path, "--target", "y", "--algorithm", "RunningMean", *options]
    command = [sys.executable, "-c", PEAK, *map(str, [*arguments, "--predictions", out])]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{n_rows:,} rows" in run.stdout
    return int(run.stdout.splitlines()[-1])


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


# stopping and going on


def is_killed(arguments, checkpoint, rng):
    """Run a command and kill it at a random moment, most often after a checkpoint of its own."""
    before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with running(arguments, **pipes) as process:
        if rng.random() < 0.7:
            while process.poll() is None and not (
                checkpoint.exists() and checkpoint.stat().st_mtime_ns != before
            ):
                time.sleep(0.001)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=rng.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), errors.decode()
    return process.returncode != 0


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
@pytest.mark.slow
def test_runs_that_are_killed_leave_the_same_bytes(name, tmp_path):
    X, y = random_stream(6000, 3, seed=1)
    path = tables.write(tmp_path, name, X, y)

    def arguments(stem):
        out = [tmp_path / f"{stem}.{end}" for end in ("csv", "nys", "ckpt")]
        options = ["--target", "y", *RIDGE, "--chunk", "32", "--every", "50", "--resume"]
        options += ["--predictions", out[0], "--save", out[1], "--checkpoint", out[2]]
        return out, command("learn", path, *options)

    whole, run = arguments("whole")
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    pieces, run = arguments("pieces")
    rng = random.Random(name)
    kills = 0
    while kills < 7:
        if is_killed(run, pieces[-1], rng):
            kills += 1
        else:
            for done in pieces:
                done.unlink()
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    for one, other in zip(whole, pieces, strict=True):
        assert one.read_bytes() == other.read_bytes()
    np.testing.assert_array_equal(predictions(whole[0])[0], np.arange(6000))


@pytest.fixture
def checkpointed(tmp_path, stream):
    """A run over the first half of a stream, with its checkpoint; the rest has been appended."""
    X, y = stream
    path = tables.write(tmp_path, "t.csv", X[:512], y[:512])
    options = [path, "--target", "y", *RIDGE, *SMALL_CHUNKS]
    options += ["--predictions", tmp_path / "p.csv", "--checkpoint", tmp_path / "run.ckpt"]
    assert learn(*options) == 0
    path.write_text(tables.text_rows(X, y))
    return options


def test_what_was_appended_is_learned_next_time(tmp_path, stream, checkpointed):
    X, y = stream
    assert learn(*checkpointed, "--resume") == 0
    rows, found = predictions(tmp_path / "p.csv")
    np.testing.assert_array_equal(rows, np.arange(1000))
    np.testing.assert_array_equal(found, plain_model().progressive(X, y))


def test_predictions_after_the_checkpoint_are_made_anew(tmp_path, stream, checkpointed):
    X, y = stream
    with open(tmp_path / "p.csv", "a") as file:
        file.write("512,0.123\n513,0.1")  # as a run that was killed would leave it
    assert learn(*checkpointed, "--resume") == 0
    np.testing.assert_array_equal(
        predictions(tmp_path / "p.csv")[1], plain_model().progressive(X, y)
    )


def test_a_checkpoint_is_not_overwritten_unasked(tmp_path, checkpointed, capsys):
    before = (tmp_path / "run.ckpt").read_bytes(), (tmp_path / "p.csv").read_bytes()
    assert learn(*checkpointed) == 2
    assert "run.ckpt is there already: --resume goes on from it" in capsys.readouterr().err
    assert before == ((tmp_path / "run.ckpt").read_bytes(), (tmp_path / "p.csv").read_bytes())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--chunk", "32"], "--chunk is 32, but was 256 when"),
        (["--set", "max_basis=41"], '--algorithm is "RidgeAld('),
        (["--drop", "a"], "--features is ['b', 'c'], but was ['a', 'b', 'c'] when"),
        (["--on-error", "skip"], "--on-error is 'skip', but was 'stop' when"),
    ],
)
def test_a_run_goes_on_as_it_began(change, message, checkpointed, capsys):
    assert learn(*checkpointed, "--resume", *change) == 2
    assert message in capsys.readouterr().err


def test_damaged_files_are_refused(tmp_path, checkpointed, capsys):
    path, out = tmp_path / "run.ckpt", tmp_path / "p.csv"
    sound = path.read_bytes()
    for data in (sound[:-100], sound[:200], b"", b"PK\x03\x04", sound.replace(b"tally", b"telly")):
        path.write_bytes(data)
        assert learn(*checkpointed, "--resume") == 2
        assert f"{path} is not a sound checkpoint: " in capsys.readouterr().err
    Checkpoint({}, {"other": 1}).write(path)
    assert learn(*checkpointed, "--resume") == 2
    assert f"{path} is not a checkpoint of nystream learn" in capsys.readouterr().err
    path.write_bytes(sound)
    out.write_bytes(out.read_bytes()[:-1])
    assert learn(*checkpointed, "--resume") == 2
    assert re.search(r"p\.csv should have at least [\d,]+ bytes, but has", capsys.readouterr().err)
    out.unlink()
    assert learn(*checkpointed, "--resume") == 2
    assert "p.csv" in capsys.readouterr().err


def test_an_input_that_shrank_is_refused(tmp_path, checkpointed, capsys):
    import gzip

    (tmp_path / "t.csv").write_bytes(gzip.compress(b"a,b,c,y\n1,2,3,4\n"))
    assert learn(*checkpointed, "--resume") == 2
    assert "has fewer lines than when it was read before" in capsys.readouterr().err


# bad rows


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
        ('1,"2,3,4', "could not be read as a row: unexpected end of data"),
        ("1,2_0,3,4", "column 'b' should be a number, but is '2_0'"),
        (b"1,\xff,3,4", "is not UTF-8 text"),
        ("1,\x00,3,4", "column 'b'" if sys.version_info >= (3, 11) else "could not be read"),
    ],
    "t.jsonl": [
        ('{"a": 1, "b": 2, "c": 3}', "column 'y' is missing"),
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
    monkeypatch.setattr("nystream._streams.lines.LONGEST", 1000)
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
    assert learn(path, "--target", "y", "--drop", "s", "--on-error", "report") == 0
    assert "row 1: column 'a' should be a finite" in capsys.readouterr().err
    assert learn(path, "--target", "y") == 2
    assert "column 's' should hold numbers, but holds string" in capsys.readouterr().err


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
    monkeypatch.setattr("nystream._streams.lines.LONGEST", 1000)
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,2\n" + "1" * 5000)
    assert learn(path, "--target", "y") == 2
    assert "line 3: should be at most 1,000 bytes, but is longer" in capsys.readouterr().err
