"""NaN in plain arrays is a missing value to learners that have columns, and an error to others."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from learners import LEARNERS
from table_streams import MAKERS, small_auto

import nystream

N = 330


def gappy(seed=0, rate=0.15):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4)).astype(np.float32).astype(np.float64)
    y = X[:, 0] + np.sin(2 * X[:, 1]) + 0.1 * rng.normal(size=N)
    X[rng.random(X.shape) < rate] = np.nan
    return X, y


X, Y = gappy()


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def dicts(X):
    return [dict(zip("0123", row, strict=True)) for row in X.tolist()]


def test_gaps_are_filled_in_every_call(make):
    model = make()
    assert np.isfinite(model.progressive(X, Y)).all()
    model.learn_many(X, Y)
    for x, label in zip(X[:30], Y, strict=False):
        assert np.isfinite(model.predict_one(x))
        model.learn_one(x, label)
    model.answer(model.ask(X[0]), Y[0])
    assert np.isfinite(model.progressive(X, Y, delay=4)).all()
    assert np.isfinite(model.predict_many(X)).all()
    assert (np.diff(model.predict_interval(X)) >= 0).all()
    assert model.predict_interval(X[3]).shape == (2,)
    assert model.predict_one([np.nan] * 4) == model.predict_one(np.full(4, np.nan))
    np.testing.assert_array_equal(model.scorer().predict_many(X), model.predict_many(X))


def test_novelty_takes_gaps():
    model = small_auto()
    model.learn_many(X, Y)
    novelty = model.novelty(X)
    assert ((novelty >= 0) & (novelty <= 1)).all()
    assert model.novelty([[np.nan, 1e6, 0.0, 0.0]]) > novelty.mean()


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "float32, Fortran": lambda X: np.asfortranarray(X.astype(np.float32)),
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "reversed twice": lambda X: X[::-1].copy()[::-1],
    "long double": lambda X: X.astype(np.longdouble),
    "lists": lambda X: X.tolist(),
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_array_of_any_layout_gives_the_same(make, layout):
    model, other = make(), make()
    other_X = LAYOUTS[layout](X)
    np.testing.assert_array_equal(other.progressive(other_X, Y), model.progressive(X, Y))
    assert other.to_bytes() == model.to_bytes()
    np.testing.assert_array_equal(other.predict_many(other_X), model.predict_many(X))
    np.testing.assert_array_equal(other.predict_interval(other_X), model.predict_interval(X))


def test_rows_one_by_one_are_the_array(make):
    model, singly = make(), make()
    found = []
    for x, label in zip(X, Y, strict=True):
        found.append(singly.predict_one(x))
        singly.learn_one(x, label)
    np.testing.assert_allclose(model.progressive(X, Y), found, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("first", [0, 1, 40, 300])
def test_gaps_may_begin_at_any_row(make, first):
    full = np.where(np.isnan(X), 0.5, X)
    late = np.where(np.arange(N)[:, None] < first, full, X)
    model = make()
    found = np.concatenate(
        [
            model.progressive(late[:first], Y[:first]) if first else [],
            model.progressive(late[first:], Y[first:]),
        ]
    )
    np.testing.assert_allclose(found, make().progressive(late, Y), rtol=1e-9, atol=1e-9)
    again = nystream.Learner.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.progressive(X, Y), model.progressive(X, Y))


def test_an_array_without_gaps_is_what_it_was():
    full = np.nan_to_num(X)
    model, strict = small_auto(), small_auto(missing="error")
    np.testing.assert_array_equal(model.progressive(full, Y), strict.progressive(full, Y))


def test_gaps_that_tell_something_are_used():
    rng = np.random.default_rng(3)
    data = rng.normal(size=(1500, 3))
    hidden = rng.random(1500) < 0.3
    data[hidden, 1] = np.nan
    y = 3.0 * hidden + 0.1 * rng.normal(size=1500)
    errors = np.abs(small_auto().progressive(data, y) - y)
    assert errors[500:].mean() < 0.3


def test_a_column_of_gaps_alone_is_learned(make):
    empty = X.copy()
    empty[:, 2] = np.nan
    model = make()
    assert np.isfinite(model.progressive(empty, Y)).all()
    assert np.isfinite(model.progressive(X, Y)).all()
    nothing = np.full((5, 4), np.nan)
    assert np.isfinite(make().progressive(nothing, Y[:5])).all()


def test_gaps_are_counted(make):
    model = make()
    model.learn_many(X, Y)
    columns = model.schema
    assert [column.kind for column in columns] == ["number"] * 4
    assert [column.n_missing for column in columns] == np.isnan(X).sum(axis=0).tolist()


@pytest.mark.parametrize("bad", [np.inf, -np.inf, 1e101])
def test_infinities_are_refused_as_before(make, bad):
    model = make()
    model.learn_many(X[:50], Y[:50])
    before, wrong = model.to_bytes(), X[:9].copy()
    wrong[4, 2] = bad
    calls = [
        lambda: model.learn_many(wrong, Y[:9]),
        lambda: model.learn_many(np.asfortranarray(wrong), Y[:9]),
        lambda: model.progressive(wrong, Y[:9], delay=2),
        lambda: model.predict_many(wrong),
        lambda: model.predict_interval(wrong),
        lambda: model.scorer().predict_many(wrong),
        lambda: model.learn_one(wrong[4], 1.0),
        lambda: model.predict_one(wrong[4]),
        lambda: model.ask(wrong[4]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"X\[4, 2\] should be a (finite )?number|x\[2\]"):
            call()
    assert model.to_bytes() == before


def calls_with_gaps(model):
    return [
        lambda: model.learn_many(X, Y),
        lambda: model.predict_many(X),
        lambda: model.learn_one([0.0, np.nan, 0.0, 0.0], 1.0),
        lambda: model.predict_one([0.0, np.nan, 0.0, 0.0]),
    ]


def test_gaps_are_refused_if_asked_for(make):
    model = make(missing="error")
    full = np.nan_to_num(X)
    model.learn_many(full[:40], Y[:40])
    before = model.to_bytes()
    for call in (
        *calls_with_gaps(model),
        lambda: model.ask([0.0, np.nan, 0.0, 0.0]),
        lambda: model.scorer().predict_many(X),
    ):
        with pytest.raises(ValueError, match=r"should be a finite number|has no value"):
            call()
    assert model.to_bytes() == before


@pytest.mark.parametrize("name", [name for name in LEARNERS if not name.startswith("Auto")])
def test_learners_without_columns_refuse_gaps_and_tables(name):
    model = copy.deepcopy(LEARNERS[name])
    full = np.nan_to_num(X)
    model.learn_many(full[:30], Y[:30])
    before = model.to_bytes()
    for call in calls_with_gaps(model):
        with pytest.raises(ValueError, match="should be a finite number"):
            call()
    for call in (
        lambda: model.learn_many(dicts(full), Y),
        lambda: model.learn_one(dicts(full)[0], 1.0),
        lambda: model.predict_many(nystream.Table(dicts(full))),
    ):
        with pytest.raises(TypeError, match="should hold real numbers"):
            call()
    assert model.to_bytes() == before
    assert model.schema is None
