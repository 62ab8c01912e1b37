"""Learners in use: copied, in many threads, interrupted, for long, and with numbers of any size."""

from __future__ import annotations

import copy
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners import KERNELS, LEARNERS
from support import random_stream, state

import nystream

GROWING = {"AogdAld, switched", "ProsNKons", "ConKons"}  # a row seen before may join again
# They store every row, and what a row costs grows with the stream.
AUTO = {"Auto", "Auto, warming up"}  # its window takes many rows to fill
EVERY_ROW = {name for name, model in LEARNERS.items() if "max_rows" in model.params}
EVERY_ROW |= {"Nogd, filling"}


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
@pytest.mark.parametrize("seen", [0, 1, 150])
def test_copies_go_on_learning_identically(model, stream, duplicate, seen):
    X, y = stream
    if seen:
        model.learn_many(X[:seen], y[:seen])
    other = duplicate(model)
    assert type(other) is type(model)
    assert other.params == model.params
    expected = model.progressive(X[seen:], y[seen:])
    np.testing.assert_array_equal(other.progressive(X[seen:], y[seen:]), expected)
    assert other.to_bytes() == model.to_bytes()
    other.learn_one(X[0], 1.0)
    assert other.n_seen == model.n_seen + 1


def test_a_pickle_opens_in_a_fresh_process(model, stream, tmp_path):
    X, y = stream
    model.learn_many(X, y)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps((model, X[:5])))
    script = (
        "import pickle, sys; model, X = pickle.load(open(sys.argv[1], 'rb')); "
        "print(model.predict_many(X).tolist())"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "model.pickle")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert eval(printed) == model.predict_many(X[:5]).tolist()


def test_classes_are_known_by_their_public_names():
    for name in [*nystream.algorithms(), *nystream.kernels()]:
        assert getattr(nystream, name).__module__ == "nystream"


class Tuned(nystream.NonsAld):
    """What a user might write."""


class Wide(nystream.Gaussian):
    """With a constructor of its own."""

    def __new__(cls):
        return super().__new__(cls, sigma=100.0)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_subclasses_and_their_attributes_survive_copying(stream, protocol):
    model = Tuned(alpha=0.5)
    model.tag = "mine"
    model.learn_many(*stream)
    again = pickle.loads(pickle.dumps(model, protocol))
    assert type(again) is Tuned
    assert again.tag == "mine"
    assert again.to_bytes() == model.to_bytes()
    assert repr(again).startswith("Tuned(")
    assert type(nystream.Learner.from_bytes(model.to_bytes())) is nystream.NonsAld
    kernel = pickle.loads(pickle.dumps(Wide(), protocol))
    assert type(kernel) is Wide
    assert kernel == nystream.Gaussian(100.0)
    plain = nystream.Kernel("Linear")
    assert pickle.loads(pickle.dumps(plain, protocol)) == plain


@pytest.mark.parametrize("name", LEARNERS)
def test_a_long_idle_stretch_does_no_harm(name):
    """Errors so small that their squares are below what float64 can invert, or 0."""
    model = copy.deepcopy(LEARNERS[name])
    rows = np.full((400, 1), 0.3)
    model.learn_many(rows, np.append(np.ones(20), np.zeros(380)))
    model.learn_many([[0.3], [1.3], [2.3]], np.full(3, 1e-160))
    again = pickle.loads(pickle.dumps(model))
    assert again.to_bytes() == model.to_bytes()
    after = model.progressive(rows, np.ones(400))
    assert after[-1] > max(after[0], 0.0) + 0.1 or name == "RunningMean"


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("scale", [1e4, 1e8, 1e12, 1e50])
def test_labels_of_any_size_leave_a_working_model(name, scale):
    model = copy.deepcopy(LEARNERS[name])
    X = np.random.default_rng(0).random((600, 1))
    y = scale * np.sin(6 * X[:, 0])
    predictions = model.progressive(X, y)
    assert np.isfinite(predictions).all()
    assert np.abs(predictions).max() <= 10 * scale
    assert model.n_seen == 600
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


def test_krls_does_not_depend_on_the_scale_of_the_kernel():
    X, y = random_stream(300, 2)
    expected = nystream.KrlsAld(nystream.Linear()).progressive(X, y)
    for scale in [1e-8, 1e8, 1e12]:
        scaled = nystream.KrlsAld(nystream.Linear()).progressive(scale * X, y)
        np.testing.assert_allclose(scaled, expected, rtol=1e-9, atol=1e-9)


