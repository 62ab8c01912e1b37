"""A model for each key of a stream, in Spark's state store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream._frames import NamedRows
from nystream.spark._engine import F, StatefulProcessor, pd, types
from nystream.spark._models import (
    Start,
    answer_rows,
    check_features,
    inspect,
    use_cores_of_task,
)
from nystream.spark._source import Source, check_answer, short_names

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle, TimerValues

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def learn_stream(
    df: DataFrame,
    *,
    key: str | Sequence[str],
    features: Sequence[str],
    target: str,
    order: str | Sequence[str],
    model: nystream.Learner | str | PathLike[str],
    otherwise: nystream.Learner | None = None,
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
        has its own, as :func:`save_models` writes them.
    otherwise
        The learner of new keys without a file, if the path has ``{key}``. Without it, a missing
        file ends the query.

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
    source = Source.of(df, key, features, target, order, start.takes_tables)
    carried = [*source.key, *source.order]
    check_answer([*(column.name for column in carried), target, "prediction", "error"])
    check_provider(df.sparkSession)
    numbers = [types.StructField(name, types.DoubleType()) for name in ("label", "prediction")]
    fields = [column.field() for column in carried]
    schema = types.StructType([*fields, *numbers, types.StructField("error", types.StringType())])
    learning = OnlineLearning(start, source)
    answer = source.grouped().transformWithStateInPandas(learning, schema, "append", "None")
    label = F.col("label").alias(target)
    return answer.select(*(column.back() for column in carried), label, "prediction", "error")


class OnlineLearning(StatefulProcessor):
    """A worker, which learns the rows that a key has in a micro-batch."""

    def __init__(self, start: Start, source: Source) -> None:
        self._start = start
        self._keys = [column.short for column in source.key]
        self._orders = [column.short for column in source.order]
        self._features = source.features
        self._texts = source.texts
        self._target = source.target

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Begin a task."""
        use_cores_of_task()
        self._state = handle.getValueState("model", "model binary")

    def handleInputRows(  # noqa: N802
        self, key: Any, rows: Iterator[Any], timerValues: TimerValues
    ) -> Iterator[Any]:
        """Learn the rows of a key in their order."""
        frame = pd.concat(list(rows)).sort_values(self._orders, kind="stable")
        X = frame[short_names(len(self._features))]
        y = frame["label"].to_numpy(np.float64)
        learner = self._learner(key)
        if learner.schema is None:
            predictions, errors = self._answer_numbers(learner, X.to_numpy(np.float64), y)
        else:
            dicts = X.set_axis(self._features, axis=1).to_dict("records")
            predictions, errors = answer_rows(learner, dicts, self._target, y)
        self._state.update((learner.to_bytes(),))
        answer = frame[[*self._orders, "label"]].assign(prediction=predictions, error=errors)
        yield answer.assign(**dict(zip(self._keys, key, strict=True)))

    def close(self) -> None:
        """End a task."""

    def _answer_numbers(
        self, learner: nystream.Learner, X: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        sound, errors = inspect(self._features, self._target, X, y)
        predictions = np.full(len(y), np.nan)
        predictions[sound] = predict_then_learn(learner, self._features, X[sound], y[sound])
        return predictions, errors

    def _learner(self, key: tuple[Any, ...]) -> nystream.Learner:
        if (state := self._state.get()) is None:
            return self._start.learner(self._features, key, self._texts)
        learner = nystream.Learner.from_bytes(state[0])
        # A query may be started again with others.
        check_features(learner, self._features, key, self._texts)
        return learner


def predict_then_learn(
    learner: nystream.Learner, names: list[str], X: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Predict each row, then learn it if it has a label.

    One by one: blocks would be faster, but they end where a micro-batch ends, and so the last bits
    would depend on how Spark cuts the stream.
    """
    predictions = np.empty(len(y))
    labelled = ~np.isnan(y)
    for i in range(len(y)):
        one = slice(i, i + 1)
        # A learner remembers the names of the first row that it learns.
        rows: Any = X[one] if learner.n_seen else NamedRows(names, X[one])
        predictions[one] = (
            learner.progressive(rows, y[one]) if labelled[i] else learner.predict_many(rows)
        )
    return predictions


def check_provider(spark: SparkSession) -> None:
    """Refuse a session whose state store cannot hold models."""
    provider = spark.conf.get(PROVIDER)
    if "RocksDB" not in str(provider):
        raise ValueError(
            f"models need the state store RocksDB, but it is {provider}: "
            f"spark.conf.set({PROVIDER!r}, {ROCKSDB!r})"
        )
