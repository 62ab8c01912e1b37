"""Spark: models with columns, from text, dates, timestamps, booleans and nulls."""

from __future__ import annotations

import copy
import math
import os
import shutil
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from messy import messy_rows

import nystream

for package in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
    pytest.importorskip(package, reason=f"not installed: {package}")

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("no java on this machine", allow_module_level=True)

import pyarrow as pa  # noqa: E402
from pyspark.errors import PySparkException, StreamingQueryException  # noqa: E402
from spark_session import answer_of, read_files, write_files  # noqa: E402

from nystream.spark import fit_per_key, learn_stream, save_models, score  # noqa: E402

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

SCHEMA = "key string, t long, town string, rooms double, lift boolean, when timestamp, rent double"
COLUMNS = {
    "key": "key",
    "features": ["town", "rooms", "lift", "when"],
    "target": "rent",
    "order": "t",
}
ROWS, LABELS = messy_rows(120)
FULL = [
    {"key": "ab"[t % 2], "t": t, **row, "rent": label if t % 10 else None}
    for t, (row, label) in enumerate(zip(ROWS, LABELS, strict=True))
]


def tabular():
    return nystream.Tabular(nystream.RidgeAld(max_basis=40))


def zoned(row):
    """A row whose time is that of the clock in the session's zone."""
    return {**row, "when": row["when"].replace(tzinfo=ZoneInfo("Europe/Paris"))}


def table_of(rows):
    columns = {name: [row[name] for row in map(zoned, rows)] for name in rows[0]}
    return pa.table(columns, pa.schema(list(zip(columns, KINDS, strict=True))))


KINDS = [
    pa.string(),
    pa.int64(),
    pa.string(),
    pa.float64(),
    pa.bool_(),
    pa.timestamp("us", tz="Europe/Paris"),
    pa.float64(),
]


def loop(model, rows):
    """A model for each key in this process, which learns rows one by one."""
    models, predictions = {}, {}
    for row in rows:
        own = models.setdefault(row["key"], copy.deepcopy(model))
        features = {name: row[name] for name in COLUMNS["features"]}
        predictions[row["t"]] = own.predict_one(features)
        if row["rent"] is not None:
            own.learn_one(features, row["rent"])
    return models, predictions


def frame_of(spark, rows):
    return spark.createDataFrame([tuple(zoned(row).values()) for row in rows], SCHEMA)


@pytest.mark.parametrize("model", [tabular(), nystream.Auto()], ids=["tabular", "auto"])
def test_a_stream_of_tables_is_the_loop(spark, tmp_path, model):
    write_files(tmp_path / "rows", [table_of(FULL[i : i + 50]) for i in (0, 50, 100)])
    df = read_files(spark, tmp_path / "rows", SCHEMA)
    name = f"of_{type(model).__name__}"
    answer = answer_of(learn_stream(df, **COLUMNS, model=model), name).collect()
    _, expected = loop(model, FULL)
    assert {row.t: row.prediction for row in answer} == expected
    assert {row.error for row in answer} == {None}


def test_keys_of_a_group_share_columns(spark, tmp_path):
    write_files(tmp_path / "rows", [table_of(FULL[i : i + 60]) for i in (0, 60)])
    df = read_files(spark, tmp_path / "rows", SCHEMA)
    model, expected = nystream.Keyed(tabular()), {}
    answer = answer_of(learn_stream(df, **COLUMNS, model=model, groups=1), "of_keyed").collect()
    for row in FULL:
        one = row["key"], {name: row[name] for name in COLUMNS["features"]}
        expected[row["t"]] = model.predict_one(*one)
        if row["rent"] is not None:
            model.learn_one(*one, row["rent"])
    assert {row.t: row.prediction for row in answer} == expected
    assert {row.error for row in answer} == {None}


def test_a_row_that_cannot_be_read_is_told_and_not_learned(spark):
    rows = [dict(row) for row in FULL[:40]]
    rows[20]["rooms"] = math.inf
    rows[21]["rent"] = math.inf
    df = frame_of(spark, rows)
    answer = {row.t: row for row in learn_stream(df, **COLUMNS, model=tabular()).collect()}
    assert answer[20].prediction is None
    assert answer[20].error.startswith('column "rooms" should be a number of magnitude at most')
    assert (
        answer[21].error == "rent should be a finite number of magnitude at most 1e100, but is inf"
    )
    _, expected = loop(tabular(), rows[:20] + rows[22:])
    assert {t: row.prediction for t, row in answer.items() if row.error is None} == expected


