"""Regressors of river on rows as they come: text, times, truths and gaps."""

from __future__ import annotations

import copy
import itertools
import pickle
from datetime import timedelta

import numpy as np
import pytest

import nystream

for package in ("river", "pandas"):
    pytest.importorskip(package, reason=f"{package} is missing: pip install '.[river]' pandas")

import pandas as pd  # noqa: E402
from messy import messy_frame, messy_rows, taxis  # noqa: E402
from regressors import OF_NUMBERS, learn, make, stream  # noqa: E402
from river import base, checks, compose, evaluate, metrics, preprocessing  # noqa: E402

from nystream.river import (  # noqa: E402
    AutoRegressor,
    FogdRegressor,
    KonsRegressor,
    RidgeAldRegressor,
    TabularRegressor,
)

ROWS = list(zip(*messy_rows(), strict=True))
KERNEL = nystream.Gaussian(sigma=4.0)
MODELS = {
    "auto": lambda **columns: AutoRegressor(**columns),
    "tabular": lambda **columns: TabularRegressor(RidgeAldRegressor(KERNEL), **columns),
}


@pytest.fixture(params=MODELS)
def model_of(request):
    return MODELS[request.param]


def error_of(model, rows, n_first=100):
    errors = []
    for x, y in rows:
        errors.append(abs(y - model.predict_one(x)))
        model.learn_one(x, y)
    return np.mean(errors[n_first:])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RidgeAldRegressor", "LinearRlsRegressor", "FogdRegressor"])
def test_all_checks_of_river_pass(name):
    model = TabularRegressor(make(name))
    assert not model._unit_test_skips()
    for check in checks.yield_checks(model):
        check(model.clone())


def test_messy_rows_are_learned_as_they_are(model_of):
    model = model_of()
    spread = np.abs(np.diff([y for _, y in ROWS])).mean()
    assert error_of(model, ROWS) < 0.5 * spread
    kinds = {column.name: column.kind for column in model.learner.schema}
    assert kinds == {"town": "category", "rooms": "number", "lift": "category", "when": "time"}


def test_predictions_are_those_of_the_learner(model_of):
    model = learn(model_of(), ROWS)
    tabular = nystream.Tabular(nystream.RidgeAld(KERNEL, max_basis=300), on_new_columns="add")
    learner = nystream.Auto(on_new_columns="add") if model_of is MODELS["auto"] else tabular
    for x, y in ROWS:
        learner.learn_one(dict(sorted(x.items())), y)
    assert [model.predict_one(x) for x, _ in ROWS] == [learner.predict_one(x) for x, _ in ROWS]


def test_a_name_that_is_absent_is_a_missing_value(model_of):
    dense, sparse = model_of(), model_of()
    for x, y in ROWS[:100]:
        dense.learn_one(x, y)
        sparse.learn_one({k: v for k, v in x.items() if v is not None} or {"town": None}, y)
    x, y = ROWS[100]
    for missing in (None, float("nan")):
        expected = dense.predict_one({**x, "rooms": missing})
        # Columns that come later have later features, and sums are rounded in their order.
        found = sparse.predict_one({k: v for k, v in x.items() if k != "rooms"})
        assert found == pytest.approx(expected, rel=1e-9)


def test_names_may_come_late_and_in_any_order(model_of):
    model, shuffled = model_of(), model_of()
    for i, (x, y) in enumerate(ROWS):
        names = list(x)[: 2 + i // 100]
        row = {name: x[name] for name in names}
        assert model.predict_one(row) == shuffled.predict_one(dict(reversed(row.items())))
        model.learn_one(row, y)
        shuffled.learn_one(dict(reversed(row.items())), y)
    assert model.features == ["rooms", "town", "lift", "when"]


def test_rows_without_any_feature(model_of):
    model = model_of()
    assert model.predict_one({}) == 0.0
    model.learn_one({}, 1.0)
    assert model.predict_one({}) == pytest.approx(1.0, rel=0.01)
    learn(model, ROWS)
    assert model.predict_one({}) == model.predict_one(dict.fromkeys(ROWS[0][0]))
    model.learn_one({}, 1.0)
    assert model.learner.n_seen == len(ROWS) + 2


def test_names_of_any_type_are_their_texts(model_of):
    model = model_of()
    model.learn_one({3: 1.0, ("a", "b"): "x"}, 1.0)
    assert model.features == ["('a', 'b')", "3"]
    assert model.predict_one({"3": 1.0, "('a', 'b')": "x"}) == model.predict_one({3: 1.0})
    with pytest.raises(ValueError, match="names of x should have different texts"):
        model.learn_one({3: 1.0, "3": 2.0}, 1.0)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ({"town": ["Ulm"]}, 1.0, 'column "town" of x should hold numbers, texts, truths or times'),
        ({"rooms": float("inf")}, 1.0, 'column "rooms" should be a number of magnitude at most'),
        ({"town": "Ulm"}, float("nan"), r"y(\[0\])? should be a finite number"),
        ({"town": "Ulm"}, "dear", "y should be a number, but is 'dear'"),
        (["Ulm"], 1.0, r"x should be a dict of features, but is \['Ulm'\]"),
    ],
)
def test_a_refused_row_changes_nothing(model_of, x, y, message):
    model = learn(model_of(), ROWS)
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError), match=message):
        model.learn_one(x, y)
    assert pickle.dumps(model) == before


