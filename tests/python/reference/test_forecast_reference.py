"""The forecaster beside its slow and literal version, on series with all that real ones have."""

from __future__ import annotations

import datetime as dt
import warnings

import numpy as np
import pytest
import reference_forecast

import nystream

BEGIN = dt.datetime(2024, 2, 27)


def series(seed, n, season=6):
    """Values around a rhythm whose errors have one too, with a trend and an outlier."""
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    noise = rng.normal(size=n) * (1 + t % season)
    return 50 + t / 20 + 10 * np.sin(2 * np.pi * t / season) + noise + 200 * (t == n // 2)


def disordered(seed, n):
    """Slots of which some are missing, some come late and some twice."""
    rng = np.random.default_rng(seed)
    slots = [slot for slot in range(n) if rng.random() > 0.1]
    late = [slot for slot in range(0, n - 60, 7) if slot not in slots or slot % 2]
    for slot in late:
        place = next(i for i, other in enumerate(slots) if other > slot)
        slots.insert(place + int(rng.integers(1, 50)), slot)
    return slots


def assert_same_reports(model, judge, tolerance=1e-8):
    for horizon, errors in model.report.items():
        found = [errors.n, errors.mae, errors.rmse, errors.no_change]
        found += [*errors.seasonal.values(), errors.coverage, errors.width]
        np.testing.assert_allclose(found, judge.report(horizon), rtol=tolerance)
    assert (model.n_seen, model.n_too_late) == (judge.n_seen, judge.n_too_late)


def assert_same_forecasts(model, judge, X=None, tolerance=1e-8):
    for level in (0.5, 0.9):
        expected = judge.predict(X or (), level)
        found = model.predict_interval(X, level)
        np.testing.assert_allclose(found.mean(1), expected[:, 0], rtol=tolerance)
        np.testing.assert_allclose(np.diff(found)[:, 0] / 2, expected[:, 1], rtol=tolerance)


@pytest.mark.parametrize(
    ("horizons", "seasons"), [([1, 3], [6]), ([1, 9], [4, 12]), ([2], []), ([7], [6])]
)
def test_a_series_without_gaps(horizons, seasons):
    y = series(len(seasons), 140)
    model = nystream.Forecaster(nystream.LinearRls(), horizons, season=seasons or None)
    judge = reference_forecast.Forecaster(horizons, seasons)
    found, expected = model.progressive(y), judge.learn(range(len(y)), y)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert_same_reports(model, judge)
    assert_same_forecasts(model, judge)


@pytest.mark.parametrize("seed", range(2))
def test_gaps_late_and_corrected_values(seed):
    slots = disordered(seed, 140)
    y = series(seed, 140)[slots] + np.random.default_rng(seed).normal(size=len(slots))
    model = nystream.Forecaster(nystream.LinearRls(), [1, 4], season=6)
    judge = reference_forecast.Forecaster([1, 4], [6])
    found, expected = model.progressive(y, time=slots), judge.learn(slots, y)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert_same_reports(model, judge)


def features(slot):
    """A holiday and a plan, known ahead, and a number that is not, with gaps."""
    return {
        "holiday": "yes" if slot % 13 == 5 else "no",
        "plan": float(slot * slot % 17),
        "traffic": None if slot % 11 == 3 else float(slot * slot % 7),
    }


@pytest.mark.parametrize("step", [1, 6])
def test_features_some_of_which_are_known_ahead(step):
    """Calls of several rows know of the next ones as far as they go, and begin where others end."""
    slots = list(range(110))
    y = series(5, 110) + [8 * (features(slot)["holiday"] == "yes") for slot in slots]
    model = nystream.Forecaster(
        nystream.LinearRls(), [1, 3], season=6, ahead=["holiday", "plan"], every="1h"
    )
    judge = reference_forecast.Forecaster(
        [1, 3], [6], lambda slot: BEGIN + dt.timedelta(hours=slot), ["holiday", "plan"]
    )
    with warnings.catch_warnings(action="ignore"):
        for start in range(0, 110, step):
            part = slots[start : start + step]
            time = [BEGIN + dt.timedelta(hours=slot, minutes=slot % 20) for slot in part]
            rows = [features(slot) for slot in part]
            found = model.progressive(y[part], rows, time=time)
            np.testing.assert_allclose(found, judge.learn(part, y[part], rows), rtol=1e-8)
    assert_same_reports(model, judge)
    assert_same_forecasts(model, judge)
    assert_same_forecasts(model, judge, [features(slot) for slot in (110, 109, 110)])


def test_what_is_announced_is_known():
    """A row without a value says what is known ahead of its slot."""
    slots = [0, 1, *(slot for i in range(2, 90, 2) for slot in (i + 3, i, i + 1))]
    y = np.array([np.nan if i % 3 == 2 else slot % 4 + slot / 9 for i, slot in enumerate(slots)])
    model = nystream.Forecaster(nystream.LinearRls(), 4, season=4, ahead="plan")
    judge = reference_forecast.Forecaster([1, 2, 3, 4], [4], ahead=["plan"])
    for slot, value in zip(slots, y, strict=True):
        row = {"plan": float(slot * slot % 17)}
        model.learn_one(value, row, time=slot)
        judge.learn([slot], [value], [row])
    assert_same_reports(model, judge)
    assert_same_forecasts(model, judge, [{"plan": 3.0}])


def test_months_and_a_half_life():
    months = [dt.datetime(2015 + i // 12, 1 + i % 12, 1) for i in range(130)]
    y, slots = series(9, 130, 12), list(range(130))
    del months[40:43], slots[40:43]
    model = nystream.Forecaster(nystream.LinearRls(), [1, 12], every="1mo", half_life="2y")
    judge = reference_forecast.Forecaster(
        [1, 12],
        [12],
        lambda slot: dt.datetime(2015 + slot // 12, 1 + slot % 12, 1),
        forgetting=0.5 ** (1 / 24),
    )
    found, expected = model.progressive(y[slots], time=months), judge.learn(slots, y[slots])
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert_same_reports(model, judge)
    assert_same_forecasts(model, judge)


def test_a_long_gap_begins_the_past_anew():
    slots = [*range(60), *range(150, 200)]
    y = series(3, 200)[slots]
    model = nystream.Forecaster(nystream.LinearRls(), [1, 4], season=6)
    judge = reference_forecast.Forecaster([1, 4], [6])
    found, expected = model.progressive(y, time=slots), judge.learn(slots, y)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert_same_reports(model, judge)


@pytest.mark.parametrize("value", [np.nan, 70.0])
def test_what_comes_after_the_last_value_changes_the_next_forecasts(value):
    """An announcement of the next row, or a correction of the last one."""
    rows = [{"plan": float(slot * slot % 17)} for slot in range(81)]
    slots, y = [*range(80), 80 if np.isnan(value) else 79], [*series(4, 80), value]
    model = nystream.Forecaster(nystream.LinearRls(), 2, season=4, ahead="plan")
    judge = reference_forecast.Forecaster([1, 2], [4], ahead=["plan"])
    for slot, label in zip(slots, y, strict=True):
        model.learn_one(label, rows[slot], time=slot)
        judge.learn([slot], [label], [rows[slot]])
    np.testing.assert_allclose(model.predict(), judge.predict()[:, 0], rtol=1e-8)


def test_a_late_value_that_is_learned_is_not_counted_as_too_late():
    model = nystream.Forecaster(nystream.LinearRls(), 1, season=None)
    model.learn_many(np.arange(28.0), time=[*range(20), *range(21, 29)])
    model.learn_one(20.0, time=20)
    assert model.learner(1).n_seen == 27
    assert (model.n_seen, model.n_too_late) == (29, 0)
