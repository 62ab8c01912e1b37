"""Models by key beyond memory: on the disk and back, in files, and after a process was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import nystream


def stream(n=3000, n_keys=200):
    rng = np.random.default_rng(0)
    keys, X = rng.integers(0, n_keys, n), rng.normal(size=(n, 3))
    return keys, X, X.sum(1) + rng.normal(size=n_keys)[keys]


LEARNERS = [nystream.LinearRls(), nystream.RidgeAld(), nystream.RunningMean(), nystream.Auto()]


@pytest.mark.parametrize("learner", LEARNERS)
def test_keys_on_the_disk_come_back_exactly(learner, tmp_path):
    keys, X, y = stream(n=600, n_keys=40)
    few = nystream.Keyed(learner, max_keys=5, store=tmp_path)
    everything = nystream.Keyed(learner)
    for first in range(0, len(y), 4):
        rows = slice(first, first + 4)
        expected = everything.progressive(keys[rows], X[rows], y[rows])
        np.testing.assert_array_equal(few.progressive(keys[rows], X[rows], y[rows]), expected)
    np.testing.assert_array_equal(few.predict_many(keys, X), everything.predict_many(keys, X))
    assert few.nbytes < everything.nbytes
    assert sorted(few.keys()) == sorted(everything.keys())


def test_the_file_of_the_store_has_no_name_and_does_not_grow_for_ever(tmp_path):
    keys, X, y = stream(n=1000, n_keys=100)
    model = nystream.Keyed(nystream.LinearRls(), max_keys=10, store=tmp_path)
    for _ in range(40):
        model.learn_many(keys, X, y)
        if os.name == "posix":
            assert list(tmp_path.iterdir()) == []
    if sys.platform == "linux":
        opened = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
        links = [path for path in opened if os.path.exists(path) or os.path.islink(path)]
        own = [path for path in links if str(tmp_path) in os.readlink(path)]
        assert len(own) == 1
        assert os.stat(own[0]).st_size < 10_000_000


def test_a_store_that_cannot_be_written_to_raises_and_changes_nothing(tmp_path):
    keys, X, y = stream(n=100, n_keys=50)
    model = nystream.Keyed(nystream.LinearRls(), max_keys=10, store=tmp_path / "nowhere")
    model.learn_many(keys[:5], X[:5], y[:5])
    before = model.to_bytes()
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model.learn_many(keys, X, y)
    assert model.to_bytes() == before


@pytest.mark.parametrize("max_keys", [None, 20])
def test_a_file_holds_everything_and_goes_on_exactly(tmp_path, max_keys):
    keys, X, y = stream(n=900)
    model = nystream.Keyed(nystream.LinearRls(), max_keys=max_keys)
    model.learn_many(keys[:600], X[:600], y[:600])
    model.save(tmp_path / "keys.nys")
    again = nystream.load(tmp_path / "keys.nys")
    assert isinstance(again, nystream.Keyed)
    assert repr(again) == repr(model)
    assert str(again.params) == str(model.params)
    expected = model.progressive(keys[600:], X[600:], y[600:])
    np.testing.assert_array_equal(again.progressive(keys[600:], X[600:], y[600:]), expected)


def test_files_that_are_cut_or_changed_are_refused(tmp_path):
    model = nystream.Keyed(nystream.LinearRls())
    model.learn_many(*stream(n=30, n_keys=5))
    data = model.to_bytes()
    path = tmp_path / "keys.nys"
    for n in range(0, len(data), 97):
        path.write_bytes(data[:n])
        with pytest.raises(ValueError, match=r"keys\.nys: not a nystream model"):
            nystream.load(path)
        changed = bytearray(data)
        changed[n] ^= 1
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=r"keys\.nys: not a nystream model"):
            nystream.load(path)


def test_a_file_of_the_other_kind_is_refused_by_name():
    keyed, learner = nystream.Keyed(nystream.LinearRls()), nystream.LinearRls()
    with pytest.raises(ValueError, match="not a nystream model: it should begin with a header"):
        nystream.LinearRls.from_bytes(keyed.to_bytes())
    with pytest.raises(ValueError, match="it holds no models by key"):
        nystream.Keyed.from_bytes(learner.to_bytes())


def test_a_newer_format_is_refused_by_number(tmp_path):
    data = nystream.Keyed(nystream.LinearRls()).to_bytes()
    path = tmp_path / "keys.nys"
    path.write_bytes(data.replace(b"nystream keys 1", b"nystream keys 3", 1))
    with pytest.raises(ValueError, match="its format by key is 3, and this version reads 1 and 2"):
        nystream.load(path)


KILLED = """
import sys
import numpy as np
import nystream

rng = np.random.default_rng(0)
model = nystream.Keyed(nystream.LinearRls(), max_keys=10)
while True:
    keys, X = rng.integers(0, 50, 20), rng.normal(size=(20, 3))
    model.learn_many(keys, X, X.sum(1) + keys)
    model.save(sys.argv[1])
    print(model.n_seen, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
@pytest.mark.parametrize("n_saved", [1, 4, 9])
def test_a_process_that_is_killed_loses_and_doubles_nothing_of_its_checkpoint(tmp_path, n_saved):
    path = tmp_path / "keys.nys"
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        told = [int(process.stdout.readline()) for _ in range(n_saved)]
        process.kill()
    model = nystream.load(path)
    assert model.n_seen >= told[-1]
    rng = np.random.default_rng(0)
    expected = nystream.Keyed(nystream.LinearRls(), max_keys=10)
    while expected.n_seen < model.n_seen:
        keys, X = rng.integers(0, 50, 20), rng.normal(size=(20, 3))
        expected.learn_many(keys, X, X.sum(1) + keys)
    assert model.to_bytes() == expected.to_bytes()
