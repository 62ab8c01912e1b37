"""Spark: a Keyed for each group of keys of a stream."""

from __future__ import annotations

import os
import shutil

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
from pyspark.errors import StreamingQueryException  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402, N812
from spark_session import COLUMNS, run_query, write_files  # noqa: E402

from nystream.spark import learn_stream  # noqa: E402
from nystream.spark._models import file_name  # noqa: E402

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

N_ROWS, N_GROUPS = 240, 3
KEYS = ["north", "a,b", "", "é %2F", *map(str, range(20))]


def keyed():
    return nystream.Keyed(nystream.LinearRls(), shared=nystream.RidgeAld(max_basis=20))


def rows():
    """Rows of many keys, of which each time has three, some without a label and one unfit."""
    X, y = random_stream(N_ROWS, 2)
    rng = np.random.default_rng(1)
    keys = np.concatenate([rng.choice(KEYS, 3, replace=False) for _ in range(N_ROWS // 3)])
    y[5::7], X[40, 1] = np.nan, np.inf
    times = np.arange(N_ROWS) // 3
    order = np.lexsort((keys, times))
    columns = {"key": keys, "t": times, "x0": X[:, 0], "x1": X[:, 1], "y": y}
    return pa.table({name: values[order] for name, values in columns.items()})


def row_loop(table, groups):
    """What a Keyed for each group answers to one row after the other."""
    models, predictions = {}, []
    for row, group in zip(table.to_pylist(), groups, strict=True):
        model = models.setdefault(group, keyed())
        one = [file_name([row["key"]])], [[row["x0"], row["x1"]]]
        if np.isinf(row["x1"]):
            predictions.append(None)
        elif np.isnan(row["y"]):
            predictions.append(model.predict_many(*one)[0])
        else:
            predictions.append(model.progressive(*one, [row["y"]])[0])
    return predictions


@pytest.fixture(scope="module")
def learned(spark, tmp_path_factory):
    """Rows that came in three micro-batches, the answers, and the folder of the query."""
    table, folder = rows(), tmp_path_factory.mktemp("keyed")
    shuffled = np.random.default_rng(0).permutation
    parts = [table.slice(i, 90) for i in range(0, N_ROWS, 90)]
    write_files(folder / "rows", [part.take(shuffled(len(part))) for part in parts])
    run_query(spark, folder, model=keyed(), groups=N_GROUPS)
    answer = spark.read.parquet(str(folder / "answer"))
    group = F.pmod(F.hash("key"), F.lit(N_GROUPS)).alias("group")
    return table, answer.select("*", group).orderBy("t", "key").toArrow(), folder


def test_each_group_is_a_keyed_that_learns_row_by_row(learned):
    table, answer, _ = learned
    assert answer.column_names == ["key", "t", "y", "prediction", "error", "group"]
    assert answer["key"].to_pylist() == table["key"].to_pylist()
    groups = answer["group"].to_pylist()
    assert set(groups) == set(range(N_GROUPS))
    assert answer["prediction"].to_pylist() == row_loop(table, groups)


def test_a_row_that_is_unfit_says_why(learned):
    errors = [error for error in learned[1]["error"].to_pylist() if error]
    assert errors == ["x1 should be a finite number of magnitude at most 1e100, but is inf"]


def test_the_stream_may_be_cut_in_any_way(spark, small_batches, learned):
    table, answer, _ = learned
    df = spark.createDataFrame(table.to_pandas()).coalesce(1)
    whole = learn_stream(df, **COLUMNS, model=keyed(), groups=N_GROUPS)
    again = whole.orderBy("t", "key").toArrow()
    assert again["prediction"].to_pylist() == answer["prediction"].to_pylist()


def test_a_query_that_goes_on_keeps_its_groups_and_features(spark, learned):
    table, _, folder = learned
    for i, (change, message) in enumerate(
        [
            ({"groups": 2}, r"ValueError: groups should be 3, as when the query began, but is 2"),
            (
                {"groups": N_GROUPS, "features": ["x1", "x0"]},
                r'the model of group \d has learned other features: .* "x0", but is "x1"',
            ),
        ]
    ):
        pa.parquet.write_table(table.slice(0, 30), folder / "rows" / f"later-{i}.parquet")
        with pytest.raises(StreamingQueryException, match=message):
            run_query(spark, folder, model=keyed(), **change)