def test_other_names_can_be_errors(model_of):
    model = learn(model_of(on_new_columns="error"), ROWS)
    with pytest.raises(ValueError, match='column "new" is new'):
        model.learn_one({**ROWS[0][0], "new": 1.0}, 1.0)
    with pytest.raises(ValueError, match='column "when" is missing'):
        model.predict_one({"town": "Ulm", "rooms": 2.0, "lift": True})


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_the_loop(model_of, library):
    frame, labels = messy_frame(library)
    one, many = learn(model_of(), ROWS), model_of()
    many.learn_many(frame, pd.Series(labels, name="rent"))
    assert many.features == one.features
    predictions = many.predict_many(frame)
    assert type(predictions).__module__.split(".")[0] == library
    expected = [one.predict_one(x) for x, _ in ROWS]
    np.testing.assert_allclose(predictions.to_numpy(), expected, rtol=1e-8)


def test_frames_may_have_other_columns_and_weights(model_of):
    frame, labels = messy_frame()
    model, labels = model_of(), pd.Series(labels, name="rent")
    model.learn_many(frame[["town"]], labels)
    model.learn_many(frame.assign(new=1.0), labels, w=labels.index % 2)
    assert model.learner.n_seen == 1.5 * len(frame)
    assert model.features == ["town", "lift", "new", "rooms", "when"]
    predictions = model.predict_many(frame[["rooms"]])
    assert predictions.name == "rent"
    assert predictions.index.equals(frame.index)
    assert model.predict_many(frame[:0]).tolist() == []
    with pytest.raises(TypeError, match="X should be a data frame, but is"):
        model.learn_many([{"town": "Ulm"}], labels[:1])


def test_copies_go_on_bit_for_bit(model_of):
    model = learn(model_of(), ROWS[:150])
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    copies.append(model.clone(include_attributes=True))
    fresh = model.clone()
    assert repr(fresh) == repr(model)
    assert fresh.learner.n_seen == 0
    learn(model, ROWS[150:])
    expected = [model.predict_one(x) for x, _ in ROWS]
    for twin in copies:
        learn(twin, ROWS[150:])
        assert [twin.predict_one(x) for x, _ in ROWS] == expected


def test_intervals(model_of):
    model = learn(model_of(), ROWS)
    interval = model.predict_one(ROWS[7][0], with_interval=True, level=0.8)
    low, high = model.learner.predict_interval([ROWS[7][0]], 0.8)[0]
    assert (interval.lower, interval.upper) == (low, high)


# Other regressors on such rows


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_every_regressor_learns_messy_rows(name):
    model = learn(TabularRegressor(make(name)), ROWS[:60])
    assert model.learner.n_seen > 0
    assert np.isfinite(model.predict_one(ROWS[60][0]))
    assert model._raw_memory_usage > model.learner.nbytes


def test_parameters_reach_the_learner():
    model = TabularRegressor(RidgeAldRegressor(alpha=0.1), schema={"town": "unused"}).clone(
        {"model": (RidgeAldRegressor, {"alpha": 0.2}), "missing_values": [-1.0]}
    )
    params = model.learner.params
    assert params["model"].alpha == 0.2
    assert (params["schema"], params["missing_values"]) == ({"town": "unused"}, [-1.0])
    assert model.clone()._get_params() == model._get_params()


def test_a_full_model_predicts_but_learns_no_more():
    one, many = (TabularRegressor(KonsRegressor(max_rows=25)) for _ in range(2))
    learn(one, ROWS)
    frame, labels = messy_frame()
    many.learn_many(frame, pd.Series(labels))
    assert one.learner.n_seen == many.learner.n_seen == 25
    assert many.predict_one(ROWS[7][0]) == pytest.approx(one.predict_one(ROWS[7][0]), rel=1e-9)


@pytest.mark.parametrize("model", [AutoRegressor(), preprocessing.StandardScaler(), None])
def test_what_cannot_stand_behind_columns_is_refused(model):
    with pytest.raises(TypeError, match="that takes numbers alone, but is"):
        TabularRegressor(model)


def test_a_regressor_that_has_learned_is_refused():
    with pytest.raises(TypeError, match="has seen nothing"):
        TabularRegressor(learn(RidgeAldRegressor(), stream(3)))


def test_weights_and_intervals_are_refused_where_there_are_none():
    model = TabularRegressor(FogdRegressor())
    with pytest.raises(TypeError, match="every row counts once for Fogd"):
        model.learn_one({"town": "Ulm"}, 1.0, w=2.0)
    with pytest.raises(ValueError, match="Fogd has no intervals"):
        model.predict_one({"town": "Ulm"}, with_interval=True)


# In company


def test_labels_that_come_late(model_of):
    def late(delay):
        metric = metrics.MAE()
        evaluate.progressive_val_score(ROWS, model_of(), metric, moment="when", delay=delay)
        return metric.get()

    assert late(timedelta(hours=1)) < late(timedelta(days=5)) < late(timedelta(days=999))


def test_a_pipeline_of_river():
    model = compose.Select("town", "rooms") | AutoRegressor()
    assert isinstance(model, base.Regressor | compose.Pipeline)
    evaluate.progressive_val_score(ROWS, model, metrics.MAE())
    assert model["AutoRegressor"].features == ["rooms", "town"]


@pytest.mark.slow
def test_taxis_as_they_come():
    trips, fares = taxis()
    rows = zip(trips.to_dict("records"), fares.tolist(), strict=True)
    model, metric = AutoRegressor(max_basis=50), metrics.MAE()
    rows = list(itertools.islice(rows, 1500))
    evaluate.progressive_val_score(rows, model, metric, moment="pickup", delay=timedelta(hours=1))
    assert metric.get() < 0.5 * np.abs(fares - np.median(fares)).mean()