def test_weak_references(model):
    assert weakref.ref(model)() is model


@pytest.mark.parametrize("name", LEARNERS)
def test_one_model_in_many_threads(name, stream):
    model = copy.deepcopy(LEARNERS[name])
    X, y = stream
    n_rounds = 2 if name in EVERY_ROW else 20
    stop = threading.Event()
    seen, errors = [], []

    def read():
        while not stop.is_set():
            seen.append(model.n_seen)
            if not np.isfinite(model.predict_many(X[:20])).all():
                errors.append("a prediction is not finite")
            if model.basis.shape[0] > model.n_seen:
                errors.append("more rows kept than seen")

    def learn():
        for i in range(n_rounds):
            model.learn_many(X, y)
            model.learn_one(X[i], y[i])

    readers = [threading.Thread(target=read) for _ in range(2)]
    learners = [threading.Thread(target=learn) for _ in range(3)]
    for thread in readers + learners:
        thread.start()
    for thread in learners:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert model.n_seen == 3 * n_rounds * 301
    assert errors == []
    assert seen == sorted(seen)


def test_other_threads_run_while_an_array_is_learned():
    X, y = random_stream(20_000, 4)
    model = nystream.NonsAld(nystream.Gaussian(0.4), alpha=1e-3, max_basis=300)
    worker = threading.Thread(target=model.learn_many, args=(X, y))
    worker.start()
    naps = 0
    while worker.is_alive():
        time.sleep(0.001)
        naps += 1
    # If the interpreter were held, the one nap would last as long as the whole call.
    assert naps > 5


CTRL_C = {
    "fast rows": (nystream.NonsAld(nystream.Gaussian(0.4), max_basis=100), 1_000_000),
    "slow rows": (nystream.Kaar(nystream.Gaussian(0.4)), 20_000),
}


@pytest.mark.parametrize("rows", CTRL_C)
def test_ctrl_c_stops_between_two_rows_and_its_handler_may_use_the_model(rows):
    fresh, n_rows = CTRL_C[rows]
    X, y = random_stream(n_rows, 4)
    model = copy.deepcopy(fresh)
    seen = []

    def handler(number, frame):
        seen.append(model.n_seen)
        model.predict_one(X[0])
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGINT, handler)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            model.learn_many(X, y)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, usual)
    assert 0 < model.n_seen == seen[0] < len(y)
    other = copy.deepcopy(fresh)
    other.learn_many(X[: model.n_seen], y[: model.n_seen])
    assert other.to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    "name", [name for name in LEARNERS if name not in EVERY_ROW | GROWING | AUTO]
)
def test_memory_is_not_kept_by_rounds(name, stream):
    model = copy.deepcopy(LEARNERS[name])
    X, y = stream
    for _ in range(4):  # until there are as many scores as are kept
        model.learn_many(X, y)
    shapes = {name: array.shape for name, array in state(model).items()}
    for _ in range(5):
        model.learn_many(X, y)
    assert {name: array.shape for name, array in state(model).items()} == shapes


@pytest.mark.slow
def test_the_memory_of_auto_stops_growing_with_its_window(stream):
    model = nystream.Auto(warm_up=40, max_basis=15)
    X, y = (np.tile(part, (28,) + (1,) * (part.ndim - 1)) for part in stream)
    model.learn_many(X, y)
    n_bytes = model.nbytes
    assert state(model)["team.adaptive.window"].shape[0] == 8192
    model.learn_many(X, y)
    assert model.nbytes <= 1.05 * n_bytes


NUMBERS = st.floats(-1e100, 1e100)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([getattr(nystream, name) for name in nystream.algorithms()]),
    st.sampled_from(KERNELS),
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=12),
)
def test_no_numbers_make_a_model_forget_what_a_number_is(learner, kernel, rows):
    try:
        model = learner(kernel) if "kernel" in learner().params else learner()
    except ValueError as error:
        if "shift invariant" not in str(error):
            raise
        return  # a kernel that Fogd has no frequencies for
    data = np.array(rows)
    try:
        predictions = model.progressive(data[:, :2], data[:, 2])
    except ValueError as error:
        if "the kernel value of X[" not in str(error):
            raise
        return  # the kernel would overflow
    assert np.isfinite(predictions).all()
    assert np.isfinite(model.predict_many(data[:, :2])).all()
    for array in state(model).values():
        assert np.isfinite(array).all()
    assert copy.deepcopy(model).to_bytes() == model.to_bytes()
