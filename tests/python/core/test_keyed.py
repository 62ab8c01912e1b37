"""Models by key: what goes in, what comes out, and what a key begins with."""

from __future__ import annotations

import copy
import pickle
import re
import threading

import numpy as np
import pytest

import nystream


def by_key(seed=0, n=1500, n_keys=60, width=3):
    """Keys, rows and labels: keys have slopes alike, and levels of their own."""
    rng = np.random.default_rng(seed)
    keys, X = rng.integers(0, n_keys, n), rng.normal(size=(n, width))
    slopes = np.arange(1.0, width + 1) + 0.2 * rng.normal(size=(n_keys, width))
    level = 3 * rng.normal(size=n_keys)
    return keys, X, (X * slopes[keys]).sum(1) + level[keys] + 0.5 * rng.normal(size=n)


def ages(keys):
    """Number of rows of the same key before each."""
    seen, before = {}, []
    for key in keys.tolist():
        before.append(seen.get(key, 0))
        seen[key] = before[-1] + 1
    return np.array(before)


def linear(**params):
    return nystream.Keyed(nystream.LinearRls(), **params)


def test_without_a_shared_model_it_is_a_dict_of_models_bit_for_bit():
    keys, X, y = by_key(n=600)
    model, apart = nystream.Keyed(nystream.RidgeAld(), shared=False), {}
    expected = []
    for key, x, label in zip(keys.tolist(), X, y, strict=True):
        own = apart.setdefault(key, nystream.RidgeAld())
        expected.append(own.predict_one(x))
        own.learn_one(x, label)
    assert model.progressive(keys, X, y).tolist() == pytest.approx(expected, rel=0, abs=1e-12)
    for key, own in apart.items():
        assert model.model(key).predict_many(X[:5]).tolist() == own.predict_many(X[:5]).tolist()


@pytest.mark.parametrize("learner", [nystream.LinearRls(), nystream.RidgeAld(), nystream.Auto()])
def test_progressive_equals_the_row_loop(learner):
    keys, X, y = by_key(n=400, n_keys=20)
    at_once, loop = nystream.Keyed(learner), nystream.Keyed(learner)
    expected = []
    for key, x, label in zip(keys, X, y, strict=True):
        expected.append(loop.predict_one(key, x))
        assert loop.learn_one(key, x, label) is None
    np.testing.assert_allclose(at_once.progressive(keys, X, y), expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        at_once.predict_many(keys, X), loop.predict_many(keys, X), rtol=0, atol=1e-8
    )


def test_the_first_rows_of_a_key_are_better_than_those_of_a_fresh_and_of_the_shared_model():
    keys, X, y = by_key(n=6000, n_keys=400)
    first = (ages(keys) < 20) & (np.arange(len(y)) > 200)

    def loss(predictions):
        return ((predictions - y)[first] ** 2).mean()

    fresh = loss(linear(shared=False).progressive(keys, X, y))
    shared = loss(nystream.LinearRls().progressive(X, y))
    assert loss(linear().progressive(keys, X, y)) < 0.5 * min(fresh, shared)


def test_a_shared_model_of_its_own():
    keys, X, y = by_key()
    model = linear(shared=nystream.RunningMean())
    model.learn_many(keys, X, y)
    assert isinstance(model.shared, nystream.RunningMean)
    assert model.predict_one("new", X[0]) == pytest.approx(y.mean())
    assert linear(shared=False).shared is None


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_the_number_of_threads_changes_nothing(n_threads):
    keys, X, y = by_key(n=3000)
    expected = linear().progressive(keys, X, y)
    nystream.set_num_threads(n_threads)
    try:
        np.testing.assert_array_equal(linear().progressive(keys, X, y), expected)
    finally:
        nystream.set_num_threads(None)


def test_labels_to_come_change_no_prediction():
    keys, X, y = by_key(n=900)
    later = np.arange(len(y)) >= 500
    other = np.where(later, np.random.default_rng(1).permutation(y), y)
    first, second = (linear().progressive(keys, X, labels) for labels in (y, other))
    np.testing.assert_array_equal(first[:501], second[:501])
    assert (first[501:] != second[501:]).any()


