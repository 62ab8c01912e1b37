"""Embedded streams."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import nystream
from nystream import datasets

pytestmark = pytest.mark.usefixtures("no_places")


@pytest.mark.parametrize("name", datasets.names("embedded"))
def test_streams_are_as_described(name):
    make, info = getattr(datasets, name), datasets.info(name)
    X, y = make(500, random_state=3)
    assert X.shape == (500, info.features)
    assert y.shape == (500,)
    assert np.quantile(np.abs(X), 0.9) <= 1
    assert make(n_rows=info.rows)[0].shape == make()[0].shape
    other = make(500, random_state=4)[1]
    assert (y != other).any()
    np.testing.assert_array_equal(make(500, random_state=3)[1], y)
    data = datasets.load(name, n_rows=500, random_state=3)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.X.flags.c_contiguous
    assert data.sigma == info.sigma
    assert (data.feature_names, data.paper_rows, data.target_range) == (None, None, None)


@pytest.mark.parametrize(("name", "rows"), [("coin_flips", 10_000), ("abrupt_drift", 20_000)])
def test_an_embedded_stream_has_the_rows_that_its_info_tells_by_default(name, rows):
    assert len(datasets.load(name).X) == datasets.info(name).rows == rows


def test_coins_are_fair_and_rows_are_one():
    X, y = datasets.coin_flips(10_000)
    assert np.unique(X).size == 1
    assert set(y) == {-1.0, 1.0}
    assert abs(y.mean()) < 0.04  # four standard deviations


def eigenvalues(kernel, X, count):
    return np.linalg.eigvalsh(kernel(X) / len(X))[::-1][:count]


def test_normal_rows_have_geometric_eigenvalues():
    deviation, sigma = 0.5, 0.4
    X, _ = datasets.normal_line(1500, deviation=deviation)
    A, B = 1 / (4 * deviation**2), 1 / (2 * sigma**2)
    ratio = B / (A + B + np.sqrt(A**2 + 2 * A * B))
    found = eigenvalues(nystream.Gaussian(sigma), X, 5)
    np.testing.assert_allclose(found[1:] / found[:-1], ratio, rtol=0.1)


@pytest.mark.parametrize(
    ("kernel", "power"),
    [(nystream.Laplacian(1.0), 2), (nystream.Matern32(1.0), 4), (nystream.Matern52(1.0), 6)],
)
def test_uniform_rows_have_eigenvalues_that_decay_like_a_power(kernel, power):
    X, _ = datasets.uniform_line(1000)
    found = eigenvalues(kernel, X, 60)
    slope = np.log(found[29] / found[59]) / np.log(60 / 30)
    assert slope == pytest.approx(power, rel=0.1)


@pytest.mark.parametrize("make", [datasets.normal_line, datasets.uniform_line])
def test_labels_on_a_line_are_smooth_but_for_the_noise(make):
    X, y = make(2000, noise=0.0)
    assert y.min() >= 0
    assert y.max() <= 1
    model = nystream.RidgeAld(nystream.Gaussian(0.5), alpha=1e-6, ridge=1e-6)
    errors = (model.progressive(X, y) - y)[1000:]
    assert np.abs(errors).max() < 1e-2
    assert np.std(make(2000, noise=0.3)[1] - y) == pytest.approx(0.3, rel=0.05)


def test_drift_makes_what_was_learned_wrong():
    X, y = datasets.drift(5000, period=5000)
    model = nystream.RidgeAld(nystream.Gaussian(1.0))
    model.learn_many(X[:250], y[:250])
    mse = [np.mean((model.predict_many(X[i : i + 250]) - y[i : i + 250]) ** 2) for i in (250, 2500)]
    assert mse[0] < 0.05 < 0.3 < mse[1]


DRIFTING = [
    (datasets.abrupt_drift, {"at": 600}),
    (datasets.gradual_drift, {"start": 300, "length": 500}),
]


def friedman_labels(X, first):
    """The labels without noise if the features from this one on have Friedman's five roles."""
    a, b, c, d, e = ((X[:, first : first + 5] + 1) / 2).T
    return (10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e) / 30


def is_new(make, n_rows, **arguments):
    """Which rows have the label of the new concept; all others have that of the old one."""
    X, y = make(n_rows, noise=0.0, **arguments)
    new = np.isclose(y, friedman_labels(X, 5), rtol=0, atol=1e-12)
    np.testing.assert_allclose(y[~new], friedman_labels(X, 0)[~new], rtol=0, atol=1e-12)
    return new


