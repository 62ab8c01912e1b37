"""The fast paths give what the plain ones give: blocks, threads, float32, any processor."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import support
from support import paper_set, random_stream

import nystream

KERNEL = nystream.Gaussian(1.5)

# Each but the last, which has rows of its own below, with enough features for the products.
IN_BLOCKS = {
    "NonsAld": lambda: nystream.NonsAld(KERNEL, alpha=1e-3),
    "NonsAld, tight": lambda: nystream.NonsAld(KERNEL, alpha=1e-3, bound=0.4, target_bound=1.0),
    "NonsAld, capped": lambda: nystream.NonsAld(KERNEL, alpha=1e-3, max_basis=90),
    "AogdAld": lambda: nystream.AogdAld(KERNEL, alpha=1e-3),
    "AogdAld, switching": lambda: nystream.AogdAld(KERNEL, alpha=1e-3, switch_at=77),
    "RidgeAld": lambda: nystream.RidgeAld(KERNEL, alpha=1e-3),
    "RidgeAld, forward": lambda: nystream.RidgeAld(KERNEL, alpha=1e-3, forward=True, clip=True),
    "KrlsAld": lambda: nystream.KrlsAld(KERNEL, alpha=1e-3),
    "ConKons": lambda: nystream.ConKons(KERNEL, gamma=0.02),
    "ProsNKons": lambda: nystream.ProsNKons(KERNEL, gamma=0.02),
    "Fogd": lambda: nystream.Fogd(KERNEL, n_frequencies=100),
    "Nogd": lambda: nystream.Nogd(KERNEL, budget=100),
    "LinearRls": lambda: nystream.LinearRls(),
}


@pytest.fixture(params=IN_BLOCKS)
def make(request):
    return IN_BLOCKS[request.param]


@pytest.fixture(autouse=True)
def _all_threads():
    yield
    nystream.set_num_threads(None)


def by_rows(model, X, y):
    predictions = []
    for x, label in zip(X, y, strict=True):
        predictions.append(model.predict_one(x))
        model.learn_one(x, label)
    return np.array(predictions)


def test_blocks_equal_rows(make):
    X, y = random_stream(1500, 5)
    blocks, rows = make(), make()
    np.testing.assert_allclose(blocks.progressive(X, y), by_rows(rows, X, y), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(blocks.basis, rows.basis)
    np.testing.assert_allclose(blocks.predict_many(X), rows.predict_many(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("learner", [nystream.NonsAld, nystream.RidgeAld, nystream.AogdAld])
def test_blocks_equal_rows_on_real_data(learner):
    X, y, _ = paper_set("elevators")
    alpha = 25 / len(y)
    blocks, rows = (learner(nystream.Gaussian(3.0), alpha=alpha) for _ in range(2))
    np.testing.assert_allclose(blocks.progressive(X, y), by_rows(rows, X, y), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(blocks.basis, rows.basis)
    assert blocks.n_basis > 150


def test_a_dictionary_of_wide_rows_and_wide_features():
    # More features than a block has rows, and rows so far from the origin that distances by
    # products of matrices would be lost.
    rng = np.random.default_rng(0)
    X, y = 1e6 + rng.uniform(-1, 1, (400, 70)), rng.uniform(0, 1, 400)
    blocks, rows = (nystream.NonsAld(nystream.Gaussian(4.0), alpha=1e-3) for _ in range(2))
    np.testing.assert_allclose(blocks.progressive(X, y), by_rows(rows, X, y), rtol=0, atol=1e-9)
    assert blocks.n_basis > 200


@pytest.mark.parametrize("forward", [False, True])
def test_linear_blocks_equal_rows(forward):
    X, y = random_stream(500, 80)
    blocks, rows = (nystream.LinearRls(forward=forward, clip=True) for _ in range(2))
    np.testing.assert_allclose(blocks.progressive(X, y), by_rows(rows, X, y), rtol=0, atol=1e-9)
    np.testing.assert_allclose(blocks.predict_many(X), rows.predict_many(X), rtol=0, atol=1e-9)


def directions(n_rows, d, factor):
    """Rows that grow along one direction and are random along the others."""
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (n_rows, d))
    return X + np.outer(np.minimum(factor ** np.arange(n_rows), 1e5), rng.uniform(-1, 1, d))


@pytest.mark.parametrize("growth", [1.5, 2.0, 3.0, 10.0])
@pytest.mark.parametrize(
    "make",
    [
        lambda: nystream.LinearRls(ridge=1.0),
        lambda: nystream.LinearRls(ridge=1.0, forward=True),
        lambda: nystream.RidgeAld(nystream.Linear(), alpha=1e-9, ridge=1.0),
        lambda: nystream.RidgeAld(nystream.Linear(), alpha=1e-9, ridge=1.0, forward=True),
        lambda: nystream.ConKons(nystream.Linear(), gamma=0.02),
    ],
)
def test_rows_that_grow_along_one_direction(make, growth):
    X, y = directions(100, 80, growth), np.random.default_rng(0).uniform(-1, 1, 100)
    assert_as_close_as_rounding_allows(make, X, y)


@pytest.mark.parametrize("growth", [1.5, 2.0, 3.0, 10.0, 90.0])
@pytest.mark.parametrize("learner", [nystream.NonsAld, nystream.RidgeAld, nystream.KrlsAld])
def test_labels_that_grow_on_one_row(learner, growth):
    # Each of a block's rows may be harmless and all of them together not: then they go one by one.
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (200, 5)), rng.uniform(0, 1, 200)
    X[96:128], y[96:128] = X[0], growth ** (np.arange(32.0) % 12)
    assert_as_close_as_rounding_allows(lambda: learner(KERNEL, alpha=1e-4), X, y)


@pytest.mark.parametrize("sigma", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("alpha", [1e-8, 1e-10])
@pytest.mark.parametrize("learner", [nystream.NonsAld, nystream.RidgeAld, nystream.KrlsAld])
def test_rows_that_creep_along_a_fine_dictionary(learner, alpha, sigma):
    """A few times what a change of the rows by their last digit makes, blocks or not."""
    X = np.linspace(0, 3, 1000)[:, None]
    y = np.sin(3 * X[:, 0])
    rng = np.random.default_rng(0)
    nudged = X * (1 + 2.2e-16 * rng.choice([-1, 0, 1], size=X.shape))

    def make():
        return learner(nystream.Gaussian(sigma), alpha=alpha)

    rows, blocks = by_rows(make(), X, y), make().progressive(X, y)
    explained = [
        np.abs(rows - by_rows(make(), nudged, y)).max(),
        np.abs(blocks - make().progressive(nudged, y)).max(),
    ]
    assert np.abs(rows - blocks).max() <= 1e-9 + 5 * max(explained)


def assert_as_close_as_rounding_allows(make, X, y):
    """Blocks differ from rows by no more than a change in the last digits of the data makes."""
    expected = by_rows(make(), X, y)
    nudged = by_rows(make(), X * (1 + 1e-15), y * (1 + 1e-15))
    amplified = np.maximum.accumulate(np.abs(nudged - expected))
    difference = np.abs(make().progressive(X, y) - expected)
    scale = 1 + np.abs(expected)
    assert np.all(difference <= 1e-9 * scale + 100 * amplified)


def test_pieces_do_not_matter_beyond_rounding(make):
    X, y = random_stream(1000, 5)
    whole, pieces, few = make(), make(), make()
    expected = whole.progressive(X, y)
    cuts = [0, 1, 10, 17, 200, 203, 777, 1000]
    found = [pieces.progressive(X[a:b], y[a:b]) for a, b in pairwise(cuts)]
    np.testing.assert_allclose(np.concatenate(found), expected, rtol=0, atol=1e-9)
    found = [few.progressive(X[a : a + 96], y[a : a + 96]) for a in range(0, 1000, 96)]
    np.testing.assert_array_equal(np.concatenate(found), expected)  # multiples of a block's length


def test_runs_are_the_same_to_the_last_bit(make):
    # Long enough for the clock to be asked for signals, which must not show.
    X, y = random_stream(20_000, 5)
    first, second = make(), make()
    n = (
        20_000
        if "Kons" not in type(first).__name__ and first.params.get("switch_at") is None
        else 2000
    )
    np.testing.assert_array_equal(first.progressive(X[:n], y[:n]), second.progressive(X[:n], y[:n]))
    assert first.to_bytes() == second.to_bytes()


def test_float32_rows_are_read_as_they_are(make):
    X, y = random_stream(700, 5)
    X32 = X.astype(np.float32)
    narrow, wide = make(), make()
    expected = wide.progressive(X32.astype(float), y)
    np.testing.assert_array_equal(narrow.progressive(X32, y), expected)
    np.testing.assert_array_equal(narrow.predict_many(X32), wide.predict_many(X32.astype(float)))
    assert narrow.predict_one(X32[0]) == wide.predict_one(X32[0].astype(float))


def test_a_bad_float32_is_named_and_nothing_is_learned(make):
    X, y = random_stream(2000, 5)
    X32 = X.astype(np.float32)
    model = make()
    model.learn_many(X32[:200], y[:200])
    before = model.to_bytes()
    X32[1777, 3] = np.nan
    for call in (lambda: model.learn_many(X32, y), lambda: model.predict_many(X32)):
        with pytest.raises(ValueError, match=re.escape("X[1777, 3]")):
            call()
    assert model.to_bytes() == before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_float32_rows_are_scored_without_a_copy():
    script = """
