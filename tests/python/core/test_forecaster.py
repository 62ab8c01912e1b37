"""Forecasters from Python: times of any kind, features, refusals, copies, threads."""

import copy
import datetime
import pickle
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nystream

HOURS = np.arange("2024-01-01", "2024-01-15", dtype="datetime64[h]")
VALUES = 10 + 5 * np.sin(np.arange(len(HOURS)) * 2 * np.pi / 24)


def new(**settings):
    return nystream.Forecaster(nystream.LinearRls(), **({"horizon": [1, 24]} | settings))


def learned(**settings):
    model = new(every="1h", **settings)
    model.learn_many(VALUES, time=HOURS)
    return model


@pytest.mark.parametrize(
    "times",
    [
        HOURS,
        list(HOURS),
        pd.Series(HOURS),
        pd.DatetimeIndex(HOURS),
        pd.DatetimeIndex(HOURS).tz_localize("Europe/Berlin"),
        pl.Series(HOURS.astype("datetime64[us]")),
        [str(hour) + ":00" for hour in HOURS],
        [hour.strftime("%d.%m.%Y %H:%M") for hour in pd.DatetimeIndex(HOURS)],
        [hour.to_pydatetime() for hour in pd.DatetimeIndex(HOURS)],
        HOURS.astype("datetime64[s]").astype(int),
        HOURS.astype("datetime64[ms]").astype(float),
    ],
    ids=lambda times: type(times).__name__,
)
def test_times_of_any_kind_are_the_same(times):
    model = new(every="1h")
    model.learn_many(VALUES, time=times)
    assert np.array_equal(model.predict(), learned().predict())
    assert (model.next_times == HOURS[-1] + np.array([1, 24])).all()


def test_times_are_rounded_to_the_nearest_step():
    model, minutes = new(every="1h"), np.resize([0, 29, -29], len(HOURS))
    model.learn_many(VALUES, time=HOURS + minutes.astype("timedelta64[m]"))
    assert model.to_bytes() == learned().to_bytes()


def test_months_and_days_are_those_of_the_calendar():
    model = new(horizon=3, every="1mo")
    months = np.arange("2020-01", "2024-02", dtype="datetime64[M]")
    model.learn_many(np.arange(len(months)) % 12, time=months)
    assert [str(time)[:10] for time in model.next_times] == [
        "2024-02-01",
        "2024-03-01",
        "2024-04-01",
    ]
    assert model.seasons == [12]
    assert np.abs(model.predict() - [1, 2, 3]).max() < 0.5


def test_rows_without_times_follow_each_other_or_are_counted():
    by_order, by_number = new(season=4), new(season=4)
    values = np.arange(100) % 4.0
    by_order.learn_many(values)
    by_number.learn_many(values, time=range(100))
    assert by_order.to_bytes() == by_number.to_bytes()
    assert by_order.next_times.tolist() == [100, 123]
    gap = new(season=4)
    gap.learn_many(np.delete(values, 50), time=np.delete(np.arange(100), 50))
    assert gap.n_seen == 99
    assert gap.next_times.tolist() == [100, 123]


def test_row_by_row_is_the_same_as_at_once():
    model = new(every="1h")
    for hour, value in zip(HOURS, VALUES, strict=True):
        model.learn_one(value, time=hour)
    assert model.to_bytes() == learned().to_bytes()


def test_forecasts_are_those_that_predict_gave():
    made = new(every="1h").progressive(VALUES, time=HOURS)
    model, given = new(every="1h"), []
    for hour, value in zip(HOURS, VALUES, strict=True):
        given.append(model.predict())
        model.learn_one(value, time=hour)
    given = np.array(given)
    assert np.array_equal(made[1:, 0], given[1:, 0])
    assert np.array_equal(made[24:, 1], given[1:-23, 1])
    assert np.isnan(made[0]).all()
    assert np.isnan(made[:24, 1]).all()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda rows: rows])
def test_features_come_in_any_frame(make):
    rows = [{"open": i % 3 > 0, "kind": "ab"[i % 2]} for i in range(len(VALUES))]
    values = VALUES + [3.0 * row["open"] for row in rows]
    model = new(every="1h", ahead=["open", "kind"])
    model.learn_many(values, make(rows), time=HOURS)
    plain = new(every="1h", ahead=["open", "kind"])
    plain.learn_many(values, rows, time=HOURS)
    assert model.to_bytes() == plain.to_bytes()
    kinds = {column.name: column.kind for column in model.learner(1).schema}
    assert kinds["open"] == kinds["kind"] == "category"
    assert np.array_equal(model.predict(make(rows[:24])), plain.predict(rows[:24]))


def test_arrays_are_features_with_numbers_as_names():
    x = np.arange(len(VALUES)) % 5.0
    model = new(every="1h", ahead="0")
    model.learn_many(VALUES + x, np.column_stack([x, -x]), time=HOURS)
    assert [column.name for column in model.learner(1).schema][-2:] == ["0", "1"]
    low, high = (model.predict([[value, 0.0]])[0] for value in (0.0, 4.0))
    assert high - low == pytest.approx(4, abs=0.5)


REFUSED = [
    ({"y": 1.0}, TypeError, "time should be given, since every is"),
    ({"y": 1.0, "time": "soon"}, TypeError, r"time\[0\] should be a time with a date.*'soon'"),
    ({"y": 1.0, "time": None}, TypeError, "time should be given"),
    ({"y": "x", "time": HOURS[0]}, TypeError, "y should be a number"),
    ({"y": np.inf, "time": HOURS[0]}, ValueError, "y"),
    ({"y": 1e200, "time": HOURS[0]}, ValueError, "y.*1e200"),
    ({"y": 1.0, "x": {"a": 1.0}, "time": HOURS[0]}, ValueError, "a"),
    ({"y": 1.0, "x": [object()], "time": HOURS[0]}, TypeError, "x"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), REFUSED)