def test_friedmans_labels_are_as_described():
    X, y = datasets.friedman(500, noise=0.0)
    np.testing.assert_allclose(y, friedman_labels(X, 0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("at", [1, 600, 999])
def test_an_abrupt_drift_changes_every_row_from_one_on(at):
    new = is_new(datasets.abrupt_drift, 1000, at=at)
    np.testing.assert_array_equal(new, np.arange(1000) >= at)


@pytest.mark.parametrize("n_rows", [2, 3, 1001])
def test_an_abrupt_drift_is_in_the_middle_by_default(n_rows):
    new = is_new(datasets.abrupt_drift, n_rows)
    np.testing.assert_array_equal(new, np.arange(n_rows) >= n_rows // 2)


def test_a_gradual_drift_changes_more_and_more_rows():
    new = is_new(datasets.gradual_drift, 20_000, start=2000, length=10_000)
    assert not new[:2001].any()
    assert new[12_000:].all()
    shares = new[2000:12_000].reshape(10, -1).mean(axis=1)
    # A share of 1,000 draws is within four standard deviations, at most 0.016 each.
    np.testing.assert_allclose(shares, np.arange(0.05, 1, 0.1), rtol=0, atol=0.064)


@pytest.mark.parametrize(
    ("n_rows", "arguments", "start", "length"),
    [
        (2000, {}, 500, 500),
        (2000, {"start": 1800}, 1800, 200),
        (2000, {"length": 1500}, 500, 1500),
        (2000, {"start": 0}, 0, 500),
        (2000, {"start": 900, "length": 1}, 900, 1),
        (2, {}, 0, 1),
        (2, {"start": 1}, 1, 1),
    ],
)
def test_where_a_gradual_drift_is(n_rows, arguments, start, length):
    new = is_new(datasets.gradual_drift, n_rows, **arguments)
    assert not new[: start + 1].any()
    assert new[start + length :].all()
    if length > 1:
        assert 0.3 < new[start : start + length].mean() < 0.7


@pytest.mark.parametrize(("make", "arguments"), DRIFTING)
def test_the_old_concept_is_friedmans_of_the_same_seed(make, arguments):
    X, y = make(1000, noise=0.7, random_state=3, **arguments)
    old_X, old_y = datasets.friedman(1000, noise=0.7, random_state=3)
    np.testing.assert_array_equal(X, old_X)
    old = ~is_new(make, 1000, random_state=3, **arguments)
    np.testing.assert_array_equal(y == old_y, old)


@pytest.mark.parametrize(("make", "arguments"), DRIFTING)
def test_noise_is_added_to_both_concepts(make, arguments):
    noise = make(1000, noise=0.6, **arguments)[1] - make(1000, noise=0.0, **arguments)[1]
    assert np.std(noise[:300]) == pytest.approx(0.02, rel=0.15)
    assert np.std(noise[800:]) == pytest.approx(0.02, rel=0.15)


@pytest.mark.parametrize("shift", [2.5, -3])
def test_a_shift_moves_rows_and_leaves_labels(shift):
    X, y = datasets.abrupt_drift(1000, at=600, shift=shift)
    still_X, still_y = datasets.abrupt_drift(1000, at=600)
    np.testing.assert_array_equal(y, still_y)
    np.testing.assert_array_equal(X[:600], still_X[:600])
    np.testing.assert_array_equal(X[600:], still_X[600:] + shift)
    assert np.abs(X[:600]).max() <= 1 < np.abs(X[600:]).min()


@pytest.mark.parametrize(("make", "arguments"), DRIFTING)
def test_what_was_learned_is_wrong_after_a_drift(make, arguments):
    X, y = make(1000, **arguments)
    model = nystream.RidgeAld(nystream.Gaussian(4.0))
    model.learn_many(X[:250], y[:250])
    errors = (model.predict_many(X) - y) ** 2
    assert 3 * errors[250:300].mean() < errors[800:].mean()


def test_a_dataset_is_shown_in_a_line_and_cannot_be_changed():
    data = datasets.load("drift", n_rows=5)
    assert repr(data) == "Dataset('drift', rows=5, features=2)"
    with pytest.raises(AttributeError):
        data.sigma = 2.0


def test_the_chaotic_series_is_the_same_on_every_machine():
    """It is made of sums, products and quotients alone, which are exact to the last bit."""
    X, y = datasets.mackey_glass(2000)
    assert hashlib.sha256(y.astype("<f8").tobytes()).hexdigest()[:16] == "b7cc488efc1923f3"
    assert (X[1:, 0] == 2 * y[:-1] - 1).all()