import numpy as np, nystream, resource
rng = np.random.default_rng(0)
model = nystream.NonsAld(nystream.Gaussian(3.0), alpha=1e-2, max_basis=10)
model.learn_many(rng.random((100, 50)), rng.random(100))
X = np.full((1_000_000, 50), 0.5, dtype=np.float32)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
model.predict_many(X[:1000])
before = peak()
model.predict_many(X)
print(peak() - before)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    # The predictions take 16 MB while they are put together; a copy of X in float64 would take 400.
    assert float(result.stdout) < 60


def test_threads_do_not_change_scores():
    X, y = random_stream(30_000, 5)
    model = nystream.NonsAld(KERNEL, alpha=1e-3)
    model.learn_many(X[:1000], y[:1000])
    nystream.set_num_threads(1)
    expected = model.predict_many(X)
    for n_threads in (2, 3, 7, None):
        nystream.set_num_threads(n_threads)
        np.testing.assert_array_equal(model.predict_many(X), expected)


def test_few_rows_start_no_threads():
    script = """
import nystream, threading, os
model = nystream.NonsAld()
model.learn_one([0.0], 1.0)
tasks = lambda: len(os.listdir("/proc/self/task"))
before = tasks()
nystream.set_num_threads(50)
model.predict_many([[0.0], [1.0]])
print(tasks() - before)
"""
    if not Path("/proc/self/task").exists():
        pytest.skip("needs Linux's /proc")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert int(result.stdout) == 0


