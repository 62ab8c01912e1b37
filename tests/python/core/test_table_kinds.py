"""Kinds of columns, found out or stated, and what the settings of columns do."""

from __future__ import annotations

import datetime as dt
import pickle
import re
import warnings

import numpy as np
import pytest
from table_streams import MAKERS, columns_of, library, quietly, rows_of_ids, stream

import nystream

ROWS, Y = stream(300)
FLAT = [float(i % 3) for i in range(400)]


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def kinds_of(model):
    return {column.name: column.kind for column in model.schema}


def linear(**kwargs):
    return nystream.Tabular(nystream.LinearRls(), **kwargs)


def rows_of(name, values):
    return [{name: value, "x": float(i % 5)} for i, value in enumerate(values)]


def kind_of(model, values, name="c"):
    rows = rows_of(name, values)
    quietly(model.learn_many, rows, FLAT[: len(rows)])
    return kinds_of(model)[name]


N = range(300)
FOUND = {
    "numbers": ([i * 7 % 11 / 2 for i in N], "number"),
    "few whole numbers": ([i % 3 for i in N], "number"),
    "truths": ([i % 3 == 0 for i in N], "category"),
    "texts": ([f"town {i % 20}" for i in N], "category"),
    "categories of numbers": ([str(i % 9) for i in N], "category"),
    "datetimes": ([dt.datetime(2024, 1, 1) + dt.timedelta(hours=i) for i in N], "time"),
    "dates": ([dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in N], "time"),
    "times of day": ([dt.time(i % 24, i % 60) for i in N], "time"),
    "texts that are times": ([f"{1 + i % 28}/12/2023 {i % 24}:30" for i in N], "time"),
    "row numbers": (list(N), "unused (id)"),
    "names of rows": ([f"x{i * 7}" for i in N], "unused (id)"),
    "sentences": ([f"the words of {i}" for i in N], "unused (text)"),
    "nothing": ([None] * 300, None),
    "nothing at first": ([None] * 290 + ["x"] * 10, "category"),
    "a constant": (["x"] * 300, "category"),
}


@pytest.mark.parametrize("values", FOUND)
def test_kinds_are_found_out_from_the_first_values(make, values):
    values, kind = FOUND[values]
    assert kind_of(make(), values) == kind


@pytest.mark.parametrize("kind", ["number", "category", "time", "text", "unused"])
def test_a_kind_that_is_stated_is_taken(make, kind):
    model = make(schema={"c": kind})
    assert kind_of(model, [1000 + i for i in N]) == kind
    assert model.params["schema"] == {"c": kind}
    assert np.isfinite(model.predict_many(rows_of("c", [5, None]))).all()


def test_a_stated_kind_matters():
    # Which code it is tells the label; how large it is tells nothing.
    codes = np.random.default_rng(0).integers(0, 12, 800)
    y = codes * 7.0 % 12
    rows = rows_of("code", codes.tolist())
    errors = {}
    for kind in ("number", "category", "unused"):
        model = linear(schema={"code": kind})
        errors[kind] = np.abs(model.progressive(rows, y) - y)[400:].mean()
    assert errors["category"] < 0.7 * errors["unused"]
    assert errors["category"] < 0.7 * errors["number"]


def test_the_schema_of_a_model_can_be_stated(make):
    rows = rows_of_ids(300)
    known = make()
    quietly(known.learn_many, rows, FLAT[:300])
    schema = kinds_of(known)
    assert schema["id"] == "unused (id)"
    model = make(schema=schema)
    model.learn_many(rows, FLAT[:300])  # without a warning
    assert kinds_of(model) == schema | {"id": "unused", "note": "unused", "stated": "unused"}


def test_kinds_that_are_no_kinds_are_refused():
    expected = r'schema\[.town.\]: a kind should be number, .* but is "color"'
    with pytest.raises(ValueError, match=expected):
        nystream.Auto(schema={"town": "color"})
    for schema in ("town", {1: "number"}, {"town": 1}, [("town", "number")]):
        with pytest.raises(TypeError, match="schema should be a dict of kinds"):
            nystream.Auto(schema=schema)


WRONG_SETTINGS = {
    "missing": "drop",
    "on_new_columns": "warn",
    "max_categories": 0,
    "missing_values": [float("inf")],
}


