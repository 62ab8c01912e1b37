"""What Ctrl-C and SIGTERM do to commands: the first ends them in order, the second at once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tables
from support import ROOT, command, random_stream, running

import nystream

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="there is no SIGINT to send on Windows"
)

# Native code that knows nothing of Python's signals, in place of a piece of a command's work. One
# that comes just before it is forgotten, as if it had come just after.
STUCK = """
import contextlib, hashlib, sys
from nystream._study import runner
from nystream._runs import learning, scoring

def stuck(*_):
    print("stuck", flush=True)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

learning.Learning._learn = scoring.Scoring._score = runner.execute = stuck
from nystream._cli import main
sys.exit(main())
"""


def arguments_of(name, folder):
    X, y = random_stream(50, 3)
    path = tables.write(folder, "t.csv", X, y)
    nystream.RidgeAld().save(folder / "m.nys")
    return {
        "learn": ["learn", path, "--target", "y"],
        "score": ["score", folder / "m.nys", path, "--drop", "y", "--output", os.devnull],
        "bench": ["bench", "--datasets", "friedman", "--rows", "100", "--out", folder / "out"],
    }[name]


def send(process, number):
    """Send a signal and wait until it has arrived: of two that wait, the system keeps one."""
    process.send_signal(number)
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None and not re.search(r"ShdPnd:\t0+\n", status.read_text()):
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which signals have arrived")
@pytest.mark.parametrize("name", ["learn", "score", "bench"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_command_that_is_stuck(name, number, tmp_path):
    """In native code or, as the comparison, in threads that are."""
    arguments = [sys.executable, "-c", STUCK, *map(str, arguments_of(name, tmp_path))]
    with running(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert "stuck" in process.stdout.readline()
        for _ in range(2):
            send(process, number)
        assert process.wait(timeout=60) in (128 + number, -number)


def test_the_first_signal_ends_a_run_in_order(tmp_path):
    arguments = command("learn", "-", "--target", "y", "--chunk", 1, "--predictions", "-")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with running(arguments, **pipes) as process:
        process.stdin.write(b"a,y\n1,2\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"row,prediction\n"
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert process.stderr.read() == b"nystream: stopped\n"


@pytest.mark.slow
def test_the_tests_of_signals_pass_where_they_are_ignored():
    """As in a shell's background: what a test starts must not take that over."""
    script = "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.SIG_IGN);"
    script += "sys.exit(pytest.main(sys.argv[1:]))"
    tests = ["test_the_first_signal_ends_a_run_in_order", "test_a_second_interrupt_is_obeyed"]
    folder = ROOT / "tests" / "python" / "cli"
    files = [folder / "test_signals.py", folder / "test_bench_command.py"]
    options = ["-q", "-p", "no:cacheprovider", "-k", " or ".join(tests)]
    run = subprocess.run(
        [sys.executable, "-c", script, *map(str, files), *options], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout
    assert "2 passed" in run.stdout
