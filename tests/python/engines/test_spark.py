"""Spark: models of keys in its state store, scores, models from history; on a real local Spark."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest
from support import random_stream

import nystream

for package in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
    pytest.importorskip(package, reason=f"not installed: {package}")

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("no java on this machine", allow_module_level=True)

import pyarrow as pa  # noqa: E402
import pyarrow.parquet  # noqa: E402
import spark_session  # noqa: E402
from pyspark.errors import StreamingQueryException  # noqa: E402
from spark_session import (  # noqa: E402
    COLUMNS,
    FEATURES,
    answer_of,
    read_files,
    ridge,
    run_query,
    write_files,
)

from nystream._frames import NamedRows  # noqa: E402
from nystream.spark import fit_per_key, learn_stream, save_models, score  # noqa: E402

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


UNLIKELY_NAMES = ["north", "a/b", "..", ".", "", "é %2F", "A,B"]


def row_loop(model, X, y):
    """What a program of a few lines would answer."""
    return [
        (model.predict_many(x) if np.isnan(label) else model.progressive(x, [label]))[0]
        for x, label in zip(X[:, np.newaxis], y, strict=True)
    ]


# A query that is killed ---------------------------------------------------------------------------


def committed(folder):
    return len(list(folder.glob("checkpoint/commits/[0-9]*")))


def kill_midway(folder, n_batches):
    """Run a query in another process, and kill it some time after so many micro-batches."""
    command = [sys.executable, spark_session.__file__, str(folder)]
    log = folder / "log"
    with log.open("w") as file:
        process = subprocess.Popen(command, start_new_session=True, stderr=file)
    try:
        while committed(folder) < n_batches and process.poll() is None:
            time.sleep(0.02)
        time.sleep(random.uniform(0, 0.5))
        assert process.poll() is None, log.read_text(encoding="utf-8")
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with the virtual machine
        process.wait()


@pytest.mark.timeout(300)  # it starts a second Spark
@pytest.mark.timeout(300)  # it starts a second Spark
def test_a_query_that_is_killed_loses_and_doubles_nothing(spark, tmp_path):
    X, y = random_stream(300, 2)
    keys = np.random.default_rng(1).choice(["a", "b", "c"], 300)
    columns = {"key": keys, "t": np.arange(300), "x0": X[:, 0], "x1": X[:, 1], "y": y}
    table = pa.table(columns)
    write_files(tmp_path / "rows", [table.slice(i, 50) for i in range(0, 300, 50)])

    kill_midway(tmp_path, n_batches=random.randint(1, 2))
    assert 1 <= committed(tmp_path) < 6
    # Not the same micro-batches: where the crash came between two logs, Spark makes one of two.
    run_query(spark, tmp_path)

    answer = spark.read.parquet(str(tmp_path / "answer")).orderBy("t").toArrow()
    assert answer["t"].to_pylist() == list(range(300))
    predictions = answer["prediction"].to_numpy()
    for key in "abc":
        mine = keys == key
        assert predictions[mine].tolist() == row_loop(ridge(), X[mine], y[mine])
        blocks = ridge().progressive(X[mine], y[mine])
        np.testing.assert_allclose(predictions[mine], blocks, atol=1e-9)


@pytest.fixture(scope="module")
def stream(spark, tmp_path_factory):
    """Rows of four keys, shuffled within each trigger, and what the stream answers to them."""
    X, y = random_stream(240, 3)
    X[:, 2] = X[:, 2] > 0
    y[20:240:7] = np.nan
    # An hour of that night comes twice.
    begin = datetime(2025, 10, 26, 0, 30, tzinfo=timezone.utc)
    x, wind, load = X[:, 0].copy(), X[:, 1].copy(), y.copy()
    x[30], wind[31], wind[33], load[35] = np.nan, np.nan, -np.inf, np.inf
    rows = {
        "site": np.tile(["north", "south"], 120),
        "day": [date(2025, 10, 25 + i // 2 % 2) for i in range(240)],
        "time": [begin + timedelta(minutes=i) for i in range(240)],
        "x": pa.array(x, from_pandas=True),  # null in place of NaN
        "wind.speed": wind,
        "on": X[:, 2] > 0,
        "load": pa.array(load, from_pandas=True),
    }
    table = pa.table(rows)
    rng = np.random.default_rng(0)
    triggers = [table.slice(i, 60).take(rng.permutation(60)) for i in range(0, 240, 60)]
    folder = tmp_path_factory.mktemp("stream") / "rows"
    write_files(folder, [part.slice(i, 30) for part in triggers for i in (0, 30)])
    schema = "site string, day date, time timestamp, x double, `wind.speed` double, on boolean"
    df = learn_stream(
        read_files(spark, folder, f"{schema}, load double", per_trigger=2),
        key=["site", "day"],
        features=FEATURES,
        target="load",
        order="time",
        model=ridge(),
    )
    answer = answer_of(df, "stream")
    return table, X, y, answer.orderBy("time").toArrow()


BAD = {30: "x", 31: "wind.speed", 33: "wind.speed", 35: "load"}


def test_predictions_are_those_of_the_row_loop_however_rows_are_cut(stream):
    _, X, y, answer = stream
    predictions = answer["prediction"].to_numpy()
    sound = ~np.isin(np.arange(240), list(BAD))
    for first in range(4):  # of each key
        mine = sound & (np.arange(240) % 4 == first)
        assert predictions[mine].tolist() == row_loop(ridge(), X[mine], y[mine])
    assert np.isnan(predictions[~sound]).all()


def test_answers_have_key_order_and_target_as_they_were(stream):
    table, _, _, answer = stream
    assert answer.column_names == ["site", "day", "time", "load", "prediction", "error"]
    for name in ("site", "day", "load"):
        assert answer[name].to_pylist() == table[name].to_pylist()
    assert answer["time"].cast("int64") == table["time"].cast("int64")


def test_rows_that_cannot_be_learned_say_why(stream):
    errors = stream[3]["error"].to_pylist()
    assert {i for i, error in enumerate(errors) if error} == set(BAD)
    for row, value in ((30, "null or NaN"), (31, "null or NaN"), (33, "-inf"), (35, "inf")):
        wanted = f"{BAD[row]} should be a finite number of magnitude at most 1e100, but is {value}"
        assert errors[row] == wanted


def test_keys_and_order_may_be_of_many_types(spark, tmp_path):
    """Each column of the order decides where those before are equal; the last is a feature, too.

    The file has the name that the key has there.
    """
    rows = [
        (7, True, date(2025, 1, 1 + i // 8), Decimal(i // 4 % 2) / 8, "ab"[i // 2 % 2], i, 2.0 * i)
        for i in range(16)
    ]
    kept = ["n", "yes", "day", "part", "letter", "place"]
    schema = "n int, yes boolean, day date, part decimal(9,3), letter string, place int, y double"
    df = spark.createDataFrame(random.Random(0).sample(rows, 16), schema).repartition(3)
    ridge().save(tmp_path / "7,True.nys")
    answer = learn_stream(
        df,
        key=["n", "yes"],
        features=["place"],
        target="y",
        order=["day", "part", "letter", "place"],
        model=tmp_path / "{key}.nys",
    )
    assert answer.select(*kept).schema == df.select(*kept).schema
    answers = [tuple(row) for row in answer.orderBy("place").collect()]
    assert [row[:7] for row in answers] == rows
    X, y = np.arange(16.0)[:, np.newaxis], 2.0 * np.arange(16)
    assert [row[7] for row in answers] == row_loop(ridge(), X, y)


# Models from history ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def history(spark, tmp_path_factory):
    """A table with keys whose names no file could have, and the models of its first half."""
    X, y = random_stream(1400, 2, seed=3)
    keys = np.array(UNLIKELY_NAMES)[np.arange(1400) % 7]
    columns = {"key": keys, "t": np.arange(1400), "x0": X[:, 0], "x1": X[:, 1], "y": y}
    table = pa.table(columns)
    first = spark.createDataFrame(table.slice(0, 700)).repartition(3)
    models = fit_per_key(first, **COLUMNS, model=ridge()).cache()
    return X, y, keys, table, models


def test_fit_per_key_learns_what_the_learner_does(history):
    X, y, keys, _, models = history
    rows = {row.key: row for row in models.collect()}
    assert set(rows) == set(UNLIKELY_NAMES)
    for key, row in rows.items():
        mine = np.flatnonzero(keys[:700] == key)
        model = ridge()
        frame = NamedRows(["x0", "x1"], X[mine])
        predictions = model.progressive(frame, y[mine])
        assert bytes(row.model) == model.to_bytes()
        assert (row.n_seen, row.n_skipped) == (100, 0)
        assert row.mse == np.mean((predictions - y[mine]) ** 2)


def test_a_stream_goes_on_from_files(spark, history, tmp_path):
    """One model is larger than what Spark lets travel with a query; one key has none."""
    X, y, keys, table, models = history
    path = save_models(models, tmp_path / "models")
    assert len(os.listdir(tmp_path / "models")) == len(UNLIKELY_NAMES)
    assert os.listdir(tmp_path) == ["models"]
    large = nystream.RidgeAld(nystream.Gaussian(sigma=0.05), max_basis=400)
    large.learn_many(X[:700], y[:700])
    large.save(path.replace("{key}", "north"))
    assert len(large.to_bytes()) > 2**20

    keys = np.where(keys == "é %2F", "new", keys)
    later = table.set_column(0, "key", pa.array(keys)).slice(700)
    write_files(tmp_path / "rows", [later.slice(0, 300), later.slice(300)])
    df = read_files(spark, tmp_path / "rows")
    answer = answer_of(learn_stream(df, **COLUMNS, model=path, otherwise=ridge()), "warm")
    predictions = answer.orderBy("t").toArrow()["prediction"].to_numpy()
    begin = {row.key: nystream.Learner.from_bytes(row.model) for row in models.collect()}
    begin |= {"north": large, "new": ridge()}
    for key in set(keys):
        mine = np.flatnonzero(keys[700:] == key)
        wanted = row_loop(begin[key], X[700:][mine], y[700:][mine])
        assert predictions[mine].tolist() == wanted


def test_fit_per_key_counts_what_it_cannot_learn(spark):
    rows = [("a", 1, 1.0, 2.0), ("a", 2, None, 2.0), ("a", 3, 1.0, None), ("b", 4, np.inf, 2.0)]
    df = spark.createDataFrame(rows, "key string, t int, x double, y double")
    model = nystream.RunningMean()
    models = fit_per_key(df, key="key", features=["x"], target="y", order="t", model=model)
    found = {row.key: (row.n_seen, row.n_skipped, row.mse) for row in models.collect()}
    assert found == {"a": (1, 2, 4.0), "b": (0, 1, None)}


# Scores -------------------------------------------------------------------------------------------


def test_scores_are_the_models_own(spark, tmp_path):
    """The scorer is larger than what Spark lets travel in a closure without help."""
    X, y = random_stream(2000, 80)
    names = [f"x.{i}" for i in range(80)]
    model = nystream.Kogd(nystream.Gaussian(sigma=5.0))
    model.learn_many(NamedRows(names, X), y)
    assert len(model.scorer().to_bytes()) > 2**20
    model.save(tmp_path / "model.nys")

    X[5, 7], X[6, 8], X[7, 9] = np.nan, np.inf, 1e101
    table = pa.table({"id": np.arange(2000), **dict(zip(names, X.T, strict=True))})
    write_files(tmp_path / "rows", [table.slice(0, 900), table.slice(900, 700), table.slice(1600)])
    df = spark.read.parquet(str(tmp_path / "rows"))
    assert df.rdd.getNumPartitions() > 1
    streamed = score(read_files(spark, tmp_path / "rows", df.schema), model)
    sound = ~np.isin(np.arange(2000), [5, 6, 7])
    for scored in (score(df, tmp_path / "model.nys"), answer_of(streamed, "scores")):
        assert scored.columns == ["id", *names, "prediction"]
        predictions = scored.select("id", "prediction").orderBy("id").toArrow()["prediction"]
        assert predictions.is_valid().to_pylist() == sound.tolist()
        expected = model.predict_many(X[sound])
        np.testing.assert_allclose(predictions.drop_null(), expected, rtol=0, atol=1e-12)


def test_scores_of_several_targets_are_arrays(spark):
    X, y = random_stream(50, 2)
    model = nystream.RidgeAld(n_targets=2)
    model.learn_many(X, np.column_stack([y, -y]))
    rows = [(1, Decimal("0.5"), True), (2, None, True)]
    df = spark.createDataFrame(rows, "id int, a decimal(9, 2), b boolean")
    scored = score(df, model.scorer(), features=["a", "b"]).orderBy("id").collect()
    assert scored[0].prediction == pytest.approx(model.predict_one([0.5, 1.0]), abs=1e-12)
    assert scored[1].prediction is None


def test_a_query_started_again_with_other_features_says_what_is_wrong(spark, history, tmp_path):
    table = history[3]
    write_files(tmp_path / "rows", [table.slice(0, 5)])
    run_query(spark, tmp_path)
    pa.parquet.write_table(table.slice(5, 5), tmp_path / "rows" / "1.parquet")
    with pytest.raises(
        StreamingQueryException, match=r'ValueError: the model of .* "x0", but is "x1"'
    ):
        run_query(spark, tmp_path, features=["x1", "x0"])
