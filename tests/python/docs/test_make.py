"""A missing tool is reported in one clear line, and a command that takes too long is ended."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from support import ROOT


@pytest.fixture
def path(tmp_path):
    """A folder with the few programs that `make tools` itself needs."""
    for program in ["make", "sh"]:
        (tmp_path / program).symlink_to(shutil.which(program))
    (tmp_path / "python3").symlink_to(sys.executable)
    return tmp_path


def complaint(path, *arguments):
    command = ["make", "--silent", "tools", *arguments]
    environment = {"PATH": str(path), "MAKEFLAGS": ""}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode != 0
    return run.stdout.splitlines()


def test_no_rust(path):
    assert complaint(path) == [
        "nystream needs Rust 1.89 or newer, but there is no cargo: https://rustup.rs installs it"
    ]


def test_no_python(path):
    expected = ["nystream needs Python 3.10 or newer, but there is no python9"]
    assert complaint(path, "PYTHON=python9") == expected


def test_old_python(path):
    # `false` fails the question for its version, as an old Python does.
    (path / "old").symlink_to(shutil.which("false"))
    expected = ["nystream needs Python 3.10 or newer, but old is older"]
    assert complaint(path, "PYTHON=old") == expected


def limited(seconds, script):
    command = [sys.executable, str(ROOT / "tests" / "limit.py"), seconds, sys.executable, "-c"]
    return subprocess.run([*command, script], capture_output=True, text=True)


def test_a_command_that_takes_too_long_is_ended_with_its_children():
    # The pipe is only closed when nobody holds it any more.
    sleep = "[sys.executable, '-c', 'import time; time.sleep(99)']"
    run = limited("0.5", f"import subprocess, sys; subprocess.run({sleep})")
    assert run.returncode == 124
    assert run.stderr.endswith("took more than 0.5 s\n")


def test_a_command_that_ends_in_time_has_its_own_status():
    assert limited("60", "raise SystemExit(3)").returncode == 3
