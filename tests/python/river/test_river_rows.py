"""Rows of river: dicts and frames, names that come and go, numbers of all kinds."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections import Counter, defaultdict

import numpy as np
import pytest

import nystream

for package in ("river", "pandas"):
    pytest.importorskip(package, reason=f"{package} is missing: pip install '.[river]' pandas")

import pandas as pd  # noqa: E402
from regressors import NAMES, OF_NUMBERS, frame_of, learn, learner_of, make, stream  # noqa: E402

import nystream.river  # noqa: E402


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
@pytest.mark.parametrize("name", [n for n in OF_NUMBERS if n != "FogdRegressor"])
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


@pytest.mark.parametrize("name", OF_NUMBERS)
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


@pytest.mark.parametrize("name", OF_NUMBERS)
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