def test_a_refused_call_changes_nothing(arguments, error, message):
    model = learned()
    before = model.to_bytes()
    with pytest.raises(error, match=message):
        model.learn_one(arguments.pop("y"), **arguments)
    assert model.to_bytes() == before


def test_lengths_are_compared():
    model = learned()
    with pytest.raises(ValueError, match="time should have as many values as y, 2, but has 1"):
        model.learn_many([1.0, 2.0], time=HOURS[:1])
    with pytest.raises(ValueError, match=r"horizon should be one of .*, but is 2"):
        model.learner(2)
    with pytest.raises(ValueError, match="level should be more than 0"):
        model.predict_interval(level=1.0)


WRONG = [
    ({"horizon": 0}, ValueError, "horizon should be between 1 and 1,000, but is 0"),
    ({"horizon": []}, ValueError, "horizon should be 1 to 1,000 distances, but is 0"),
    ({"horizon": [2, 1]}, ValueError, r"horizon\[1\] should be whole numbers that increase"),
    ({"horizon": 1.5}, TypeError, "horizon should be a whole number"),
    ({"every": "now"}, ValueError, "every should be a time like"),
    ({"every": 5}, TypeError, "every"),
    ({"season": "yearly"}, ValueError, "season should be 'auto'"),
    ({"season": 1}, ValueError, r"season\[0\] should be whole numbers that increase, from 2"),
    ({"half_life": "30d"}, ValueError, "half_life and every cannot both be given|both should"),
    ({"every": "1h", "half_life": "x"}, ValueError, "half_life should be a time"),
    ({"model": 3}, TypeError, "model should be a learner"),
    (
        {"model": nystream.NonsAld(), "every": "1h", "half_life": "1d"},
        ValueError,
        "NonsAld has no forgetting",
    ),
]


@pytest.mark.parametrize(("settings", "error", "message"), WRONG)
def test_wrong_parameters_are_named(settings, error, message):
    with pytest.raises(error, match=message):
        nystream.Forecaster(**settings)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_copies_go_on_bit_for_bit(again):
    model = learned()
    other = again(model)
    for one in (model, other):
        one.learn_one(3.0, time="2024-01-15 00:00")
    assert other.to_bytes() == model.to_bytes()
    assert repr(other) == repr(model)


def test_files_hold_learners_or_forecasters(tmp_path):
    learned().save(tmp_path / "f")
    nystream.RunningMean().save(tmp_path / "l")
    assert type(nystream.load(tmp_path / "f")) is nystream.Forecaster
    assert type(nystream.load(tmp_path / "l")) is nystream.RunningMean
    data = (tmp_path / "f").read_bytes()
    with pytest.raises(ValueError, match=r"it holds a forecaster, not a learner"):
        nystream.Learner.from_bytes(data)
    with pytest.raises(ValueError, match="it holds no forecaster"):
        nystream.Forecaster.from_bytes((tmp_path / "l").read_bytes())
    changed = bytearray(data)
    changed[len(data) // 2] ^= 1
    with pytest.raises(ValueError, match=r"checksum|not a nystream model"):
        nystream.Forecaster.from_bytes(bytes(changed))


def test_any_learner_can_be_the_model():
    for name in ("RidgeAld", "NonsAld", "RunningMean", "Fogd"):
        model = nystream.Forecaster(getattr(nystream, name)(), horizon=[1], every="1h")
        model.learn_many(VALUES[:60], time=HOURS[:60])
        assert np.isfinite(model.predict()).all()
    tabular = nystream.Tabular(nystream.LinearRls(), schema={"k": "category"})
    model = nystream.Forecaster(tabular, horizon=[1], every="1h", ahead="k")
    model.learn_many(VALUES, [{"k": i % 3} for i in range(len(VALUES))], time=HOURS)
    assert {c.name: c.kind for c in model.learner(1).schema}["k"] == "category"
    assert model.params["model"].params["schema"] == {"k": "category"}


def test_auto_forecasts_with_intervals_that_hold():
    rng = np.random.default_rng(0)
    noisy = VALUES + rng.normal(size=len(VALUES))
    model = nystream.Forecaster(horizon=[1], every="1h")
    model.learn_many(noisy, time=HOURS)
    errors = model.report[1]
    assert errors.mae < min(errors.no_change, errors.seasonal[24])
    low, high = model.predict_interval()[0]
    assert low < model.predict()[0] < high


def test_threads_take_turns():
    model = new(season=4)
    learn = lambda: [model.learn_many(np.arange(20) % 4.0) for _ in range(20)]  # noqa: E731
    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        model.predict()
    for thread in threads:
        thread.join()
    assert model.n_seen == 800


def test_a_wall_clock_that_is_set_back_corrects_an_hour():
    hours = pd.date_range("2024-10-26", "2024-10-28", freq="h", tz="Europe/Berlin")
    model = new(every="1h")
    model.learn_many(np.arange(len(hours), dtype=float), time=hours)
    assert model.n_seen == len(hours) - 1
    assert model.next_times[0] == np.datetime64("2024-10-28T01:00")


def test_dates_are_times():
    model = new(horizon=1, every="1d")
    day = datetime.date(2024, 2, 28)
    for i in range(3):
        model.learn_one(float(i), time=day + datetime.timedelta(days=i))
    assert str(model.next_times[0])[:10] == "2024-03-02"
