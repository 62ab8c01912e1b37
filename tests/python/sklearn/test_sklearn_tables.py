"""Estimators on tables: text, categories, times, truths and gaps."""

from __future__ import annotations

import copy
import math
import re

import numpy as np
import pytest

import nystream

pytest.importorskip("sklearn", minversion="1.6", reason="nystream.sklearn needs scikit-learn")
pytest.importorskip("pandas", reason="frames of pandas")

import pandas as pd
from estimators import ESTIMATORS, STORES, X, Y, with_value
from messy import messy_frame, taxis
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from nystream.sklearn import (
    AutoRegressor,
    FogdRegressor,
    LinearRlsRegressor,
    NonsAldRegressor,
    OnlineKrrRegressor,
    RidgeAldRegressor,
    RunningMeanRegressor,
    TabularRegressor,
)

FRAME, LABELS = messy_frame()
TOO_MANY_COLUMNS = FRAME.assign(new=1.0)
MODELS = {
    "auto": lambda **columns: AutoRegressor(**columns),
    "tabular": lambda **columns: TabularRegressor(RidgeAldRegressor(), **columns),
}
# Rows are learned in order, and the check shuffles them; scales come from the first rows.
IN_ORDER = {"check_sample_weight_equivalence_on_dense_data": "scales are taken from the first rows"}


@pytest.fixture(params=MODELS)
def make(request):
    return MODELS[request.param]


def test_a_messy_frame_is_learned_as_it_is(make):
    model = make().fit(FRAME[:200], LABELS[:200])
    assert list(model.feature_names_in_) == list(FRAME.columns)
    assert model.n_features_in_ == 4
    assert model.score(FRAME[200:], LABELS[200:]) > 0.6
    kinds = {column.name: column.kind for column in model.learner_.schema}
    assert kinds == {"town": "category", "rooms": "number", "lift": "category", "when": "time"}
    low, high = model.predict_interval(FRAME[200:]).T
    assert ((low < LABELS[200:]) & (LABELS[200:] < high)).mean() > 0.75


@pytest.mark.parametrize(("library", "version"), [("polars", "1.9"), ("pyarrow", "1.9")])
def test_frames_of_other_libraries_give_the_same(make, library, version):
    pytest.importorskip("sklearn", minversion=version, reason=f"reads the names of {library}")
    frame, labels = messy_frame(library)
    expected = make().fit(FRAME, LABELS).predict(FRAME)
    model = make().fit(frame, labels)
    assert list(model.feature_names_in_) == list(FRAME.columns)
    assert np.array_equal(model.predict(frame), expected)


def test_the_estimator_learns_what_its_learner_learns():
    learner = nystream.Auto(use_past=False)
    learner.learn_many(FRAME, LABELS)
    assert np.array_equal(
        AutoRegressor().fit(FRAME, LABELS).predict(FRAME), learner.predict_many(FRAME)
    )


def test_arrays_may_hold_gaps(make):
    gaps = with_value(X, math.nan)
    model = make().fit(gaps, Y)
    assert np.isfinite(model.predict(gaps)).all()
    assert model.partial_fit(gaps, Y).learner_.n_seen == 2 * len(Y)


def test_arrays_of_objects_may_hold_text(make):
    """A transformer of columns makes them."""
    objects = FRAME[["town", "rooms", "lift"]].to_numpy()
    model = make().fit(objects[:200], LABELS[:200])
    assert not hasattr(model, "feature_names_in_")
    assert model.score(objects[200:], LABELS[200:]) > 0.7
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
        model.predict(objects[:, :2])


def test_pieces_give_what_the_whole_gives():
    model = AutoRegressor()
    for rows in np.split(np.arange(len(LABELS)), [40, 41, 250]):
        model.partial_fit(FRAME.iloc[rows], LABELS[rows])
    whole = AutoRegressor().fit(FRAME, LABELS).predict(FRAME)
    np.testing.assert_allclose(model.predict(FRAME), whole, rtol=1e-9)


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(LABELS, index=range(7, 7 + len(LABELS))),
        LABELS.tolist(),
        LABELS[:, None],
        pd.DataFrame({"price": LABELS}),
    ],
)
def test_labels_of_every_form(labels):
    expected = AutoRegressor().fit(FRAME, LABELS).predict(FRAME)
    predictions = AutoRegressor().fit(FRAME, labels).predict(FRAME)
    assert np.array_equal(predictions.ravel(), expected)
    assert predictions.shape == np.shape(labels)


