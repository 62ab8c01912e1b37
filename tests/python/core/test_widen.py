"""Rows may gain features: those learned before count as 0 in them."""

from __future__ import annotations

import numpy as np
import pytest
from support import random_stream

import nystream

X, Y = random_stream(120, 5)
NARROW, WIDE = X[:60, :3], X[60:]
PADDED = np.c_[NARROW, np.zeros((60, 2))]

MODELS = {name: getattr(nystream, name)() for name in nystream.algorithms()}
MODELS["AogdAld, switched"] = nystream.AogdAld(switch_at=8)
MODELS["Nogd, full"] = nystream.Nogd(budget=20)
MODELS["LinearRls, forward"] = nystream.LinearRls(intercept=False, forward=True)
MODELS["Fogd, Matern"] = nystream.Fogd(nystream.Matern32(), n_frequencies=50)


@pytest.fixture(params=MODELS)
def model(request):
    return nystream.Learner.from_bytes(MODELS[request.param].to_bytes())


def test_a_widened_model_is_one_that_saw_zeros(model):
    """All but Fogd, whose random frequencies depend on the width that it began with."""
    wide = nystream.Learner.from_bytes(model.to_bytes())
    model.learn_many(NARROW, Y[:60])
    before = model.predict_many(NARROW)
    model.widen(5)
    assert model.n_features == 5
    np.testing.assert_allclose(model.predict_many(PADDED), before, rtol=1e-12, atol=1e-14)
    wide.learn_many(PADDED, Y[:60])
    found, expected = model.progressive(WIDE, Y[60:]), wide.progressive(WIDE, Y[60:])
    if type(model) is not nystream.Fogd:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_frequencies_of_new_features_are_drawn_alike():
    model = nystream.Fogd(nystream.Gaussian(0.5), n_frequencies=2000)
    model.learn_many(NARROW, Y[:60])
    narrow = model.scorer().parts["frequencies"]
    model.widen(5)
    wide = model.scorer().parts["frequencies"]
    assert np.array_equal(wide[:, :3], narrow)
    # Of a Gaussian kernel they are normal with the deviation 1 / sigma.
    assert (abs(wide.std(0) - 2.0) < 0.15).all()
    assert (abs(np.corrcoef(wide.T) - np.eye(5)) < 0.1).all()
    other = nystream.Fogd(nystream.Gaussian(0.5), n_frequencies=2000)
    other.learn_many(NARROW, Y[:60])
    other.widen(4)
    other.widen(5)
    assert np.array_equal(other.scorer().parts["frequencies"], wide)


def test_what_cannot_be_widened_says_so(model):
    model.learn_many(NARROW, Y[:60])
    before = model.to_bytes()
    model.widen(3)
    with pytest.raises(ValueError, match="n_features should be at least as many as rows have"):
        model.widen(2)
    with pytest.raises(ValueError, match="n_features should be at least 1, but is -1"):
        model.widen(-1)
    with pytest.raises(TypeError, match="n_features should be a whole number, but is 'five'"):
        model.widen("five")
    assert model.to_bytes() == before


def test_given_frequencies_cannot_be_widened():
    model = nystream.Fogd(frequencies=[[1.0, 2.0]])
    with pytest.raises(ValueError, match="frequencies were given"):
        model.widen(3)
    assert model.predict_one([1.0, 2.0]) == 0.0


def test_before_the_first_row_any_width_will_do():
    model = nystream.NonsAld()
    model.widen(7)
    model.learn_one([1.0, 2.0], 0.5)
    assert model.n_features == 2


# More memory than any machine has: rows of a trillion features, or a matrix of 16 million a side.
@pytest.mark.parametrize(
    ("model", "width"),
    [
        (nystream.NonsAld(alpha=1e-10), 2**40),
        (nystream.Fogd(), 2**40),
        (nystream.LinearRls(), 2**24),
        (nystream.Kogd(), 2**40),
    ],
    ids=lambda value: repr(value)[:8],
)
def test_a_width_that_there_is_no_memory_for(model, width):
    model.learn_many(NARROW, Y[:60])
    before = model.to_bytes()
    with pytest.raises(MemoryError, match=f"there is no memory for rows of {width} features: "):
        model.widen(width)
    assert model.to_bytes() == before


def test_first_rows_that_there_is_no_memory_for():
    model, row = nystream.LinearRls(), np.broadcast_to(0.0, 2**24)
    with pytest.raises(MemoryError, match="there is no memory for rows of 16777216 features"):
        model.learn_one(row, 1.0)
    with pytest.raises(MemoryError, match="there is no memory for rows of 16777216 features"):
        model.learn_many(row[None], [1.0])
    assert model.n_features is None
