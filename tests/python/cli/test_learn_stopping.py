"""The command `nystream learn`, stopped or killed, goes on where it was."""

from __future__ import annotations

import contextlib
import random
import re
import signal
import subprocess
import time

import numpy as np
import pytest
import tables
from learning import RIDGE, SMALL_CHUNKS, learn, plain_model, predictions
from support import command, random_stream, running

from nystream._runs.checkpoint import Checkpoint


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


def test_labels_that_wait_are_in_the_checkpoint(tmp_path, stream):
    X, y = stream
    path = tables.write(tmp_path, "t.csv", X[:512], y[:512])
    options = [path, "--target", "y", *RIDGE, *SMALL_CHUNKS, "--delay", "600"]
    options += ["--predictions", tmp_path / "p.csv", "--checkpoint", tmp_path / "run.ckpt"]
    assert learn(*options) == 0
    path.write_text(tables.text_rows(X, y))
    assert learn(*options, "--resume") == 0
    expected = plain_model().progressive(X, y, delay=600)
    np.testing.assert_array_equal(predictions(tmp_path / "p.csv")[1], expected)


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
        (["--delay", "3"], "--delay is 3, but was 0 when"),
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
    assert "has fewer bytes than when it was read before" in capsys.readouterr().err
