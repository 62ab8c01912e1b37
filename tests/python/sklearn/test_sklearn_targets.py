"""Several targets of an estimator, and intervals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import nystream
from nystream._core import default_params

pytest.importorskip("sklearn", minversion="1.6", reason="nystream.sklearn needs scikit-learn")

from estimators import (
    COLUMNS,
    ESTIMATORS,
    STORES,
    X,
    Y,
    settled,
    weighted,
    with_value,
)
from scipy.sparse import csr_array
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import nystream.sklearn
from nystream.sklearn import (
    AutoRegressor,
    LinearRlsRegressor,
    RidgeAldRegressor,
)

# They learn several labels of a row at once.
SEVERAL = [name for name in ESTIMATORS if "n_targets" in default_params(name)]


# Several targets


@pytest.fixture(params=SEVERAL)
def several(request):
    return request.param


def test_the_tag_says_who_takes_several_targets(name):
    assert get_tags(ESTIMATORS[name]()).target_tags.multi_output == (name in SEVERAL)


def test_targets_are_those_of_the_learner(several):
    model = ESTIMATORS[several]().fit(X, COLUMNS)
    learner = type(model.learner_)(**model.learner_.params)
    learner.learn_many(X, COLUMNS)
    assert learner.n_targets == 3
    assert np.array_equal(model.predict(X), learner.predict_many(X))
    assert np.array_equal(model.predict_interval(X), learner.predict_interval(X))
    assert model.score(X, COLUMNS) > 0


@pytest.mark.parametrize("estimator", [RidgeAldRegressor, LinearRlsRegressor])
def test_targets_do_not_know_of_each_other(estimator):
    weights = weighted()[0]
    predictions = estimator().fit(X, COLUMNS, sample_weight=weights).predict(X)
    for labels, column in zip(COLUMNS.T, predictions.T, strict=True):
        alone = estimator().fit(X, labels, sample_weight=weights)
        np.testing.assert_allclose(column, alone.predict(X), rtol=1e-9)


def test_a_column_of_labels_gives_a_column_of_predictions(several):
    column, plain = (ESTIMATORS[several]().fit(X, y) for y in (Y[:, None], Y))
    assert np.array_equal(column.predict(X), plain.predict(X)[:, None])
    assert np.array_equal(column.predict_interval(X), plain.predict_interval(X)[:, None])
    # Whichever comes later: the labels of `fit` have settled it.
    column.partial_fit(X, Y)
    plain.partial_fit(X, Y[:, None])
    assert np.array_equal(column.predict(X), plain.predict(X)[:, None])


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in SEVERAL])
def test_one_target_alone(name):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = settled(name).fit(X, Y[:, None])
    assert np.array_equal(model.predict(X), settled(name).fit(X, Y).predict(X))
    with pytest.raises(ValueError, match=re.escape("y should be a 1d array, got an array of")):
        model.partial_fit(X, COLUMNS)


def test_the_number_of_targets_stays_until_the_next_fit(several):
    model = ESTIMATORS[several]().fit(X, COLUMNS)
    before = model.predict(X)
    for labels, found in ((Y, 1), (Y[:, None], 1), (COLUMNS[:, :2], 2)):
        message = f"y should have as many targets as before, 3, but has {found}"
        with pytest.raises(ValueError, match=message):
            model.partial_fit(X, labels)
    assert np.array_equal(model.predict(X), before)
    assert model.partial_fit(X, COLUMNS).learner_.n_seen == 2 * len(Y)
    assert model.fit(X, COLUMNS[:, :2]).predict(X).shape == (len(Y), 2)
    assert model.fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize("labels", [COLUMNS, Y[:, None]], ids=["columns", "column"])
@pytest.mark.parametrize("store", STORES)
def test_a_stored_estimator_keeps_its_targets(labels, store, tmp_path):
    model = LinearRlsRegressor().fit(X, labels)
    copy = store(model, tmp_path / "model")
    assert np.array_equal(copy.predict(X), model.predict(X))
    expected = model.partial_fit(X, labels).predict_interval(X)
    assert np.array_equal(copy.partial_fit(X, labels).predict_interval(X), expected)


def test_columns_of_labels_in_frames_and_transformers():
    pandas = pytest.importorskip("pandas", reason="frames of pandas")
    frame = pandas.DataFrame(COLUMNS, columns=["one", "two", "three"])
    model = RidgeAldRegressor().fit(X, frame)
    assert np.array_equal(model.predict(X), RidgeAldRegressor().fit(X, COLUMNS).predict(X))
    scaled = TransformedTargetRegressor(model, transformer=StandardScaler()).fit(X, 100 * frame)
    assert scaled.score(X, 100 * frame) > 0.9


def test_sparse_labels_are_refused(several):
    with pytest.raises(TypeError, match="Sparse data was passed for y"):
        ESTIMATORS[several]().fit(X, csr_array(COLUMNS))


# Intervals


def test_intervals_are_those_of_the_learner(name):
    model = settled(name).fit(X, Y)
    assert hasattr(model, "predict_interval") == model.learner_.has_intervals
    if model.learner_.has_intervals:
        for level in (0.5, 0.9):
            expected = model.learner_.predict_interval(X, level)
            assert expected.shape == (len(Y), 2)
            assert np.array_equal(model.predict_interval(X, level), expected)
        assert np.array_equal(model.predict_interval(X), expected)


def test_intervals_hold_the_part_of_labels_that_was_asked_for():
    X, y = nystream.datasets.friedman(2500)
    model = AutoRegressor().fit(X[:1000], y[:1000])
    for level in (0.5, 0.9):
        low, high = model.predict_interval(X[1000:], level).T
        assert ((low < y[1000:]) & (y[1000:] < high)).mean() == pytest.approx(level, abs=0.05)


@pytest.mark.parametrize(
    ("rows", "level", "message"),
    [
        (X, 1.0, "level should be more than 0 and less than 1, but is 1"),
        (X[:, :2], 0.9, "X has 2 features, but RidgeAldRegressor is expecting 3"),
        (with_value(X, math.nan), 0.9, "Input X contains NaN"),
        (X[0], 0.9, "Expected 2D array, got 1D array instead"),
    ],
)
def test_intervals_that_are_refused(rows, level, message):
    model = RidgeAldRegressor(sigma=1.0)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict_interval(X)
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(X, Y).predict_interval(rows, level)