def columns(keys):
    """The same keys as columns of any library."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    texts = [f"shop {key}" for key in keys]
    yield keys.tolist(), keys
    yield keys.tolist(), keys.astype(np.int16)
    yield keys.tolist(), keys.astype(np.uint64)
    yield keys.tolist(), pandas.Series(keys)
    yield keys.tolist(), keys[::-1][::-1]
    for given in (
        texts,
        tuple(texts),
        np.array(texts),
        np.array(texts, dtype=object),
        pandas.Series(texts),
        pandas.Series(texts, dtype="category"),
        polars.Series(texts),
        pyarrow.chunked_array([texts]),
        pyarrow.array(texts),
    ):
        yield texts, given


def test_keys_of_any_column():
    keys, X, y = by_key(n=100)
    for plain, given in columns(keys):
        expected = linear()
        expected.learn_many(plain, X, y)
        model = linear()
        model.learn_many(given, X, y)
        assert model.to_bytes() == expected.to_bytes()
        assert model.keys() == list(dict.fromkeys(plain))


def test_integers_and_texts_that_look_alike_are_different_keys():
    model = linear()
    model.learn_many([7, "7", 7], [[0.0]] * 3, [1.0, 2.0, 3.0])
    assert model.keys() == [7, "7"]
    assert (len(model), model.model(7).n_seen, model.model("7").n_seen) == (2, 2, 1)
    assert 7 in model
    assert np.int8(7) in model
    assert "8" not in model
    model.drop(7)
    assert model.keys() == ["7"]


def test_rows_of_any_layout():
    keys, X, y = by_key(n=300)
    expected = linear()
    expected.learn_many(keys, X, y)
    for other in (np.asfortranarray(X), X[::-1][::-1], np.repeat(X, 2, axis=1)[:, ::2], X.tolist()):
        model = linear()
        model.learn_many(keys, other, y)
        assert model.to_bytes() == expected.to_bytes()
    narrow = linear()
    narrow.learn_many(keys, X.astype(np.float32), y)
    predictions = narrow.predict_many(keys, X.astype(np.float32))
    np.testing.assert_allclose(predictions, expected.predict_many(keys, X), atol=1e-4)


REFUSED = [
    (lambda m: m.learn_one(1.5, [0.0] * 3, 1.0), TypeError, "key should be a string or a whole"),
    (lambda m: m.learn_one(True, [0.0] * 3, 1.0), TypeError, "whole number, but is True"),
    (lambda m: m.learn_one(2**63, [0.0] * 3, 1.0), ValueError, "from -2^63 to 2^63 - 1"),
    (lambda m: m.learn_one("a", [0.0] * 2, 1.0), ValueError, "x should have 3 features"),
    (lambda m: m.learn_one("a", [0.0] * 3, np.nan), ValueError, "y should be a finite"),
    (lambda m: m.learn_many(["a", None], np.zeros((2, 3)), [0, 0]), TypeError, "keys[1] should"),
    (lambda m: m.learn_many(["a"], np.zeros((2, 3)), [0, 0]), ValueError, "keys should have as"),
    (lambda m: m.learn_many("ab", np.zeros((2, 3)), [0, 0]), TypeError, "an array or a list of"),
    (lambda m: m.learn_many(np.zeros(2), np.zeros((2, 3)), [0, 0]), TypeError, "dtype float64"),
    (lambda m: m.learn_many(np.zeros((2, 1), int), np.zeros((2, 3)), [0, 0]), ValueError, "(2, 1)"),
    (lambda m: m.learn_many([1, 2], np.zeros((2, 3)), [0]), ValueError, "y should have as many"),
    (
        lambda m: m.learn_many([1, 2], [[0.0] * 3, [0.0, np.inf, 0.0]], [0, 0]),
        ValueError,
        "X[1, 1] should be",
    ),
    (lambda m: m.predict_many(["a"], np.zeros((1, 2))), ValueError, "X should have 3 features"),
    (lambda m: m.predict_interval(["a"], np.zeros((1, 3)), 1.0), ValueError, "level should be"),
    (lambda m: m.model("none"), KeyError, "none"),
    (lambda m: m.drop("none"), KeyError, "none"),
    (lambda m: 1.5 in m, TypeError, "key should be"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_a_refused_call_changes_nothing(call, error, message):
    model = linear()
    model.learn_many(*by_key(n=50))
    before = model.to_bytes()
    with pytest.raises(error, match=re.escape(message)):
        call(model)
    assert model.to_bytes() == before


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: nystream.Keyed("linear"), TypeError, "model should be a learner that has"),
        (lambda: linear(shared="yes"), TypeError, "shared should be a learner that has"),
        (lambda: linear(max_keys=0), ValueError, "max_keys should be at least 1, but is 0"),
        (lambda: linear(max_keys=1.5), TypeError, "max_keys should be a whole number"),
        (lambda: linear(store=1), TypeError, "store should be a string or a path"),
        (lambda: nystream.Keyed(nystream.LinearRls(n_targets=2)), ValueError, "n_targets should"),
        (lambda: nystream.Keyed(nystream.Pkawv(max_rows=9)), ValueError, "Pkawv is given max_rows"),
        (
            lambda: nystream.Keyed(nystream.Auto(), shared=nystream.Auto(missing="error")),
            ValueError,
            "shared should say of columns what model does, or nothing",
        ),
        (
            lambda: nystream.Keyed(nystream.Auto(), shared=nystream.Fogd(frequencies=[[1.0]])),
            ValueError,
            "frequencies were given",
        ),
    ],
)
def test_what_it_cannot_be_made_of(make, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make()


def test_a_model_that_has_learned_is_refused():
    learned = nystream.LinearRls()
    learned.learn_one([0.0], 1.0)
    with pytest.raises(TypeError, match="that has seen nothing"):
        nystream.Keyed(learned)


def test_copies_pickles_and_bytes_go_on_exactly():
    keys, X, y = by_key(n=800)
    model = linear(max_keys=20)
    model.learn_many(keys[:500], X[:500], y[:500])
    copies = [
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        nystream.Keyed.from_bytes(model.to_bytes()),
    ]
    expected = model.progressive(keys[500:], X[500:], y[500:])
    for other in copies:
        np.testing.assert_array_equal(other.progressive(keys[500:], X[500:], y[500:]), expected)
        assert other.to_bytes() == model.to_bytes()


def test_names_of_columns_are_held_to():
    pandas = pytest.importorskip("pandas")
    keys, X, y = by_key(n=50)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = linear()
    model.learn_many(keys, frame, y)
    assert model.feature_names == ["a", "b", "c"]
    assert model.model(keys[0]).feature_names == model.shared.feature_names == ["a", "b", "c"]
    assert model.n_features == 3
    with pytest.raises(ValueError, match="X"):
        model.predict_many(keys, frame[["b", "a", "c"]])
    model.learn_one(1, frame.iloc[0], 1.0)


def test_intervals_hold_labels_of_old_and_new_keys():
    keys, X, y = by_key(n=9000, n_keys=300)
    model = linear()
    model.learn_many(keys[:6000], X[:6000], y[:6000])
    low, high = model.predict_interval(keys[6000:], X[6000:], level=0.8).T
    assert 0.77 < ((low <= y[6000:]) & (y[6000:] <= high)).mean() < 0.88
    new = model.predict_interval("new", X[0], level=0.8)
    assert new.shape == (2,)
    assert np.diff(new) > 2 * np.median(high - low)
    assert model.predict_interval(["new"], X[:1], level=0.8).shape == (1, 2)


def test_the_text_says_how_much_has_been_learned():
    model = linear()
    assert repr(model).endswith(", n_targets=1), 0 keys, 0 rows>")
    model.learn_one("a", [0.0], 1.0)
    assert repr(model).endswith(", 1 key, 1 row>")
    model.learn_many(["b", "a"], [[0.0], [1.0]], [1.0, 2.0])
    assert repr(model).endswith(", 2 keys, 3 rows>")


def test_two_threads_lose_no_row():
    keys, X, y = by_key(n=2000)
    model = linear()

    def learn():
        for first in range(0, 2000, 100):
            rows = slice(first, first + 100)
            model.learn_many(keys[rows], X[rows], y[rows])
            model.predict_many(keys[rows], X[rows])

    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.n_seen == 4000
    known = model.keys()
    assert sum(model.model(key).n_seen for key in known) == 4000


def test_a_key_is_small():
    keys, X, y = np.arange(2000), *by_key(n=2000, width=8)[1:]
    model = linear()
    for _ in range(3):
        model.learn_many(keys, X, y)
    assert model.nbytes / len(model) < 1000


@pytest.mark.parametrize(
    ("learner", "n_keys", "sizes"),
    [
        (nystream.RidgeAld(), 200, {1: 300, 10: 2_700, 30: 16_300, 100: 194_000}),
        (nystream.Auto(), 8, {1: 1_950, 10: 187_000, 30: 387_000, 100: 2_250_000}),
    ],
)
def test_a_key_is_as_large_as_what_it_has_learned(learner, n_keys, sizes):
    model, seen = nystream.Keyed(learner, shared=False), 0
    rng = np.random.default_rng(0)
    for n_rows, most in sizes.items():
        keys, seen = np.tile(np.arange(n_keys), n_rows - seen), n_rows
        X = rng.normal(size=(len(keys), 8))
        model.learn_many(keys, X, np.sin(X).sum(1))
        assert model.n_seen == n_rows * n_keys
        assert 0.6 * most < model.nbytes / n_keys < most
