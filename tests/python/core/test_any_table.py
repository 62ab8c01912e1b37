"""One table in many forms: the same predictions, and the same columns."""

from __future__ import annotations

import copy
import datetime as dt
import itertools
import types

import numpy as np
import pytest
from table_streams import FORMS, MAKERS, columns_of, library, schema_of, small_auto, stream

import nystream

ROWS, Y = stream(300)


@pytest.fixture(params=MAKERS)
def model(request):
    return MAKERS[request.param]()


@pytest.fixture(scope="module")
def expected():
    """Predictions, schema and bytes for a list of dicts."""
    found = {}
    for name, make in MAKERS.items():
        model = make()
        predictions = model.progressive(ROWS, Y)
        found[name] = predictions, schema_of(model), model.to_bytes()
    return found


@pytest.mark.parametrize("form", FORMS)
def test_a_table_of_any_form_gives_the_same_to_the_last_bit(model, form, expected):
    table = FORMS[form](ROWS)
    predictions, schema, content = expected[type(model).__name__]
    np.testing.assert_array_equal(model.progressive(table, Y), predictions)
    assert schema_of(model) == schema
    assert model.to_bytes() == content
    many = model.predict_many(FORMS[form](ROWS[:50]))
    np.testing.assert_array_equal(many, model.predict_many(ROWS[:50]))
    np.testing.assert_array_equal(model.scorer().predict_many(FORMS[form](ROWS[:50])), many)


def test_the_kinds_of_the_stream_are_those_that_people_would_say(expected):
    _, schema, _ = expected["Auto"]
    kinds = {name: kind for name, kind, _ in schema}
    assert list(kinds.values()) == ["category", "number", "number", "category", "time", "number"]
    missing = {name: n for name, _, n in schema if n}
    assert missing == {"town": 28, "area": 50}


def test_rows_one_by_one_are_the_table(model):
    again, one_by_one = copy.deepcopy(model), []
    for row, label in zip(ROWS, Y, strict=True):
        one_by_one.append(model.predict_one(row))
        model.learn_one(row, label)
    # Blocks and rows round otherwise, and what Auto learns to look at makes more of that.
    tolerance = 1e-5 if isinstance(model, nystream.Auto) else 1e-9
    np.testing.assert_allclose(again.progressive(ROWS, Y), one_by_one, rtol=tolerance)
    assert schema_of(again) == schema_of(model)
    rows = ROWS[:40]
    singly = [model.predict_one(row) for row in rows]
    np.testing.assert_allclose(again.predict_many(rows), singly, rtol=tolerance)


@pytest.mark.parametrize("pieces", [(1, 2, 5, 299), (255,), (256,), (257,), (16, 17, 290)])
def test_a_table_in_pieces_is_the_table(model, pieces):
    whole = copy.deepcopy(model).progressive(ROWS, Y)
    bounds = [0, *pieces, len(Y)]
    found = [
        model.progressive(ROWS[first:last], Y[first:last])
        for first, last in itertools.pairwise(bounds)
    ]
    np.testing.assert_allclose(np.concatenate(found), whole, rtol=1e-9, atol=1e-9)


def test_series_are_rows(model):
    model.learn_many(ROWS, Y)
    frame = library("pandas").DataFrame(columns_of(ROWS))
    again = copy.deepcopy(model)
    for i in (0, 3, 11):
        assert model.predict_one(frame.iloc[i]) == model.predict_one(ROWS[i])
        model.learn_one(frame.iloc[i], Y[i])
        again.learn_one(ROWS[i], Y[i])
    assert again.to_bytes() == model.to_bytes()


def test_mappings_are_rows(model):
    model.learn_many(ROWS, Y)
    row = types.MappingProxyType(ROWS[3])
    assert model.predict_one(row) == model.predict_one(ROWS[3])
    assert model.ask(row).prediction == pytest.approx(model.predict_one(ROWS[3]), rel=1e-9)


def test_columns_may_come_in_any_order(model):
    model.learn_many(ROWS, Y)
    turned = [dict(reversed(row.items())) for row in ROWS[:50]]
    np.testing.assert_array_equal(model.predict_many(turned), model.predict_many(ROWS[:50]))
    again = copy.deepcopy(model)
    model.learn_many(turned, Y[:50])
    again.learn_many(ROWS[:50], Y[:50])
    assert again.to_bytes() == model.to_bytes()


def test_a_name_that_is_left_out_of_a_dict_is_a_missing_value(model):
    model.learn_many(ROWS, Y)
    full = [row | {"area": None} for row in ROWS[:20]]
    sparse = [{name: value for name, value in row.items() if name != "area"} for row in full]
    sparse[0] = full[0]
    np.testing.assert_array_equal(model.predict_many(sparse), model.predict_many(full))


@pytest.mark.parametrize("form", FORMS)
def test_one_row_is_a_table(model, form):
    table = FORMS[form](ROWS[:1])
    if form.startswith("pandas"):
        table = table.astype({"town": object})  # of a lone None pandas makes a number
    assert model.progressive(table, Y[:1]) == [0.0]
    assert model.n_seen == 1
    assert model.predict_many(table) == pytest.approx([Y[0]], rel=0.02)


def test_no_rows_are_predicted_and_cannot_be_learned(model):
    frames = [nystream.Table.from_rows([]), library("pandas").DataFrame(columns_of(ROWS)).head(0)]
    model.learn_many(ROWS[:30], Y[:30])
    before = model.to_bytes()
    assert model.predict_many(frames[1]).shape == (0,)
    for frame in frames:
        with pytest.raises(ValueError, match="X should have at least one row"):
            model.learn_many(frame, [])
    assert model.to_bytes() == before


