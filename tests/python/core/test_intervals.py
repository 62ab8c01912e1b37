"""Where labels are likely to be: yhat -+ margin sqrt(1 + phi.P phi), by the last 1000 scores."""

from __future__ import annotations

import re

import numpy as np
import pytest
import reference
from judge import REAL_SETS, judge, real_set
from support import paper_set, random_stream

import nystream

KERNEL = nystream.Gaussian(1.5)
LITERAL = reference.kernel_like(KERNEL)
T = 150
U = np.random.default_rng(3).random(T)
HAVE = [name for name in nystream.algorithms() if getattr(nystream, name)().has_intervals]
LEAST_SQUARES = {"Kaar", "KrlsAld", "LinearRls", "OnlineKrr", "Pkawv", "RidgeAld", "RunningMean"}


def test_the_learners_by_least_squares_have_intervals_and_these_do_not():
    assert {"Auto", *LEAST_SQUARES} <= set(HAVE)
    without = {"AogdAld", "ConKons", "Fogd", "Kogd", "Kons", "Nogd", "NonsAld", "ProsNKons"}
    assert set(HAVE).isdisjoint(without | {"SketchedKons"})


# Against the literal versions


@pytest.mark.parametrize(
    "params",
    [
        {"alpha": 0.01, "ridge": 0.01},
        {"alpha": 1e-4, "ridge": 1e-4, "clip": True},
        {"alpha": 0.01, "ridge": 0.1, "forward": True, "max_basis": 5},
    ],
    ids=str,
)
def test_ridge_ald(params):
    X, y = random_stream(T, 3)
    run = reference.ridge_ald(X, y, LITERAL, **params)
    judge(lambda: nystream.RidgeAld(KERNEL, **params), run, X, y)


def test_krls_ald():
    X, y = random_stream(T, 3)
    for params in ({"alpha": 0.01}, {"alpha": 0.1, "max_basis": 5}):
        run = reference.krls_ald(X, y, LITERAL, **params)
        judge(lambda params=params: nystream.KrlsAld(KERNEL, **params), run, X, y)


def test_krls_ald_in_blocks():
    X, y = random_stream(400, 3)
    kernel, alpha = nystream.Laplacian(3.0), 0.1
    run = reference.krls_ald(X, y, reference.kernel_like(kernel), alpha=alpha)
    judge(lambda: nystream.KrlsAld(kernel, alpha=alpha), run, X, y)
    assert 72 < len(run.basis) < 200


@pytest.mark.parametrize("name", ["OnlineKrr", "Kaar"])
@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_kernel_ridge_regression(name, ridge):
    X, y = random_stream(T, 3)
    literal = {"OnlineKrr": reference.online_krr, "Kaar": reference.kaar}[name]
    run = literal(X, y, LITERAL, ridge=ridge)
    run.q = reference.kernel_ridge_q(X, LITERAL, ridge=ridge)
    judge(lambda: getattr(nystream, name)(KERNEL, ridge=ridge), run, X, y)


def test_pkawv():
    X, y = random_stream(T, 3)
    params = {"ridge": 0.1, "kors_mu": 1.0, "beta": 1.0, "epsilon": 0.5, "uniforms": U}
    run = reference.pkawv(X, y, LITERAL, **params)
    judge(lambda: nystream.Pkawv(KERNEL, **params), run, X, y)


def test_only_the_last_thousand_scores_count():
    X, y = random_stream(2200, 2)
    y[1100:] *= 10
    judge(nystream.RunningMean, reference.running_mean(X, y), X, y)
    for params in ({}, {"clip": True, "forward": True}):
        run = reference.linear_rls(X, y, ridge=0.1, **params)
        judge(lambda params=params: nystream.LinearRls(ridge=0.1, **params), run, X, y)


@pytest.mark.parametrize("name", ["elevators", "calhousing"])
def test_on_the_first_rows_of_real_data(name):
    X, y, sigma = paper_set(name)
    X, y = X[:1500], y[:1500]
    kernel, params = nystream.Gaussian(sigma), {"alpha": 1e-3, "ridge": 1e-3}
    run = reference.ridge_ald(X, y, reference.kernel_like(kernel), **params)
    judge(lambda: nystream.RidgeAld(kernel, **params), run, X, y)


@pytest.mark.parametrize("level", [0.01, 0.5, 0.8, 0.9, 0.95, 0.999])
def test_the_margin_is_a_rank_of_the_scores(level):
    X, y = random_stream(100, 2)
    run = reference.linear_rls(X, y, ridge=0.1)
    expected = reference.intervals(run, y, level)
    model = nystream.LinearRls(ridge=0.1)
    for t, x in enumerate(X):
        np.testing.assert_allclose(model.predict_interval(x, level), expected[t], atol=1e-9)
        model.learn_one(x, y[t])


# Shapes, and what does not matter


def learned(name, n_rows=60, **params):
    X, y = random_stream(n_rows, 3)
    model = getattr(nystream, name)(**params)
    model.learn_many(X, y)
    return model, X


@pytest.mark.parametrize("name", HAVE)
def test_there_are_as_many_ends_as_it_takes(name):
    model, X = learned(name)
    assert model.predict_interval(X).shape == (60, 2)
    assert model.predict_interval(X[0]).shape == (2,)
    assert model.predict_interval(X[:1]).shape == (1, 2)
    assert model.predict_interval(list(X[0])).dtype == float


@pytest.mark.parametrize("name", HAVE)
def test_many_rows_and_one_row_have_the_same_intervals(name):
    model, X = learned(name)
    before = model.to_bytes()
    many = model.predict_interval(X, level=0.8)
    one = [model.predict_interval(x, level=0.8) for x in X]
    np.testing.assert_allclose(many, one, rtol=0, atol=1e-9)
    np.testing.assert_allclose(many.mean(1), model.predict_many(X), rtol=0, atol=1e-9)
    assert (many[:, 0] < many[:, 1]).all()
    assert model.to_bytes() == before


