"""The learner without settings: the ways to use it, and what it refuses."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest
from auto_streams import moving_stream, skewed_stream
from support import random_stream

import nystream
from nystream import datasets

# The ways to use it


def test_before_anything_is_learned_it_predicts_0_and_then_the_mean():
    X, y = random_stream(3, 3)
    model = nystream.Auto()
    assert model.predict_one(X[0]) == 0.0
    np.testing.assert_array_equal(model.predict_many(X), np.zeros(3))
    model.learn_many(X, y)
    assert model.predict_one(X[0]) == pytest.approx(y.mean(), rel=1e-14)


def test_many_rows_at_once_are_the_same_as_one_by_one():
    X, y = datasets.abrupt_drift(2500, at=1500, shift=1.0)
    one, many, pieces = nystream.Auto(), nystream.Auto(), nystream.Auto()
    expected = []
    for x, label in zip(X, y, strict=True):
        expected.append(one.predict_one(x))
        one.learn_one(x, label)
    np.testing.assert_allclose(many.progressive(X, y), expected, rtol=0, atol=1e-8)
    found = [pieces.progressive(X[i : i + 37], y[i : i + 37]) for i in range(0, len(y), 37)]
    np.testing.assert_allclose(np.concatenate(found), expected, rtol=0, atol=1e-8)


def test_threads_change_nothing_to_the_last_bit():
    X, y = datasets.friedman(1500)
    states = []
    try:
        for n_threads in (1, 2, 5):
            nystream.set_num_threads(n_threads)
            model = nystream.Auto(max_basis=60)
            model.learn_many(X, y)
            states.append(model.to_bytes())
    finally:
        nystream.set_num_threads(None)
    assert states[0] == states[1] == states[2]


# Labels without a long tail, and with one.
STREAMS = {"moving": moving_stream, "skewed": skewed_stream}

COPIES = {
    "bytes": lambda model: nystream.Auto.from_bytes(model.to_bytes()),
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("n_rows", [0, 5, 8, 40, 64, 65, 500])
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("stream", STREAMS)
def test_copies_go_on_bit_for_bit(stream, way, n_rows):
    X, y = STREAMS[stream](700)
    model = nystream.Auto(warm_up=64, max_basis=20)
    if n_rows:
        model.learn_many(X[:n_rows], y[:n_rows])
    other = COPIES[way](model)
    assert other.to_bytes() == model.to_bytes()
    expected = model.progressive(X[n_rows:], y[n_rows:])
    np.testing.assert_array_equal(other.progressive(X[n_rows:], y[n_rows:]), expected)
    assert other.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("n_rows", [5, 40, 500])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_scorer_predicts_the_same(stream, n_rows):
    X, y = STREAMS[stream](700)
    model = nystream.Auto(warm_up=64, max_basis=20)
    model.learn_many(X[:n_rows], y[:n_rows])
    expected = model.predict_many(X)
    np.testing.assert_array_equal(model.scorer().predict_many(X), expected)
    one = [model.predict_one(x) for x in X]
    # Coefficients of kernels on rows close to each other are large, and of both signs.
    np.testing.assert_allclose(one, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_rows", [5, 20, 200])
def test_rows_that_gain_features(n_rows):
    """As if the new ones had been 0 all along; what they tell is learned."""
    X, _ = random_stream(1500, 3)
    y = X[:, 0] + np.where(np.arange(1500) < n_rows, 0.0, np.sin(3 * X[:, 2]))
    padded = X[:n_rows] * [1.0, 1.0, 0.0]
    model, wide = nystream.Auto(warm_up=64), nystream.Auto(warm_up=64)
    model.learn_many(X[:n_rows, :2], y[:n_rows])
    model.widen(3)
    wide.learn_many(padded, y[:n_rows])
    assert model.n_features == 3
    predictions = model.progressive(X[n_rows:], y[n_rows:])
    expected = wide.progressive(X[n_rows:], y[n_rows:])
    np.testing.assert_allclose(predictions, expected, rtol=0, atol=1e-9)
    assert np.mean((predictions - y[n_rows:])[-500:] ** 2) < 0.1 * np.var(y[-500:])


@pytest.mark.parametrize("n_rows", [5, 20, 200])
def test_rows_of_weight_zero_are_predicted_and_not_learned(n_rows):
    X, y = random_stream(n_rows + 10, 3)
    model = nystream.Auto(warm_up=64)
    model.learn_many(X[:n_rows], y[:n_rows])
    before, expected = model.to_bytes(), model.predict_many(X[n_rows:])
    found = model.progressive(X[n_rows:], y[n_rows:], np.zeros(10))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert model.to_bytes() == before


def test_rows_that_weigh_more_matter_more():
    X, y = random_stream(1000, 2)
    odd = np.arange(1000) % 2 == 1
    labels = np.where(odd, 1 - y, y)
    model = nystream.Auto()
    model.learn_many(X, labels, np.where(odd, 1e-3, 1.0))
    assert np.mean((model.predict_many(X) - y) ** 2) < 0.1 * np.var(y)


def test_experts_tell_what_they_are():
    X, y = datasets.friedman(1000)
    model = nystream.Auto()
    assert model.experts == []
    model.learn_many(X, y)
    experts = model.experts
    assert all(isinstance(expert, nystream.Expert) for expert in experts)
    assert sum(expert.weight for expert in experts) == pytest.approx(1, rel=1e-9)
    assert all(expert.loss > 0 for expert in experts)
    assert experts[-1].width is experts[-1].ridge is None
    kernels = [expert for expert in experts if expert.kind == "kernel"]
    assert len({expert.width for expert in kernels}) == 5
    kinds = list(dict.fromkeys(expert.kind for expert in experts))
    plain = ["kernel", "linear", "mean", "past", "smooth", "rough", "mixed", "trees"]
    # Five of Friedman's ten features do not matter.
    focused = ["focused kernel", "focused smooth", "focused mixed", "focused trees"]
    assert kinds == plain + focused
    # Friedman's function is smooth but not linear.
    best = min(experts, key=lambda expert: expert.loss)
    linear = [expert.loss for expert in experts if expert.kind in ("linear", "mean", "past")]
    assert best.width is not None
    assert best.loss < 0.7 * min(linear)


def test_labels_with_a_long_tail_have_experts_of_their_own():
    X, y = skewed_stream(3000)
    model = nystream.Auto()
    predictions = model.progressive(X, y)
    best = min(model.experts, key=lambda expert: expert.loss)
    assert best.kind == "stretched"
    assert best.weight > 0.5
    others = [expert.loss for expert in model.experts if expert.kind != "stretched"]
    assert best.loss < 0.9 * min(others)
    # Noise raises the mean of the labels, and not that of their logarithms.
    assert np.mean((predictions - y)[300:]) == pytest.approx(0, abs=0.02 * y.mean())
    plain = nystream.Auto()
    plain.learn_many(X, np.log(y))
    assert "stretched" not in {expert.kind for expert in plain.experts}


@pytest.mark.parametrize("n_rows", [20, 200])
def test_rows_gain_features_where_labels_have_a_long_tail(n_rows):
    X, y = skewed_stream(400)
    padded = np.where(np.arange(400)[:, None] < n_rows, X * [1.0, 0.0], X)
    model, wide = nystream.Auto(warm_up=64), nystream.Auto(warm_up=64)
    model.learn_many(X[:n_rows, :1], y[:n_rows])
    model.widen(2)
    wide.learn_many(padded[:n_rows], y[:n_rows])
    found = model.progressive(X[n_rows:], y[n_rows:])
    expected = wide.progressive(X[n_rows:], y[n_rows:])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_experts_have_numbers_for_each_target():
    X, y = datasets.friedman(100)
    model = nystream.Auto(n_targets=2)
    model.learn_many(X, np.column_stack([y, 2 * y]))
    for expert in model.experts:
        assert len(expert.weight) == len(expert.loss) == 2
        # The trees of each target are fitted to other parts of the rows.
        rel = 0.1 if expert.kind == "trees" else 1e-6
        assert expert.loss[1] == pytest.approx(4 * expert.loss[0], rel=rel)


@pytest.mark.parametrize("params", [{"forgetting": 1.0}, {"policy": "freeze"}, {"max_basis": 1}])
def test_other_settings_work(params):
    X, y = datasets.friedman(2000)
    predictions = nystream.Auto(**params).progressive(X, y)
    assert np.mean((predictions - y)[300:] ** 2) < 0.35 * np.var(y)


# What is refused


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (7, ValueError, "warm_up should be at least 8, but is 7"),
        (0, ValueError, "warm_up should be at least 8, but is 0"),
        (-1, ValueError, "warm_up should be a whole number that is not negative, but is -1"),
        (8.5, TypeError, "warm_up should be a whole number that is not negative, but is 8.5"),
        (None, TypeError, "warm_up should be a whole number that is not negative, but is None"),
    ],
)
def test_the_warm_up_has_a_range(value, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        nystream.Auto(warm_up=value)


@pytest.mark.parametrize("n_rows", [5, 20, 200])
def test_a_refused_call_changes_nothing(n_rows):
    X, y = random_stream(n_rows, 3)
    model = nystream.Auto(warm_up=64)
    model.learn_many(X, y)
    before = model.to_bytes()
    bad = np.append(y[:-1], np.nan)
    for call in (
        lambda: model.learn_many(X, bad),
        lambda: model.learn_many(X[:, :2], y),
        lambda: model.learn_many(X, y, np.full(n_rows, -1.0)),
        lambda: model.learn_one(X[0], np.inf),
        lambda: model.learn_one(X[0][:2], 1.0),
        lambda: model.predict_many(X[:, :2]),
    ):
        with pytest.raises(ValueError, match="should"):
            call()
    assert model.to_bytes() == before


def test_a_constant_feature_in_another_precision_is_still_constant():
    X, y = datasets.friedman(600)
    X = np.column_stack([X.astype(np.float32).astype(float), np.full(600, 0.1)])
    model = nystream.Auto(warm_up=64, max_basis=20)
    model.learn_many(X, y)
    single = X.astype(np.float32)
    np.testing.assert_array_equal(model.predict_many(X), model.predict_many(single))
    model.learn_many(single, y)
    assert model.scorer().parts["scales"][-1] == 0