def test_the_number_of_threads():
    assert nystream.get_num_threads() >= 1
    nystream.set_num_threads(3)
    assert nystream.get_num_threads() == 3
    refused = {0: ValueError, -1: ValueError, 20_000: ValueError, 1.5: TypeError, "2": TypeError}
    for wrong, error in refused.items():
        with pytest.raises(error, match=f"n should be .* {re.escape(repr(wrong))}"):
            nystream.set_num_threads(wrong)
    assert nystream.get_num_threads() == 3


@pytest.mark.parametrize("learner", ["Auto", "RidgeAld", "LinearRls"])
@pytest.mark.slow
def test_the_interpreter_ends_while_a_thread_learns(learner):
    """The end takes long enough for the thread to look for signals meanwhile."""
    script = """
import sys, threading, time, nystream
X, y = nystream.datasets.friedman(20_000)
model, learning = getattr(nystream, sys.argv[1])(), threading.Event()
class Slow:
    def __init__(self, sleep): self.sleep = sleep
    def __del__(self): self.sleep(0.3)
def learn():
    learning.set()
    while True: model.learn_many(X, y)
threading.Thread(target=learn, daemon=True).start()
learning.wait()
time.sleep(0.1)
sys.modules["slow"] = Slow(time.sleep)
"""
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-c", script, learner], capture_output=True, text=True, timeout=60
        )
        assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_scores():
    X, y = random_stream(20_000, 5)
    model = nystream.NonsAld(KERNEL, alpha=1e-3)
    model.learn_many(X[:500], y[:500])
    nystream.set_num_threads(2)
    expected = model.predict_many(X)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply_async(model.predict_many, (X,)).get(timeout=60)
    np.testing.assert_array_equal(found, expected)


def test_every_processor_predicts_alike():
    script = """
import json, sys, numpy as np, nystream
sys.path[:0] = sys.argv[1:]
from test_paths import IN_BLOCKS, random_stream
X, y = random_stream(400, 5)
found = {name: make().progressive(X, y).tolist() for name, make in IN_BLOCKS.items()}
print(json.dumps([nystream.instruction_set(), found]))
"""
    folders = [str(Path(module).parent) for module in (__file__, support.__file__)]
    command = [sys.executable, "-c", script, *folders]
    environment = {**os.environ, "NYSTREAM_SIMD": "baseline"}
    result = subprocess.run(command, env=environment, capture_output=True, check=True)
    name, found = json.loads(result.stdout)
    assert name == "baseline"
    X, y = random_stream(400, 5)
    for learner, predictions in found.items():
        expected = IN_BLOCKS[learner]().progressive(X, y)
        np.testing.assert_allclose(predictions, expected, rtol=0, atol=1e-9, err_msg=learner)


def test_bytes_are_of_the_order_of_the_dictionary(make):
    X, y = random_stream(3000, 5)
    model = make()
    model.learn_many(X, y)
    d, J = X.shape[1], max(model.n_basis, 200)  # Fogd has 200 features
    assert 8 * model.n_basis * d < model.nbytes < 8 * (8 * d * J + 8 * J**2) + 10_000


def test_a_full_dictionary_holds_memory():
    X, y = random_stream(40_000, 5)
    model = nystream.NonsAld(KERNEL, alpha=1e-4, max_basis=64)
    model.learn_many(X[:2000], y[:2000])
    assert model.n_basis == 64
    before = model.nbytes
    for _ in range(5):
        model.learn_many(X, y)
        for x, label in zip(X[:500], y[:500], strict=True):
            model.learn_one(x, label)
    assert model.nbytes == before