def test_labels_of_polars():
    polars = pytest.importorskip("polars", reason="frames of polars")
    for labels in (polars.Series(LABELS), polars.DataFrame({"price": LABELS})):
        predictions = AutoRegressor().fit(FRAME, labels).predict(FRAME)
        assert predictions.shape == labels.shape


def test_a_column_of_labels_for_one_target_is_told_of_as_elsewhere():
    model = TabularRegressor(NonsAldRegressor())
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        model.fit(FRAME, LABELS[:, None])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_rows_without_weight_are_as_if_absent(make, library):
    frame = messy_frame(library)[0]
    counts = np.arange(len(LABELS)) % 3 > 0
    model = make().fit(frame, LABELS, sample_weight=counts.astype(float))
    expected = make().fit(FRAME[counts], LABELS[counts], sample_weight=np.ones(counts.sum()))
    assert np.array_equal(model.predict(frame), expected.predict(FRAME))


@pytest.mark.parametrize("store", [*STORES, lambda model, _path: copy.deepcopy(model)])
def test_a_stored_estimator_goes_on_bit_for_bit(make, store, tmp_path):
    model = make().fit(FRAME[:200], LABELS[:200])
    twin = store(model, tmp_path / "model")
    expected = model.partial_fit(FRAME[200:], LABELS[200:]).predict(FRAME)
    assert np.array_equal(twin.partial_fit(FRAME[200:], LABELS[200:]).predict(FRAME), expected)


# Columns that come and go


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME[["town", "rooms", "when"]], "yet now missing:\n- lift"),
        (TOO_MANY_COLUMNS, "unseen at fit time:\n- new"),
        (FRAME[FRAME.columns[::-1]], "must be in the same order"),
    ],
)
def test_other_columns_are_refused_by_name(make, frame, message):
    model = make().fit(FRAME, LABELS)
    before = model.predict(FRAME)
    for call in (lambda: model.partial_fit(frame, LABELS), lambda: model.predict(frame)):
        with pytest.raises(ValueError, match=message):
            call()
    assert np.array_equal(model.predict(FRAME), before)


def test_new_columns_join_or_are_left_out(make):
    ignoring = make(on_new_columns="ignore").fit(FRAME[["town", "rooms"]], LABELS)
    assert list(ignoring.partial_fit(FRAME, LABELS).feature_names_in_) == ["town", "rooms"]
    joining = make(on_new_columns="add").fit(FRAME[["town", "rooms"]], LABELS)
    joining.partial_fit(TOO_MANY_COLUMNS, LABELS)
    assert list(joining.feature_names_in_) == ["town", "rooms", "lift", "when", "new"]
    assert joining.n_features_in_ == 5
    assert np.isfinite(joining.predict(FRAME[["lift", "town"]])).all()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME.assign(rooms=math.inf), 'column "rooms" should be a number of magnitude at most'),
        (FRAME.assign(rooms="many"), 'column "rooms" should be a number, but is "many"'),
    ],
)
def test_a_refused_value_changes_nothing(make, frame, message):
    model = make().fit(FRAME, LABELS)
    before = model.predict(FRAME)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(frame, LABELS)
    assert np.array_equal(model.predict(FRAME), before)


def test_gaps_can_be_errors(make):
    model = make(missing="error")
    with pytest.raises(ValueError, match='column "town" has no value in row'):
        model.fit(FRAME, LABELS)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        model.fit(with_value(X, math.nan), Y)
    with pytest.raises(NotFittedError):
        model.predict(FRAME)


def test_tags_tell_what_is_taken(make):
    tags = get_tags(make()).input_tags
    assert tags.allow_nan
    assert tags.categorical
    assert not get_tags(make(missing="error")).input_tags.allow_nan
    assert not get_tags(RidgeAldRegressor()).input_tags.allow_nan


def test_parameters_of_columns_reach_the_learner(make):
    given = {"schema": {"rooms": "category"}, "missing_values": [3.0], "max_categories": 7}
    model = clone(make()).set_params(**given, on_new_columns="add").fit(FRAME, LABELS)
    params = model.learner_.params
    assert {name: params[name] for name in given} == given
    column = next(column for column in model.learner_.schema if column.name == "rooms")
    assert column.kind == "category"
    assert column.n_missing > (FRAME["rooms"] == 3).sum()


# Other estimators on tables


