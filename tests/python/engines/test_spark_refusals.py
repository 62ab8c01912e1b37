"""Spark: what is refused, by the driver or by a worker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from support import random_stream

import nystream

for package in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
    pytest.importorskip(package, reason=f"not installed: {package}")

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("no java on this machine", allow_module_level=True)

from pyspark.errors import PySparkException  # noqa: E402
from spark_session import (  # noqa: E402
    COLUMNS,
    ROCKSDB,
    SCHEMA,
    ridge,
)

from nystream.spark import fit_per_key, learn_stream, save_models, score  # noqa: E402
from nystream.spark._models import Start  # noqa: E402

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


def fitted():
    model = ridge()
    model.learn_many(*random_stream(10, 2))
    return model


def keyed():
    return nystream.Keyed(nystream.LinearRls())


def taught():
    model = keyed()
    model.learn_many([0] * 10, *random_stream(10, 2))
    return model


def wide():
    return nystream.Fogd(frequencies=np.ones((1000, 100)))


REFUSED = [
    ({"model": fitted()}, ValueError, "seen 10 rows: save it, and pass the path"),
    ({"model": nystream.Auto(n_targets=2)}, ValueError, "model should have 1 target, but has 2"),
    ({"model": wide()}, ValueError, "model should have at most 500000 bytes, but has 1616656"),
    ({"model": nystream.RidgeAld}, TypeError, "model should be a learner, a Keyed or a path"),
    ({"model": taught()}, ValueError, "model should not have learned yet, but has seen 10 rows"),
    ({"groups": 4}, ValueError, "groups is for a Keyed, but is 4 with another model"),
    ({"model": keyed(), "groups": 0}, ValueError, "groups should be at least 1, but is 0"),
    ({"model": "m/{key}/m.nys"}, ValueError, "in the name of the file alone"),
    ({"otherwise": ridge()}, ValueError, "otherwise is for keys without a file"),
    ({"model": "{key}", "otherwise": keyed()}, TypeError, "otherwise should be a learner, but"),
    ({"model": "m.nys", "otherwise": ridge()}, ValueError, "otherwise is for a path with {key}"),
    ({"model": "{key}", "otherwise": fitted()}, ValueError, "otherwise should not have learned"),
    ({"model": "{key}", "otherwise": 5}, TypeError, "otherwise should be a learner, but is 5"),
    ({"key": "sensor"}, ValueError, "key should name columns of df, .* but has 'sensor'"),
    ({"key": "x0"}, TypeError, "key should name columns of .* but 'x0' holds double"),
    ({"key": []}, ValueError, "key should name at least one column"),
    ({"features": ["x0", "x2"]}, ValueError, "features should name .* but has 'x2'"),
    ({"features": ["key"]}, TypeError, "features should name .* but 'key' holds string"),
    ({"features": ["x0", "y"]}, ValueError, "features should not hold the target"),
    ({"target": "prediction"}, ValueError, "rename 'prediction' before"),
    ({"target": "ys"}, ValueError, "target should name columns of df, .* but has 'ys'"),
    ({"order": "list"}, TypeError, "order should name .* but 'list' holds array<int>"),
    ({"order": ["t", "t"]}, ValueError, "order should name a column once, but has 't' twice"),
    ({"order": ["t", "key"]}, ValueError, "rename 'key' before"),
]


@pytest.fixture(scope="module")
def empty(spark):
    return spark.createDataFrame([], f"{SCHEMA}, prediction int, list array<int>")


@pytest.mark.parametrize(("change", "kind", "message"), REFUSED)
def test_bad_arguments_are_refused_before_a_query_starts(empty, change, kind, message):
    with pytest.raises(kind, match=message):
        learn_stream(empty, **(COLUMNS | {"model": ridge()} | change))


def test_bad_arguments_of_the_others_are_refused(spark, empty, tmp_path):
    with pytest.raises(ValueError, match="models should have the column 'model', but has key, t"):
        save_models(empty, tmp_path)
    with pytest.raises(ValueError, match="rename 'prediction' before"):
        score(empty, fitted(), features=["x0", "x1"])
    table = empty.drop("prediction")
    with pytest.raises(ValueError, match="features should be given"):
        score(table, fitted())
    with pytest.raises(ValueError, match=r"features should be 2 columns, .* but are 1"):
        score(table, fitted(), features=["x0"])
    with pytest.raises(TypeError, match="model should be a learner, a scorer or a path, but is 5"):
        score(table, 5, features=["x0"])
    stream = spark.readStream.format("rate").load()
    with pytest.raises(ValueError, match="df should not stream"):
        fit_per_key(stream, **COLUMNS, model=ridge())
    with pytest.raises(TypeError, match="a learner or a path; learn_stream is for a Keyed"):
        fit_per_key(table, **COLUMNS, model=keyed())


def test_another_state_store_is_refused(spark, empty):
    name = "spark.sql.streaming.stateStore.providerClass"
    spark.conf.set(name, ROCKSDB.replace("RocksDB", "HDFSBacked"))
    try:
        with pytest.raises(ValueError, match=r"RocksDB, but it is .*: spark\.conf\.set\('spark"):
            learn_stream(empty, **COLUMNS, model=ridge())
    finally:
        spark.conf.set(name, ROCKSDB)


ROW = {"key": "a", "t": 1.0, "x0": 1.0, "x1": 1.0, "y": 1.0}


@pytest.mark.parametrize(
    ("change", "model", "message"),
    [
        ({"key": None}, ridge(), "'key' is the key, which should never be null"),
        ({"t": None}, ridge(), "'t' is the order, which should never be null"),
        ({"t": np.nan}, ridge(), "'t' is the order, which should never be null"),
        ({}, "{key}.nys", "model should be a file, but there is no .*/a.nys"),
        ({}, "scorer.nys", "model should be the file of a learner, but .*/scorer.nys holds"),
    ],
)
def test_a_worker_refuses_what_the_driver_cannot_see(spark, tmp_path, change, model, message):
    fitted().scorer().save(tmp_path / "scorer.nys")
    model = tmp_path / model if isinstance(model, str) else model
    df = spark.createDataFrame([tuple((ROW | change).values())], SCHEMA.replace("long", "double"))
    with pytest.raises(PySparkException, match=message):
        fit_per_key(df, **COLUMNS, model=model).collect()


def test_a_missing_folder_is_an_error_where_a_missing_file_is_not(tmp_path):
    start = Start.of(tmp_path / "{key}.nys", ridge())
    assert start.learner(["x"], ("a",)).n_seen == 0
    start = Start.of(tmp_path / "modles" / "{key}.nys", ridge())
    with pytest.raises(FileNotFoundError, match=r"there is no .*/modles/a\.nys"):
        start.learner(["x"], ("a",))


def test_a_file_of_other_features_is_an_error(tmp_path):
    fitted().save(tmp_path / "a.nys")
    start = Start.of(tmp_path / "{key}.nys", None)
    with pytest.raises(ValueError, match=r"the model of a has learned other features: .* 2 .* 3"):
        start.learner(["x0", "x1", "x2"], ("a",))


@pytest.mark.parametrize("name", ["pyspark", "pandas", "pyarrow", "google.protobuf"])
def test_a_missing_library_is_named_with_the_command_that_installs_it(name):
    script = f"import sys; sys.modules[{name!r}] = None; import nystream.spark"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stderr.endswith("and protobuf: pip install 'nystream[spark]'\n")
