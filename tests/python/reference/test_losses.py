"""Losses follow their formulas, and learners with a loss their literal versions, to 1e-9."""

from __future__ import annotations

import re

import numpy as np
import pytest
import reference
from support import paper_set, random_stream

import nystream

TOLERANCE = 1e-9
KERNEL = nystream.Gaussian(sigma=1.5)

LOSSES = [
    nystream.Absolute(),
    nystream.Quantile(0.5),
    nystream.Quantile(0.9),
    nystream.Huber(delta=0.1),
    nystream.Huber(delta=2.0),
    nystream.EpsilonInsensitive(epsilon=0.05),
    nystream.Logistic(),
    nystream.SquaredHinge(),
    nystream.Hinge(),
    nystream.Poisson(),
]
EXP_CONCAVE = ["Squared", "Logistic", "SquaredHinge", "Poisson"]
ETA = {"eta": 0.2}
U = np.random.default_rng(3).random(600)
KORS = {"gamma": 1.0, "beta": 1.0, "epsilon": 0.5, "uniforms": U}

CONVEX = {
    "AogdAld": [{"alpha": 0.01, "bound": 2.0}, {"alpha": 0.01, "bound": 2.0, "switch_at": 4}],
    "Kogd": [{"bound": 2.0}],
    "Nogd": [{"budget": 40, "rank": 8, "eta": 0.05}],
}
NEWTON = {
    "NonsAld": [{"alpha": 0.01, "mu": 1.0, "bound": 1.5, **ETA}],
    "Kons": [{"mu": 1.0, "bound": 1.5, **ETA}],
    "ProsNKons": [{**KORS, "mu": 1.0, "bound": 1.5, **ETA}],
    "ConKons": [{**KORS, "mu": 1.0, "bound": 1.5, **ETA}],
}


def labels_for(loss, y):
    """Labels that a loss takes, made of labels from 0 to 1."""
    match type(loss).__name__:
        case "Logistic":
            return (y > 0.5).astype(float)
        case "SquaredHinge" | "Hinge":
            return np.where(y > 0.5, 1.0, -1.0)
        case "Poisson":
            return np.floor(6 * y)
        case _:
            return y


def streams(n_rows=150):
    """Random rows, and the first of the elevators, scaled to a width of about 1."""
    X, y = random_stream(n_rows, 3)
    yield X, y
    X, y, sigma = paper_set("elevators")
    yield X[:n_rows] / sigma, y[:n_rows]


def assert_follows(model, values, X, y, loss):
    """The predictions are those of literal values, in one call and row by row."""
    again = type(model)(**model.params)
    link = reference.formula_of(loss).link
    expected = np.array([link(v) for v in values])
    found = model.progressive(X, y)
    np.testing.assert_allclose(found, expected, TOLERANCE, TOLERANCE)
    rows = [again.progressive(X[i : i + 1], y[i : i + 1])[0] for i in range(len(y))]
    np.testing.assert_allclose(rows, found, TOLERANCE, TOLERANCE)


@pytest.mark.parametrize("loss", [nystream.Squared(), *LOSSES], ids=repr)
def test_losses_follow_their_formulas(loss):
    formula = reference.formula_of(loss)
    v = np.linspace(-3, 3, 41) + 0.013
    for y in {float(y) for y in labels_for(loss, np.array([0.1, 0.6, 1.0]))}:
        for found, exact in [
            (loss(v, y), [formula.value(x, y) for x in v]),
            (loss.derivative(v, y), [formula.slope(x, y) for x in v]),
            (loss.curvature(v, y), [formula.bend(x, y) for x in v]),
            (loss.prediction(v), [formula.link(x) for x in v]),
        ]:
            np.testing.assert_allclose(found, exact, rtol=1e-13, atol=1e-15)


def first_order_cases():
    for name, choices in (CONVEX | NEWTON).items():
        for loss in LOSSES:
            if name in CONVEX or type(loss).__name__ in EXP_CONCAVE:
                for i, params in enumerate(choices):
                    yield pytest.param(name, loss, params, id=f"{name}-{i}-{loss!r}")


