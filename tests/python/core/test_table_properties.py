"""Tables of any values: numbers, or an error that says why and changes nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from odd_tables import FORMS, FRAMES, models, models_by_key, rows_of, tables
from table_streams import quietly

import nystream

MODERATE = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def labels(table):
    return [float(i % 3) for i in range(len(table))]


def keys(table):
    return [i * i % 7 for i in range(len(table))]


CALLS = {
    "progressive": lambda model, table: model.progressive(table, labels(table)),
    "learn_many": lambda model, table: model.learn_many(table, labels(table)),
    "late": lambda model, table: model.progressive(table, labels(table), delay=2),
    "predict_many": lambda model, table: model.predict_many(table),
    "scorer": lambda model, table: model.scorer().predict_many(table),
    "novelty": lambda model, table: model._novelty(table),
}
CALLS_BY_KEY = {
    "progressive": lambda model, table: model.progressive(keys(table), table, labels(table)),
    "late": lambda model, table: model.progressive(keys(table), table, labels(table), delay=2),
    "predict_many": lambda model, table: model.predict_many(keys(table), table),
}
ROW_CALLS = {
    "learn_one": lambda model, row: model.learn_one(row, 1.0),
    "predict_one": lambda model, row: model.predict_one(row),
    "ask": lambda model, row: model.answer(model.ask(row), 2.0),
    "table": lambda model, row: model.predict_one(nystream.Table.from_row(row)),
}


def assert_numbers_or_named_error(model, call, table):
    """A call gives finite numbers, or an error of two kinds that changes nothing."""
    before, found, message = model.to_bytes(), None, None
    try:
        found = quietly(call, model, table)
    except (TypeError, ValueError) as error:
        message = str(error)
    if message is not None:
        assert message
        assert model.to_bytes() == before
    else:
        assert found is None or np.isfinite(found).all()
        kind = nystream.Keyed if isinstance(model, nystream.Keyed) else nystream.Learner
        kind.from_bytes(model.to_bytes())


@MODERATE
@given(models, st.lists(st.tuples(st.sampled_from(sorted(CALLS)), tables()), max_size=3))
def test_rows_of_any_values_are_predicted_or_refused(model, calls):
    for name, columns in calls:
        for form in FORMS:
            try:
                table = form(columns)
            except (TypeError, ValueError):
                continue
            assert_numbers_or_named_error(model, CALLS[name], table)


@settings(MODERATE, max_examples=60)
@given(models_by_key, st.sampled_from(sorted(CALLS_BY_KEY)), tables())
def test_rows_of_any_values_are_predicted_or_refused_by_key(model, call, columns):
    for form in FORMS:
        try:
            table = form(columns)
        except (TypeError, ValueError):
            continue
        assert_numbers_or_named_error(model, CALLS_BY_KEY[call], table)


@MODERATE
@given(models, st.lists(st.tuples(st.sampled_from(sorted(ROW_CALLS)), tables()), max_size=3))
def test_a_row_of_any_values_is_predicted_or_refused(model, calls):
    for name, columns in calls:
        for row in rows_of(columns):
            assert_numbers_or_named_error(model, ROW_CALLS[name], row)


@MODERATE
@given(models, st.sampled_from(FRAMES), st.sampled_from(sorted(CALLS)), tables())
def test_frames_of_any_values_are_predicted_or_refused(model, form, call, columns):
    pytest.importorskip("pandas", reason="not installed: pandas")
    pytest.importorskip("polars", reason="not installed: polars")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = form(columns)
    except Exception:  # the library's own: it makes no such frame
        return
    assert_numbers_or_named_error(model, CALLS[call], frame)
