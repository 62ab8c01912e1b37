"""A model for each key of a table, and files of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import nystream
from nystream._core import LARGEST, write_file
from nystream._frames import NamedRows
from nystream.spark._engine import pa, types
from nystream.spark._models import (
    KEY,
    Start,
    answer_rows,
    file_name,
    inspect,
    numbers,
    use_cores_of_task,
)
from nystream.spark._source import Source, check_answer, column, short_names

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

# The columns of the answer beside the key, with their types in Spark and in Arrow.
FITTED = {
    "model": (types.BinaryType(), pa.binary()),
    "n_seen": (types.LongType(), pa.int64()),
    "n_skipped": (types.LongType(), pa.int64()),
    "mse": (types.DoubleType(), pa.float64()),
}


def fit_per_key(
    df: DataFrame,
    *,
    key: str | Sequence[str],
    features: Sequence[str],
    target: str,
    order: str | Sequence[str],
    model: nystream.Learner | str | PathLike[str],
    otherwise: nystream.Learner | None = None,
) -> DataFrame:
    """Learn a model for each key of a table.

    Rows of a key are learned in blocks, in one call, on one worker, which must have memory for
    them.

    Parameters
    ----------
    df
        A DataFrame that does not stream.
    key, features, target, order, model, otherwise
        As for :func:`learn_stream`.

    Returns
    -------
    models
        A row for each key: its columns; ``model``, the bytes that ``nystream.Learner.from_bytes``
        opens; ``n_seen``, the number of rows that the model has learned; ``n_skipped``, the number
        of those that it could not learn, because the target is null, NaN or infinite, or a feature
        is what :func:`learn_stream` takes for an error; and ``mse``, the mean squared error of
        predictions made before each row was learned, null without any.

    Examples
    --------
    >>> import nystream
    >>> from nystream.spark import fit_per_key
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> rows = [("a", 2, 1.0, 3.0), ("a", 1, 1.0, 1.0), ("a", 3, None, 3.0)]
    >>> df = spark.createDataFrame(rows, "sensor string, t int, x double, y double")
    >>> models = fit_per_key(
    ...     df, key="sensor", features=["x"], target="y", order="t", model=nystream.RunningMean()
    ... )
    >>> row = models.first()
    >>> row.sensor, row.n_seen, row.n_skipped, row.mse
    ('a', 2, 1, 2.5)
    >>> nystream.Learner.from_bytes(row.model).predict_one([1.0])
    2.0
    """
    if df.isStreaming:
        raise ValueError("df should not stream, but does: learn_stream is for streams")
    start = Start.of(model, otherwise)
    if start.is_keyed:
        raise TypeError("model should be a learner or a path; learn_stream is for a Keyed")
    source = Source.of(df, key, features, target, order, start.takes_tables)
    check_answer([*(column.name for column in source.key), *FITTED])
    fields = [types.StructField(name, kind) for name, (kind, _) in FITTED.items()]
    schema = types.StructType([*(column.field() for column in source.key), *fields])
    answer = source.grouped().applyInArrow(fitting(start, source), schema)
    return answer.select(*(column.back() for column in source.key), *FITTED)


def fitting(start: Start, source: Source) -> Callable[[tuple[Any, ...], Any], Any]:
    """Return the function by which a worker fits the model of a key to its rows."""
    # The source itself cannot go to a worker, since it holds a DataFrame.
    features, target, texts = source.features, source.target, source.texts
    keys = [column.short for column in source.key]
    orders = [(column.short, "ascending") for column in source.order]

    def fit(key: tuple[Any, ...], table: Any) -> Any:
        use_cores_of_task()
        learner = start.learner(features, tuple(value.as_py() for value in key), texts)
        learn = learn_numbers if learner.schema is None else learn_table
        n_skipped, mse = learn(learner, features, target, table.sort_by(orders))
        fitted = learner.to_bytes(), learner.n_seen, n_skipped, mse
        kinds = [*(value.type for value in key), *(kind for _, kind in FITTED.values())]
        values = zip((*key, *fitted), kinds, strict=True)
        return pa.table([pa.array([value], kind) for value, kind in values], [*keys, *FITTED])

    return fit


def learn_numbers(
    learner: nystream.Learner, features: list[str], target: str, table: Any
) -> tuple[int, float | None]:
    """Learn rows of numbers; return how many were skipped, and the error before the others."""
    X = np.column_stack([numbers(table.column(name)) for name in short_names(len(features))])
    y = numbers(table.column("label"))
    learnable = inspect(features, target, X, y)[0] & ~np.isnan(y)
    X, y = X[learnable], y[learnable]
    predictions = learner.progressive(NamedRows(features, X), y) if len(y) else y
    return int((~learnable).sum()), error_of(predictions, y)


def learn_table(
    learner: nystream.Learner, features: list[str], target: str, table: Any
) -> tuple[int, float | None]:
    """Learn rows with text, times and gaps; one by one only if some cannot be learned."""
    y = numbers(table.column("label"))
    learnable = np.abs(y) <= LARGEST
    rows = table.select(short_names(len(features))).rename_columns(features).filter(learnable)
    y = y[learnable]
    try:
        predictions = learner.progressive(rows, y) if len(y) else y
    except (TypeError, ValueError):
        predictions, _ = answer_rows(learner, rows.to_pylist(), target, y)
    learned = ~np.isnan(predictions)
    n_skipped = len(learnable) - np.count_nonzero(learned)
    return n_skipped, error_of(predictions[learned], y[learned])


def error_of(predictions: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    """Return the mean squared error of predictions; None without any."""
    return float(np.mean((predictions - y) ** 2)) if len(y) else None


def save_models(models: DataFrame, folder: str | PathLike[str]) -> str:
    """Write models of keys to files, one for each, and return the path with ``{key}`` in it.

    The driver writes them, one after the other, each as a whole or not at all.

    Parameters
    ----------
    models
        The answer of :func:`fit_per_key`.
    folder
        The folder of the files, named ``KEY.nys``; made if it does not exist. For
        :func:`learn_stream`, a folder that workers can read. Several columns of a key are joined
        by commas. Characters other than letters, digits, ``_``, ``-``, ``~`` and ``.`` are written
        as in web addresses, and so is a dot at the beginning.

    Returns
    -------
    path
        The path to give to :func:`learn_stream` as ``model``.

    Examples
    --------
    >>> import tempfile
    >>> import nystream
    >>> from nystream.spark import fit_per_key, save_models
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> df = spark.createDataFrame([("a/b", 1, 1.0, 2.0)], "k string, t int, x double, y double")
    >>> models = fit_per_key(
    ...     df, key="k", features=["x"], target="y", order="t", model=nystream.RunningMean()
    ... )
    >>> path = save_models(models, tempfile.mkdtemp())
    >>> path.endswith("{key}.nys")
    True
    >>> nystream.load(path.replace("{key}", "a%2Fb")).n_seen
    1
    """
    if "model" not in models.columns:
        known = ", ".join(models.columns)
        raise ValueError(f"models should have the column 'model', but has {known}")
    keys = [column(name) for name in models.columns if name not in FITTED]
    path = Path(folder).absolute() / f"{KEY}.nys"
    path.parent.mkdir(parents=True, exist_ok=True)
    for *key, data in models.select(*keys, "model").toLocalIterator():
        write_file(path.with_name(f"{file_name(key)}.nys"), bytes(data))
    return str(path)