@pytest.mark.parametrize(("name", "loss", "params"), list(first_order_cases()))
def test_gradient_and_newton_steps(name, loss, params):
    literal = getattr(reference, re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())
    slope = reference.formula_of(loss).slope
    for X, y in streams():
        y = labels_for(loss, y)
        run = literal(X, y, reference.kernel_like(KERNEL), slope=slope, **params)
        model = getattr(nystream, name)(KERNEL, loss=loss, **params)
        assert_follows(model, run.predictions, X, y, loss)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_fogd(loss):
    frequencies = np.random.default_rng(0).normal(size=(30, 3))
    X, y = random_stream(150, 3)
    y = labels_for(loss, y)
    params = {"frequencies": frequencies, "eta": 0.1}
    run = reference.fogd(X, y, slope=reference.formula_of(loss).slope, **params)
    assert_follows(nystream.Fogd(loss=loss, **params), run.predictions, X, y, loss)


@pytest.mark.parametrize("params", [{}, {"forgetting": 0.98}], ids=str)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_linear_least_squares_with_a_loss(loss, params):
    for X, y in streams():
        y = labels_for(loss, y)
        balance = reference.Balance(reference.formula_of(loss), X.shape[1] + 1, 0.1, **params)
        values = [balance.learn(np.append(x, 1.0), label) for x, label in zip(X, y, strict=True)]
        assert_follows(nystream.LinearRls(ridge=0.1, loss=loss, **params), values, X, y, loss)


@pytest.mark.parametrize("alpha", [0.1, 1e-3])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_least_squares_on_a_dictionary_with_a_loss(loss, alpha):
    for X, y in streams(120):
        y = labels_for(loss, y)
        dictionary = reference.Dictionary(X, reference.kernel_like(KERNEL), alpha)
        balance = reference.Balance(reference.formula_of(loss), 0, 0.1)
        values = np.zeros(len(y))
        for t, label in enumerate(y):
            if dictionary.is_novel(t):
                balance.move(dictionary.append(t))
            values[t] = balance.learn(dictionary.phi(t), label)
        model = nystream.RidgeAld(KERNEL, alpha=alpha, ridge=0.1, loss=loss)
        assert_follows(model, values, X, y, loss)
        np.testing.assert_array_equal(model.basis, X[dictionary.S])


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_weights_count_a_loss_as_often_as_they_say(loss):
    X, y = random_stream(80, 3)
    y, weights = labels_for(loss, y), np.random.default_rng(1).uniform(0, 3, 80)
    balance = reference.Balance(reference.formula_of(loss), 4, 0.1)
    rows = zip(X, y, weights, strict=True)
    values = [balance.learn(np.append(x, 1.0), label, weight) for x, label, weight in rows]
    link = reference.formula_of(loss).link
    found = nystream.LinearRls(ridge=0.1, loss=loss).progressive(X, y, sample_weight=weights)
    np.testing.assert_allclose(found, [link(v) for v in values], TOLERANCE, TOLERANCE)


@pytest.mark.parametrize("name", EXP_CONCAVE)
def test_the_default_weight_of_a_newton_step_is_that_of_exp_concavity(name):
    """Half of the least of 1 / (steepest slope x diameter) and the exp-concavity."""
    bound, target_bound = 1.5, 2.0
    loss = getattr(nystream, name)()
    formula = reference.formula_of(loss)
    low, high = max(loss.labels[0], -target_bound), min(loss.labels[1], target_bound)
    grid = [(v, y) for v in np.linspace(-bound, bound, 301) for y in np.linspace(low, high, 81)]
    slopes = np.array([formula.slope(v, y) for v, y in grid])
    bends = np.array([formula.bend(v, y) for v, y in grid])
    sloping = slopes != 0
    concavity = (bends[sloping] / slopes[sloping] ** 2).min()
    expected = min(1 / (abs(slopes).max() * 2 * bound), concavity) / 2
    if name == "Squared":  # the paper's, which is larger, and as valid
        expected = 1 / (4 * (bound**2 + target_bound**2))
    X, y = random_stream(60, 3)
    y = labels_for(loss, y)
    params = {"alpha": 0.01, "bound": bound, "target_bound": target_bound, "loss": loss}
    found = nystream.NonsAld(KERNEL, **params).progressive(X, y)
    same = nystream.NonsAld(KERNEL, eta=expected, **params).progressive(X, y)
    np.testing.assert_allclose(found, same, rtol=1e-9)
