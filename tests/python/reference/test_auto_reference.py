"""The learner without settings against its literal version."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import reference_auto
from auto_streams import (
    SMALL,
    autocorrelated_stream,
    changing_stream,
    moving_stream,
    skewed_stream,
    stepping_stream,
)
from judge import judge
from support import paper_set, random_stream

import nystream

# A warm-up so long that no expert sleeps before the stream changes.
LATE = {"warm_up": 100, "max_basis": 12}
# So few rows that there is time to look whether the stream has changed.
FEW = {"warm_up": 32, "max_basis": 8}


def judge_auto(X, y, weights=None, tolerance=1e-9, **params):
    """The run, whose predictions, intervals and experts are those of the product."""
    n_targets = 1 if y.ndim == 1 else y.shape[1]
    run = reference_auto.auto(X, y, weights=weights, **params)
    make = partial(nystream.Auto, n_targets=n_targets, **params)
    for model in judge(make, run, X, y, weights, tolerance):
        same_experts(model.experts, run.team)
        same_events(model._events(), run.team)
        dictionaries = [group.dictionary for group in run.team.groups if group.width]
        assert model.n_basis == sum(len(dictionary.S) for dictionary in dictionaries)
        relevance = run.team.adaptive.relevance()
        np.testing.assert_allclose(model._relevance(), relevance, rtol=0, atol=1e-9)
    return run


def judge_late(X, y, delay, tolerance=1e-9, **params):
    """The run with late labels, whose predictions and experts are those of the product."""
    run = reference_auto.auto_late(X, y, delay, **params)
    model = nystream.Auto(**params)
    found = model.progressive(X, y, delay=delay)
    scale = np.abs(y).max()
    np.testing.assert_allclose(found, run.predictions, rtol=0, atol=tolerance * scale)
    same_experts(model.experts, run.team)
    same_events(model._events(), run.team)
    return run


@pytest.mark.parametrize("delay", [1, 5, 40])
def test_labels_come_late(delay):
    """Also so late that nothing was known when the first experts were asked."""
    X, y = autocorrelated_stream(300)
    run = judge_late(X, y, delay, warm_up=64, max_basis=12)
    assert run.starts == [4, 8, 16, 32, 64]


def test_a_stream_changes_while_labels_are_on_their_way():
    X, y = changing_stream()
    assert take_overs(judge_late(X[:700], y[:700], 9, **FEW)) > 0


@pytest.mark.slow
def test_labels_with_a_long_tail_come_late():
    X, y = skewed_stream(260)
    run = judge_late(X, y, 9, tolerance=1e-8, warm_up=70, max_basis=12)
    assert run.starts == [4, 8, 16, 32, 70]
    assert [group.is_asleep for group in run.team.adaptive.stretched] == [False]


def same_events(events, team):
    assert len(team.events) <= 100
    found, expected = ([(e[0], e[1], e[3]) for e in some] for some in (events, team.events))
    assert found == expected
    sizes = ([e[2] for e in some] for some in (events, team.events))
    np.testing.assert_allclose(*sizes, rtol=1e-6)


def same_experts(experts, team):
    families, *numbers = zip(*team.kinds(), strict=True)
    assert [expert.kind for expert in experts] == list(families)
    found = [(expert.width, expert.ridge, expert.forgetting) for expert in experts]
    # NaN for None.
    np.testing.assert_allclose(np.array(found, float).T, np.array(numbers, float), rtol=1e-9)
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
    return sum(getattr(group, "take_overs", 0) for group in run.team.groups)


def asleep(run):
    return [group.family for group in run.team.groups if group.width and group.is_asleep]


def renewals(run):
    """The numbers of rows after which experts were made anew, and when the past helped."""
    all_of_them = run.team.adaptive.renewals
    return [now for now, _ in all_of_them], [now for now, helped in all_of_them if helped]


@pytest.mark.slow
def test_rows_take_the_place_of_others_now_and_then():
    run = judge_auto(*random_stream(500, 3), **LATE)
    assert replaced(run) > 6
    assert replaced_fast(run) == 0
    assert run.starts == [4, 8, 16, 32, 100]
    assert renewals(run) == ([50, 100, 200, 400], [])


@pytest.mark.slow
def test_rows_take_the_place_of_others_fast_where_the_stream_moves():
    run = judge_auto(*moving_stream(), **LATE)
    assert replaced_fast(run) > 20


@pytest.mark.parametrize("forgetting", [0.999, 0.99])
@pytest.mark.slow
def test_long_memories_take_over_from_short_ones_where_labels_change(forgetting):
    run = judge_auto(*changing_stream(700), forgetting=forgetting, **SMALL)
    assert take_overs(run) > 0
    assert replaced(run) > 6


@pytest.mark.slow
def test_without_forgetting():
    run = judge_auto(*moving_stream(), forgetting=1.0, **LATE)
    assert {forgetting for *_, forgetting in run.team.kinds()} == {1.0, 0.0}  # 0: the last label
    assert replaced_fast(run) > 20


def test_with_short_memories_that_are_as_short_as_can_be():
    run = judge_auto(*changing_stream(300), forgetting=0.5, **SMALL)
    assert {forgetting for *_, forgetting in run.team.kinds()} == {0.5, 1.0, 0.0}


@pytest.mark.slow
def test_frozen():
    run = judge_auto(*moving_stream(400), policy="freeze", **SMALL)
    assert replaced(run) == 0
    assert max(len(group.dictionary.S) for group in run.team.groups if group.width) == 12


@pytest.mark.slow
def test_targets_and_weights():
    X, y = moving_stream()
    Y = np.column_stack([y, 10 * random_stream(len(X), 3)[1] - 5])
    weights = np.random.default_rng(0).exponential(size=len(X))
    run = judge_auto(X, Y, weights, **LATE)
    assert run.starts == [4, 8, 16, 32, 100]
    assert renewals(run)[0] == [50, 100, 200, 400]
    assert replaced_fast(run) > 20
    X, y = changing_stream(440)
    run = judge_auto(X, np.column_stack([y, -y]), weights=None, **SMALL)
    assert take_overs(run) > 0


@pytest.mark.slow
def test_rows_on_a_line_have_finer_kernels():
    X, y = random_stream(300, 1)
    run = judge_auto(X, y, warm_up=100, max_basis=60)
    assert [group.family for group in run.team.groups].count("kernel") > 6


@pytest.mark.parametrize("n_rows", [1, 3, 4, 7, 20])
def test_while_it_is_warming_up(n_rows):
    X, y = random_stream(n_rows, 2)
    run = reference_auto.auto(X, y)
    for model in judge(nystream.Auto, run, X, y):
        assert len(model.experts) == (0 if n_rows < 4 else 26)


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
    run = judge_auto(X[:320], y[:320], **SMALL)
    assert replaced(run) > 3
    assert len(asleep(run)) == 6
    # Half way, labels become those of other rows.
    changed = np.append(y[:200], 0.5 * y[:200] + 0.3 * X[200:400, 0])
    run = judge_auto(X[:400], changed, **LATE)
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


# Experts that learn what to look at


@pytest.mark.slow
def test_the_past_of_the_labels_helps_while_they_depend_on_it():
    X, y = autocorrelated_stream(270, until=140, seed=1)
    run = judge_auto(X, y, forgetting=0.97, **SMALL)
    assert renewals(run) == ([64, 128, 256], [64, 128])
    assert len(asleep(run)) == 6


@pytest.mark.slow
def test_the_past_of_several_targets_with_weights():
    X, y = autocorrelated_stream(160)
    Y = np.column_stack([100 * y, autocorrelated_stream(160, seed=1)[1]])
    weights = np.random.default_rng(0).exponential(size=160)
    run = judge_auto(X, Y, weights, **SMALL)
    assert renewals(run) == ([64, 128], [64, 128])
    assert run.team.adaptive.data.width == 2 + 2 * 5


@pytest.mark.slow
def test_only_some_groups_with_kernels_stay_awake():
    """That one of those in a metric sleeps needs labels for which it is of no use."""
    X = np.random.default_rng(3).normal(size=(300, 3))
    run = judge_auto(X, X[:, 0] + X[:, 1] ** 2 / 2, **SMALL)
    assert {"kernel", "rough"} <= set(asleep(run))
    awake = [group for group in run.team.groups if group.width and not group.is_asleep]
    assert len(awake) == 3
    assert np.isinf(run.team.losses()).any()


@pytest.mark.slow
def test_rows_take_the_place_of_others_in_a_metric():
    """Long after the metric was learned rows move, and fast; labels change."""
    X, y = moving_stream(960)
    run = judge_auto(X[:511], y[:511], **SMALL)
    assert renewals(run)[0] == [64, 128, 256]
    relevant = run.team.adaptive.relevant
    assert any(group.replaced_fast > 0 for group in relevant)
    X, y = changing_stream(500)
    run = judge_auto(X, y, forgetting=0.99, **SMALL)
    assert sum(group.take_overs for group in run.team.adaptive.relevant) > 0


@pytest.mark.slow
def test_dictionaries_are_chosen_among_more_rows():
    run = judge_auto(*random_stream(140, 3), warm_up=64, max_basis=10)
    most = [group.most_candidates for group in run.team.adaptive.relevant]
    assert renewals(run)[0] == [32, 64, 128]
    assert most == [10, 15, 15]


@pytest.mark.slow
def test_more_rows_than_are_looked_at():
    """A metric is found from part of the rows, and once instead of twice."""
    run = judge_auto(*random_stream(1150, 2), warm_up=70, max_basis=8)
    assert renewals(run)[0] == [35, 70, 140, 280, 560, 1120]


@pytest.mark.slow
def test_some_experts_leave_out_features_that_tell_nothing():
    X = np.random.default_rng(1).normal(size=(300, 9))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    run = judge_auto(X, y, warm_up=70, max_basis=12)
    adaptive = run.team.adaptive
    assert [group.family for group in adaptive.focused if not getattr(group, "is_asleep", False)]
    assert 3 <= sum(adaptive.useless) <= 6
    assert not adaptive.useless[5:8].any()
    assert renewals(run)[0] == [35, 70, 140, 280]
    # Two targets, of which each looks at other features.
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 3] ** 2])
    run = judge_auto(X[:160], Y[:160], use_past=False, warm_up=70, max_basis=12)
    assert (np.flatnonzero(~run.team.adaptive.useless)[:2] == [0, 3]).all()


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.slow
def test_labels_with_a_long_tail_are_learned_on_a_curve(side):
    """It is mirrored if the lower tail is the long one."""
    X, y = skewed_stream(300)
    # Digits are lost on the way back from the curve.
    run = judge_auto(X, side * y, tolerance=1e-8, warm_up=70, max_basis=12)
    (stretched,) = run.team.adaptive.stretched
    assert np.sign(stretched.data.curves[0].spread) == side
    assert not stretched.is_asleep
    assert renewals(run)[0] == [35, 70, 140, 280]
    assert replaced(run) > 6
    families = np.array([family for family, *_ in run.team.kinds()])
    losses = run.team.losses()[:, 0]
    assert losses[families == "stretched"].min() < 0.7 * losses[families != "stretched"].min()


@pytest.mark.slow
def test_only_the_targets_with_a_long_tail_are_learned_on_a_curve():
    X, y = skewed_stream(200)
    weights = np.random.default_rng(0).exponential(size=200)
    Y = np.column_stack([X[:, 0] + X[:, 1], y])
    run = judge_auto(X, Y, weights, tolerance=1e-8, warm_up=70, max_basis=12)
    (stretched,) = run.team.adaptive.stretched
    kinds = [type(curve).__name__ for curve in stretched.data.curves]
    assert kinds == ["Line", "Curve"]
    assert not stretched.is_asleep


@pytest.mark.slow
def test_experts_on_a_curve_sleep_where_they_are_of_no_use():
    """Here labels have the tail of the features, on which they depend linearly."""
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(300, 3)) ** 1.5
    y = X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=300)
    run = judge_auto(X, y, tolerance=1e-8, warm_up=70, max_basis=12)
    assert "stretched" in asleep(run)


@pytest.mark.slow
def test_rows_so_wide_that_features_are_not_mixed():
    """And so wide that each tree asks for some of them only."""
    X, y = random_stream(70, 125)
    run = judge_auto(X, y, **SMALL)
    assert renewals(run)[0] == [64]
    assert [group.family for group in run.team.adaptive.relevant] == ["smooth", "rough"]


# Streams that change: every 256 rows it may be asked whether they have


def gains(run):
    """Of forgetting, when it was asked for."""
    return dict(run.gains)


@pytest.mark.slow
def test_it_begins_anew_where_all_has_changed():
    """And then forgets, where less has."""
    run = judge_auto(*stepping_stream(550, part=2.0), **FEW)
    assert gains(run)[256] < 0.5 < gains(run)[512] < 1
    assert run.starts == [4, 8, 16, 32, 256]
    # Rows of the present team, which has those of the warm-up before.
    assert renewals(run)[0] == [64, 128, 256, 288, 320]
    assert len(asleep(run)) == 6


@pytest.mark.slow
def test_it_begins_anew_with_targets_and_weights():
    X, y = stepping_stream(330, part=4.0)
    weights = np.random.default_rng(0).exponential(size=330)
    run = judge_auto(X, np.column_stack([y, 10 * y - 3 * X[:, 1]]), weights, **FEW)
    assert run.starts == [4, 8, 16, 32, 256]


@pytest.mark.slow
def test_after_a_longer_warm_up_it_begins_anew_with_experts_made_anew():
    run = judge_auto(*stepping_stream(300, part=2.0), warm_up=64, max_basis=8)
    assert run.starts == [4, 8, 16, 32, 64, 256]
    assert renewals(run)[0] == [32, 64]


@pytest.mark.slow
def test_it_begins_anew_where_features_have_moved_far():
    X, y = stepping_stream(300, part=0.9, seed=3)
    X[200:, 1] = 40 + 3 * X[200:, 1]
    run = judge_auto(X, y, **FEW)
    assert gains(run)[256] < 0.5
    assert run.starts == [4, 8, 16, 32, 256]
    kinds = [kind for _, kind, *_ in run.team.events]
    assert kinds == ["restart", "rescaling"]  # no short memory did better
    row, _, size, feature = run.team.events[1]
    assert (row, feature) == (256, 1)
    assert size > 50


@pytest.mark.slow
def test_it_forgets_rows_where_part_has_changed():
    X, y = stepping_stream(530, part=0.4, seed=3)
    run = judge_auto(X, y, warm_up=64, max_basis=8)
    assert 0.5 < gains(run)[256] < 1
    assert run.starts == [4, 8, 16, 32, 64, 512]
    # Experts that were made anew go on counting their take-overs, so that it looks again.
    assert gains(run)[512] < 0.5


@pytest.mark.slow
def test_it_goes_on_where_rows_of_before_are_of_use():
    run = judge_auto(*stepping_stream(300, part=0.25), **FEW)
    assert gains(run)[256] > 1
    assert renewals(run)[0] == [64, 128, 256]


@pytest.mark.slow
def test_rows_that_are_learned_again_have_the_scales_of_now():
    """A feature varies too little to have a scale until row 150, and counts from then on."""
    (X, y), now = stepping_stream(330, part=0.45), np.arange(330)
    u = np.random.default_rng(1).random(330)
    little = 5 + np.select([now < 32, now < 150], [0.0, 4e-6], 1e-5) * u
    run = judge_auto(np.column_stack([X, little]), y + 0.2 * u, **FEW)
    data = run.team.adaptive.data
    assert (data.plain[32:150, -1] == 0).all()
    assert (data.shown[100:150, -1] > 0).all()


# Without the past of the labels


@pytest.mark.slow
def test_without_the_past():
    run = judge_auto(*autocorrelated_stream(160), use_past=False, **SMALL)
    assert run.team.adaptive.data.width == 2
    families, *_, memories = zip(*run.team.kinds(), strict=True)
    assert not {"past", "mixed"} & set(families)
    assert 0.0 not in memories
    assert renewals(run) == ([64, 128], [])
    run = judge_auto(*stepping_stream(300, part=4.0), use_past=False, **FEW)
    assert run.starts == [4, 8, 16, 32, 256]


@pytest.mark.slow
def test_without_the_past_of_several_targets():
    X, y = random_stream(150, 3)
    run = judge_auto(X, np.column_stack([y, X[:, 0] - y]), use_past=False, **SMALL)
    assert [group.family for group in run.team.adaptive.relevant] == ["smooth", "rough", "mixed"]