def test_a_table_without_columns_is_refused(model):
    before = model.to_bytes()
    for table in ([{}, {}], library("pandas").DataFrame(index=[0, 1])):
        with pytest.raises(ValueError, match="X should have at least one feature"):
            model.learn_many(table, [1.0, 2.0])
    with pytest.raises(ValueError, match="at least one feature"):
        model.learn_one({}, 1.0)
    assert model.to_bytes() == before


def test_a_name_that_comes_twice_is_refused(model):
    pandas, pyarrow = library("pandas"), library("pyarrow")
    frames = [
        pandas.DataFrame([[1.0, "x"]], columns=["a", "a"]),
        pyarrow.table([[1.0], ["x"]], names=["a", "a"]),
    ]
    for frame in frames:
        with pytest.raises(ValueError, match='X: column "a" comes twice'):
            model.learn_many(frame, [1.0])


def test_names_of_pandas_that_are_no_text_are_written_as_text(model):
    frame = library("pandas").DataFrame({0: ["a", "b", "a"], ("x", 1): [1.0, 2.0, 3.0]})
    model.learn_many(frame, [1.0, 2.0, 3.0])
    assert model.feature_names == ["0", "('x', 1)"]
    assert np.isfinite(model.predict_many(frame)).all()


def test_a_name_that_polars_cannot_hand_out_is_refused(model):
    frame = library("polars").DataFrame({"a": [1.0], "b\0c": [2.0]})
    with pytest.raises(ValueError, match=r'column "b\\0c" of X should have a name without NUL'):
        model.learn_many(frame, [1.0])
    assert model.predict_many([{"a": 1.0, "b\0c": 2.0}]) == [0.0]


def test_names_in_dicts_are_texts(model):
    for call in (model.predict_one, lambda row: model.learn_one(row, 1.0)):
        with pytest.raises(TypeError, match="a name in x should be a string, but is 1"):
            call({1: 2.0})
    with pytest.raises(TypeError, match="a name in X should be a string"):
        model.learn_many([{1: 2.0}], [1.0])


def test_numbers_without_names_are_an_array(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    frame = library("pandas").DataFrame(X)
    again = copy.deepcopy(model)
    np.testing.assert_array_equal(model.progressive(frame, y), again.progressive(X, y))
    assert model.feature_names is None
    assert again.to_bytes() == model.to_bytes()


def test_an_array_goes_with_the_columns_of_a_table_of_numbers():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    table = [dict(zip("abc", row, strict=True)) for row in X.tolist()]
    model, again = small_auto(), small_auto()
    np.testing.assert_allclose(model.progressive(table, y), again.progressive(X, y), rtol=1e-9)
    np.testing.assert_array_equal(model.predict_many(X), model.predict_many(table))


def test_a_column_without_values_is_read_from_every_library(model):
    rows = [{"a": float(i % 5), "b": None} for i in range(20)]
    expected = copy.deepcopy(model).progressive(rows, Y[:20])
    for name in ("pandas, NumPy", "pandas, Arrow", "polars", "pyarrow", "DuckDB", "other"):
        again = copy.deepcopy(model)
        np.testing.assert_array_equal(again.progressive(FORMS[name](rows), Y[:20]), expected)
        assert again.schema[1].kind is None, name


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "+05:45"])
def test_times_are_those_of_the_clock_on_the_wall(zone):
    pandas, polars = library("pandas"), library("polars")
    naive = pandas.Series(pandas.date_range("2024-03-30", periods=90, freq="7h"))
    aware = naive.dt.tz_localize("UTC").dt.tz_convert(zone)
    wall = aware.dt.tz_localize(None)
    y = wall.dt.hour.to_numpy(np.float64)
    expected = small_auto().progressive(wall.to_frame("t"), y)
    frames = [
        aware.to_frame("t"),
        library("pyarrow").Table.from_pandas(aware.to_frame("t")),
        [{"t": time.to_pydatetime()} for time in aware],
        [{"t": time} for time in aware],
    ]
    if not zone.startswith("+"):
        frames.append(
            polars.DataFrame({"t": naive}).with_columns(
                polars.col("t").dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
            )
        )
    for frame in frames:
        np.testing.assert_array_equal(small_auto().progressive(frame, y), expected)


def test_a_duration_is_its_seconds():
    durations = [dt.timedelta(minutes=i * 7 % 30) for i in range(60)]
    seconds = [{"d": duration.total_seconds()} for duration in durations]
    y = np.arange(60.0)
    expected = small_auto().progressive(seconds, y)
    rows = [{"d": duration} for duration in durations]
    for form in ("dicts", "pandas, NumPy", "pandas, Arrow", "polars", "pyarrow"):
        np.testing.assert_array_equal(small_auto().progressive(FORMS[form](rows), y), expected)


def test_times_that_python_has_not_are_learned_and_not_shown():
    far = np.array(["9999-12-31", "30000-01-01", "-0300-01-01"], dtype="datetime64[s]")
    frame = library("pandas").DataFrame({"t": far})
    model = small_auto()
    model.learn_many(frame, [1.0, 2.0, 3.0])
    assert model.schema[0].kind == "time"
    assert np.isfinite(model.predict_many(frame)).all()
    with pytest.raises(ValueError, match='column "t" has no values of Python'):
        nystream.Table(frame).to_dict()
