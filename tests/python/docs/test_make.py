"""A missing tool is reported in one clear line."""

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
