"""Predictions for a table or a stream, with one model that does not learn."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import nystream
from nystream._core import LARGEST
from nystream.spark._engine import pa, types
from nystream.spark._models import numbers, use_cores_of_task
from nystream.spark._source import NUMBERS, VALUES, check_answer, names_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

# Predictions, and whether each is one.
Found: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.bool_]]"


def score(
    df: DataFrame,
    model: nystream.Learner | nystream.Scorer | str | os.PathLike[str],
    *,
    features: Sequence[str] | None = None,
) -> DataFrame:
    """Add a column of predictions to a table or a stream.

    Workers get the scorer itself, once for each task; no file has to be on their disks.

    Parameters
    ----------
    df
        A DataFrame, streaming or not.
    model
        A learner, a scorer, or the path of the file of one, which the driver reads. Rows that
        the learner learns later do not count.
    features
        The columns that the model takes, in its order; those that it has learned by name if None.

    Returns
    -------
    scored
        All columns of ``df``, and ``prediction``: a double, or with several targets an array of
        them. It is null where a feature is infinite; where it is null or NaN, unless the model
        takes tables; and where such a model cannot read a value as what its column is.

    Examples
    --------
    >>> import nystream
    >>> from nystream.spark import score
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> model = nystream.LinearRls(ridge=1e-9)
    >>> model.learn_many([[0.0], [1.0], [2.0]], [0.0, 2.0, 4.0])
    >>> df = spark.createDataFrame([(1, 3.0), (2, None)], "id int, x double")
    >>> for row in score(df, model, features=["x"]).orderBy("id").collect():
    ...     print(row.id, row.prediction and round(row.prediction, 6))
    1 6.0
    2 None
    """
    scorer = scorer_of(model)
    kinds = NUMBERS if scorer.schema is None else VALUES
    names = names_of(df, "features", features_of(scorer, features), kinds)
    check_answer([*df.columns, "prediction"])
    # Columns are renamed to numbers, since Spark takes no name with a dot there.
    numbered = df.toDF(*map(str, range(len(df.columns))))
    schema = types.StructType([*numbered.schema.fields, prediction_field(scorer)])
    places = [df.columns.index(name) for name in names]
    return numbered.mapInArrow(scoring(scorer, places), schema).toDF(*df.columns, "prediction")


def prediction_field(scorer: nystream.Scorer) -> types.StructField:
    """Return name and type of the column of predictions."""
    number = types.DoubleType()
    return types.StructField(
        "prediction", number if scorer.n_targets == 1 else types.ArrayType(number)
    )


def scorer_of(model: Any) -> nystream.Scorer:
    """Return the scorer of a model, or of a file."""
    if isinstance(model, (str, os.PathLike)):
        model = nystream.load(model)
    if isinstance(model, nystream.Learner):
        return model.scorer()
    if isinstance(model, nystream.Scorer):
        return model
    raise TypeError(f"model should be a learner, a scorer or a path, but is {model!r:.100}")


def features_of(scorer: nystream.Scorer, given: Sequence[str] | None) -> Sequence[str]:
    """Return the columns that a scorer takes."""
    names = scorer.feature_names if given is None else given
    if names is None:
        raise ValueError("features should be given: the model has learned rows without names")
    if scorer.n_features not in (None, len(names)):
        raise ValueError(
            f"features should be {scorer.n_features} columns, as the model has learned, "
            f"but are {len(names)}"
        )
    return names


def scoring(scorer: nystream.Scorer, places: list[int]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return the function by which a worker predicts the batches of a task."""

    # The scorer travels in the closure, which Spark sends and opens once for each task.
    def run(batches: Iterable[Any]) -> Iterator[Any]:
        use_cores_of_task()
        for batch in batches:
            yield batch.append_column("prediction", predictions(scorer, places, batch))

    return run


def predictions(scorer: nystream.Scorer, places: list[int], batch: Any) -> Any:
    """Return a prediction for each row, null where a feature is no finite number."""
    columns = [batch.column(place) for place in places]
    found = of_numbers if scorer.schema is None else of_table
    values, sound = found(scorer, columns)
    if scorer.n_targets > 1:
        return pa.array([values[i] if sound[i] else None for i in range(len(sound))])
    return pa.array(values, mask=~sound)


def of_numbers(scorer: nystream.Scorer, columns: list[Any]) -> Found:
    """Predict rows of numbers; one with another value has no prediction."""
    X = np.column_stack([numbers(column) for column in columns])
    sound = np.all(np.abs(X) <= LARGEST, axis=1)
    values = blank(scorer, len(X))
    if sound.any():
        values[sound] = scorer.predict_many(X[sound])
    return values, sound


def of_table(scorer: nystream.Scorer, columns: list[Any]) -> Found:
    """Predict rows with text, times and gaps; one by one only if some cannot be predicted."""
    names = scorer.feature_names or [str(place) for place in range(len(columns))]
    table = pa.table([plain(column) for column in columns], names)
    try:
        return scorer.predict_many(table), np.full(len(table), fill_value=True)
    except (TypeError, ValueError):
        return one_by_one(scorer, table.to_pylist())


def one_by_one(scorer: nystream.Scorer, rows: list[dict[str, Any]]) -> Found:
    """Predict each row alone, so that a refused one takes no other with it."""
    values, sound = blank(scorer, len(rows)), np.full(len(rows), fill_value=False)
    for i, row in enumerate(rows):
        with contextlib.suppress(TypeError, ValueError):
            values[i], sound[i] = scorer.predict_one(row), True
    return values, sound


def plain(column: Any) -> Any:
    """Return a column whose numbers are no decimals."""
    return column.cast("float64") if pa.types.is_decimal(column.type) else column


def blank(scorer: nystream.Scorer, n_rows: int) -> NDArray[np.float64]:
    """Return a place for each prediction."""
    return np.zeros((n_rows, scorer.n_targets) if scorer.n_targets > 1 else n_rows)
