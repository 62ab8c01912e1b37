"""The regressors for river: its own checks, dicts that change, frames, caps, wrappers."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import subprocess
import sys
from collections import Counter, defaultdict

import numpy as np
import pytest
from support import random_stream

import nystream

for package in ("river", "pandas"):
    pytest.importorskip(package, reason=f"{package} is missing: pip install '.[river]' pandas")

import pandas as pd  # noqa: E402
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

NAMES = nystream.river.__all__
WEIGHTED = [name for name in nystream.algorithms() if getattr(nystream, name)().takes_weights]
WITH_INTERVALS = [name for name in nystream.algorithms() if getattr(nystream, name)().has_intervals]
EVERY_ROW = ["Kaar", "Kogd", "Kons", "OnlineKrr", "Pkawv", "SketchedKons"]


def make(name, **params):
    return getattr(nystream.river, f"{name.removesuffix('Regressor')}Regressor")(**params)


def learner_of(name):
    return getattr(nystream, name.removesuffix("Regressor"))


def stream(n_rows=60, names="cab", seed=0):
    X, y = random_stream(n_rows, len(names), seed)
    rows = [dict(zip(names, map(float, row), strict=True)) for row in X]
    return list(zip(rows, map(float, y), strict=True))


def learn(model, rows):
    for x, y in rows:
        model.learn_one(x, y)
    return model


def loop(model, rows):
    predictions = []
    for x, y in rows:
        predictions.append(model.predict_one(x))
        model.learn_one(x, y)
    return predictions


def test_there_is_a_regressor_for_every_learner():
    assert {name.removesuffix("Regressor") for name in NAMES} == set(nystream.algorithms())
    for name in NAMES:
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
        assert ours[key].default == theirs[key].default
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
    assert loop(make(name), rows) == pytest.approx(expected, abs=1e-13)


# The rows of a frame are learned in blocks, to 1e-9 of the loop.
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", NAMES)
def test_frames_are_the_loop(name, library):
    pytest.importorskip(library, reason=f"no frames of {library}")
    one, many = make(name), make(name)
    for rows in (stream(40, "ba"), stream(40, "cab", 1), stream(20, "c", 2)):
        X, y = frame_of(library, rows)
        learn(one, rows)
        many.learn_many(X, y)
    assert many.features == one.features
    X, _ = frame_of(library, stream(30, "dacbe", 3))  # d and e are new
    expected = [one.predict_one(x) for x, _ in stream(30, "dacbe", 3)]
    predictions = many.predict_many(X)
    assert type(predictions).__module__.split(".")[0] == library
    np.testing.assert_allclose(predictions.to_numpy(), expected, rtol=1e-9, atol=1e-9)


def frame_of(library, rows):
    X = pd.DataFrame([x for x, _ in rows])
    y = pd.Series([y for _, y in rows], name="label")
    if library == "polars":
        import polars

        return polars.DataFrame(X.to_dict("list")), polars.Series("label", y.to_list())
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(X.to_dict("list")), pyarrow.chunked_array([y.to_list()])
    return X, y


def test_a_series_of_pandas_keeps_index_and_name():
    model = make("RidgeAld")
    X, y = frame_of("pandas", stream(10))
    X.index = y.index = [f"row {i}" for i in range(10)]
    model.learn_many(X, y)
    predictions = model.predict_many(X)
    assert predictions.name == "label"
    assert predictions.index.equals(X.index)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_predicted_before_any_is_learned(library):
    pytest.importorskip(library, reason=f"no frames of {library}")
    X, _ = frame_of(library, stream(3))
    assert make("NonsAld").predict_many(X).to_numpy().tolist() == [0.0, 0.0, 0.0]


def test_columns_may_be_numbers_and_frames_empty():
    model = make("RidgeAld")
    X = pd.DataFrame({0: [1.0, 2.0], 10: [3.0, 4.0], 2: [True, False]})
    model.learn_many(X[:0], pd.Series([], dtype=float))
    assert model.features == []
    model.learn_many(X, pd.Series([1, 2]))
    assert model.features == [0, 2, 10]
    assert model.predict_many(X[:0]).tolist() == []
    one = learn(make("RidgeAld"), [({0: 1, 10: 3, 2: True}, 1), ({0: 2, 10: 4, 2: False}, 2)])
    assert model.predict_one({0: 1.5}) == pytest.approx(one.predict_one({0: 1.5}), rel=1e-12)


KERNELS = [getattr(nystream, name)() for name in nystream.kernels()]
KERNELS += [nystream.Polynomial(2, normalize=True), nystream.Kernel("Laplacian", sigma=2.0)]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("name", [n for n in NAMES if n != "FogdRegressor"])
def test_a_feature_not_yet_known_counts_as_if_it_had_been_0(name, kernel):
    takes_kernel = "kernel" in inspect.signature(learner_of(name)).parameters
    kernels = {"kernel": kernel} if takes_kernel else {}
    rows = stream(25)
    model = learn(make(name, **kernels), rows)
    full = learn(make(name, **kernels), [({**x, "new": 0.0, "z": 0.0}, y) for x, y in rows])
    for new in ({"new": 0.7}, {"z": -0.4, "new": 0.7}, {"z": 0.0}):
        x = {**rows[3][0], **new}
        before = pickle.dumps(model)
        prediction = model.predict_one(x)
        assert pickle.dumps(model) == before
        assert prediction == pytest.approx(full.predict_one(x), rel=1e-9, abs=1e-12)
        many = model.predict_many(pd.DataFrame([x]))
        assert many[0] == pytest.approx(prediction, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_not_yet_known_counts_as_in_the_widened_model(name):
    rows = stream(25)
    model = learn(make(name), rows)
    x = {**rows[3][0], "new": 0.7, "nil": 0.0, "z": -0.4}
    wide = copy.deepcopy(model)
    columns, placed = wide._extended(list(x), np.array([list(x.values())]))
    assert columns.names == ("a", "b", "c", "new", "nil", "z")
    expected = wide.learner.predict_one(placed[0])
    assert model.predict_one(x) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert model.features == ["a", "b", "c"]
    model.learn_one(x, 0.5)
    assert model.features == ["a", "b", "c", "new", "nil", "z"]


def test_given_frequencies_allow_no_more_features_than_they_have():
    model = make("Fogd", frequencies=[[1.0, 2.0], [0.5, 1.0]])
    model.learn_one({"a": 1.0}, 0.5)
    model.learn_one({"a": 1.0, "b": 0.5}, 0.5)
    before = pickle.dumps(model)
    for call in (lambda x: model.learn_one(x, 0.5), model.predict_one):
        with pytest.raises(ValueError, match="frequencies"):
            call({"a": 1.0, "b": 0.5, "c": 1.0})
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("name", NAMES)
def test_rows_without_any_feature(name):
    model = make(name)
    assert model.predict_one({}) == 0.0
    learn(model, [({}, 0.5), ({"a": 1.0}, 0.7), ({}, 0.4)])
    full = learn(make(name), [({"a": 0.0}, 0.5), ({"a": 1.0}, 0.7), ({"a": 0.0}, 0.4)])
    assert model.predict_one({}) == pytest.approx(full.predict_one({"a": 0.0}), rel=1e-12)


def test_names_of_any_type_in_any_order():
    names = ["b", 2, ("a", "b"), 10, None, 1.5, "a", frozenset("q")]
    models = []
    for order in (names, names[::-1]):
        model = make("Fogd")
        for i in range(5):
            model.learn_one({name: (names.index(name) + i) / 9 for name in order}, 0.1 * i)
        models.append(model)
    assert models[0].features == models[1].features
    assert [name for name in models[0].features if isinstance(name, (str, int))] == [
        2,
        10,
        "a",
        "b",
    ]
    x = dict.fromkeys(names, 0.3)
    assert models[0].predict_one(x) == models[1].predict_one(x)


@pytest.mark.parametrize("kind", [Counter, lambda x: defaultdict(float, x)])
def test_mappings_that_invent_values(kind):
    """They have as many names as the model knows, but others."""
    model = learn(make("RidgeAld"), stream(20))
    x = kind({"a": 1, "b": 2, "d": 3})
    assert model.predict_one(x) == model.predict_one({"a": 1, "b": 2, "d": 3})
    model.learn_one(x, 1.0)
    assert list(x) == ["a", "b", "d"]


def test_numbers_of_all_kinds():
    model = learn(make("RidgeAld"), stream(20))
    plain = model.predict_one({"a": 1.0, "b": 2.0, "c": 0.0})
    for kinds in ((True, 2, False), (np.float32(1), np.int8(2), np.bool_(False))):
        assert model.predict_one(dict(zip("abc", kinds, strict=True))) == plain
        assert model.predict_one(dict(zip("ab", kinds, strict=False))) == plain


@pytest.mark.parametrize("known", [True, False], ids=["known", "new"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("Paris", r"x\['city'\] should be a real number, but is 'Paris'"),
        ("1.5", r"x\['city'\] should be a real number, but is '1.5'"),
        (np.str_("1.5"), r"x\['city'\] should be a real number, but is "),
        (None, r"x\['city'\] should be a real number, but is None"),
        (1j, r"x\['city'\] should be a real number, but is 1j"),
        (float("nan"), r"x\['city'\] should be a finite number .*, but is nan"),
        (float("-inf"), r"x\['city'\] should be a finite number .*, but is -inf"),
        (2e100, r"x\['city'\] should be a finite number .* at most 1e100, but is 2e\+100"),
        (10**400, r"x\['city'\] should be a finite number .*, but is 1000"),
    ],
)
def test_what_is_no_number_is_refused_by_name(known, value, message):
    rows = stream(10)
    model = learn(make("NonsAld"), [({**x, "city": 0.5} if known else x, y) for x, y in rows])
    before = pickle.dumps(model)
    for x in ({"a": 1.0, "b": 1.0, "c": 2.0, "city": value}, {"city": value, "other": 1.0}):
        for call in (lambda x: model.learn_one(x, 0.5), model.predict_one):
            with pytest.raises((TypeError, ValueError), match=message):
                call(x)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("y", ["high", None, float("nan"), float("inf")])
def test_a_label_that_is_no_number_is_refused(y):
    model = learn(make("NonsAld"), stream(10))
    before = pickle.dumps(model)
    for x in ({"a": 1.0, "b": 1.0, "c": 2.0}, {"a": 1.0}, {"new": 1.0}):
        with pytest.raises((TypeError, ValueError), match="y should be a "):
            model.learn_one(x, y)
    assert pickle.dumps(model) == before


def test_what_is_no_dict_or_frame_is_refused():
    with pytest.raises(TypeError, match=r"x should be a dict of features, but is \[1, 2\]"):
        make("NonsAld").predict_one([1, 2])
    with pytest.raises(TypeError, match=r"X should be a data frame, but is \[\[1\]\]"):
        make("NonsAld").learn_many([[1]], [1])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ({"a": [1.0, None]}, [1, 2], r"X\['a'\] should hold finite numbers .* has nan in row 1"),
        ({"a": ["x", "y"]}, [1, 2], "column 'a' of X should hold real numbers, but holds String"),
        ({"b": [1, 2]}, [1, np.nan], "y should hold finite numbers .* has nan in row 1"),
        ({"b": [1, 2]}, ["x", "y"], "y should hold real numbers, but holds "),
        ({"b": [1, 2]}, [1], r"y should be a series with a value for each row of X, 2, .*\(1,\)"),
    ],
)
def test_frames_are_refused_as_a_whole(X, y, message):
    model = learn(make("NonsAld"), stream(10))
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError), match=message):
        model.learn_many(pd.DataFrame(X), pd.Series(y))
    assert pickle.dumps(model) == before


def test_a_row_that_the_learner_refuses_leaves_its_names_unknown():
    model = make("ProsNKons", uniforms=[0.5] * 3)
    learn(model, stream(3))
    x = {"a": 1.0, "new": 2.0}
    prediction = model.predict_one(x)
    with pytest.raises(ValueError, match="uniforms"):
        model.learn_one(x, 0.5)
    assert model.features == ["a", "b", "c"]
    assert model.predict_one(x) == prediction
    fourier = learn(make("Fogd"), stream(3))
    prediction = fourier.predict_one(x)
    fourier.learner.widen(6)  # as a row of three new names does
    fourier._columns = type(fourier._columns)(fourier._columns.names, 6)
    assert fourier.predict_one(x) == prediction


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


@pytest.mark.parametrize("name", ["ConKons", "Fogd", "Pkawv", "ProsNKons", "SketchedKons"])
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


@pytest.mark.parametrize("name", ["AogdAld", "KrlsAld", "NonsAld", "RidgeAld"])
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


@pytest.mark.parametrize("name", WITH_INTERVALS)
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
    learn(model, stream(50))
    size = model.learner.nbytes
    model.learn_many(*frame_of("pandas", stream(2000, seed=1)))
    assert model.learner.n_basis <= 5 * 6
    assert model.learner.nbytes <= 2 * size


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
    for x, y in stream(60):
        assert set(model.predict_one(x)) in (set(), {"once", "twice"})
        model.learn_one(x, {"once": y, "twice": 2 * y})
    predictions = model.predict_one(stream(60)[3][0])
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
