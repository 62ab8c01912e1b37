"""Where the output of commands goes, and what is said before they begin if it cannot."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import tables
from support import command, random_stream

import nystream
from nystream._cli import main

X, Y = random_stream(300, 3)
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table and a model, which is the current one."""
    monkeypatch.chdir(tmp_path)
    tables.write(tmp_path, "t.csv", X, Y)
    model = nystream.RidgeAld()
    model.learn_many(X, Y)
    model.save("m.nys")
    (tmp_path / "folder").mkdir()
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


LEARN = ["learn", "t.csv", "--target", "y"]
SCORE = ["score", "m.nys", "t.csv", "--drop", "y"]


OPTIONS = ("--save", "--predictions", "--checkpoint")
TWICE = ["--save", "x.csv", "--predictions", "folder/../x.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(([*LEARN, o, "no/x.csv"], f"{o} no/x.csv: there is no folder") for o in OPTIONS),
        *(([*LEARN, o, "folder"], f"{o} should be a file, but folder is a") for o in OPTIONS),
        *(([*LEARN, o, "./t.csv"], f"{o} should not be the input, t.csv") for o in OPTIONS),
        ([*LEARN, *TWICE], "--predictions and --save should not be the same file, folder/../x.csv"),
        ([*LEARN, "--save", "x", "--checkpoint", "x"], "--checkpoint and --save should not be the"),
        ([*SCORE, "--output", "no/such.csv"], "--output no/such.csv: there is no folder"),
        ([*SCORE, "--output", "t.csv"], "--output should not be the input, t.csv"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_the_run(
    options, message, folder, capsys, monkeypatch
):
    def never(*_):
        raise AssertionError("a row was read")

    monkeypatch.setattr("nystream._tables.text_table.TextTable.chunks", never)
    before = names(folder), (folder / "t.csv").read_bytes()
    assert main(options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert (names(folder), (folder / "t.csv").read_bytes()) == before


@pytest.mark.skipif(IS_ROOT, reason="nothing is forbidden to root")
@pytest.mark.parametrize("option", ["--save", "--predictions", "--checkpoint"])
def test_a_folder_that_may_not_be_written_is_refused(option, folder, capsys):
    (folder / "folder").chmod(0o500)
    assert main([*LEARN, option, "folder/x.csv"]) == 2
    assert f"{option} folder/x.csv may not be written" in capsys.readouterr().err


def test_a_place_that_may_not_be_written_is_told(folder, capsys, monkeypatch):
    """As the system says it, which forbids nothing to root."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert main([*LEARN, "--save", "folder/m.nys"]) == 2
    assert "--save folder/m.nys may not be written" in capsys.readouterr().err


def test_no_lock_is_left(folder):
    before = names(folder)
    assert main([*LEARN, "--save", "a", "--predictions", "b.csv", "--checkpoint", "c"]) == 0
    assert main([*SCORE, "--output", "d.csv"]) == 0
    assert names(folder) == sorted([*before, "a", "b.csv", "c", "d.csv"])


# streams that are closed


def shell(line):
    """What a shell's line returns, prints and says, with this `nystream`."""
    program = " ".join(map(repr, command()))
    run = subprocess.run(
        ["bash", "-c", line.replace("nystream", program)], capture_output=True, text=True
    )
    return run.returncode, run.stdout, run.stderr


pytest_bash = pytest.mark.skipif(sys.platform == "win32", reason="there is no bash on Windows")


@pytest_bash
@pytest.mark.slow
def test_a_closed_output_is_told_in_a_line(folder):
    message = "nystream: error: the standard output is closed: predictions need a file to go to\n"
    assert shell("nystream score m.nys t.csv --drop y >&-") == (2, "", message)
    assert shell("nystream learn t.csv --target y --predictions - >&-") == (2, "", message)
    assert shell("nystream score m.nys t.csv --drop y --output p.csv >&-") == (0, "", "")
    assert len((folder / "p.csv").read_text().splitlines()) == 301
    told = "nystream: columns: 3 numbers\n"
    assert shell("nystream learn t.csv --target y >&-") == (0, "", told)


@pytest_bash
def test_a_closed_input_is_told_in_a_line(folder):
    message = "nystream: error: the standard input is closed\n"
    assert shell("nystream score m.nys - <&-") == (2, "", message)


@pytest_bash
def test_what_is_said_beside_a_closed_error_output_is_not_among_the_predictions(folder):
    code, printed, _ = shell("nystream score m.nys t.csv --target y 2>&-")
    assert code == 0
    assert len(printed.splitlines()) == 301
    assert "RMSE" not in printed
    assert shell("nystream score nothing.nys t.csv 2>&-") == (2, "", "")