@pytest.mark.parametrize(
    "model", [RidgeAldRegressor(), RunningMeanRegressor(), LinearRlsRegressor()]
)
def test_scikit_learns_own_checks(model):
    results = check_estimator(
        TabularRegressor(model), on_skip=None, on_fail=None, expected_failed_checks=IN_ORDER
    )
    failed = {result["check_name"] for result in results if result["status"] == "failed"}
    assert len(results) > 40
    assert not failed


@pytest.mark.parametrize("name", sorted(ESTIMATORS.keys() - {"Auto"}))
def test_every_estimator_learns_a_table(name):
    labels = (LABELS - LABELS.mean()) / LABELS.std()
    model = TabularRegressor(ESTIMATORS[name]()).fit(FRAME, labels)
    assert model.learner_.n_seen == len(labels)
    assert type(model.learner_.params["model"]).__name__ == name
    assert hasattr(model, "predict_interval") == model.learner_.has_intervals
    twin = clone(model).fit(FRAME, labels)
    if "random_state" not in ESTIMATORS[name]().get_params():
        assert np.array_equal(twin.predict(FRAME), model.predict(FRAME))


def test_the_width_is_that_of_the_features():
    model = TabularRegressor(RidgeAldRegressor()).fit(FRAME, LABELS)
    every_row = TabularRegressor(OnlineKrrRegressor()).fit(FRAME, LABELS).learner_.basis
    expected = RidgeAldRegressor().fit(every_row, LABELS).kernel_
    assert model.kernel_ == expected
    assert model.learner_.params["model"].params["kernel"] == expected
    assert model.partial_fit(FRAME, LABELS).kernel_ == expected


def test_the_width_for_many_rows_is_that_of_a_sample():
    frame, labels = messy_frame(n_rows=900)
    few, many = (
        TabularRegressor(RidgeAldRegressor()).fit(frame[::step], labels[::step]).kernel_
        for step in (3, 1)
    )
    assert many.params["sigma"] == pytest.approx(few.params["sigma"], rel=0.2)


def test_several_targets():
    labels = np.column_stack([LABELS, -LABELS])
    model = TabularRegressor(RidgeAldRegressor()).fit(FRAME, labels)
    assert model.predict(FRAME).shape == (len(LABELS), 2)
    assert model.score(FRAME, labels) > 0.8


@pytest.mark.parametrize("model", [AutoRegressor(), StandardScaler(), None, 3])
def test_what_cannot_stand_behind_columns_is_refused(model):
    with pytest.raises(TypeError, match=re.escape("that takes numbers alone, but is")):
        TabularRegressor(model).fit(FRAME, LABELS)


def test_weights_are_refused_where_the_estimator_takes_none():
    with pytest.raises(ValueError, match=r"sample_weight should be None: FogdRegressor\(\) takes"):
        TabularRegressor(FogdRegressor()).fit(FRAME, LABELS, sample_weight=np.ones(len(LABELS)))


# In company


def test_a_grid_search_over_parameters_of_both():
    grid = {"model__alpha": [1e-3, 0.1], "max_categories": [1, 100]}
    search = GridSearchCV(
        TabularRegressor(RidgeAldRegressor()), grid, cv=3, error_score="raise"
    ).fit(FRAME, LABELS)
    assert search.best_params_["max_categories"] == 100
    assert search.predict(FRAME).shape == LABELS.shape


def test_cross_validation_of_a_raw_frame():
    frame = FRAME.assign(town=FRAME["town"].astype("category"))
    scores = cross_val_score(AutoRegressor(), frame, LABELS, cv=TimeSeriesSplit(3))
    assert scores[-1] > 0.8


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_pipelines_that_transform_some_columns(make, output):
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    columns = ColumnTransformer([("n", scaled, ["rooms"])], remainder="passthrough")
    columns.set_output(transform=output)
    pipeline = make_pipeline(columns, make()).fit(FRAME[:200], LABELS[:200])
    assert pipeline.score(FRAME[200:], LABELS[200:]) > 0.6


@pytest.mark.slow
def test_a_grid_search_on_taxis():
    trips, fares = taxis()
    search = GridSearchCV(
        AutoRegressor(max_basis=50),
        {"max_categories": [2, 1000]},
        cv=TimeSeriesSplit(2),
        scoring="neg_mean_absolute_error",
        error_score="raise",
    ).fit(trips[:3000], fares[:3000])
    errors = np.abs(search.predict(trips[3000:]) - fares[3000:])
    assert errors.mean() < 0.5 * np.abs(fares[3000:] - np.median(fares[:3000])).mean()
