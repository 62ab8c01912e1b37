"""`nystream learn --resume`: the same input, or none at all, and one run at a time."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import tables
from support import command, random_stream, running

import nystream
from nystream._cli import main
from nystream._runs.checkpoint import Checkpoint
from nystream._runs.locks import locked

RIDGE = ["--algorithm", "RidgeAld", "--set", "kernel=Gaussian(sigma=1.5)", "max_basis=40"]
X, Y = random_stream(700, 3)


def learn(*arguments):
    return main(["learn", *map(str, arguments)])


def expected(n_rows=700):
    model = nystream.RidgeAld(nystream.Gaussian(sigma=1.5), max_basis=40)
    return model.progressive(X[:n_rows], Y[:n_rows])


def found(folder):
    return np.loadtxt(folder / "p.csv", delimiter=",", skiprows=1, ndmin=2)[:, 1]


def options(folder, name="t.csv", chunk=64):
    target = [] if name.endswith(".npz") else ["--target", "y"]
    files = ["--predictions", folder / "p.csv", "--checkpoint", folder / "run.ckpt", "--resume"]
    return [folder / name, *target, *RIDGE, "--chunk", chunk, *files]


def contents(folder, *left_out):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name not in left_out}


# the input


@pytest.mark.parametrize("name", tables.WRITERS)
def test_an_input_that_has_grown_is_read_on(name, tmp_path):
    tables.write(tmp_path, name, X[:512], Y[:512])
    assert learn(*options(tmp_path, name)) == 0
    tables.write(tmp_path, name, X, Y)
    assert learn(*options(tmp_path, name)) == 0
    np.testing.assert_array_equal(found(tmp_path), expected())


@pytest.mark.parametrize("name", tables.WRITERS)
@pytest.mark.parametrize("row", [0, 511])
def test_an_input_that_was_edited_is_refused_and_nothing_is_touched(name, row, tmp_path, capsys):
    tables.write(tmp_path, name, X[:512], Y[:512])
    assert learn(*options(tmp_path, name)) == 0
    edited = X.copy()
    edited[row, 1] = 0.25
    tables.write(tmp_path, name, edited, Y)
    with open(tmp_path / "p.csv", "a") as file:
        file.write("512,0.1\n")  # of a run that was killed
    before = contents(tmp_path)
    assert learn(*options(tmp_path, name)) == 2
    error = capsys.readouterr().err
    assert f"{name} is not what was read before, its first 51" in error
    assert error.endswith("give the same input, or start anew with another --checkpoint\n")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", tables.WRITERS)
def test_an_input_that_is_shorter_is_refused(name, tmp_path, capsys):
    tables.write(tmp_path, name, X, Y)
    assert learn(*options(tmp_path, name)) == 0
    tables.write(tmp_path, name, X[:600], Y[:600])
    assert learn(*options(tmp_path, name)) == 2
    assert "than when it was read before: give the same input" in capsys.readouterr().err


@pytest.mark.slow
def test_a_pipe_has_to_begin_with_what_was_read_before(tmp_path):
    arguments = command("learn", "-", *options(tmp_path)[1:])

    def feed(X, Y):
        data = tables.text_rows(X, Y).encode()
        return subprocess.run(arguments, input=data, capture_output=True)

    assert feed(X[:512], Y[:512]).returncode == 0
    other = feed(X[1:], Y[1:])
    assert other.returncode == 2
    assert b"standard input is not what was read before" in other.stderr
    whole = feed(X, Y)
    assert (whole.returncode, whole.stderr) == (0, b"")
    np.testing.assert_array_equal(found(tmp_path), expected())


def test_a_file_as_the_standard_input_is_read_on(tmp_path):
    """Also from the middle of it, where another program has left it."""
    tables.write(tmp_path, "t.csv", X, Y)
    (tmp_path / "t.csv").write_text("# made today\n" + tables.text_rows(X, Y))
    for _ in range(2):
        with open(tmp_path / "t.csv", "rb", buffering=0) as file:
            file.seek(len("# made today\n"))
            arguments = command("learn", "-", *options(tmp_path)[1:])
            subprocess.run(arguments, stdin=file, check=True, stdout=subprocess.DEVNULL)
    np.testing.assert_array_equal(found(tmp_path), expected())


# a line without its end


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.csv.gz"])
@pytest.mark.parametrize("cut", [1, 4, 30])
def test_a_line_without_its_end_waits_until_it_has_one(name, cut, tmp_path, capsys):
    """A number of which the last digits are not written yet is a number, too."""
    path = tables.write(tmp_path, name, X, Y)
    pack, unpack = (gzip.compress, gzip.decompress) if name.endswith("gz") else (bytes, bytes)
    whole = unpack(path.read_bytes())
    path.write_bytes(pack(whole[:-cut]))
    for _ in range(2):
        assert learn(*options(tmp_path, name)) == 0
        told = capsys.readouterr().err
        line = 700 + ("csv" in name or "tsv" in name)
        assert f"{name}, line {line} has no line end: it may not be whole, and is left" in told
        np.testing.assert_array_equal(found(tmp_path), expected(699))
    path.write_bytes(pack(whole))
    assert learn(*options(tmp_path, name)) == 0
    assert capsys.readouterr().err == ""
    # One row by itself is not learned to the last bit as one among others.
    np.testing.assert_allclose(found(tmp_path), expected(), rtol=1e-9, atol=1e-12)


def test_without_a_checkpoint_the_last_line_needs_no_end(tmp_path, capsys):
    path = tables.write(tmp_path, "t.csv", X, Y)
    path.write_bytes(path.read_bytes()[:-1])
    assert learn(path, "--target", "y", *RIDGE, "--predictions", tmp_path / "p.csv") == 0
    np.testing.assert_allclose(found(tmp_path), expected(), rtol=1e-9, atol=1e-12)
    assert capsys.readouterr().err == ""


def test_a_pipe_may_end_within_a_line(tmp_path):
    data = tables.text_rows(X, Y).encode()
    arguments = command("learn", "-", *options(tmp_path)[1:])
    run = subprocess.run(arguments, input=data[:-5], capture_output=True, check=True)
    assert run.stderr.startswith(b"nystream: standard input, line 701 has no line end: ")
    subprocess.run(arguments, input=data, capture_output=True, check=True)
    np.testing.assert_allclose(found(tmp_path), expected(), rtol=1e-9, atol=1e-12)


def test_names_of_columns_without_a_line_end_may_not_be_whole(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b,c,y")
    assert learn(*options(tmp_path)) == 2
    assert "t.csv has no line with an end yet" in capsys.readouterr().err


# checkpoints that know less


def forget_hash(path, byte=0):
    """Make a checkpoint as earlier versions wrote it, perhaps some bytes further on."""
    checkpoint = Checkpoint.read(path)
    del checkpoint.state["position"]["digest"]
    checkpoint.state["position"]["byte"] += byte
    checkpoint.write(path)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_a_checkpoint_without_a_hash_goes_on_and_says_so(name, tmp_path, capsys):
    tables.write(tmp_path, name, X[:512], Y[:512])
    assert learn(*options(tmp_path, name)) == 0
    forget_hash(tmp_path / "run.ckpt")
    tables.write(tmp_path, name, X[:600], Y[:600])
    assert learn(*options(tmp_path, name)) == 0
    told = capsys.readouterr().err
    assert "run.ckpt cannot tell whether the input has changed" in told
    assert told.count("\n") == 1
    tables.write(tmp_path, name, X, Y)
    assert learn(*options(tmp_path, name)) == 0
    np.testing.assert_array_equal(found(tmp_path)[:600], expected(600))
    assert "cannot tell" not in capsys.readouterr().err
    tables.write(tmp_path, name, X[::-1], Y)
    assert learn(*options(tmp_path, name)) == 2


def test_a_checkpoint_without_a_hash_does_not_go_on_within_a_line(tmp_path, capsys):
    tables.write(tmp_path, "t.csv", X[:512], Y[:512])
    assert learn(*options(tmp_path)) == 0
    forget_hash(tmp_path / "run.ckpt", byte=3)
    tables.write(tmp_path, "t.csv", X, Y)
    assert learn(*options(tmp_path)) == 2
    assert "t.csv is not what was read before" in capsys.readouterr().err


# one run at a time


def is_held(folder, name):
    lock = folder / f".nystream-{name}.lock"
    return lock.exists() and lock.read_bytes()


def wait_until(is_true):
    deadline = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("option", ["--checkpoint", "--predictions", "--save"])
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_a_second_run_is_refused_until_the_first_has_ended(option, tmp_path, capsys):
    path = tables.write(tmp_path, "t.csv", X, Y)
    shared = tmp_path / "shared.csv"
    rest = ["--target", "y", *RIDGE, option, shared]
    with running(command("learn", "-", *rest), stdin=subprocess.PIPE) as first:
        first.stdin.write(b"a,b,c,y\n1,2,3,4\n")
        first.stdin.flush()
        wait_until(lambda: is_held(tmp_path, "shared.csv"))
        wait_until(lambda: option != "--predictions" or shared.exists())
        before = contents(tmp_path)
        assert learn(path, *rest) == 2
        error = capsys.readouterr().err
        holder = f"another process is writing to {shared}: process {first.pid}, since 20"
        assert holder in error
        assert error.count("\n") == 1
        assert contents(tmp_path) == before
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert is_held(tmp_path, "shared.csv")  # the file, which nobody has locked
    shared.unlink(missing_ok=True)
    assert learn(path, *rest) == 0
    assert set(contents(tmp_path)) == {"t.csv", "shared.csv"}


def test_a_lock_is_one_whatever_the_file_is_called(tmp_path):
    (tmp_path / "folder").mkdir()
    os.symlink(tmp_path / "one", tmp_path / "folder" / "two")
    with locked(tmp_path / "one"):
        for name in ("folder/../one", "folder/two"):
            held = pytest.raises(ValueError, match=f"writing to .*: process {os.getpid()}, since")
            with held, locked(tmp_path / name):
                pass
        with locked(tmp_path / "other"):
            pass
    with locked(tmp_path / "one"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_lock_that_was_removed_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    """Whoever ends removes the file that the next one may have opened already."""
    from nystream._runs import locks

    lock = tmp_path / ".nystream-one.lock"
    take, taken = locks.take, []

    def late(descriptor):
        take(descriptor)
        taken.append(descriptor)
        if len(taken) == 1:
            lock.unlink()

    monkeypatch.setattr(locks, "take", late)
    with locked(tmp_path / "one"):
        assert len(taken) == 2
        assert lock.exists()


def test_a_file_system_without_locks_has_none_to_hold(tmp_path, monkeypatch):
    import errno

    from nystream._runs import locks

    def refuse(number):
        def take(descriptor):
            raise OSError(number, "no")

        return take

    monkeypatch.setattr(locks, "take", refuse(errno.ENOLCK))
    with locked(tmp_path / "one"), locked(tmp_path / "one"):
        pass
    monkeypatch.setattr(locks, "take", refuse(errno.EIO))
    with pytest.raises(OSError, match="no"), locked(tmp_path / "one"):
        pass
