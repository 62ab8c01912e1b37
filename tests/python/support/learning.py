"""The command `nystream learn` with a small model, and the same by hand."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import nystream
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
