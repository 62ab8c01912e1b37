"""The learner without settings on streams of any kind, that change, and of real data."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from auto_streams import SMALL
from judge import REAL_SETS, real_set
from support import DATA, ROOT, paper_set, rows_of

import nystream
from nystream import datasets

# Streams of any kind


def part_left(X, y, start=300, **params):
    """What is left of the squared error of the running mean, from this row on."""
    predictions = nystream.Auto(**params).progressive(X, y)
    assert np.isfinite(predictions).all()
    mean = nystream.RunningMean().progressive(X, y)
    return np.mean((predictions - y)[start:] ** 2) / np.mean((mean - y)[start:] ** 2)


def smooth_stream(n_rows=2000, n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    y = np.sin(2 * X[:, 0]) + X[:, 1 % n_features] * X[:, 2 % n_features]
    return X, y + 0.1 * rng.normal(size=n_rows)


def test_constant_features_do_nothing():
    X, y = smooth_stream()
    plain = nystream.Auto().progressive(X, y)
    constant = np.column_stack([np.full(len(y), 7.0), X, np.zeros(len(y))])
    np.testing.assert_allclose(nystream.Auto().progressive(constant, y), plain, rtol=0, atol=1e-9)
    assert part_left(np.full((len(y), 2), 7.0), y) < 1.02


def test_labels_that_are_all_the_same():
    X, _ = smooth_stream(500)
    predictions = nystream.Auto().progressive(X, np.full(500, 1e9))
    np.testing.assert_allclose(predictions[1:], 1e9, rtol=1e-12)


def test_labels_that_begin_to_vary_late():
    X, y = smooth_stream()
    y[:1000] = 3.0
    assert part_left(X, y, start=1500) < 0.15


def test_features_that_begin_to_vary_late():
    X, _ = smooth_stream()
    X[:1000, 0] = 5.0
    y = np.sin(2 * X[:, 0]) + X[:, 1]
    assert part_left(X, y, start=1500) < 0.4


@pytest.mark.parametrize("scale", [1e-90, 1e-9, 1e9, 1e90])
def test_features_and_labels_of_any_scale(scale):
    X, y = smooth_stream()
    plain = nystream.Auto().progressive(X, y)
    for rows, labels, unit in ((scale * X, y, 1.0), (X, scale * y, scale)):
        predictions = nystream.Auto().progressive(rows, labels)
        np.testing.assert_allclose(predictions / unit, plain, rtol=0, atol=1e-6)
    assert part_left(scale * X, scale * y) < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_units_do_not_matter(seed):
    """Nor do origins, from the second row on: the first is predicted to be 0 anywhere."""
    X, y = datasets.friedman(3000)
    rng = np.random.default_rng(seed)
    scales, shifts = 10.0 ** rng.uniform(-6, 6, 10), rng.uniform(-10, 10, 10) * X.std(0)
    scale, shift = 10.0 ** rng.uniform(-6, 6), rng.uniform(-10, 10) * y.std()
    plain = nystream.Auto().progressive(X, y)[1:]
    other = nystream.Auto().progressive(scales * (X + shifts), scale * (y + shift))[1:]
    other = other / scale - shift
    errors = [np.mean((predictions - y[1:]) ** 2) for predictions in (plain, other)]
    assert errors[1] == pytest.approx(errors[0], rel=0.01)
    assert np.median(np.abs(plain - other)) < 1e-6 * y.std()


def test_features_with_heavy_tails():
    rng = np.random.default_rng(0)
    X = rng.standard_cauchy((2000, 3))
    y = np.sin(X[:, 0]) + np.tanh(X[:, 1]) + 0.1 * rng.normal(size=2000)
    assert part_left(X, y) < 0.4


def test_labels_with_heavy_tails():
    X, y = smooth_stream(3000)
    noise = np.random.default_rng(1).standard_cauchy(3000)
    predictions = nystream.Auto().progressive(X, y + 0.01 * noise)
    assert np.isfinite(predictions).all()
    # Of the function that is to be learned, beneath the noise.
    assert np.median(np.abs(predictions - y)[300:]) < 0.5 * np.median(np.abs(y - np.median(y)))
    assert part_left(X, np.exp(3 * X[:, 0])) < 0.5
    assert part_left(X, noise) < 1.05  # nothing can be learned


def test_one_feature():
    X, _ = smooth_stream(n_features=1)
    noise = 0.1 * np.random.default_rng(1).normal(size=2000)
    assert part_left(X, np.sin(3 * X[:, 0]) + noise) < 0.05
    assert part_left(X, 2 * X[:, 0] + noise) < 0.05


def test_linear_labels():
    X, _ = smooth_stream()
    assert part_left(X, X @ [1.0, 2.0, 3.0] + 4) < 1e-3


@pytest.mark.slow
def test_two_hundred_features():
    X, _ = smooth_stream(n_features=200)
    assert part_left(X, X[:, :20].sum(1)) < 0.05
    assert part_left(X, np.sin(2 * X[:, 0]) + X[:, 1]) < 0.6


def test_events_tell_when_a_feature_begins_to_vary():
    X, y = smooth_stream(700)
    X[:500, 0] = 5.0
    model = nystream.Auto()
    assert model.events == []
    model.learn_many(X[:500], y[:500])
    assert not [event for event in model.events if event.kind == "feature"]
    again = nystream.Auto.from_bytes(model.to_bytes())
    for x, label in zip(X[500:], y[500:], strict=True):
        again.learn_one(x, label)
    model.learn_many(X[500:], y[500:])
    (event,) = (event for event in model.events if event.kind == "feature")
    assert (event.row, event.feature) == (501, 0)
    assert event.size == pytest.approx(abs(X[500, 0] - 5.0))
    assert again.events == model.events
    assert nystream.Auto.from_bytes(model.to_bytes()).events == model.events


def test_rows_unlike_any_before_are_novel():
    X, y = smooth_stream(1500)
    model = nystream.Auto()
    assert (model.novelty(X[:3]) == 1.0).all()
    model.learn_many(X[:1000], y[:1000])
    known, far = model.novelty(X[1000:]), model.novelty(X[1000:] + 30.0)
    assert ((known >= 0) & (known <= 1)).all()
    assert known.mean() < 0.2
    assert far.min() > 0.6
    with pytest.raises(ValueError, match="X should have 3 features, but has 2"):
        model.novelty(X[:, :2])


def test_rows_with_outliers():
    X, y = smooth_stream()
    X[::97] *= 1e12
    far = np.zeros(len(y), bool)
    far[::97] = True
    predictions = nystream.Auto().progressive(X, y)
    assert np.isfinite(predictions).all()
    assert np.mean((predictions - y)[~far][300:] ** 2) < 0.1 * np.var(y)


def test_files_of_rows_that_are_all_but_the_same_are_loaded_at_any_time():
    rng = np.random.default_rng(0)
    x = np.where(np.arange(40) % 4 == 3, 1.0, 1e-120) * rng.random(40)
    model = nystream.Auto(**SMALL)
    for value in x:
        model.learn_one([value], value)
        again = nystream.Auto.from_bytes(model.to_bytes())
        assert again.predict_one([0.5]) == model.predict_one([0.5])


@pytest.mark.parametrize("scale", [1e-200, 1e-80, 1e80])
def test_labels_that_leave_all_scales_behind(scale):
    """The first rows do not tell of the others, and squares of squares leave float64."""
    X, y = smooth_stream(100)
    model = nystream.Auto(warm_up=8)
    before, after = (scale, 1.0) if scale < 1 else (1.0, scale)
    labels = np.append(before * y[:40], after * y[40:])
    assert np.isfinite(model.progressive(X, labels)).all()
    assert np.isfinite(model.predict_interval(X)).all()
    again = nystream.Auto.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.predict_many(X), model.predict_many(X))


# Streams that change


@pytest.mark.parametrize(("name", "worse"), [("abrupt_drift", 1.1), ("gradual_drift", 1.2)])
@pytest.mark.slow
def test_after_a_change_it_is_nearly_as_good_as_one_that_begins_anew(name, worse):
    X, y = getattr(datasets, name)(20_000)
    fresh = nystream.Auto().progressive(X[10_000:], y[10_000:])[3000:]
    old = nystream.Auto().progressive(X, y)[13_000:]
    errors = [np.mean((predictions - y[13_000:]) ** 2) for predictions in (fresh, old)]
    assert errors[1] < min(worse * errors[0], 0.0015)  # without adaptive experts: 0.0025


@pytest.mark.slow
def test_after_a_move_it_is_nearly_as_good_as_one_that_begins_anew():
    X, y = datasets.abrupt_drift(20_000, shift=3.0)
    fresh = nystream.Auto().progressive(X[10_000:], y[10_000:])[3000:]
    old = nystream.Auto().progressive(X, y)[13_000:]
    errors = [np.mean((predictions - y[13_000:]) ** 2) for predictions in (fresh, old)]
    assert errors[1] < 1.4 * errors[0]  # the scales are those of before


@pytest.mark.slow
@pytest.mark.parametrize("scales", [5, 20, 100])
def test_after_a_jump_of_the_features_it_is_as_good_as_a_fresh_one(scales):
    X, y = datasets.friedman(16_000)
    X[10_000:] += scales * X.std(0)
    fresh = nystream.Auto().progressive(X[10_000:], y[10_000:])[3000:]
    model = nystream.Auto()
    old = model.progressive(X, y)[13_000:]
    errors = [np.mean((predictions - y[13_000:]) ** 2) for predictions in (fresh, old)]
    assert errors[1] < 1.05 * errors[0]
    events = [event for event in model.events if event.row > 10_000]
    assert ("restart", 10_240) in {(event.kind, event.row) for event in events}
    moved = next(event for event in events if event.kind == "rescaling")
    assert moved.size == pytest.approx(scales, rel=0.2)
    assert moved.feature in range(10)


def noisy(X, n_columns=20):
    """Rows with further columns that tell nothing."""
    noise = np.random.default_rng(9).normal(size=(len(X), n_columns))
    return np.hstack([X, noise])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_columns_of_noise_cost_little(seed):
    X, y = smooth_stream(6000, seed=seed)
    errors = []
    for rows in (X, noisy(X)):
        model = nystream.Auto()
        predictions = model.progressive(rows, y)
        errors.append(np.mean((predictions - y)[1000:] ** 2))
    assert errors[1] < 1.15 * errors[0]
    assert model.relevance[:3].sum() > 0.99
    assert any(expert.kind.startswith("focused") for expert in model.experts)


# Real data


def peers(sigma, T):
    """Learners of others on the grids from which the paper chose in hindsight, and its own."""
    kernel = nystream.Gaussian(sigma)
    yield nystream.NonsAld(kernel, alpha=25 / T, mu=1.0, bound=1.0)
    yield nystream.LinearRls()
    for eta in (1, 10, 100, 1000):
        yield nystream.Fogd(kernel, n_frequencies=400, eta=eta / T**0.5)
        yield nystream.Nogd(kernel, budget=400, eta=eta / T**0.5)
    for mu in (1.0, 5.0, 15.0):
        for gamma in (0.5, 1.0, 5.0, 10.0):
            yield nystream.ConKons(kernel, mu=mu, gamma=gamma)


@pytest.mark.parametrize(("name", "mse"), [("elevators", 0.00122), ("calhousing", 0.0150)])
def test_known_results(name, mse):
    X, y, _ = paper_set(name)
    assert np.mean((nystream.Auto().progressive(X, y) - y) ** 2) <= mse


@pytest.mark.parametrize("name", REAL_SETS)
@pytest.mark.slow
def test_untuned_it_is_better_than_the_best_peer_tuned_in_hindsight(name):
    X, y, sigma = real_set(name)
    errors = [np.mean((model.progressive(X, y) - y) ** 2) for model in peers(sigma, len(y))]
    # On tomshardware it is 0.1 % above LinearRls, with labels whose tail is long.
    worst = 1.002 * min(errors) if name == "tomshardware" else min(errors)
    assert np.mean((nystream.Auto().progressive(X, y) - y) ** 2) <= worst


# Streams in files


@pytest.mark.slow
@pytest.mark.parametrize("name", ["airfoil", "energy", "trump"])
def test_errors_on_public_streams_are_those_of_the_page(name):
    path = DATA.parent / "streams" / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"the stream {name} is not at {path}")
    script = ROOT / "benches" / "python" / "streams.py"
    command = [sys.executable, str(script), str(path.parent), name]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    *_, row = rows_of(printed + "\n", "stream")
    page = (ROOT / "docs" / "auto.md").read_text(encoding="utf-8")
    expected = next(row for row in rows_of(page, "stream") if row[0] == name)
    assert row[:3] == expected[:3]
    # Other instruction sets round otherwise, and trees may split otherwise.
    assert float(row[3]) == pytest.approx(float(expected[4]), rel=0.02)
    assert row[4] == expected[7]
