"""The learner without settings against its literal version."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import reference_auto
from auto_streams import SMALL, changing_stream, moving_stream
from judge import judge
from support import paper_set, random_stream

import nystream


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