@pytest.mark.parametrize("name", WRONG_SETTINGS)
def test_settings_that_are_none_are_refused_by_name(make, name):
    with pytest.raises((TypeError, ValueError), match=name):
        make(**{name: WRONG_SETTINGS[name]})


def test_stated_columns_have_to_come(make):
    model = make(schema={"size": "number"})
    before = model.to_bytes()
    with pytest.raises(ValueError, match='column "size" is missing: schema names it'):
        model.learn_many(rows_of("c", [1.0]), [1.0])
    assert model.to_bytes() == before


def assert_refused(model, rows, message):
    """Every way to hand rows over gives the same error, and changes nothing."""
    before, y = model.to_bytes(), FLAT[: len(rows)]
    calls = [
        lambda: model.learn_many(rows, y),
        lambda: model.progressive(nystream.Table(rows), y),
        lambda: model.progressive(rows, y, delay=3),
        lambda: model.predict_many(rows),
        lambda: model.predict_interval(rows),
        lambda: model.learn_one(rows[-1], 1.0),
        lambda: model.predict_one(rows[-1]),
        lambda: model.ask(rows[-1]),
        lambda: model.scorer().predict_many(rows),
        lambda: model.scorer().predict_one(rows[-1]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=re.escape(message)):
            call()
    assert model.to_bytes() == before


@pytest.mark.parametrize("n_rows", [3, 100, 300])
def test_columns_that_are_new_gone_or_others_are_refused_by_name_and_value(make, n_rows):
    model = make()
    model.learn_many(ROWS[:n_rows], Y[:n_rows])
    good = ROWS[7]
    gone = {name: value for name, value in good.items() if name != "area"}
    cases = [
        (good | {"more": 1}, 'column "more" is new: the rows learned do not have it'),
        (gone, 'column "area" is missing: the rows learned have it'),
        (good | {"rooms": "four"}, 'column "rooms" should be a number, but is "four" in row '),
        (good | {"area": 1e101}, 'column "area" should be a number of magnitude at most 1e100'),
        (good | {"area": float("inf")}, 'column "area" should be a number of magnitude'),
        (good | {"since": "soon"}, 'column "since" should be a time, but is "soon" in row '),
        (good | {"since": 3.5}, 'column "since" should be a time, but is 3.5 in row '),
        (good | {"rooms": "x", "since": "y"}, '"x" in row 0; column "since" should be a time'),
    ]
    for row, message in cases:
        assert_refused(model, [row], message)
    for row, message in cases[2:6]:
        assert_refused(model, [good, good, row], message)


def test_new_columns_are_left_out_or_join():
    rng = np.random.default_rng(0)
    extra = [row | {"more": size} for row, size in zip(ROWS, rng.random(300), strict=True)]
    y = np.array([100 * row["more"] for row in extra])
    ignoring, adding = linear(on_new_columns="ignore"), linear(on_new_columns="add")
    for model in (ignoring, adding):
        model.learn_many(ROWS, Y)
    plain = nystream.Learner.from_bytes(ignoring.to_bytes())
    expected = plain.progressive(ROWS, y)
    np.testing.assert_array_equal(ignoring.progressive(extra, y), expected)
    assert "more" not in kinds_of(ignoring)
    adding.learn_many(extra, y)
    found = adding.progressive(extra, y)
    assert kinds_of(adding)["more"] == "number"
    assert adding.n_features == len(ROWS[0]) + 1
    assert np.abs(found - y).mean() < 0.7 * np.abs(expected - y).mean()


@pytest.mark.parametrize("setting", ["ignore", "add"])
def test_a_column_that_does_not_come_any_more_has_missing_values(make, setting):
    model = make(on_new_columns=setting)
    model.learn_many(ROWS, Y)
    gone = [{name: value for name, value in row.items() if name != "area"} for row in ROWS[:20]]
    none = [row | {"area": None} for row in ROWS[:20]]
    np.testing.assert_array_equal(model.predict_many(gone), model.predict_many(none))
    n_missing = model.schema[2].n_missing
    model.learn_many(gone, Y[:20])
    assert model.schema[2].n_missing == n_missing + 20


def test_a_missing_value_is_an_error_if_asked_for(make):
    model = make(missing="error", schema={"note": "unused"})
    rows = [{"a": float(i % 5), "town": "Ulm", "note": None} for i in range(300)]
    model.learn_many(rows, FLAT[:300])
    for name, value in (("a", None), ("a", float("nan")), ("town", ""), ("town", None)):
        assert_refused(model, [rows[0] | {name: value}], f'column "{name}" has no value in row 0')


def test_numbers_that_stand_for_missing_values_are_missing(make):
    rows = [row | {"area": -999.0 if row["area"] is None else row["area"]} for row in ROWS]
    model, plain = make(missing_values=[-999]), make()
    np.testing.assert_array_equal(model.progressive(rows, Y), plain.progressive(ROWS, Y))
    assert model.schema == plain.schema
    assert model.params["missing_values"] == [-999.0]
    X = np.array([[-999.0 if i % 4 == 1 else i % 7, i % 3] for i in range(300)])
    gaps = np.where(X == -999, np.nan, X)
    model, plain = make(missing_values=-999), make()
    np.testing.assert_allclose(
        model.progressive(X, FLAT[:300]), plain.progressive(gaps, FLAT[:300]), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("most", [1, 2, 5, 1000])
def test_so_many_categories_are_remembered(most):
    values = np.random.default_rng(0).integers(0, 40, 1200)
    y = values * 7 % 40 / 4
    model = linear(max_categories=most)
    error = np.abs(model.progressive([{"c": f"value {v}"} for v in values], y) - y)[600:].mean()
    assert model.params["max_categories"] == most
    assert (error < 1.0) == (most == 1000)


def test_columns_left_out_are_told_once(make):
    model = make(schema={"stated": "unused"})
    rows = rows_of_ids(300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn_many(rows[:255], FLAT[:255])
        model.predict_many(rows)
    with pytest.warns(UserWarning, match="are left out") as caught:
        model.learn_one(rows[255], 1.0)
    message = str(caught[0].message)
    assert '"id" is unused (id)' in message
    assert '"note" is unused (text)' in message
    assert '"town"' not in message
    assert '"stated"' not in message
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn_many(rows[256:], FLAT[256:300])
        pickle.loads(pickle.dumps(model)).learn_many(rows, FLAT[:300])


@pytest.mark.parametrize("way", ["learn_many", "progressive", "late", "answer"])
def test_every_way_to_learn_tells_of_columns_left_out(make, way):
    model, rows = make(schema={"stated": "unused"}), rows_of_ids(300)
    calls = {
        "learn_many": lambda: model.learn_many(rows, FLAT[:300]),
        "progressive": lambda: model.progressive(rows, FLAT[:300]),
        "late": lambda: model.learn_many(rows, FLAT[:300], delay=5),
        "answer": lambda: [model.answer(model.ask(row), 1.0) for row in rows],
    }
    with pytest.warns(UserWarning, match="are left out") as caught:
        calls[way]()
    assert len(caught) == 1


def test_the_model_knows_its_columns(make):
    model = make()
    assert (model.schema, model.feature_names, model.n_features) == ([], None, None)
    model.learn_many(ROWS, Y)
    assert model.feature_names == list(ROWS[0])
    assert model.n_features == len(ROWS[0])
    column = model.schema[0]
    assert repr(column) == "Column(name='town', kind='category', n_missing=28)"
    assert column == nystream.Learner.from_bytes(model.to_bytes()).schema[0]
    assert column != model.schema[1]
    assert model.scorer().schema == model.schema
    assert model.scorer().feature_names == model.feature_names
    assert model.scorer().n_features == model.n_features


def test_relevance_events_and_novelty_are_those_of_columns():
    model = MAKERS["Auto"]()
    rows = [row | {"flat": 1.0} for row in ROWS]
    model.learn_many(rows, Y)
    assert model.relevance.shape == (len(rows[0]),)
    assert model.relevance.sum() == pytest.approx(1.0)
    known, unknown = model.novelty(rows[:50]), model.novelty([rows[0] | {"area": 1e9}])
    assert known.shape == (50,)
    assert unknown[0] > known.mean()
    model.learn_many([row | {"flat": 2.0} for row in rows[:40]], Y[:40])
    assert "flat" in {event.feature for event in model.events if event.kind == "feature"}
    frame = library("pandas").DataFrame(columns_of(rows[:50]))
    assert model.novelty(frame).shape == (50,)
