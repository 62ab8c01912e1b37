"""Models in Spark: one for each key of a stream, scores of tables, models from history.

:func:`learn_stream` predicts each row of a stream and then learns it, with a model for each key
that lives in Spark's state store. :func:`score` adds predictions to a table or a stream,
:func:`fit_per_key` learns a model for each key of a table, and :func:`save_models` writes those
to files from which a stream goes on.

>>> import nystream
>>> from nystream.spark import fit_per_key
>>> from pyspark.sql import SparkSession
>>> spark = SparkSession.builder.master("local[2]").getOrCreate()
>>> rows = [("a", t, t / 9, 2 * t / 9) for t in range(9)]
>>> table = spark.createDataFrame(rows, "k string, t int, x double, y double")
>>> models = fit_per_key(
...     table, key="k", features=["x"], target="y", order="t", model=nystream.LinearRls(ridge=1e-6)
... )
>>> round(nystream.Learner.from_bytes(models.first().model).predict_one([0.5]), 3)
1.0
"""

from nystream.spark._fit import fit_per_key, save_models
from nystream.spark._score import score
from nystream.spark._stream import learn_stream

__all__ = ["fit_per_key", "learn_stream", "save_models", "score"]
