"""The forecaster as an estimator: times, rows after those learned, features ahead, stores."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

import nystream

pytest.importorskip("pandas", reason="pandas is missing")
pytest.importorskip("sklearn", minversion="1.6", reason="nystream.sklearn needs scikit-learn")

import pandas as pd
from estimators import STORES
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from nystream.sklearn import Forecaster

N = 240
X = pd.DataFrame(
    {
        "hour": pd.date_range("2024-01-01", periods=N, freq="h"),
        "holiday": [n * n % 11 == 4 for n in range(N)],
        "town": ["Ulm" if n % 3 else None for n in range(N)],
    }
)
Y = 50 + 20 * np.sin(np.arange(N) * 2 * np.pi / 24) + 30 * X["holiday"].to_numpy()
IN_ORDER = {
    "check_methods_sample_order_invariance": "without times, rows to predict come in their order",
    "check_methods_subset_invariance": "without times, rows to predict follow those learned",
    "check_supervised_y_no_nan": "NaN is a value that has not come",
}


def make(horizon=12, **params):
    params = {"every": "1h", "time": "hour", "ahead": ["holiday"]} | params
    return Forecaster(nystream.LinearRls(), horizon, **params)


@pytest.mark.slow
def test_scikit_learns_own_checks():
    """With a horizon that reaches beyond all rows of the checks."""
    model = Forecaster(nystream.RunningMean(), horizon=200)
    results = check_estimator(model, on_skip=None, expected_failed_checks=IN_ORDER)
    not_passed = {result["check_name"] for result in results if result["status"] != "passed"}
    assert not_passed - {"check_array_api_input"} == set(IN_ORDER)
    assert len(results) > 40


def test_forecasts_are_those_of_the_forecaster():
    other = nystream.Forecaster(nystream.LinearRls(), 12, every="1h", ahead=["holiday"])
    other.learn_many(Y[:220], X[["holiday", "town"]][:220], time=X["hour"][:220])
    model = make().fit(X[:220], Y[:220])
    rows = X[["holiday", "town"]][220:232]
    np.testing.assert_allclose(model.predict(X[220:232]), other.predict(rows), rtol=1e-12)
    expected = other.predict_interval(rows, 0.5)
    np.testing.assert_allclose(model.predict_interval(X[220:232], 0.5), expected, rtol=1e-12)
    assert model.forecaster_.report[3] == other.report[3]
    assert model.score(X[220:232], Y[220:232]) > 0.9


def test_parts_are_the_whole_and_late_values_correct():
    whole, parts = make(ahead=()).fit(X, Y), make(ahead=())
    for rows in np.array_split(np.arange(N), 7):
        assert parts.partial_fit(X.iloc[rows], Y[rows]) is parts
    again = X.tail(3).assign(hour=X["hour"].tail(3) + pd.Timedelta(hours=3))
    np.testing.assert_allclose(parts.predict(again), whole.predict(again), rtol=1e-9)
    parts.partial_fit(X[-1:], Y[-1:] + 5).partial_fit(X[:1], Y[:1])
    assert parts.forecaster_.n_seen == N
    assert parts.forecaster_.n_too_late == 0
    assert parts.fit(X[:50], Y[:50]).forecaster_.n_seen == 50


def test_rows_may_be_predicted_in_any_order():
    model = make().fit(X[:200], Y[:200])
    forward = model.predict(X[200:212])
    np.testing.assert_array_equal(model.predict(X[200:212][::-1]), forward[::-1])
    np.testing.assert_array_equal(model.predict(X[205:206]), forward[5:6])


def test_only_some_steps_ahead():
    model = make([1, 6]).fit(X[:200], Y[:200])
    assert model.predict(X.iloc[[205, 200]]).shape == (2,)
    with pytest.raises(ValueError, match=r"one of the times 2024-01-09 08:00:00, 2024-01-09 13:00"):
        model.predict(X[200:202])


def test_values_that_have_not_come_announce_their_rows():
    y = np.where(np.arange(N) < 200, Y, np.nan)
    model = make().fit(X, y)
    np.testing.assert_allclose(
        model.predict(X[200:212]), make().fit(X[:212], y[:212]).predict(X[200:212])
    )
    assert model.forecaster_.n_seen == 200


@pytest.mark.parametrize("library", ["polars", "pyarrow", "objects", "numbers"])
def test_tables_of_any_library(library):
    expected = make().fit(X[:200], Y[:200]).predict(X[200:204])
    names = {"time": 0, "ahead": (1,)} if library in ("objects", "numbers") else {}
    frame = X
    if library == "numbers":
        names |= {"every": None, "season": [24, 168]}
        frame = np.column_stack([np.arange(N), X["holiday"], np.zeros(N)])
        expected = make(**names).fit(frame[:200].tolist(), Y[:200]).predict(frame[200:204])
    elif library == "objects":
        frame = X.astype(object).to_numpy()
    else:
        module = pytest.importorskip(library)
        make_frame = module.from_pandas if library == "polars" else module.Table.from_pandas
        frame = make_frame(X)
    model = make(**names).fit(frame[:200], Y[:200])
    np.testing.assert_allclose(model.predict(frame[200:204]), expected, rtol=1e-9)


def test_without_times_rows_follow_one_another():
    model = Forecaster(nystream.LinearRls(), 4, season=24).fit(np.zeros((N, 1)), Y)
    np.testing.assert_array_equal(model.predict(np.zeros((3, 1))), model.forecaster_.predict()[:3])
    with pytest.raises(ValueError, match=r"the numbers of rows\[4\] should be one of the next 4"):
        model.predict(np.zeros((5, 1)))


@pytest.mark.parametrize("store", STORES)
def test_stores_go_on_identically(store, tmp_path):
    model = make().fit(X[:200], Y[:200])
    try:
        twin = store(model, tmp_path / "model")
    except ImportError:
        pytest.skip("a store is missing")
    for one in (model, twin):
        one.partial_fit(X[200:210], Y[200:210])
    np.testing.assert_array_equal(twin.predict(X[210:222]), model.predict(X[210:222]))
    assert repr(twin) == repr(model)


def test_parameters_are_read_by_fit():
    model = make(horizon=3, half_life="30d")
    assert model.get_params()["half_life"] == "30d"
    twin = clone(model).set_params(horizon=5, model=nystream.LinearRls(ridge=1.0))
    assert twin.fit(X, Y).forecaster_.horizons == [1, 2, 3, 4, 5]
    assert model.fit(X, Y).forecaster_.horizons == [1, 2, 3]
    assert list(model.feature_names_in_) == ["hour", "holiday", "town"]


def test_searches_and_pipelines():
    fold = PredefinedSplit(np.where(np.arange(212) < 200, -1, 0))
    models = [nystream.LinearRls(), nystream.RunningMean()]
    search = GridSearchCV(make(), {"model": models, "season": ["auto", None]}, cv=fold)
    pipeline = make_pipeline(search.fit(X[:212], Y[:212]).best_estimator_)
    assert search.best_score_ > 0.8
    assert len(pipeline.predict(X[212:214])) == 2


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.predict(X[200:213]), ValueError, r"X\['hour'\]\[12\] should be one of the"),
        (lambda m: m.predict(X[:1]), ValueError, "2024-01-09 19:00:00, but is 2024-01-01 00:00"),
        (lambda m: m.predict(X[["hour"]]), ValueError, "feature names should match"),
        (lambda m: make().predict(X), NotFittedError, "not fitted"),
        (lambda m: make(time="day").fit(X, Y), ValueError, "X should have the column 'day'"),
        (lambda m: make(every="soon").fit(X, Y), ValueError, "every should be a time like"),
        (lambda m: make(horizon=0).fit(X, Y), ValueError, "horizon should be between 1"),
        (lambda m: make(time=None).fit(X, Y), TypeError, "time should be given, since every is"),
        (lambda m: m.partial_fit(X, Y[:5]), ValueError, "inconsistent numbers of samples"),
        (lambda m: m.partial_fit(X, Y + np.inf), ValueError, "Input y contains infinity"),
        (
            lambda m: m.partial_fit(X.assign(hour="soon"), Y),
            TypeError,
            r"time\[0\] should be a time with a date, but is 'soon'",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, message):
    model = make().fit(X[:200], Y[:200])
    before = model.predict(X[200:212])
    with pytest.raises(error, match=message):
        call(model)
    np.testing.assert_array_equal(model.predict(X[200:212]), before)


def test_dates_are_times_too():
    days = pd.DataFrame({"day": [dt.date(2024, 1, 1) + dt.timedelta(days=n) for n in range(60)]})
    model = Forecaster(nystream.LinearRls(), 3, every="1d", time="day")
    model.fit(days[:50], np.arange(50) % 7)
    assert model.predict(days[50:53]).round() == pytest.approx([1, 2, 3])
