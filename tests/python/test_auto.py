"""Auto: as its literal version has it, and good without tuning on streams of any kind."""

from __future__ import annotations

import copy
import pickle
import re
from functools import partial

import numpy as np
import pytest
import reference_auto
from judge import REAL_SETS, judge, real_set
from support import paper_set, random_stream

import nystream
from nystream import datasets

# So few rows that dictionaries are full soon.
SMALL = {"warm_up": 32, "max_basis": 12}


# Against the literal version


def judge_auto(X, y, weights=None, tolerance=1e-9, **params):
    """The run, whose predictions, intervals and experts are those of the product."""
    n_targets = 1 if y.ndim == 1 else y.shape[1]
    run = reference_auto.auto(X, y, weights=weights, **params)
    make = partial(nystream.Auto, n_targets=n_targets, **params)
    for model in judge(make, run, X, y, weights, tolerance):
        same_experts(model.experts, run.team)
        dictionaries = [group.dictionary for group in run.team.groups if group.width]
        assert model.n_basis == sum(len(dictionary.S) for dictionary in dictionaries)
    return run


def same_experts(experts, team):
    kinds = [(expert.width, expert.ridge, expert.forgetting) for expert in experts]
    # NaN for None.
    np.testing.assert_allclose(np.array(kinds, float), np.array(team.kinds(), float), rtol=1e-9)
    shape = team.weights().shape
    weights, losses = (
        np.reshape([getattr(expert, name) for expert in experts], shape)
        for name in ("weight", "loss")
    )
    np.testing.assert_allclose(weights, team.weights(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(losses, team.losses(), rtol=1e-8)


def replaced(run):
    return sum(group.replaced for group in run.team.groups if group.width)


def replaced_fast(run):
    return sum(group.replaced_fast for group in run.team.groups if group.width)


def take_overs(run):
    return sum(group.take_overs for group in run.team.groups)


def changing_stream(n_rows=600, n_features=3):
    """Labels that change their meaning half way."""
    X, y = random_stream(n_rows, n_features)
    return X, np.where(np.arange(n_rows) < n_rows // 2, y, X[:, 1] ** 2)


def moving_stream(n_rows=600):
    """Rows that move to where none were before."""
    X, y = changing_stream(n_rows)
    return X + 3 * (np.arange(n_rows) >= n_rows // 2)[:, None], y


@pytest.mark.slow
def test_rows_take_the_place_of_others_now_and_then():
    run = judge_auto(*random_stream(500, 3), **SMALL)
    assert replaced(run) > 6
    assert replaced_fast(run) == 0
    assert run.starts == [8, 16, 32]


@pytest.mark.slow
def test_rows_take_the_place_of_others_fast_where_the_stream_moves():
    run = judge_auto(*moving_stream(), **SMALL)
    assert replaced_fast(run) > 20


@pytest.mark.parametrize("forgetting", [0.999, 0.99])
@pytest.mark.slow
def test_long_memories_take_over_from_short_ones_where_labels_change(forgetting):
    run = judge_auto(*changing_stream(700), forgetting=forgetting, **SMALL)
    assert take_overs(run) > 0
    assert replaced(run) > 6


@pytest.mark.slow
def test_without_forgetting():
    run = judge_auto(*moving_stream(), forgetting=1.0, **SMALL)
    assert all(forgetting == 1 for _, _, forgetting in run.team.kinds())
    assert replaced_fast(run) > 20


def test_with_short_memories_that_are_as_short_as_can_be():
    run = judge_auto(*changing_stream(300), forgetting=0.5, **SMALL)
    assert {forgetting for _, _, forgetting in run.team.kinds()} == {0.5, 1.0}


@pytest.mark.slow
def test_frozen():
    run = judge_auto(*moving_stream(), policy="freeze", **SMALL)
    assert replaced(run) == 0
    assert max(len(group.dictionary.S) for group in run.team.groups if group.width) == 12


@pytest.mark.slow
def test_targets_and_weights():
    X, y = moving_stream()
    Y = np.column_stack([y, 10 * random_stream(len(X), 3)[1] - 5])
    weights = np.random.default_rng(0).exponential(size=len(X))
    for given in (None, weights):
        run = judge_auto(X, Y, given, warm_up=50, max_basis=12)
        assert run.starts == [8, 16, 32, 50]
        assert replaced_fast(run) > 20
    X, y = changing_stream(700)
    run = judge_auto(X, np.column_stack([y, -y]), weights=None, **SMALL)
    assert take_overs(run) > 0


@pytest.mark.slow
def test_rows_on_a_line_have_finer_kernels():
    X, y = random_stream(300, 1)
    run = judge_auto(X, y, warm_up=100, max_basis=60)
    assert len(run.team.groups) > 7


@pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 20])
def test_while_it_is_warming_up(n_rows):
    X, y = random_stream(n_rows, 2)
    run = reference_auto.auto(X, y)
    for model in judge(nystream.Auto, run, X, y):
        assert len(model.experts) == (0 if n_rows < 8 else 16)


def odd_features(n_rows=500):
    rng = np.random.default_rng(0)
    late = np.where(np.arange(n_rows) < n_rows // 2, 5.0, rng.normal(size=n_rows))
    return np.column_stack(
        [
            rng.standard_cauchy(n_rows),
            np.full(n_rows, 3.0),
            rng.integers(0, 2, n_rows),
            late,
            rng.exponential(size=n_rows) ** 4,
            rng.random(n_rows) < 0.02,
        ]
    )


@pytest.mark.slow
def test_features_with_tails_without_variance_and_with_variance_late():
    X = odd_features()
    y = np.tanh(X[:, 0]) + X[:, 2] + 0.1 * X[:, 3]
    # Kernels so wide that rows look alike have coefficients of 1e5, in which digits are lost.
    run = judge_auto(X, y, tolerance=1e-7, **SMALL)
    assert replaced(run) > 6


def test_labels_with_ends_that_many_share():
    """Predictions stop at an end that several labels have reached."""
    X, y = random_stream(400, 2)
    run = judge_auto(X, np.clip(y, 0.4, 0.6), **SMALL)
    assert (run.predictions[50:] == 0.6).sum() > 5
    assert (run.predictions[50:] == 0.4).sum() > 5


@pytest.mark.parametrize("tiny", [1e-300, 1e-120, 1e-14])
@pytest.mark.slow
def test_rows_of_which_most_are_all_but_the_same(tiny):
    rng = np.random.default_rng(0)
    x = np.where(np.arange(300) % 4 == 3, 1.0, tiny) * rng.random(300)
    y = x + 0.1 * rng.normal(size=300)
    judge_auto(x[:, None], y, **SMALL)


@pytest.mark.slow
def test_larger_dictionaries_which_are_learned_in_blocks():
    X, y = random_stream(320, 2)
    run = judge_auto(X, y, warm_up=64, max_basis=90)
    assert max(len(group.dictionary.S) for group in run.team.groups if group.width) > 72


@pytest.mark.parametrize("name", ["elevators", "calhousing"])
@pytest.mark.slow
def test_on_the_first_rows_of_real_data(name):
    X, y, _ = paper_set(name)
    run = judge_auto(X[:1000], y[:1000], **SMALL)
    assert replaced(run) > 20
    # Half way, labels become those of other rows.
    changed = np.append(y[:350], 0.5 * y[:350] + 0.3 * X[350:700, 0])
    run = judge_auto(X[:700], changed, **SMALL)
    assert take_overs(run) > 3


def test_weights_of_experts_after_every_row():
    X, y = changing_stream(200)
    run = reference_auto.auto(X, y, **SMALL)
    model = nystream.Auto(**SMALL)
    for t, x in enumerate(X):
        model.learn_one(x, y[t])
        if run.weights[t] is None:
            assert model.experts == []
        else:
            weights = [expert.weight for expert in model.experts]
            np.testing.assert_allclose(weights, run.weights[t][:, 0], rtol=0, atol=1e-9)


# The ways to use it


def test_before_anything_is_learned_it_predicts_0_and_then_the_mean():
    X, y = random_stream(7, 3)
    model = nystream.Auto()
    assert model.predict_one(X[0]) == 0.0
    np.testing.assert_array_equal(model.predict_many(X), np.zeros(7))
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


COPIES = {
    "bytes": lambda model: nystream.Auto.from_bytes(model.to_bytes()),
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("n_rows", [0, 5, 8, 40, 64, 65, 500])
@pytest.mark.parametrize("way", COPIES)
def test_copies_go_on_bit_for_bit(way, n_rows):
    X, y = moving_stream(700)
    model = nystream.Auto(warm_up=64, max_basis=20)
    if n_rows:
        model.learn_many(X[:n_rows], y[:n_rows])
    other = COPIES[way](model)
    assert other.to_bytes() == model.to_bytes()
    expected = model.progressive(X[n_rows:], y[n_rows:])
    np.testing.assert_array_equal(other.progressive(X[n_rows:], y[n_rows:]), expected)
    assert other.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("n_rows", [5, 40, 500])
def test_a_scorer_predicts_the_same(n_rows):
    X, y = moving_stream(700)
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
    assert len({expert.width for expert in experts}) == 6
    # Friedman's function is smooth but not linear.
    best = min(experts, key=lambda expert: expert.loss)
    linear = [expert.loss for expert in experts if expert.width is None]
    assert best.width is not None
    assert best.loss < 0.7 * min(linear)


def test_experts_have_numbers_for_each_target():
    X, y = datasets.friedman(100)
    model = nystream.Auto(n_targets=2)
    model.learn_many(X, np.column_stack([y, 2 * y]))
    for expert in model.experts:
        assert len(expert.weight) == len(expert.loss) == 2
        assert expert.loss[1] == pytest.approx(4 * expert.loss[0], rel=1e-6)


@pytest.mark.parametrize("params", [{"forgetting": 1.0}, {"policy": "freeze"}, {"max_basis": 1}])
def test_other_settings_work(params):
    X, y = datasets.friedman(2000)
    predictions = nystream.Auto(**params).progressive(X, y)
    assert np.mean((predictions - y)[300:] ** 2) < 0.35 * np.var(y)


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


@pytest.mark.parametrize("name", ["abrupt_drift", "gradual_drift"])
@pytest.mark.slow
def test_after_a_change_it_is_nearly_as_good_as_one_that_begins_anew(name):
    X, y = getattr(datasets, name)(20_000)
    fresh = nystream.Auto().progressive(X[10_000:], y[10_000:])[3000:]
    old = nystream.Auto().progressive(X, y)[13_000:]
    errors = [np.mean((predictions - y[13_000:]) ** 2) for predictions in (fresh, old)]
    assert errors[1] < 1.1 * errors[0]


@pytest.mark.slow
def test_after_a_move_it_is_nearly_as_good_as_one_that_begins_anew():
    X, y = datasets.abrupt_drift(20_000, shift=3.0)
    fresh = nystream.Auto().progressive(X[10_000:], y[10_000:])[3000:]
    old = nystream.Auto().progressive(X, y)[13_000:]
    errors = [np.mean((predictions - y[13_000:]) ** 2) for predictions in (fresh, old)]
    assert errors[1] < 1.4 * errors[0]  # the scales are those of before


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
    assert np.mean((nystream.Auto().progressive(X, y) - y) ** 2) <= min(errors)


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
