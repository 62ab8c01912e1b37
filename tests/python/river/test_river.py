"""Regressors of river: those of the learners, in river's own checks, pipelines and wrappers."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import nystream
from nystream._core import default_params

for package in ("river", "pandas"):
    pytest.importorskip(package, reason=f"{package} is missing: pip install '.[river]' pandas")

import pandas as pd  # noqa: E402
from regressors import NAMES, frame_of, learn, learner_of, make, stream  # noqa: E402
from river import (  # noqa: E402
    base,
    checks,
    compose,
    conf,
    datasets,
    ensemble,
    evaluate,
    feature_extraction,
    linear_model,
    metrics,
    model_selection,
    multioutput,
    preprocessing,
)

import nystream.river  # noqa: E402

WEIGHTED = [name for name in nystream.algorithms() if getattr(nystream, name)().takes_weights]
WITH_INTERVALS = [name for name in nystream.algorithms() if getattr(nystream, name)().has_intervals]
EVERY_ROW = [name for name in nystream.algorithms() if "max_rows" in default_params(name)]
# Names of a stream come and go; and river cannot clone an empty tuple.
OTHER_DEFAULTS = {"on_new_columns": "add", "missing_values": None}
RANDOMISED = [name for name in nystream.algorithms() if "random_state" in default_params(name)]


def loop(model, rows):
    predictions = []
    for x, y in rows:
        predictions.append(model.predict_one(x))
        model.learn_one(x, y)
    return predictions


def test_there_is_a_regressor_for_every_learner():
    assert set(nystream.river.__all__) == {*NAMES, "Forecaster", "TabularRegressor"}
    for name in set(nystream.river.__all__) - {"Forecaster"}:
        assert issubclass(getattr(nystream.river, name), base.MiniBatchRegressor)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_all_checks_of_river_pass(name):
    model = make(name)
    assert not model._unit_test_skips()
    for check in checks.yield_checks(model):
        check(model.clone())


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_learner(name):
    """Defaults too, but for the kernel, which river wants made anew, and the caps.

    A regressor of river has one target.
    """
    ours = inspect.signature(getattr(nystream.river, name)).parameters
    theirs = inspect.signature(learner_of(name)).parameters
    caps = {"max_basis", "max_rows"}
    assert set(ours) - caps == set(theirs) - caps - {"n_targets"}
    for key in set(ours) - caps - {"kernel"}:
        assert ours[key].default == OTHER_DEFAULTS.get(key, theirs[key].default)
        assert ours[key].kind == inspect.Parameter.KEYWORD_ONLY
    assert make(name)._get_params().get("kernel", nystream.Gaussian()) == nystream.Gaussian()
    for cap in caps & set(ours):
        assert ours[cap].default in (150, 300, 1000)


def test_a_wrong_parameter_is_refused_at_once():
    with pytest.raises(ValueError, match="alpha should be between"):
        make("NonsAld", alpha=-1.0)
    with pytest.raises(TypeError, match="kernel should be a kernel"):
        make("NonsAld", kernel="rbf")
    with pytest.raises(ValueError, match="max_basis should be at least 1, but is 0"):
        make("ConKons", max_basis=0)


@pytest.mark.parametrize("name", NAMES)
def test_predictions_are_those_of_the_learner(name):
    """Columns in the order of the names; one that is always 0 is there for names to come."""
    rows = stream()
    spare = [0.0] * (name not in ("AutoRegressor", "FogdRegressor"))
    arrays = [(np.array([x["a"], x["b"], x["c"], *spare]), y) for x, y in rows]
    expected = loop(learner_of(name)(), arrays)
    assert loop(make(name), rows) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_copies_go_on_learning_identically(name):
    model = make(name)
    rows = stream(45)
    for start in range(0, 45, 15):
        copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
        copies.append(model.clone(include_attributes=True))
        expected = loop(model, rows[start : start + 15])
        for twin in copies:
            assert loop(twin, rows[start : start + 15]) == expected


@pytest.mark.parametrize("name", RANDOMISED)
def test_the_seed_decides(name):
    first, again, other = (make(name, random_state=seed) for seed in (1, 1, 2))
    rows = stream(60)
    expected = loop(first, rows)
    assert loop(again, rows) == expected
    assert loop(first.clone(), rows) == expected
    assert loop(other, rows) != expected


@pytest.mark.parametrize("name", EVERY_ROW)
def test_a_full_model_predicts_but_learns_no_more(name):
    rows = stream(40)
    model = learn(make(name, max_rows=25), rows)
    assert model.learner.n_seen == 25
    model.learn_one({"new": 1.0}, 0.5)
    assert model.features == ["a", "b", "c"]
    with pytest.raises(TypeError, match=r"x\['new'\] should be a real number"):
        model.learn_one({"new": "text"}, 0.5)
    many = make(name, max_rows=25)
    for part in (rows[:20], rows[20:], stream(3, "pq")):
        many.learn_many(*frame_of("pandas", part))
    assert many.learner.n_seen == 25
    assert many.features == ["a", "b", "c"]
    x = rows[30][0]
    assert many.predict_one(x) == pytest.approx(model.predict_one(x), rel=1e-9)
    assert learn(make(name, max_rows=None), rows).learner.n_seen == 40


@pytest.mark.parametrize("name", ["ConKons", "ProsNKons"])
def test_sampling_stops_at_the_cap(name):
    rows = stream(80)
    model = learn(make(name, max_basis=6, beta=3.0), rows)
    assert model.learner.n_basis == 6
    assert model.learner.n_seen < 80
    many = make(name, max_basis=6, beta=3.0)
    for part in (rows[:3], rows[3:70], rows[70:]):
        many.learn_many(*frame_of("pandas", part))
    assert many.learner.n_seen == model.learner.n_seen
    x = rows[30][0]
    assert many.predict_one(x) == pytest.approx(model.predict_one(x), rel=1e-9)


def test_a_batch_refused_in_its_last_part_leaves_nothing_learned():
    model = make("ConKons", max_basis=6, uniforms=[0.9] * 20)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="uniforms"):
        model.learn_many(*frame_of("pandas", stream(60)))
    assert pickle.dumps(model) == before


ALD = [name for name in nystream.algorithms() if {"alpha", "max_basis"} <= {*default_params(name)}]


@pytest.mark.parametrize("name", ALD)
def test_a_dictionary_stops_growing_and_goes_on_learning(name):
    model = learn(make(name, max_basis=5), stream(40))
    assert (model.learner.n_basis, model.learner.n_seen) == (5, 40)


def test_the_memory_of_the_learner_is_counted():
    model = learn(make("RidgeAld"), stream(60))
    assert model._raw_memory_usage > model.learner.nbytes > 0


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_are_those_of_the_learner(name):
    rows = stream(30)
    weights = [(i % 4) / 2 for i in range(30)]  # 0, 0.5, 1, 1.5
    one, many, learner = make(name), make(name), learner_of(name)()
    for (x, y), w in zip(rows, weights, strict=True):
        one.learn_one(x, y, w=w)
        learner.learn_one([x["a"], x["b"], x["c"], 0.0], y, w)
    X, y = frame_of("pandas", rows)
    many.learn_many(X, y, w=pd.Series(weights))
    x = rows[3][0]
    expected = learner.predict_one([x["a"], x["b"], x["c"], 0.0])
    assert one.predict_one(x) == pytest.approx(expected, rel=1e-12)
    assert many.predict_one(x) == pytest.approx(expected, rel=1e-9)
    for w in (-1.0, float("nan"), "2"):
        with pytest.raises((TypeError, ValueError), match="w should be "):
            one.learn_one(x, 0.5, w=w)
    with pytest.raises(ValueError, match=r"w should hold numbers from 0 on, but has -1\.0 in row"):
        many.learn_many(X, y, w=pd.Series([0.0] * 29 + [-1.0]))
    assert one.predict_one(x) == pytest.approx(expected, rel=1e-12)


def test_one_weight_for_all_rows_and_none_at_all():
    X, y = frame_of("pandas", stream(10))
    model, twice = make("RunningMean"), make("RunningMean")
    model.learn_many(X, y, w=0)
    assert model.features == []
    twice.learn_many(X, y, w=2)
    assert twice.predict_one({}) == pytest.approx(y.mean(), rel=1e-12)


@pytest.mark.parametrize("name", [n for n in NAMES if n.removesuffix("Regressor") not in WEIGHTED])
def test_others_take_no_weights(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
        make(name).learn_one({"a": 1.0}, 0.5, w=2.0)


def interval_of(model, x, **settings):
    interval = model.predict_one(x, with_interval=True, **settings)
    assert isinstance(interval, conf.interval.Interval)
    return interval.lower, interval.upper


@pytest.mark.parametrize("name", WITH_INTERVALS)
def test_intervals_are_those_of_the_learner(name):
    rows = stream(40)
    model = make(name)
    assert interval_of(model, rows[0][0]) == (-math.inf, math.inf)
    learn(model, rows)
    x = rows[3][0]
    row = [x["a"], x["b"], x["c"], 0.0][: model.learner.n_features]
    before = pickle.dumps(model)
    for settings in ({}, {"level": 0.5}):
        expected = model.learner.predict_interval(row, **settings)
        assert interval_of(model, x, **settings) == tuple(expected)
    assert model.predict_one(x, with_interval=False) == model.predict_one(x)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", [name for name in WITH_INTERVALS if name != "Auto"])
def test_a_feature_not_yet_known_counts_in_intervals_too(name):
    rows = stream(40)
    model = learn(make(name), rows)
    full = learn(make(name), [({**x, "new": 0.0, "z": 0.0}, y) for x, y in rows])
    x = {**rows[3][0], "z": -0.4, "new": 0.7}
    assert interval_of(model, x) == pytest.approx(interval_of(full, x), rel=1e-9)
    assert model.features == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("x", "level", "message"),
    [
        ({"a": 1.0}, 1.0, "level should be more than 0 and less than 1, but is 1"),
        ({"city": "Paris"}, 0.9, r"x\['city'\] should be a real number, but is 'Paris'"),
        ({"a": float("nan")}, 0.9, r"x\['a'\] should be a finite number .*, but is nan"),
        ([1, 2], 0.9, r"x should be a dict of features, but is \[1, 2\]"),
    ],
)
def test_intervals_that_are_refused(x, level, message):
    model = learn(make("RidgeAld"), stream(10))
    with pytest.raises((TypeError, ValueError), match=message):
        model.predict_one(x, with_interval=True, level=level)


def test_pipelines_ask_for_intervals():
    rows = stream(40)
    model = learn(preprocessing.StandardScaler() | make("RidgeAld"), rows)
    scaled = model["StandardScaler"].transform_one(rows[3][0])
    expected = interval_of(model["RidgeAldRegressor"], scaled, level=0.8)
    assert interval_of(model, rows[3][0], level=0.8) == expected


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n.removesuffix("Regressor") not in WITH_INTERVALS]
)
def test_others_have_no_intervals(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'with_interval'"):
        make(name).predict_one({"a": 1.0}, with_interval=True)


def test_without_tuning_scales_do_not_matter():
    rows = stream(120)
    scaled = [({"a": 1e6 * x["a"] + 1e7, "b": x["b"], "c": 1e-3 * x["c"]}, y) for x, y in rows]
    model = make("Auto")
    assert loop(model, scaled) == pytest.approx(loop(make("Auto"), rows), rel=1e-6)
    assert model.learner.experts


def test_without_tuning_memory_is_bounded():
    model = make("Auto", warm_up=20, max_basis=5)
    model.learn_many(*frame_of("pandas", stream(8192)))
    size = model.learner.nbytes
    model.learn_many(*frame_of("pandas", stream(4000, seed=1)))
    assert model.learner.n_basis <= 5 * 9
    assert model.learner.nbytes <= 1.05 * size


def approval(regressor, n_rows=200, **settings):
    model = preprocessing.StandardScaler() | regressor
    rows = datasets.TrumpApproval().take(n_rows)
    return evaluate.progressive_val_score(rows, model, metrics.MAE(), **settings).get()


@pytest.mark.parametrize("name", NAMES)
def test_pipelines_beat_no_prediction_at_all(name):
    regressor = preprocessing.TargetStandardScaler(regressor=make(name))
    assert approval(regressor) < 3.0  # labels are 40 to 45, first predictions 0


def test_labels_may_come_late():
    settings = {"moment": "ordinal_date", "delay": 30}
    late = approval(make("RidgeAld"), **settings)
    assert approval(make("RidgeAld")) < late < approval(make("RidgeAld"), moment=len, delay=10**9)


def test_steps_of_the_evaluation_are_those_of_the_loop():
    rows = stream(50)
    steps = evaluate.iter_progressive_val_score(
        rows, make("NonsAld"), metrics.MSE(), step=10, yield_predictions=True
    )
    expected = loop(make("NonsAld"), rows)
    assert [step["Prediction"] for step in steps] == pytest.approx(expected[9::10])


def test_wrappers_of_river():
    models = [make("RidgeAld"), make("LinearRls"), linear_model.LinearRegression()]
    experts = preprocessing.TargetStandardScaler(regressor=ensemble.EWARegressor(models))
    assert approval(experts) < approval(make("RunningMean"))
    best = model_selection.GreedyRegressor(models)
    assert approval(preprocessing.TargetStandardScaler(regressor=best)) < 3.0
    bag = ensemble.BaggingRegressor(make("RidgeAld"), n_models=3, seed=1)
    assert approval(preprocessing.TargetStandardScaler(regressor=bag)) < 3.0


def test_several_targets_are_a_chain_of_models():
    model = multioutput.RegressorChain(make("Auto"))
    for x, y in stream(200):
        assert set(model.predict_one(x)) in (set(), {"once", "twice"})
        model.learn_one(x, {"once": y, "twice": 2 * y})
    predictions = model.predict_one(stream(200)[3][0])
    assert predictions["twice"] == pytest.approx(2 * predictions["once"], rel=0.1)


def test_words_are_features_that_come_and_go():
    texts = ["a red car", "a blue car", "one red bus", "two blue buses", "a red bus"]
    labels = [3.0, 1.0, 3.0, 1.0, 3.0]
    model = feature_extraction.BagOfWords() | make("RidgeAld")
    learn(model, zip(texts, labels, strict=True))
    assert model.predict_one("the red car") > model.predict_one("the blue car")
    many = compose.Pipeline(feature_extraction.BagOfWords(), make("RidgeAld"))
    many.learn_many(pd.Series(texts), pd.Series(labels))
    assert many.predict_one("the red car") == pytest.approx(model.predict_one("the red car"))


def test_without_river_the_import_says_what_to_install():
    script = "import sys; sys.modules['river'] = None; import nystream.river"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "nystream.river needs river: pip install 'nystream[river]'" in run.stderr