def test_models_of_keys_learn_tables(spark, tmp_path):
    df = frame_of(spark, FULL)
    models = fit_per_key(df, **COLUMNS, model=tabular())
    expected, _ = loop(tabular(), FULL)
    for row in models.collect():
        own = nystream.Learner.from_bytes(row.model)
        labelled = [one for one in FULL if one["key"] == row.key and one["rent"] is not None]
        assert (row.n_seen, row.n_skipped) == (len(labelled), 60 - len(labelled))
        assert own.schema == expected[row.key].schema
        rows = [{name: one[name] for name in COLUMNS["features"]} for one in labelled]
        np.testing.assert_allclose(
            own.predict_many(rows), expected[row.key].predict_many(rows), rtol=1e-9
        )
    path = save_models(models, tmp_path)
    answer = learn_stream(df, **COLUMNS, model=path).collect()
    assert {row.error for row in answer} == {None}


def test_rows_that_cannot_be_learned_are_skipped(spark):
    rows = [dict(row, rent=1.0) for row in FULL[:40]]
    rows[20]["rooms"] = rows[31]["rooms"] = math.inf
    models = fit_per_key(frame_of(spark, rows), **COLUMNS, model=tabular()).collect()
    assert {row.key: (row.n_seen, row.n_skipped) for row in models} == {"a": (19, 1), "b": (19, 1)}


@pytest.mark.parametrize("model", [tabular(), nystream.Auto()], ids=["tabular", "auto"])
def test_tables_are_scored(spark, model):
    model.learn_many(ROWS, LABELS)
    scored = score(frame_of(spark, FULL), model).orderBy("t").collect()
    expected = model.predict_many(ROWS)
    np.testing.assert_allclose([row.prediction for row in scored], expected, rtol=1e-9)
    odd = [dict(FULL[0], rooms=math.inf), FULL[1]]
    first, second = score(frame_of(spark, odd), model.scorer()).orderBy("t").collect()
    assert first.prediction is None
    assert second.prediction == pytest.approx(expected[1], rel=1e-9)


def test_dates_and_decimals_are_values_too(spark):
    model = tabular()
    df = spark.sql(
        "SELECT 'a' AS key, id AS t, date_add(DATE'2024-01-01', CAST(id AS int)) AS day, "
        "CAST(id % 5 AS decimal(9, 2)) AS size, CAST(id % 5 AS double) AS y FROM range(60)"
    )
    columns = {"key": "key", "features": ["day", "size"], "target": "y", "order": "t"}
    streamed = learn_stream(df, **columns, model=model).collect()
    assert {row.error for row in streamed} == {None}
    learned = nystream.Learner.from_bytes(fit_per_key(df, **columns, model=model).first().model)
    assert {column.name: column.kind for column in learned.schema} == {
        "day": "time",
        "size": "number",
    }
    scored = score(df, learned).where("prediction is null").count()
    assert scored == 0


# What is refused


def test_learners_of_numbers_refuse_text_as_before(spark, tmp_path):
    df = frame_of(spark, FULL)
    message = "features should name columns of the types numeric, boolean, but 'town' holds string"
    for call in (learn_stream, fit_per_key):
        with pytest.raises(TypeError, match=message):
            call(df, **COLUMNS, model=nystream.RidgeAld())
    nystream.RidgeAld().save(tmp_path / "model.nys")
    with pytest.raises(PySparkException, match="takes numbers alone, but 'town' holds something"):
        fit_per_key(df, **COLUMNS, model=tmp_path / "model.nys").collect()


def test_a_file_of_other_columns_is_an_error(spark, tmp_path):
    model = tabular()
    model.learn_many([{"town": "Ulm", "size": 3.0}], [1.0])
    model.save(tmp_path / "model.nys")
    message = "has learned other features: town, size, but gets town, rooms, lift, when"
    with pytest.raises((PySparkException, StreamingQueryException), match=message):
        fit_per_key(frame_of(spark, FULL), **COLUMNS, model=tmp_path / "model.nys").collect()


def test_columns_of_other_types_are_refused(spark):
    df = spark.sql("SELECT 'a' AS key, 1 AS t, array(1) AS x, 1.0 AS y")
    with pytest.raises(TypeError, match="but 'x' holds array<int>"):
        learn_stream(df, key="key", features=["x"], target="y", order="t", model=tabular())
