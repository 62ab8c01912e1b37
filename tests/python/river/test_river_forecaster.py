"""The forecaster of river: its own checks, times, rows ahead, and the forecaster underneath."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle

import pytest

import nystream

pytest.importorskip("river", reason="river is missing: pip install '.[river]'")

from river import checks, datasets, evaluate, metrics, time_series

from nystream.river import Forecaster

DAY = dt.date(2024, 1, 1)


def make(horizon=3, **params):
    return Forecaster(nystream.LinearRls(), horizon, **{"season": 4} | params)


def day(n, **features):
    return {"day": DAY + dt.timedelta(days=n), **features}


def learned(model, n_rows, row=lambda n: None):
    for n in range(n_rows):
        model.learn_one(n % 4 + n / 50, row(n))
    return model


def test_all_checks_of_river_pass():
    for params in Forecaster._unit_test_params():
        for check in checks.yield_checks(Forecaster(**params)):
            check(Forecaster(**params))


def test_forecasts_are_those_of_the_forecaster():
    model, other = make(), nystream.Forecaster(nystream.LinearRls(), 3, season=4)
    assert model.forecast(2) == [0.0, 0.0] == model.forecast(2, [{}, {}])
    learned(model, 60)
    other.learn_many([n % 4 + n / 50 for n in range(60)])
    assert model.forecast(3) == pytest.approx(other.predict(), rel=1e-12)
    assert model.forecast(1) == model.forecast(3)[:1]
    assert model.forecaster.report[2] == other.report[2]


@pytest.mark.parametrize("step", [1, 7])
def test_river_judges_what_was_meant(step):
    """River asks before the value of the row at hand is learned: times tell which are meant."""
    model = make(13, every="1mo", season="auto", time="month")
    found = list(
        evaluate.iter_evaluate(datasets.AirlinePassengers(), model, metrics.MAE(), horizon=12)
    )
    report = model.forecaster.report[step + 1]
    assert found[-1][-1].metrics[step - 1].get() == pytest.approx(report.mae, rel=0.1)
    assert report.mae < report.no_change
    assert isinstance(model, time_series.base.Forecaster)


def test_evaluate_works_without_times():
    model = make(3)
    rows = [({"sun": n % 3}, float(n % 4)) for n in range(60)]
    error = evaluate.evaluate(rows, model, metrics.MAE(), horizon=3, agg_func=max)
    assert error.get() < 2.5
    assert model.forecaster.n_seen == 57


def test_times_say_which_values_are_meant():
    model = learned(make(every="1d", time="day"), 80, day)
    assert model.forecast(2, [day(82), day(80)]) == [model.forecast(3)[i] for i in (2, 0)]
    model.learn_one(2.0, day(82))
    assert str(model.forecaster.next_times[0]) == "2024-03-24T00:00:00.000000"


def test_features_ahead_are_those_of_their_rows():
    def row(n):
        return day(n, holiday=n * n % 11 == 4, rain=n % 5)

    model = make(every="1d", time="day", ahead=["holiday"])
    for n in range(300):
        model.learn_one(None, row(n + 3))
        model.learn_one(5.0 * (n * n % 11 == 4), row(n))
    first, last = model.forecast(2, [day(302, holiday=True), day(301, holiday=False)])
    assert first == pytest.approx(5.0, abs=1.0)
    assert last == pytest.approx(0.0, abs=1.0)


def test_features_come_and_go():
    model = make(ahead=["a"])
    for n in range(40):
        model.learn_one(n % 4, {"a": n % 3, 1: n % 2} if n % 9 else {"b": "new", "a": 1.0})
    assert all(map(math.isfinite, model.forecast(3, [{"a": 1}, {}, {"c": None}])))


def test_copies_go_on_identically():
    model = learned(make(every="1d", time="day"), 40, day)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    copies.append(model.clone(include_attributes=True))
    model.learn_one(1.0, day(40))
    for twin in copies:
        twin.learn_one(1.0, day(40))
        assert twin.forecast(3) == model.forecast(3)
    assert model.clone().forecaster.n_seen == 0
    assert model.clone({"horizon": 5}).horizon == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: make(every="1d"), "time should be the name of a feature, since every is given"),
        (lambda m: make(every="1 fortnight", time="day"), "every should be a time like"),
        (lambda m: m.learn_one(1.0, {"a": 1}), "x should have the time 'day', but has not"),
        (lambda m: m.forecast(4), "horizon should be between 0 and 3, but is 4"),
        (lambda m: m.forecast(2, [day(9)]), "xs should have 2 rows, as horizon says, but has 1"),
        (lambda m: m.forecast(1, [{}]), r"xs\[0\] should have the time 'day', but has not"),
        (
            lambda m: m.forecast(2, [day(9), day(12)]),
            r"the 'day' of xs\[1\] should be one of the next 3 times, 2024-01-09 00:00:00 to "
            "2024-01-11 00:00:00, but is 2024-01-13",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    model = learned(make(every="1d", time="day"), 8, day)
    before = model.forecast(3)
    with pytest.raises(ValueError, match=message):
        call(model)
    assert model.forecast(3) == before
    assert model.forecaster.n_seen == 8
