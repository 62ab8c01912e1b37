"""A data set, and runs of a comparison on it."""

from __future__ import annotations

from support import random_stream

from nystream._study.runner import run
from nystream.datasets import Dataset


def dataset(n_rows=300, name="random", seed=0, **changes):
    X, y = random_stream(n_rows, 3, seed)
    return Dataset(name=name, X=X, y=y, **{"sigma": 2.0, **changes})


def carry_out(tasks, jobs=2):
    results = {}
    outcome = run(
        tasks, jobs=jobs, done=lambda r: results.__setitem__(r.key, r), progress=lambda _: None
    )
    assert not outcome.stopped
    return results, outcome
