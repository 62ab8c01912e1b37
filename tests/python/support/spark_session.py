"""A local Spark, and a query that another process can run to be killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import SparkSession

import nystream
from nystream.spark import learn_stream

FEATURES = ["x", "wind.speed", "on"]
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SCHEMA = "key string, t long, x0 double, x1 double, y double"
COLUMNS = {"key": "key", "features": ["x0", "x1"], "target": "y", "order": "t"}


def session():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        # To start quickly, not to run long.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.memory": "1g",
        "spark.sql.session.timeZone": "Europe/Paris",
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    return SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()


def ridge():
    return nystream.RidgeAld(nystream.Gaussian(sigma=2.0), max_basis=30)


def write_files(folder, tables):
    """One file for each, in an order that the source of files sees."""
    folder.mkdir()
    for i, table in enumerate(tables):
        path = folder / f"{i}.parquet"
        pa.parquet.write_table(table, path)
        os.utime(path, (i + 1, i + 1))


def read_files(spark, folder, schema=SCHEMA, per_trigger=1):
    source = spark.readStream.schema(schema).option("maxFilesPerTrigger", per_trigger)
    return source.parquet(str(folder))


def answer_of(df, name):
    """All that a stream answers, from memory."""
    query = df.writeStream.format("memory").queryName(name).trigger(availableNow=True).start()
    query.awaitTermination()
    return df.sparkSession.table(name)


def run_query(spark, folder, **change):
    df = read_files(spark, folder / "rows")
    answer = learn_stream(df, **(COLUMNS | {"model": ridge()} | change))
    sink = answer.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
    sink.trigger(availableNow=True).start(str(folder / "answer")).awaitTermination()


if __name__ == "__main__":
    run_query(session(), Path(sys.argv[1]))