@pytest.mark.parametrize("name", HAVE)
def test_a_higher_level_is_wider_and_the_default_is_nine_tenths(name):
    model, X = learned(name)
    widths = [np.ptp(model.predict_interval(X, level=level), axis=1) for level in (0.5, 0.8, 0.95)]
    assert (widths[0] < widths[1]).all()
    assert (widths[1] < widths[2]).all()
    expected = model.predict_interval(X, level=0.9)
    np.testing.assert_array_equal(model.predict_interval(X), expected)


@pytest.mark.parametrize("name", HAVE)
def test_it_is_infinite_while_there_are_too_few_rows_to_tell(name):
    X, y = random_stream(12, 3)
    model = getattr(nystream, name)()
    for t, x in enumerate(X):
        for level, enough in ((0.5, 1), (0.9, 9)):
            ends = model.predict_interval(x, level=level)
            expected = [True, True] if t >= enough else [False, False]
            np.testing.assert_array_equal(np.isfinite(ends), expected)
        model.learn_one(x, y[t])


# Not KrlsAld: without a ridge it has nothing to say of what is beyond the span of its rows.
@pytest.mark.parametrize("name", sorted(set(HAVE) - {"RunningMean", "KrlsAld"}))
def test_it_is_wider_where_nothing_is_known(name):
    model, _ = learned(name, 200)
    near, far = np.ptp(model.predict_interval([np.zeros(3), np.full(3, 20.0)]), axis=1)
    assert far > 1.2 * near


@pytest.mark.parametrize("name", HAVE)
def test_scores_go_on_from_bytes(name):
    model, X = learned(name)
    again = nystream.Learner.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.predict_interval(X), model.predict_interval(X))


# Coverage


def covered(model, X, y, *, chunk=50, level=0.9):
    """The part of the labels within intervals that were asked for before any of a chunk came."""
    hits = []
    for start in range(0, len(y), chunk):
        rows = slice(start, start + chunk)
        low, high = model.predict_interval(X[rows], level=level).T
        hits.append((low <= y[rows]) & (y[rows] <= high))
        model.learn_many(X[rows], y[rows])
    return np.concatenate(hits).mean()


def stream(name):
    """At most ten thousand rows."""
    if name in ("abrupt_drift", "gradual_drift"):
        return (*getattr(nystream.datasets, name)(10_000), 4.0)
    X, y, sigma = real_set(name)
    return X[:10_000], y[:10_000], sigma


STREAMS = [*REAL_SETS, "abrupt_drift", "gradual_drift"]


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.slow
def test_nine_labels_in_ten_are_within_the_intervals_of_auto(name):
    X, y, _ = stream(name)
    assert 0.88 <= covered(nystream.Auto(), X, y) <= 0.92


@pytest.mark.parametrize("name", STREAMS)
def test_nine_labels_in_ten_are_within_the_intervals_of_ridge_regression(name):
    X, y, sigma = stream(name)
    model = nystream.RidgeAld(nystream.Gaussian(sigma), alpha=1e-3, ridge=1e-2, max_basis=200)
    assert 0.88 <= covered(model, X, y, chunk=10) <= 0.92


@pytest.mark.slow
def test_row_by_row_as_well():
    # Auto learns fast at first: errors of a thousand rows ago are larger than those to come.
    X, y = nystream.datasets.friedman(6000)
    for model in (nystream.Auto(), nystream.RidgeAld(nystream.Gaussian(4.0))):
        assert 0.88 <= covered(model, X, y, chunk=1) <= 0.92


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.slow
def test_other_levels_are_met_as_well(level):
    X, y = nystream.datasets.friedman(10_000)
    assert covered(nystream.Auto(), X, y, level=level) == pytest.approx(level, abs=0.02)


# What is refused


@pytest.mark.parametrize("name", HAVE)
@pytest.mark.parametrize(
    ("level", "error", "message"),
    [
        (0, ValueError, "level should be more than 0 and less than 1, but is 0"),
        (1, ValueError, "level should be more than 0 and less than 1, but is 1"),
        (-1, ValueError, "level should be more than 0 and less than 1, but is -1"),
        (np.nan, ValueError, "level should be more than 0 and less than 1, but is NaN"),
        ("x", TypeError, "level should be a number, but is 'x'"),
        ([0.9], TypeError, "level should be a number, but is [0.9]"),
    ],
)
def test_a_level_is_between_0_and_1(name, level, error, message):
    model, X = learned(name)
    for rows in (X, X[0]):
        with pytest.raises(error, match="^" + re.escape(message)):
            model.predict_interval(rows, level=level)


@pytest.mark.parametrize("name", HAVE)
def test_rows_are_checked(name):
    model, X = learned(name)
    for rows, message in [
        (X[:, :2], "X should have 3 features, but has 2"),
        (np.full((2, 3), np.nan), "X[0, 0] should be a finite number"),
        (np.full((2, 3), np.inf), "X[0, 0] should be a finite number"),
        (X[:0], "X should have at least one row and one feature, but is empty"),
    ]:
        if np.isnan(rows).any() and model.schema is not None:
            continue  # a model with columns takes gaps
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            model.predict_interval(rows)


@pytest.mark.parametrize("name", sorted(set(nystream.algorithms()) - set(HAVE)))
def test_other_learners_say_that_they_have_none(name):
    message = f"{name} has no intervals: only learners by least squares have"
    with pytest.raises(ValueError, match=message):
        getattr(nystream, name)().predict_interval([[0.0]])
