"""A model for each key of a stream, in Spark's state store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import nystream
from nystream._checks import whole
from nystream.spark._engine import F, types
from nystream.spark._learning import GroupLearning, OnlineLearning
from nystream.spark._models import Start
from nystream.spark._source import Source, check_answer

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame, SparkSession

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

N_GROUPS = 16


def learn_stream(
    df: DataFrame,
    *,
    key: str | Sequence[str],
    features: Sequence[str],
    target: str,
    order: str | Sequence[str],
    model: nystream.Learner | nystream.Keyed | str | PathLike[str],
    otherwise: nystream.Learner | None = None,
    groups: int | None = None,
) -> DataFrame:
    """Predict each row of a stream, then learn it, with a model for each key.

    The models are in Spark's state store: with a checkpoint location and a sink that Spark writes
    exactly once, every row is learned and answered once, however often the query is killed and
    started again. Rows are learned one by one, so how Spark cuts the stream into micro-batches
    does not change a bit of any prediction.

    Parameters
    ----------
    df
        A streaming DataFrame. One that does not stream is taken as a single micro-batch.
    key
        The column, or columns, of which each value has a model of its own: text, whole numbers,
        booleans or dates. A null ends the query.
    features
        The columns to predict from: numbers or booleans; if the model takes tables, as
        :class:`nystream.Auto` and :class:`nystream.Tabular` do, also text, dates and timestamps.
        A null is a missing value to such a model.
    target
        The column to predict. A row in which it is null or NaN is predicted and not learned.
    order
        The column, or columns, by which the rows of a key are sorted in a micro-batch, since Spark
        keeps no order; best without ties. Micro-batches themselves come as the source gives them.
        A null ends the query.
    model
        The model of a new key: a learner that has not learned yet, or the path of a saved one,
        which workers read when they first see the key. With ``{key}`` in the file's name each key
        has its own, as :func:`save_models` writes them. Or a :class:`nystream.Keyed` that has not
        learned yet, for many keys with few rows: each group of keys has one.
    otherwise
        The learner of new keys without a file, if the path has ``{key}``. Without it, a missing
        file ends the query.
    groups
        With a ``Keyed``, into how many groups the keys are divided, at least 1; 16 if None. Keys
        of a group have a shared model, and are learned by one worker. A query that is started
        again keeps the number with which it began.

    Returns
    -------
    answer
        The columns of key and order, the target as a double, ``prediction``, which was made before
        the row was learned, and ``error``. A feature that is infinite, or null or NaN where the
        model takes no tables, or an infinite target, is an error: the text names the column and
        the value, the prediction is null, and the row is not learned. Otherwise ``error`` is null.

    Examples
    --------
    >>> import nystream
    >>> from nystream.spark import learn_stream
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    >>> spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
    >>> spark.conf.set("spark.sql.shuffle.partitions", 2)
    >>> rows = [("a", 2, 1.0, 3.0), ("a", 1, 1.0, 1.0), ("a", 3, None, 3.0), ("a", 4, 1.0, None)]
    >>> df = spark.createDataFrame(rows, "sensor string, t int, x double, y double")
    >>> answer = learn_stream(
    ...     df, key="sensor", features=["x"], target="y", order="t", model=nystream.RunningMean()
    ... )
    >>> for row in answer.orderBy("t").collect():
    ...     print(row.t, row.y, row.prediction, row.error)
    1 1.0 0.0 None
    2 3.0 1.0 None
    3 3.0 None x should be a finite number of magnitude at most 1e100, but is null or NaN
    4 None 2.0 None
    """
    start = Start.of(model, otherwise)
    n_groups = number_of_groups(start, groups)
    source = Source.of(df, key, features, target, order, start.takes_tables)
    carried = [*source.key, *source.order]
    check_answer([*(column.name for column in carried), target, "prediction", "error"])
    check_provider(df.sparkSession)
    numbers = [types.StructField(name, types.DoubleType()) for name in ("label", "prediction")]
    fields = [column.field() for column in carried]
    schema = types.StructType([*fields, *numbers, types.StructField("error", types.StringType())])
    learning = GroupLearning(start, source, n_groups) if n_groups else OnlineLearning(start, source)
    rows = source.grouped(n_groups)
    answer = rows.transformWithStateInPandas(learning, schema, "append", "None")
    label = F.col("label").alias(target)
    return answer.select(*(column.back() for column in carried), label, "prediction", "error")


def number_of_groups(start: Start, groups: int | None) -> int | None:
    """Return into how many groups keys are divided; None if each is alone."""
    if start.is_keyed:
        return whole("groups", N_GROUPS if groups is None else groups)
    if groups is not None:
        raise ValueError(f"groups is for a Keyed, but is {groups} with another model")
    return None


def check_provider(spark: SparkSession) -> None:
    """Refuse a session whose state store cannot hold models."""
    provider = spark.conf.get(PROVIDER)
    if "RocksDB" not in str(provider):
        raise ValueError(
            f"models need the state store RocksDB, but it is {provider}: "
            f"spark.conf.set({PROVIDER!r}, {ROCKSDB!r})"
        )
