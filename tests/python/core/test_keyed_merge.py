"""Models by key that are put together, taken apart, and given models."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest

import nystream

RNG = np.random.default_rng(0)
KEYS = RNG.integers(0, 40, 1200)
X = RNG.normal(size=(1200, 3))
Y = X.sum(1) + RNG.normal(size=40)[KEYS]


def linear(**params):
    return nystream.Keyed(nystream.LinearRls(), **params)


def learned(rows, **params):
    model = linear(**params)
    model.learn_many(KEYS[rows], X[rows], Y[rows])
    return model


def shards(n, **params):
    return [learned(KEYS % n == i, **params) for i in range(n)]


def test_shards_are_merged_and_cut_into_others(tmp_path):
    whole = learned(slice(None), shared=False)
    paths = [tmp_path / f"{i}.nys" for i in range(3)]
    for path, shard in zip(paths, shards(3, shared=False), strict=True):
        shard.save(path)
    merged = nystream.Keyed.merge(map(nystream.load, paths))
    assert (len(merged), merged.n_seen) == (40, 1200)
    known = merged.keys()
    others = [merged.subset([key for key in known if key % 2 == i]) for i in range(2)]
    for i, shard in enumerate(others):
        mine = i == KEYS % 2
        assert sorted(shard.keys()) == sorted(set(KEYS[mine].tolist()))
        expected = whole.predict_many(KEYS[mine], X[mine])
        np.testing.assert_array_equal(shard.predict_many(KEYS[mine], X[mine]), expected)
        assert shard.n_seen == 1200


def test_the_shared_model_is_the_one_of_all_rows():
    merged = nystream.Keyed.merge(shards(2))
    line = nystream.LinearRls()
    line.learn_many(X, Y)
    np.testing.assert_allclose(merged.shared.predict_many(X), line.predict_many(X), atol=1e-9)
    errors = merged.progressive(KEYS, X, Y) - Y
    assert np.abs(errors).mean() < 0.2
    low, high = merged.predict_interval(KEYS, X, level=0.9).T
    assert ((low <= Y) & (high >= Y)).mean() > 0.8


def test_parameters_of_memory_are_those_of_the_first(tmp_path):
    first, second = (learned(i == KEYS % 2) for i in range(2))
    small = nystream.Keyed.merge([linear(max_keys=5, store=tmp_path), first, second])
    large = nystream.Keyed.merge([first, second])
    assert (small.params["max_keys"], large.params["max_keys"]) == (5, None)
    np.testing.assert_array_equal(small.predict_many(KEYS, X), large.predict_many(KEYS, X))
    assert small.nbytes < large.nbytes


def test_a_model_of_a_key_moves():
    source, target = learned(KEYS < 20, shared=False), learned(KEYS >= 20, shared=False)
    target.insert(3, source.model(3))
    mine = KEYS == 3
    expected = source.predict_many(KEYS[mine], X[mine])
    np.testing.assert_array_equal(target.predict_many(KEYS[mine], X[mine]), expected)
    assert target.model(3).n_seen == mine.sum()
    assert np.isfinite(target.predict_interval(3, X[0])).all()


def mean():
    return nystream.Keyed(nystream.RunningMean())


def with_columns():
    return nystream.Keyed(nystream.Tabular(nystream.LinearRls()))


def waiting():
    model = linear()
    model.learn_many([1, 2], X[:2], Y[:2], delay=1)
    return model


def of_mean(key):
    model = mean()
    model.learn_one(key, [0.0], 1.0)
    return model


REFUSED = [
    (list, ValueError, "models should have at least one model"),
    (lambda: 3, TypeError, "models should be a list of Keyed"),
    (lambda: [linear(), nystream.LinearRls()], TypeError, "models[1] should be a Keyed"),
    (lambda: [linear(), mean()], ValueError, "models[1] should have the same model as models[0]"),
    (lambda: [linear(), linear(shared=False)], ValueError, "the same shared as models[0]"),
    (lambda: [with_columns()], ValueError, "models[0] cannot be merged, because it has columns"),
    (lambda: [linear(), waiting()], ValueError, "models[1] should have no labels that wait"),
    (lambda: [of_mean(1), of_mean(2)], ValueError, "models that are RunningMean cannot be merged"),
    (lambda: [of_mean("a"), mean(), of_mean("a")], ValueError, 'but both have "a"'),
]


@pytest.mark.parametrize(("models", "error", "message"), REFUSED)
def test_what_cannot_be_merged_is_named(models, error, message):
    with pytest.raises(error, match=re.escape(message)):
        nystream.Keyed.merge(models())


def line(**params):
    model = nystream.LinearRls(**params)
    model.learn_many(X[:9], Y[:9])
    return model


INSERTED = [
    (lambda m: m.insert(3, line()), ValueError, "of the key 3, which has one: drop it first"),
    (lambda m: m.insert("new", line(ridge=0.5)), ValueError, "model should be a LinearRls(ridge=0"),
    (lambda m: m.insert("new", nystream.RidgeAld()), ValueError, "but is a RidgeAld(kernel="),
    (lambda m: m.insert("new", m), TypeError, "model should be a learner"),
    (lambda m: m.insert(1.5, line()), TypeError, "key should be a string or a whole number"),
    (lambda m: m.subset(["new"]), KeyError, "new"),
    (lambda m: m.subset("new"), TypeError, "keys should be an array or a list"),
]


@pytest.mark.parametrize(("call", "error", "message"), INSERTED)
def test_a_refused_call_changes_nothing(call, error, message):
    model = learned(slice(0, 100))
    before = model.to_bytes()
    with pytest.raises(error, match=re.escape(message)):
        call(model)
    assert model.to_bytes() == before
    with pytest.raises(ValueError, match="where there are columns"):
        with_columns().insert("a", line())


def test_merges_of_the_same_models_in_any_order_do_not_wait_for_each_other():
    models = shards(2, shared=False)
    found = []

    def merge(given):
        found.extend(len(nystream.Keyed.merge(given)) for _ in range(20))

    threads = [threading.Thread(target=merge, args=(g,)) for g in (models, models[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert found == [40] * 40
